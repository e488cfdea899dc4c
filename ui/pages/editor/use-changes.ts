// The unsaved changes. A page with changes asks before the user leaves it.
import { useEffect, useMemo, useState } from 'react'
import type { Changes, Row } from './state.ts'

export interface ChangeSet {
  readonly all: Changes
  /** The order of a list, by the keys of its rows; null: unchanged. */
  readonly order: readonly string[] | null
  readonly size: number
  readonly add: (row: Row) => void
  readonly edit: (before: Row, row: Row) => void
  readonly removeAll: (rows: readonly Row[], op: 'remove' | 'block') => void
  readonly undo: (key: string) => void
  readonly move: (order: readonly string[] | null) => void
  readonly clear: () => void
}

export function useChanges(): ChangeSet {
  const [all, setAll] = useState<Changes>(new Map())
  const [order, move] = useState<readonly string[] | null>(null)
  const size = all.size + (order === null ? 0 : 1)
  useEffect(() => {
    if (size === 0) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [size])
  return useMemo(() => {
    const change = (work: (next: Map<string, import('./state.ts').Change>) => void) =>
      setAll((before) => {
        const next = new Map(before)
        work(next)
        return next
      })
    return {
      all,
      order,
      size,
      move,
      add: (row) => change((next) => next.set(row.key, { op: 'add', row })),
      edit: (before, row) =>
        change((next) => {
          const known = next.get(before.key)
          if (known?.op === 'add') next.set(before.key, { op: 'add', row })
          else next.set(before.key, { op: 'edit', row, before: known?.op === 'edit' ? known.before : before })
        }),
      removeAll: (rows, op) =>
        change((next) => {
          for (const row of rows) {
            const known = next.get(row.key)
            // An added row was never saved, so forget it.
            if (known?.op === 'add') next.delete(row.key)
            else next.set(row.key, { op, row: known?.op === 'edit' ? known.before : row })
          }
        }),
      undo: (key) => change((next) => next.delete(key)),
      clear: () => {
        setAll(new Map())
        move(null)
      },
    }
  }, [all, order, size])
}

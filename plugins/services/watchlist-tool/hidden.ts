// Rows that were deleted and are still in what was last read. They are hidden until the account is read again.
import type { KeyValueStore } from '@playhead/sdk'

export interface HiddenRow {
  readonly provider: string
  readonly instance: string
  readonly key: string
}

/** True for rows that are to be left out. */
export type IsHidden = (row: HiddenRow, readAtMs: number) => boolean

export interface Hidden {
  add(rows: readonly HiddenRow[]): Promise<void>
  clear(): Promise<void>
  /** How it is now. */
  load(): Promise<IsHidden>
  /** Another text whenever other rows are hidden. */
  revision(): Promise<string>
}

/** Account → key → when it was deleted. */
type Stored = Record<string, Record<string, number>>

const ENTRY = 'hidden'

export function createHidden(store: KeyValueStore, now: () => number): Hidden {
  let queue: Promise<unknown> = Promise.resolve()

  // One after the other: each change reads what the one before wrote.
  function inTurn(work: () => Promise<void>): Promise<void> {
    const result = queue.then(work, work)
    queue = result.catch(() => {})
    return result
  }

  return {
    add: (rows) =>
      inTurn(async () => {
        if (rows.length === 0) return
        const stored = structuredClone((await store.get<Stored>(ENTRY)) ?? {})
        for (const row of rows) (stored[accountOf(row)] ??= {})[row.key] = now()
        await store.set(ENTRY, stored)
      }),
    clear: () => inTurn(async () => void (await store.delete(ENTRY))),
    async revision() {
      const stored = (await store.get<Stored>(ENTRY)) ?? {}
      return Object.entries(stored)
        .flatMap(([account, keys]) => {
          const times = Object.values(keys)
          return `${account}:${times.length}:${times.reduce((newest, time) => Math.max(newest, time), 0)}`
        })
        .sort()
        .join(',')
    },
    async load() {
      const stored = (await store.get<Stored>(ENTRY)) ?? {}
      return (row, readAtMs) => (stored[accountOf(row)]?.[row.key] ?? -1) >= readAtMs
    },
  }
}

function accountOf({ provider, instance }: HiddenRow): string {
  return `${provider}@${instance}`
}

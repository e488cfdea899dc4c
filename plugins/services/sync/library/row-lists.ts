// Lists of rows that a caller sends in pages. Their texts are in temporary databases until half an hour after the last use.
import { PlayheadError, type RowsOf } from '@playhead/sdk'
import { randomUUID } from 'node:crypto'
import type { EngineParts } from '../feature-run.ts'
import { createTexts, type Texts } from './rows.ts'

export interface RowList {
  readonly of: RowsOf
  readonly texts: Texts
  count: number
  /** The account of the first read. */
  account?: string
}

interface Kept extends RowList {
  readonly timer: NodeJS.Timeout
  /** Stops the timer from keeping the thread alive. */
  readonly release: () => void
}

const MAX_ROWS = 2_000_000
const MAX_PAGE = 1_000
const IDLE_MS = 30 * 60_000

export function createRowLists({ stay }: Pick<EngineParts, 'stay'>) {
  const lists = new Map<string, Kept>()

  function get(id: string): RowList {
    const list = lists.get(id)
    if (list === undefined) throw new PlayheadError('PLH_NOT_FOUND', 'There is no such list of rows; begin it again.')
    list.timer.refresh()
    return list
  }

  function drop(id: string): void {
    const list = lists.get(id)
    if (list === undefined) return
    clearTimeout(list.timer)
    lists.delete(id)
    list.texts.release()
    list.release()
  }

  return {
    get,
    async beginRows(of: RowsOf): Promise<string> {
      const id = randomUUID()
      const timer = setTimeout(() => drop(id), IDLE_MS).unref()
      lists.set(id, { of, texts: createTexts(), count: 0, timer, release: stay?.() ?? (() => {}) })
      return id
    },
    async addRows(id: string, rows: readonly string[]): Promise<void> {
      const list = get(id)
      if (rows.length > MAX_PAGE || list.count + rows.length > MAX_ROWS)
        throw new PlayheadError('PLH_INVALID', 'Too many rows.', { wire: 'too_many_rows' })
      for (const text of rows) list.texts.add(text)
      list.count += rows.length
    },
    dropRows: async (id: string): Promise<void> => drop(id),
  }
}

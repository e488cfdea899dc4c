// Reads the pages of the log, newest first, and proves completeness by the total on each page.
import { PlayheadError } from '@playhead/sdk'
import { ask, type Command } from './api.ts'
import { History, numberOf, type Row, textOf } from './wire.ts'

export interface Page {
  readonly rows: readonly Row[]
  /** Rows of the whole log; undefined when unknown. */
  readonly total: number | undefined
}

/** Yields pages until the caller stops or the log ends. Throws `PLH_UPSTREAM_INVALID` for too many pages. */
export async function* pagesOf(command: Command, userId: string): AsyncGenerator<Page> {
  const { per_page: length, max_pages: most } = command.account.profile.history
  let start = 0
  for (let index = 0; ; index += 1) {
    if (index >= most) {
      const { name } = command.account
      throw new PlayheadError(
        'PLH_UPSTREAM_INVALID',
        `${name}: the log has more than ${most} pages. Allow more in the settings.`,
      )
    }
    const page = await readPage(command, userId, start, length)
    yield page
    start += page.rows.length
    if (page.rows.length === 0 || start >= (page.total ?? 0)) return
  }
}

async function readPage(command: Command, userId: string, start: number, length: number): Promise<Page> {
  const { recordsFiltered, data } = await ask(
    command,
    'get_history',
    {
      start: String(start),
      length: String(length),
      order_column: 'date',
      order_dir: 'desc',
      media_type: 'movie,episode',
      // Groups the parts of a paused playback; excludes running ones.
      grouping: '1',
      include_activity: '0',
      ...(userId === '' ? {} : { user_id: userId }),
    },
    History,
  )
  return { rows: data, total: numberOf(recordsFiltered) }
}

interface Proof {
  add(page: Page): void
  /** Why the log may be incomplete, or undefined. */
  flaw(): string | undefined
  /** Why the rows read so far are not reliable, even if incomplete. */
  fault(): string | undefined
}

export function createProof(): Proof {
  const seen = new Set<string>()
  let rows = 0
  let total: number | undefined
  let found: string | undefined

  return {
    add(page) {
      if (page.total === undefined) found ??= 'total_unknown'
      else if (total !== undefined && page.total !== total) found ??= 'changed_while_reading'
      total ??= page.total
      for (const row of page.rows) {
        const id = textOf(row.row_id)
        rows += 1
        if (id !== undefined && seen.has(id)) found ??= 'repeated_page'
        if (id !== undefined) seen.add(id)
      }
    },
    flaw: () => found ?? (rows === total ? undefined : 'total_mismatch'),
    fault: () => found,
  }
}

// Reads all rows of a table and checks them against the overview counts and the position of the change log.
import { ask, isMissing } from '../rpc.ts'
import type { Session } from '../session.ts'
import type { Table } from '../tables.ts'
import { Cursor, Overview, type Row, Rows } from '../wire.ts'

const MAX_PAGES = 10_000
/** A list that changes during the read is read again. */
const ATTEMPTS = 2

export interface Snapshot {
  readonly rows: readonly Row[]
  /** Position of the change log before the read; undefined without a log. */
  readonly cursor: number | undefined
  /** Why the snapshot may be incomplete. */
  readonly flaw: string | undefined
}

export async function takeSnapshot(session: Session, table: Table, signal: AbortSignal): Promise<Snapshot> {
  for (let attempt = 1; ; attempt += 1) {
    const taken = await readOnce(session, table, signal)
    const mayPass = taken.flaw === 'changed_while_reading' || taken.flaw === 'total_mismatch'
    if (!mayPass || attempt >= ATTEMPTS) return taken
  }
}

/** Position of the change log; undefined without a log. */
export async function cursorOf(
  { absent, upstream, profileId }: Session,
  { cursor }: Table,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (absent.has(cursor)) return undefined
  try {
    return await ask(upstream, cursor, { p_profile_id: profileId }, Cursor, signal)
  } catch (error) {
    if (!isMissing(error)) throw error
    absent.add(cursor)
    return undefined
  }
}

async function readOnce(session: Session, table: Table, signal: AbortSignal): Promise<Snapshot> {
  const cursor = await cursorOf(session, table, signal)
  const rows: Row[] = []
  const seen = new Set<string>()
  let flaw: string | undefined
  let pages = 0
  for (;;) {
    const page = await ask(
      session.upstream,
      table.pull,
      { p_profile_id: session.profileId, ...table.page(pages) },
      Rows,
      signal,
    )
    pages += 1
    for (const row of page) {
      const key = table.keyOf(row)
      if (key !== undefined && seen.has(key)) flaw ??= 'repeated_page'
      if (key !== undefined) seen.add(key)
      rows.push(row)
    }
    const isFull = page.length >= table.pageRows
    if (isFull && (table.isWhole || pages >= MAX_PAGES)) flaw ??= 'truncated'
    if (!isFull || flaw !== undefined) break
  }
  if (flaw !== undefined) return { rows, cursor, flaw }
  const total = await countOf(session, table, signal)
  if (total === undefined) flaw = 'total_unknown'
  else if (total !== rows.length) flaw = 'total_mismatch'
  else if (pages > 1 && cursor !== undefined && (await cursorOf(session, table, signal)) !== cursor)
    flaw = 'changed_while_reading'
  return { rows, cursor, flaw }
}

/** Number of rows according to the service; undefined when it does not say. */
async function countOf(
  { upstream, profileId }: Session,
  { counted }: Table,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    const byProfile = (await ask(upstream, 'get_sync_overview', {}, Overview, signal))[counted]
    if (typeof byProfile !== 'object' || byProfile === null) return undefined
    // Profiles without rows are omitted.
    const count = (byProfile as Readonly<Record<string, unknown>>)[String(profileId)] ?? 0
    return typeof count === 'number' && Number.isInteger(count) ? count : undefined
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

// Replaces the whole library, for services without row updates: every omitted row is deleted there. All rows are sent
// back unchanged, even unreadable ones; the reads before must be complete and agree; and a backup is stored.
import { isPlayheadError, PlayheadError } from '@playhead/sdk'
import type { Session } from '../session.ts'
import { takeSnapshot } from '../read/snapshot.ts'
import { TABLES } from '../tables.ts'
import type { Row } from '../wire.ts'
import { change } from './write.ts'

const REPLACE = 'sync_push_library'
const BACKUP = 'library_backup'
const TABLE = TABLES.watchlist

interface Replacement {
  readonly add: readonly Row[]
  /** Row keys. */
  readonly remove: readonly string[]
}

/**
 * Throws `PLH_NOT_READY` (`library_changing`, `read_incomplete`, `account_changed`) before anything was sent,
 * `PLH_UPSTREAM` when the result differs.
 */
export async function replaceLibrary(
  session: Session,
  { add, remove }: Replacement,
  signal: AbortSignal,
): Promise<void> {
  const lineage = await session.lineage()
  const before = await wholeLibrary(session, signal)
  await keepCopy(session, [...before.values()])
  // Includes rows added meanwhile; fails if the library keeps changing.
  const latest = await wholeLibrary(session, signal)
  if (!isSame(before, latest)) throw notReady('library_changing')
  if ((await session.lineage()) !== lineage) throw notReady('account_changed')

  const wanted = new Map(latest)
  for (const key of remove) wanted.delete(key)
  for (const row of add) {
    const key = TABLE.keyOf(row)
    if (key !== undefined && !wanted.has(key)) wanted.set(key, row)
  }
  if (latest.size - wanted.size > remove.length) throw notReady('too_many_removals')
  await change(session, REPLACE, { p_items: [...wanted.values()] }, signal)
  session.mirrors.delete(TABLE.feature)
  await verify(session, wanted, signal)
}

async function verify(session: Session, wanted: ReadonlyMap<string, Row>, signal: AbortSignal): Promise<void> {
  const now = await wholeLibrary(session, signal).catch((error: unknown) => {
    if (!isPlayheadError(error)) throw error
    return undefined
  })
  if (now !== undefined && [...wanted.keys()].every((key) => now.has(key)) && now.size === wanted.size) return
  // Without a status it counts as a write with an unknown outcome.
  throw new PlayheadError(
    'PLH_UPSTREAM',
    `${session.account.name}: Nuvio's library differs from what was sent. A backup was stored.`,
  )
}

async function wholeLibrary(session: Session, signal: AbortSignal): Promise<ReadonlyMap<string, Row>> {
  const { rows, flaw } = await takeSnapshot(session, TABLE, signal)
  if (flaw !== undefined) throw notReady('read_incomplete')
  const byKey = new Map<string, Row>()
  for (const row of rows) {
    const key = TABLE.keyOf(row)
    // Without a unique key the row cannot be sent back safely.
    if (key === undefined || byKey.has(key)) throw notReady('read_incomplete')
    byKey.set(key, row)
  }
  return byKey
}

async function keepCopy({ account, now }: Session, rows: readonly Row[]): Promise<void> {
  await account.store.set(BACKUP, { atMs: now(), rows })
}

function isSame(a: ReadonlyMap<string, Row>, b: ReadonlyMap<string, Row>): boolean {
  return a.size === b.size && [...a.keys()].every((key) => b.has(key))
}

function notReady(wire: string): PlayheadError {
  return new PlayheadError('PLH_NOT_READY', "Nuvio's library could not be replaced safely; nothing was changed.", {
    wire,
  })
}

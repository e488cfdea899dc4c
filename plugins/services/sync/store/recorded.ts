// Recorded plays: plays recorded at an account outside a run, for example by a scrobble. They belong to the account where
// they were recorded.
import { defined, type Tables } from '@playhead/sdk'
import { compareItems, type Item, tokensOf } from '@playhead/sdk/items'
import { pagesOf } from './steps.ts'

export interface RecordedRow {
  readonly id: number
  readonly uid: string
  /** The account at the service; empty if unknown. */
  readonly account: string
  readonly item: Item
  /** Null if the account did not report it. */
  readonly watchedAtMs: number | null
  readonly startedAtMs: number
  readonly endedAtMs: number
  /** Written by a run, so the base knows the play. The row only identifies plays that are the same. */
  readonly byRun: boolean
  /** The play is expected up to this time. Null if it is recorded. */
  readonly expectedUntilMs: number | null
}

export type NewRecordedRow = Omit<RecordedRow, 'id'>

const CHUNK = 500
/** A paused session may last for days; a longer span would include other plays. */
const LONGEST_SPAN_MS = 48 * 3_600_000

/** Stores the plays, in a transaction of the caller. A known play is updated. */
export async function noteRecorded(db: Tables, plays: readonly NewRecordedRow[], nowMs: number): Promise<void> {
  for (const play of plays) await noteOne(db, withSpan(play), nowMs)
}

async function noteOne(db: Tables, play: NewRecordedRow, nowMs: number): Promise<void> {
  const { uid, account, item, watchedAtMs, startedAtMs, endedAtMs, byRun, expectedUntilMs } = play
  // A title alone does not identify an item.
  if (tokensOf(item, { within: 'provider' }).length === 0) return
  const rows = await rowsOf(db)
    .where(({ and }) => and({ uid, account }))
    .where('ended_at', '>=', startedAtMs)
    .where('started_at', '<=', endedAtMs)
    .execute()
  const known = rows
    .map(toRow)
    .find(
      (row) =>
        overlap(row, play) &&
        (row.watchedAtMs === null || watchedAtMs === null || row.watchedAtMs === watchedAtMs) &&
        compareItems(row.item, item, { within: 'provider' }) === 'same',
    )
  const isExpected = expectedUntilMs !== null
  if (isExpected && known?.expectedUntilMs === null) return
  // The end of an active play is a guess.
  const span = known !== undefined && isExpected === (known.expectedUntilMs !== null) ? known : play
  const values = {
    watched_at: watchedAtMs ?? known?.watchedAtMs ?? null,
    started_at: Math.min(startedAtMs, span.startedAtMs),
    ended_at: Math.max(endedAtMs, span.endedAtMs),
    expected_until: expectedUntilMs,
    by_run: byRun && known?.byRun !== false ? 1 : 0,
  }
  const newest = await db
    .selectFrom('sync__recorded')
    .select((eb) => eb.fn.max('revision').as('revision'))
    .executeTakeFirst()
  const revision = Number(newest?.['revision'] ?? 0) + 1
  if (known === undefined) {
    await db
      .insertInto('sync__recorded')
      .values({ uid, account, item: JSON.stringify(named(item)), ...values, noted_at: nowMs, revision })
      .execute()
    return
  }
  const isSame =
    known.watchedAtMs === values.watched_at &&
    known.startedAtMs === values.started_at &&
    known.endedAtMs === values.ended_at &&
    known.expectedUntilMs === values.expected_until &&
    Number(known.byRun) === values.by_run
  if (isSame) return
  await db
    .updateTable('sync__recorded')
    .set({ ...values, revision })
    .where('id', '=', known.id)
    .execute()
}

/** One person cannot play an item twice at once, so plays with overlapping spans are one play. */
export function overlap(
  x: Pick<RecordedRow, 'startedAtMs' | 'endedAtMs'>,
  y: Pick<RecordedRow, 'startedAtMs' | 'endedAtMs'>,
): boolean {
  const from = Math.max(x.startedAtMs, y.startedAtMs)
  const to = Math.min(x.endedAtMs, y.endedAtMs)
  // A span of zero length lies within another, or equals it.
  const isMoment = x.startedAtMs === x.endedAtMs || y.startedAtMs === y.endedAtMs
  return from < to || (from === to && isMoment)
}

/** Excludes expected plays that did not occur. */
export async function recordedOf(db: Tables, uid: string, nowMs: number): Promise<RecordedRow[]> {
  const found: RecordedRow[] = []
  for await (const rows of pagesOf(rowsOf(db).where('uid', '=', uid), 'id', CHUNK))
    found.push(...rows.map(toRow).filter(({ expectedUntilMs: until }) => until === null || until > nowMs))
  return found
}

/** Changes with the recorded plays of the accounts; null if there are none. */
export async function recordedMark(db: Tables, uids: readonly string[]): Promise<string | null> {
  const row = await db
    .selectFrom('sync__recorded')
    .select(({ fn }) => [fn.countAll().as('count'), fn.max('revision').as('revision')])
    .where('uid', 'in', uids)
    .executeTakeFirst()
  return row === undefined || Number(row['count']) === 0 ? null : `${String(row['count'])} ${String(row['revision'])}`
}

export async function forgetRecorded(db: Tables, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await db.deleteFrom('sync__recorded').where('id', 'in', ids).execute()
}

export async function pruneRecorded(
  db: Tables,
  { endedBeforeMs, nowMs }: { readonly endedBeforeMs: number; readonly nowMs: number },
): Promise<void> {
  await db.deleteFrom('sync__recorded').where('ended_at', '<', endedBeforeMs).execute()
  await db.deleteFrom('sync__recorded').where('expected_until', '<=', nowMs).execute()
}

function withSpan<Play extends Pick<RecordedRow, 'startedAtMs' | 'endedAtMs'>>(play: Play): Play {
  const endedAtMs = Math.max(play.startedAtMs, play.endedAtMs)
  const startedAtMs = Math.max(Math.min(play.startedAtMs, play.endedAtMs), endedAtMs - LONGEST_SPAN_MS)
  return { ...play, startedAtMs, endedAtMs }
}

/** The fields that matching needs, and a title for people who inspect the table. */
function named({ type, ids, show_ids, season, episode, title, year }: Item): Partial<Item> {
  return defined({ type, ids, show_ids, season, episode, title, year })
}

const rowsOf = (db: Tables) =>
  db
    .selectFrom('sync__recorded')
    .select(['id', 'uid', 'account', 'item', 'by_run', 'watched_at as watchedAtMs', 'started_at as startedAtMs'])
    .select(['ended_at as endedAtMs', 'expected_until as expectedUntilMs'])

type Stored = Omit<RecordedRow, 'item' | 'byRun'> & { readonly item: string; readonly by_run: number }

function toRow({ item, by_run: byRun, ...row }: Stored): RecordedRow {
  return { ...row, item: JSON.parse(item) as Item, byRun: byRun === 1 }
}

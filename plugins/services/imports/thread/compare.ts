// Decides the rows of an import one by one, by the library's comparison with the current rows of an account. Rows that the account
// already has are not added again, so importing the same file twice changes nothing.
import {
  type AccountName,
  type ComparedWork,
  type ImportFeature,
  insertRows,
  type LibraryService,
  type LiveEnd,
  PlayheadError,
  type Remote,
  type Tables,
} from '@playhead/sdk'
import { formatTime, type Item, kindOf, parseTime, sameTime, type Time, tokensOf } from '@playhead/sdk/items'
import { type FeatureSupport, playRefusal, writeRefusal } from '@playhead/sdk/provider'
import { type RawBuilder, sql } from 'kysely'

/** The read on which the decisions are based. */
export type Read = Pick<LiveEnd, 'account' | 'count' | 'doubt' | 'readAtMs'>

export interface CompareOrder {
  readonly id: string
  readonly feature: ImportFeature
  readonly support: FeatureSupport
  /** For differing ratings: keep the account's, use the file's, or use the later one. */
  readonly ratings: 'keep' | 'file' | 'newer'
  /** The day that the person chose for plays without a time. */
  readonly undatedAs: string | null
  /** Only rows of this profile in the file. */
  readonly person: string | null
  /** Accepts a read that lacks suspiciously many rows. */
  readonly approved: boolean
  /** Not the first round: rows written or found in an earlier round keep their state, because missing ones were removed since. */
  readonly isNext: boolean
}

interface Row {
  readonly n: number
  readonly item: Item
}

interface Verdict {
  readonly n: number
  readonly plan: 'add' | 'update' | 'already' | 'conflict' | 'duplicate' | 'unsupported' | 'unmatched'
  /** With `add`: `undated_as:<day>` for plays without a time. */
  readonly reason?: string
}

/** Watched before the chosen day of a play without a time. */
export const UNDATED = 'undated_as:'

const PAGE = 500
const NO_VALUES = { feature: '', file: '', key: '', words: '', item: '', state: '' }

/** Returns the end of the read. Throws `PLH_CONFLICT` (`read_doubtful`), and errors of the read. */
export async function compare(
  db: Tables,
  library: Pick<Remote<LibraryService>, 'beginRows' | 'addRows' | 'compareRows' | 'dropRows'>,
  order: CompareOrder,
  { provider, instance }: AccountName,
  signal: AbortSignal,
): Promise<Read> {
  const { id, feature, isNext, approved } = order
  const decide = (verdicts: readonly Verdict[]) =>
    setColumns(
      db,
      id,
      verdicts.map(({ n, plan, reason }) => ({ n, plan, plan_reason: reason ?? null })),
      sql`plan = excluded.plan, plan_reason = excluded.plan_reason
        where import_row.plan is null or import_row.plan not in ('done', 'already')`,
    )
  const list = await library.beginRows({ provider, instance, feature })
  try {
    for await (const rows of pagesOf(db, order)) {
      signal.throwIfAborted()
      await library.addRows(
        list,
        rows.flatMap(({ n, item }) =>
          unsupportedReason(order, item) === undefined ? [JSON.stringify({ key: String(n), item })] : [],
        ),
      )
    }
    let read: Read | undefined
    for await (const part of library.compareRows(list, signal)) {
      if (part.type === 'works') {
        await decide(part.works.flatMap((work) => judge(order, work)))
        continue
      }
      read = part.end
      if (read.doubt !== null && !approved)
        throw new PlayheadError(
          'PLH_CONFLICT',
          'The account has fewer items than expected. Try again later, or send "approved" to confirm.',
          { wire: 'read_doubtful', details: { reason: read.doubt } },
        )
      // Only rows of this feature: other features were decided before.
      await sql`update import_row set plan = null, plan_reason = null where import_id = ${id} and feature = ${feature}
        and (${isNext ? 0 : 1} or plan is null or plan not in ('done', 'already'))`.execute(db)
      for await (const rows of pagesOf(db, order))
        await decide(
          rows.flatMap(({ n, item }) => {
            const reason = unsupportedReason(order, item)
            return reason === undefined ? [] : [{ n, plan: 'unsupported', reason }]
          }),
        )
    }
    if (read === undefined) throw new PlayheadError('PLH_ABORTED', 'The account could not be read completely.')
    return read
  } finally {
    await library.dropRows(list).catch(() => {})
  }
}

/**
 * Updates existing rows by number. An `update … from json_each` would scan all rows of the import for each element.
 * @param set SQL after `do update set`
 */
export async function setColumns(
  db: Tables,
  id: string,
  rows: readonly ({ readonly n: number } & object)[],
  set: RawBuilder<unknown>,
): Promise<void> {
  const values = rows.map((row) => ({ ...NO_VALUES, import_id: id, ...row }))
  await insertRows(db, 'import_row', values, sql`on conflict (import_id, n) do update set ${set}`)
}

/** The rows that are compared. */
async function* pagesOf(db: Tables, { id, feature, person }: CompareOrder): AsyncGenerator<readonly Row[]> {
  for (let after = -1; ; ) {
    const { rows } = await sql<{ n: number; item: string }>`select n, coalesce(chosen, item) as item from import_row
      where import_id = ${id} and n > ${after} and feature = ${feature} and person is ${person}
        and (state = 'matched' or reason = 'missing_time') order by n limit ${PAGE}`.execute(db)
    if (rows.length === 0) return
    after = rows.at(-1)!.n
    yield rows.map(({ n, item }) => ({ n, item: JSON.parse(item) as Item }))
  }
}

function judge(order: CompareOrder, { given, held, isContradicted, present }: ComparedWork): readonly Verdict[] {
  const rows = given.map(({ key, item }) => ({ n: Number(key), item }))
  if (isContradicted) return rows.map(({ n }) => ({ n, plan: 'conflict', reason: 'ids_contradict' }))
  if (order.feature === 'history') return judgePlays(order, rows, held.length > 0, new Set(present.map(Number)))
  const [chosen, ...others] = rows.sort((a, b) => timeOf(b.item, order.feature) - timeOf(a.item, order.feature))
  const duplicates = others.map(({ n }): Verdict => ({ n, plan: 'duplicate' }))
  return [judgeValue(order, chosen!, held), ...duplicates]
}

/** For a row, and its written form: a play without a time gets the chosen day. */
function unsupportedReason(order: CompareOrder, item: Item): string | undefined {
  return itemReason(item, order.support) ?? (order.feature === 'history' ? playReason(order, item) : undefined)
}

function playReason({ support, undatedAs }: CompareOrder, item: Item): string | undefined {
  const isUndated = parseTime(item.watched_at) === undefined && undatedAs !== null
  return playRefusal(support, isUndated ? { ...item, watched_at: undatedAs } : item, Date.now())
}

function itemReason(item: Item, support: FeatureSupport): string | undefined {
  if (!support.kinds.includes(kindOf(item))) return 'unsupported_kind'
  return tokensOf(item, { within: 'provider' }).length === 0 ? 'missing_ids' : writeRefusal(support, 'add', item)
}

function judgeValue(
  { feature, support, ratings }: CompareOrder,
  { n, item }: Row,
  held: ComparedWork['held'],
): Verdict {
  const own = held[0]?.item
  if (own === undefined) {
    const isEmpty = feature === 'progress' && item.progress_ms === undefined && item.progress_percent === undefined
    return isEmpty ? { n, plan: 'unsupported', reason: 'missing_progress' } : { n, plan: 'add' }
  }
  if (feature !== 'ratings' || held.some((row) => row.item.rating === item.rating)) return { n, plan: 'already' }
  const [mine, theirs] = [parseTime(item.rated_at), parseTime(own.rated_at)]
  // A day and a time within that day have no order.
  const isNewer = mine !== undefined && theirs !== undefined && mine.atMs > theirs.atMs && !sameTime(mine, theirs, 0)
  if (ratings === 'keep' || (ratings === 'newer' && !isNewer))
    return { n, plan: 'conflict', reason: 'rated_differently' }
  return support.update ? { n, plan: 'update' } : { n, plan: 'conflict', reason: 'cannot_update' }
}

/**
 * @param isHeld the account has a play of the work
 * @param present plays that the account has
 */
function judgePlays(
  { support, undatedAs }: CompareOrder,
  rows: readonly Row[],
  isHeld: boolean,
  present: ReadonlySet<number>,
): readonly Verdict[] {
  const verdicts: Verdict[] = []
  const plays: (Time & { readonly n: number })[] = []
  const undated: Row[] = []
  const times = new Set<string>()
  for (const row of rows) {
    const time = parseTime(row.item.watched_at)
    if (time === undefined) undated.push(row)
    else if (times.has(formatTime(time))) verdicts.push({ n: row.n, plan: 'duplicate' })
    else {
      times.add(formatTime(time))
      plays.push({ n: row.n, ...time })
    }
  }
  const latest = plays.toSorted((a, b) => b.atMs - a.atMs)[0]
  for (const play of plays) {
    const { n } = play
    // In an account with one play per item, any play matches.
    if (support.plays?.write === true ? present.has(n) : isHeld) verdicts.push({ n, plan: 'already' })
    else if (support.plays?.write === true || play === latest) verdicts.push({ n, plan: 'add' })
    else verdicts.push({ n, plan: 'duplicate', reason: 'one_play_only' })
  }
  for (const [index, { n }] of undated.entries()) {
    // Without a time, any play matches.
    if (isHeld || plays.length > 0 || index > 0) verdicts.push({ n, plan: isHeld ? 'already' : 'duplicate' })
    else if (undatedAs === null) verdicts.push({ n, plan: 'unmatched', reason: 'missing_time' })
    else verdicts.push({ n, plan: 'add', reason: `${UNDATED}${undatedAs}` })
  }
  return verdicts
}

function timeOf(item: Item, feature: ImportFeature): number {
  const text = feature === 'ratings' ? item.rated_at : feature === 'progress' ? item.progress_at : item.added_at
  return parseTime(text)?.atMs ?? -Infinity
}

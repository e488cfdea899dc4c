// Compares the rows of an import with what an account has now, and decides row by row. What the account has already is never
// added again: the same file twice changes nothing.
import {
  contradicts,
  type FeatureSupport,
  type Ids,
  type ImportFeature,
  insertRows,
  type Item,
  kindOf,
  type LiveEnd,
  type LivePart,
  pairPlays,
  parseTime,
  PlayheadError,
  sameTime,
  type Tables,
  type Time,
  tokensOf,
} from '@playhead/sdk'
import { type RawBuilder, sql } from 'kysely'

export interface CompareOrder {
  readonly id: string
  readonly feature: ImportFeature
  readonly support: FeatureSupport
  /** Ratings that differ: the account's, the file's, or the later one. */
  readonly ratings: 'keep' | 'file' | 'newer'
  /** A day that the person gave for plays without a time. */
  readonly undatedAs: string | null
  /** Only rows of this profile of the file. */
  readonly person: string | null
  /** A read that lacks suspiciously many rows counts all the same. */
  readonly approved: boolean
  /** Not the first round: what was written or there in an earlier one stays so, because it was removed since if it is gone. */
  readonly isNext: boolean
}

interface Row {
  readonly n: number
  readonly base: string
  readonly item: Item
}

interface Verdict {
  readonly n: number
  readonly plan: 'add' | 'update' | 'already' | 'conflict' | 'duplicate' | 'unsupported' | 'unmatched'
  /** With `add`: `undated_as:<day>` for plays without a time. */
  readonly reason?: string
}

/** Before the day of a play without a time. */
export const UNDATED = 'undated_as:'

const PAGE = 500
const NO_VALUES = { feature: '', file: '', key: '', base: '', words: '', item: '', state: '' }
const HELD_PAGE = 250
/** Services round times, and files name the day of a time zone that they do not say. */
const TIMED_MS = 60_000
const DATED_MS = 14 * 3_600_000
/** Services keep different times for one viewing: when it began, when it ended, when it was noticed. */
const VIEWING_MS = 6 * 3_600_000

/** Returns how the read ended. Throws `PLH_CONFLICT` (`read_doubtful`), and what the read throws. */
export async function compare(db: Tables, order: CompareOrder, live: AsyncIterable<LivePart>): Promise<LiveEnd> {
  const { id, feature, isNext } = order
  const read = await storeHeld(db, order, live)
  // The rows of this feature alone: others were decided before.
  await sql`update import_row set plan = null, plan_reason = null where import_id = ${id} and feature = ${feature}
    and (${isNext ? 0 : 1} or plan is null or plan not in ('done', 'already'))`.execute(db)
  for await (const group of groupsOf(db, order)) {
    const verdicts = await judge(db, order, group)
    await setColumns(
      db,
      id,
      verdicts.map(({ n, plan, reason }) => ({ n, plan, plan_reason: reason ?? null })),
      sql`plan = excluded.plan, plan_reason = excluded.plan_reason
        where import_row.plan is null or import_row.plan not in ('done', 'already')`,
    )
  }
  await clearHeld(db, id)
  return read
}

/**
 * Changes rows that are there, by their numbers. An `update … from json_each` would go through all rows of the import
 * for each of these.
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

export async function clearHeld(db: Tables, id: string): Promise<void> {
  await sql`delete from import_held where import_id = ${id}`.execute(db)
  await sql`delete from import_held_token where import_id = ${id}`.execute(db)
}

async function storeHeld(db: Tables, { id, approved }: CompareOrder, live: AsyncIterable<LivePart>): Promise<LiveEnd> {
  await clearHeld(db, id)
  let n = 0
  let end: LiveEnd | undefined
  for await (const part of live) {
    if (part.type === 'scope') continue
    if (part.type === 'end') {
      end = part.end
      const { doubt } = end
      if (doubt !== null && !approved)
        throw new PlayheadError(
          'PLH_CONFLICT',
          'The account shows suspiciously few rows. Try again later, or confirm with "approved".',
          { wire: 'read_doubtful', details: { reason: doubt } },
        )
      continue
    }
    const tokens: object[] = []
    const rows = part.rows.map(({ item }) => {
      const own = n++
      for (const token of new Set(tokensOf(item, { within: 'provider' }))) tokens.push({ import_id: id, token, n: own })
      return { import_id: id, n: own, item: JSON.stringify(item) }
    })
    await insertRows(db, 'import_held', rows)
    await insertRows(db, 'import_held_token', tokens)
  }
  if (end === undefined) throw new PlayheadError('PLH_ABORTED', 'The account could not be read completely.')
  return end
}

/** Rows of one work at a time, those without identity one by one; several works a turn. */
async function* groupsOf(
  db: Tables,
  { id, feature, person }: CompareOrder,
): AsyncGenerator<readonly (readonly Row[])[]> {
  let last = { base: '', n: -1 }
  let open: Row[] = []
  for (;;) {
    const { rows } = await sql<{ n: number; base: string; item: string; state: string; reason: string | null }>`
      select n, base, coalesce(chosen, item) as item, state, reason from import_row
      where import_id = ${id} and feature = ${feature} and (base, n) > (${last.base}, ${last.n})
        and (${person} is null or person is null or person = ${person})
        and (state = 'matched' or reason = 'missing_time')
      order by base, n limit ${PAGE}`.execute(db)
    const groups: Row[][] = []
    for (const { n, base, item } of rows) {
      if (open.length > 0 && (open[0]!.base !== base || base === '')) {
        groups.push(open)
        open = []
      }
      open.push({ n, base, item: JSON.parse(item) as Item })
    }
    if (rows.length < PAGE) {
      if (open.length > 0) groups.push(open)
      if (groups.length > 0) yield groups
      return
    }
    last = { base: rows.at(-1)!.base, n: rows.at(-1)!.n }
    if (groups.length > 0) yield groups
  }
}

async function judge(
  db: Tables,
  order: CompareOrder,
  groups: readonly (readonly Row[])[],
): Promise<readonly Verdict[]> {
  const held = await heldFor(
    db,
    order.id,
    groups.flatMap((rows) => rows.flatMap(({ item }) => tokensOf(item, { within: 'provider' }))),
  )
  return groups.flatMap((rows) => {
    const usable: Row[] = []
    const verdicts: Verdict[] = []
    for (const row of rows) {
      const reason = unsupportedReason(row.item, order.support)
      if (reason === undefined) usable.push(row)
      else verdicts.push({ n: row.n, plan: 'unsupported', reason })
    }
    if (usable.length === 0) return verdicts
    const numbers = new Set(
      usable.flatMap(({ item }) => tokensOf(item, { within: 'provider' }).flatMap((t) => held.byToken.get(t) ?? [])),
    )
    const own = [...numbers].map((n) => held.items.get(n)!)
    if (own.some((one) => usable.some(({ item }) => contradicts(one, item))))
      return [...verdicts, ...usable.map(({ n }) => ({ n, plan: 'conflict' as const, reason: 'ids_contradict' }))]
    return [...verdicts, ...judgeWork(order, usable, own)]
  })
}

async function heldFor(db: Tables, id: string, tokens: readonly string[]) {
  const items = new Map<number, Item>()
  const byToken = new Map<string, number[]>()
  const wanted = [...new Set(tokens)]
  for (let start = 0; start < wanted.length; start += HELD_PAGE) {
    const { rows } = await sql<{ token: string; n: number; item: string }>`select t.token, t.n, h.item
      from json_each(${JSON.stringify(wanted.slice(start, start + HELD_PAGE))}) w
      cross join import_held_token t on t.import_id = ${id} and t.token = w.value
      cross join import_held h on h.import_id = ${id} and h.n = t.n`.execute(db)
    for (const { token, n, item } of rows) {
      if (!items.has(n)) items.set(n, JSON.parse(item) as Item)
      byToken.set(token, [...(byToken.get(token) ?? []), n])
    }
  }
  return { items, byToken }
}

function unsupportedReason(item: Item, { kinds, needsAnyId }: FeatureSupport): string | undefined {
  const kind = kindOf(item)
  if (!kinds.includes(kind)) return 'unsupported_kind'
  const has = (ids: Ids | undefined) =>
    needsAnyId === undefined || needsAnyId.some((scheme) => ids?.[scheme] !== undefined)
  if (tokensOf(item, { within: 'provider' }).length === 0) return 'missing_ids'
  return has(item.ids) || ((kind === 'season' || kind === 'episode') && has(item.show_ids)) ? undefined : 'missing_ids'
}

function judgeWork(order: CompareOrder, rows: readonly Row[], held: readonly Item[]): readonly Verdict[] {
  if (order.feature === 'history') return judgePlays(order, rows, held)
  const [chosen, ...others] = [...rows].sort((a, b) => timeOf(b.item, order.feature) - timeOf(a.item, order.feature))
  const duplicates = others.map(({ n }): Verdict => ({ n, plan: 'duplicate' }))
  return [judgeValue(order, chosen!, held), ...duplicates]
}

function judgeValue({ feature, support, ratings }: CompareOrder, { n, item }: Row, held: readonly Item[]): Verdict {
  const [own] = held
  if (own === undefined) {
    const isEmpty = feature === 'progress' && item.progress_ms === undefined && item.progress_percent === undefined
    return isEmpty ? { n, plan: 'unsupported', reason: 'missing_progress' } : { n, plan: 'add' }
  }
  if (feature !== 'ratings' || held.some(({ rating }) => rating === item.rating)) return { n, plan: 'already' }
  const [mine, theirs] = [parseTime(item.rated_at)?.atMs, parseTime(own.rated_at)?.atMs]
  const isNewer = mine !== undefined && theirs !== undefined && mine > theirs
  if (ratings === 'keep' || (ratings === 'newer' && !isNewer))
    return { n, plan: 'conflict', reason: 'rated_differently' }
  return support.update ? { n, plan: 'update' } : { n, plan: 'conflict', reason: 'cannot_update' }
}

type Timed = Row & Time

function judgePlays(
  { support, undatedAs }: CompareOrder,
  rows: readonly Row[],
  held: readonly Item[],
): readonly Verdict[] {
  const verdicts: Verdict[] = []
  const plays: Timed[] = []
  const undated: Row[] = []
  for (const row of rows) {
    const time = parseTime(row.item.watched_at)
    if (time === undefined) undated.push(row)
    else if (plays.some((one) => one.atMs === time.atMs && one.precision === time.precision))
      verdicts.push({ n: row.n, plan: 'duplicate' })
    else plays.push({ ...row, ...time })
  }
  const heldTimes = held.flatMap((item) => parseTime(item.watched_at) ?? [])
  // Without a time, or for an account that keeps one play per item, any play is this one.
  const hasAny = held.length > 0
  if (support.plays?.write !== true) {
    const latest = plays.toSorted((a, b) => b.atMs - a.atMs)[0]
    for (const play of plays)
      verdicts.push(
        hasAny
          ? { n: play.n, plan: 'already' }
          : play === latest
            ? { n: play.n, plan: 'add' }
            : { n: play.n, plan: 'duplicate', reason: 'one_play_only' },
      )
  } else {
    const isDated = ({ precision }: Time) => precision === 'date'
    const exact = pairPlays(
      plays.filter((play) => !isDated(play)),
      heldTimes.filter((time) => !isDated(time)),
      TIMED_MS,
    )
    const loose = pairPlays(
      [...exact.onlyA, ...plays.filter(isDated)],
      [...exact.onlyB, ...heldTimes.filter(isDated)],
      DATED_MS,
    )
    const certain = loose.pairs.filter(([a, b]) => isDated(a) || isDated(b) || sameTime(a, b, VIEWING_MS))
    const known = new Set([...exact.pairs, ...certain].map(([a]) => a.n))
    for (const play of plays) verdicts.push({ n: play.n, plan: known.has(play.n) ? 'already' : 'add' })
  }
  const isWatched = hasAny || plays.length > 0
  for (const [index, { n }] of undated.entries()) {
    if (isWatched || index > 0) verdicts.push({ n, plan: hasAny ? 'already' : 'duplicate' })
    else if (undatedAs === null) verdicts.push({ n, plan: 'unmatched', reason: 'missing_time' })
    else verdicts.push({ n, plan: 'add', reason: `${UNDATED}${undatedAs}` })
  }
  return verdicts
}

function timeOf(item: Item, feature: ImportFeature): number {
  const text = feature === 'ratings' ? item.rated_at : feature === 'progress' ? item.progress_at : item.added_at
  return parseTime(text)?.atMs ?? 0
}

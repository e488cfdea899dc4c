// Compares the rows of an import with the current rows of an account, and decides row by row. Rows that the account already has are
// not added again, so importing the same file twice changes nothing.
import { type ImportFeature, insertRows, type LiveEnd, type LivePart, PlayheadError, type Tables } from '@playhead/sdk'
import {
  contradicts,
  formatTime,
  type Ids,
  type Item,
  kindOf,
  pairPlays,
  parseTime,
  REPORTED_PLAY_MS,
  sameTime,
  type Time,
  tokensOf,
  VIEWING_MS,
  ZONES_MS,
} from '@playhead/sdk/items'
import { type FeatureSupport, playRefusal } from '@playhead/sdk/provider'
import { type RawBuilder, sql } from 'kysely'

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
  readonly base: string
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
const NO_VALUES = { feature: '', file: '', key: '', base: '', words: '', item: '', state: '' }
const HELD_PAGE = 250

/** Returns the end of the read. Throws `PLH_CONFLICT` (`read_doubtful`), and errors of the read. */
export async function compare(db: Tables, order: CompareOrder, live: AsyncIterable<LivePart>): Promise<LiveEnd> {
  const { id, feature, isNext } = order
  const read = await storeHeld(db, order, live)
  // Only rows of this feature: other features were decided before.
  await sql`update import_row set plan = null, plan_reason = null where import_id = ${id} and feature = ${feature}
    and (${isNext ? 0 : 1} or plan is null or plan not in ('done', 'already'))`.execute(db)
  // Works with one TMDB id form a group. A work without that id may belong to such a group, so these groups come first.
  let hasNames = false
  for (const byTmdb of [false, true])
    for await (const groups of groupsOf(db, order, byTmdb)) {
      if (!byTmdb) hasNames = (await storeNames(db, id, groups)) || hasNames
      const verdicts = await judge(db, order, groups, hasNames)
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

/** Names of groups, like those of the account, with negative numbers. False if there are none. */
async function storeNames(db: Tables, id: string, groups: readonly (readonly Row[])[]): Promise<boolean> {
  const names = groups.flatMap((rows) =>
    [...new Set(tokensIn(rows))].map((token) => ({ import_id: id, token, n: nameOf(rows) })),
  )
  await insertRows(db, 'import_held_token', names)
  return names.length > 0
}

function nameOf([first]: readonly Row[]): number {
  return -1 - first!.n
}

function tokensIn(rows: readonly Pick<Row, 'item'>[]): readonly string[] {
  return rows.flatMap(({ item }) => tokensOf(item, { within: 'provider' }))
}

function isCompared({ id, feature, person }: CompareOrder) {
  return sql`r.import_id = ${id} and r.feature = ${feature} and r.person is ${person}
    and (r.state = 'matched' or r.reason = 'missing_time')`
}

/** Rows with one key at a time, rows without identity one by one; several works per turn. */
async function* groupsOf(
  db: Tables,
  order: CompareOrder,
  byTmdb: boolean,
): AsyncGenerator<readonly (readonly Row[])[]> {
  let last = { base: '', n: -1 }
  let open: Row[] = []
  for (;;) {
    const { rows } = await sql<{ n: number; base: string; item: string }>`
      select r.n, r.base, coalesce(r.chosen, r.item) as item from import_row r
      where ${isCompared(order)} and (r.base, r.n) > (${last.base}, ${last.n})
        and (r.base glob 'movie:tmdb:*' or r.base glob 'show:tmdb:*') = ${byTmdb ? 1 : 0}
      order by r.base, r.n limit ${PAGE}`.execute(db)
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
  hasNames: boolean,
): Promise<readonly Verdict[]> {
  const isUsable = (row: Row) => unsupportedReason(order, row) === undefined
  const known = await relatedTo(db, order, tokensIn(groups.flat()), hasNames)
  return groups.flatMap((rows) => {
    const verdicts = rows
      .filter((row) => !isUsable(row))
      .map((row): Verdict => ({ n: row.n, plan: 'unsupported', reason: unsupportedReason(order, row)! }))
    const usable = rows.filter(isUsable)
    if (usable.length === 0) return verdicts
    const { held, others } = related(usable, known)
    if (held.some((one) => usable.some(({ item }) => contradicts(one, item))))
      return [...verdicts, ...usable.map(({ n }) => ({ n, plan: 'conflict' as const, reason: 'ids_contradict' }))]
    const work = [...usable, ...others.filter(isUsable)].sort((a, b) => a.n - b.n)
    return [...verdicts, ...judgeWork(order, work, held)]
  })
}

interface Related {
  /** Numbers by token, for items of the account and groups of the file. */
  readonly byToken: Map<string, number[]>
  readonly held: Map<number, Item>
  readonly groups: Map<number, Row[]>
}

/** The account's items that share an id with the rows, and rows of the file under another key. */
function related(rows: readonly Row[], { byToken, held, groups }: Related) {
  const numbers = new Set([nameOf(rows)])
  const items: Item[] = []
  const others: Row[] = []
  const open: Pick<Row, 'item'>[] = [...rows]
  const isOfAnother = ({ item }: Pick<Row, 'item'>) => rows.some((own) => contradicts(own.item, item))
  for (const [place, one] of open.entries())
    for (const n of tokensIn([one]).flatMap((token) => byToken.get(token) ?? [])) {
      if (numbers.has(n)) continue
      numbers.add(n)
      const item = held.get(n)
      if (item === undefined) {
        const same = groups.get(n)!.filter((other) => !isOfAnother(other))
        others.push(...same)
        open.push(...same)
      } else if (place < rows.length || !isOfAnother({ item })) {
        items.push(item)
        open.push({ item })
      }
    }
  return { held: items, others }
}

/** Everything that shares an id with these, also transitively if groups of the file have names. */
async function relatedTo(
  db: Tables,
  order: CompareOrder,
  tokens: readonly string[],
  hasNames: boolean,
): Promise<Related> {
  const known: Related = { byToken: new Map(), held: new Map(), groups: new Map() }
  const asked = new Set<string>()
  for (let wanted = tokens; wanted.length > 0; ) {
    const fresh = [...new Set(wanted)].filter((token) => !asked.has(token))
    const found: Pick<Row, 'item'>[] = []
    const names = new Set<number>()
    for (const token of fresh) asked.add(token)
    for (let start = 0; start < fresh.length; start += HELD_PAGE) {
      const page = JSON.stringify(fresh.slice(start, start + HELD_PAGE))
      const { rows } = await sql<{ token: string; n: number; item: string | null }>`select t.token, t.n, h.item
        from json_each(${page}) w cross join import_held_token t on t.import_id = ${order.id} and t.token = w.value
        left join import_held h on h.import_id = ${order.id} and h.n = t.n`.execute(db)
      for (const { token, n, item } of rows) {
        known.byToken.set(token, [...(known.byToken.get(token) ?? []), n])
        if (item === null) names.add(n)
        else if (!known.held.has(n)) {
          known.held.set(n, JSON.parse(item) as Item)
          found.push({ item: known.held.get(n)! })
        }
      }
    }
    for (const [name, rows] of await groupsNamed(
      db,
      order,
      [...names].filter((name) => !known.groups.has(name)),
    )) {
      known.groups.set(name, rows)
      found.push(...rows)
    }
    wanted = hasNames ? tokensIn(found) : []
  }
  return known
}

async function groupsNamed(db: Tables, order: CompareOrder, names: readonly number[]): Promise<Map<number, Row[]>> {
  const groups = new Map<number, Row[]>()
  if (names.length === 0) return groups
  const { rows } = await sql<{
    name: number
    n: number
    base: string
    item: string
  }>`select w.value as name, r.n, r.base,
      coalesce(r.chosen, r.item) as item from json_each(${JSON.stringify(names)}) w
    cross join import_row f on f.import_id = ${order.id} and f.n = -1 - w.value
    cross join import_row r indexed by import_row_base on ${isCompared(order)} and r.base = f.base`.execute(db)
  for (const { name, n, base, item } of rows)
    groups.set(name, [...(groups.get(name) ?? []), { n, base, item: JSON.parse(item) as Item }])
  return groups
}

/** For a row, and its written form: a play without a time gets the chosen day. */
function unsupportedReason(order: CompareOrder, { item }: Pick<Row, 'item'>): string | undefined {
  return itemReason(item, order.support) ?? (order.feature === 'history' ? playReason(order, item) : undefined)
}

function playReason({ support, undatedAs }: CompareOrder, item: Item): string | undefined {
  const isUndated = parseTime(item.watched_at) === undefined && undatedAs !== null
  return playRefusal(support, isUndated ? { ...item, watched_at: undatedAs } : item, Date.now())
}

function itemReason(item: Item, { kinds, needsAnyId }: FeatureSupport): string | undefined {
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
  const [mine, theirs] = [parseTime(item.rated_at), parseTime(own.rated_at)]
  // A day and a time within that day have no order.
  const isNewer = mine !== undefined && theirs !== undefined && mine.atMs > theirs.atMs && !sameTime(mine, theirs, 0)
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
  const times = new Set<string>()
  for (const row of rows) {
    const time = parseTime(row.item.watched_at)
    if (time === undefined) undated.push(row)
    else if (times.has(formatTime(time))) verdicts.push({ n: row.n, plan: 'duplicate' })
    else {
      times.add(formatTime(time))
      plays.push({ ...row, ...time })
    }
  }
  const heldTimes = held.flatMap((item) => parseTime(item.watched_at) ?? [])
  // Without a time, or for an account with one play per item, any play matches.
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
      REPORTED_PLAY_MS,
    )
    const loose = pairPlays(
      [...exact.onlyA, ...plays.filter(isDated)],
      [...exact.onlyB, ...heldTimes.filter(isDated)],
      ZONES_MS,
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
  return parseTime(text)?.atMs ?? -Infinity
}

// Derives titles, plays and ratings from the entries.
import { insertRows, type Tables, yieldToLoop } from '@playhead/sdk'
import {
  anyTokensContradict,
  createLinks,
  foldText,
  groupPlays,
  type Ids,
  mergeIds,
  shownRating,
} from '@playhead/sdk/items'
import { sql } from 'kysely'
import { bitOf, OF_TITLES } from '../tables.ts'
import { playsOf, type Seen } from './plays.ts'
import { toTitle, type TitleWork } from './title.ts'

interface EntryRow {
  readonly title: number
  readonly account: number
  readonly feature: string
  readonly anime: number
  readonly type: string
  readonly season: number | null
  readonly episode: number | null
  readonly name: string | null
  readonly at: number | null
  readonly day: number
  readonly value: number | null
  readonly minutes: number | null
  readonly targets: string | null
}

/** Works of a transaction. */
const BATCH = 100
/** Assumed length of titles without a known one, in minutes. */
const USUAL = { movie: 115, show: 45 } as const
const FEATURES = ['watchlist', 'history', 'ratings', 'progress'] as const

/** Derives the titles of touched works again, some at a time. Returns whether there were any. */
export async function derive(db: Tables, tracker: ReadonlySet<number>): Promise<boolean> {
  for (let count = 0; ; count += 1) {
    const { rows: touched } = await sql<Touched>`select work, relink from touched order by work limit ${BATCH}`.execute(
      db,
    )
    if (touched.length === 0) return count > 0
    await db.transaction().execute((trx) => deriveSome(trx, touched, tracker))
    await yieldToLoop()
  }
}

interface Touched {
  readonly work: number
  readonly relink: number
}

const listed = (values: Iterable<number | string>) => sql`(select value from json_each(${JSON.stringify([...values])}))`

async function deriveSome(db: Tables, touched: readonly Touched[], tracker: ReadonlySet<number>): Promise<void> {
  const works = touched.map(({ work }) => work)
  const { rows } = await sql<{ title: number | null; isLeft: number; id: number }>`select id, title_id as title,
      exists (select 1 from entry where work = work.id) as isLeft from work where id in ${listed(works)}`.execute(db)
  const stale = new Set(rows.flatMap(({ title }) => title ?? []))
  const linked = new Set(touched.flatMap(({ work, relink }) => (relink === 1 ? [work] : [])))
  // Without a work, others may be linked no longer, or contradict each other no longer.
  const changed = rows.flatMap(({ id, isLeft }) => (isLeft === 0 || linked.has(id) ? [id] : []))
  const family = new Set(await familyOf(db, changed))
  // Also works that are touched, but not in this step.
  const { rows: dead } = await sql<{ id: number; title: number | null }>`select id, title_id as title from work
    where id in ${listed(family)} and not exists (select 1 from entry where work = work.id)`.execute(db)
  if (dead.length > 0) {
    const gone = listed(dead.map(({ id }) => id))
    await sql`delete from token where work in ${gone}`.execute(db)
    await sql`delete from work where id in ${gone}`.execute(db)
    for (const { title } of dead) if (title !== null) stale.add(title)
  }
  for (const title of await linkWorks(db, family)) stale.add(title)
  await deriveTitles(db, stale, tracker)
  await sql`delete from touched where work in ${listed([...works, ...family])}`.execute(db)
}

/** The works, and all that are linked with them by an id or were one title with them. */
async function familyOf(db: Tables, works: readonly number[]): Promise<readonly number[]> {
  const known = new Set(works)
  for (let last = [...works]; last.length > 0; ) {
    const { rows } = await sql<{ id: number }>`
      select b.work as id from token a indexed by token_work cross join token b on b.token = a.token
      where a.work in ${listed(last)}
      union select b.id from work a cross join work b indexed by work_title on b.title_id = a.title_id
      where a.id in ${listed(last)}`.execute(db)
    last = rows.flatMap(({ id }) => (known.has(id) ? [] : [id]))
    for (const id of last) known.add(id)
  }
  return [...known]
}

/** Works that are linked by ids form one title unless their ids contradict. Returns the titles, old and new. */
async function linkWorks(db: Tables, family: ReadonlySet<number>): Promise<ReadonlySet<number>> {
  const { rows: works } = await sql<{ id: number; tokens: string; title: number | null }>`select id, tokens,
    title_id as title from work where id in ${listed(family)} order by id`.execute(db)
  const titles = new Set(works.flatMap(({ title }) => title ?? []))
  const { rows } = await sql<{ last: number }>`select max(coalesce((select max(title_id) from work), 0),
    coalesce((select max(id) from title), 0)) as last`.execute(db)
  let next = rows[0]!.last + 1
  const links = createLinks()
  for (const { tokens } of works) links.add(JSON.parse(tokens) as string[])
  const taken = new Set<number>()
  const moved: (readonly [work: number, title: number])[] = []
  const place = (members: readonly (typeof works)[number][]) => {
    const title = members.find(({ title: own }) => own !== null && !taken.has(own))?.title ?? next++
    taken.add(title)
    for (const { id, title: own } of members) if (own !== title) moved.push([id, title])
  }
  for (const group of links.groups()()) {
    const members = Array.from(group, (node) => works[node]!)
    const isOne =
      members.length === 1 || !anyTokensContradict(members.map(({ tokens }) => JSON.parse(tokens) as readonly string[]))
    if (isOne) place(members)
    else for (const member of members) place([member])
  }
  await sql`update work set title_id = g.value ->> 1 from json_each(${JSON.stringify(moved)}) g
    where work.id = g.value ->> 0`.execute(db)
  return titles.union(taken)
}

async function deriveTitles(db: Tables, titles: ReadonlySet<number>, tracker: ReadonlySet<number>): Promise<void> {
  await sql`delete from title where id in ${listed(titles)}`.execute(db)
  for (const table of OF_TITLES) await sql`delete from ${sql.table(table)} where title in ${listed(titles)}`.execute(db)
  const { rows: works } = await sql<TitleWork>`select title_id, kind, title, year, ids, tokens, name from work
    where title_id in ${listed(titles)} order by title_id, id`.execute(db)
  const { rows: entries } =
    await sql<EntryRow>`select w.title_id as title, s.account, s.feature, e.anime, e.type, e.season,
      e.episode, e.name, e.at, e.day, e.value, e.minutes, e.targets
    from work w indexed by work_title cross join entry e indexed by entry_work on e.work = w.id
    cross join source s on s.id = e.source where w.title_id in ${listed(titles)}`.execute(db)
  const byTitle = Map.groupBy(entries, ({ title }) => title)
  const named = [...Map.groupBy(works, ({ title_id: title }) => title)].map(
    ([id, own]) => [id, toTitle(own, mergedIds(own))] as const,
  )
  const keys = await takenKeys(
    db,
    named.map(([, { key }]) => key),
  )
  const out: Out = { title: [], title_account: [], play: [], part: [] }
  for (const [id, title] of named)
    deriveTitle(id, { ...title, key: uniqueKey(title.key, keys) }, byTitle.get(id) ?? [], tracker, out)
  for (const [table, rows] of Object.entries(out)) await insertRows(db, table, rows as readonly object[])
}

/** The keys, and those with a number behind them, that titles have. */
async function takenKeys(db: Tables, keys: readonly string[]): Promise<Set<string>> {
  // A number may be taken although the key itself is free.
  const { rows } = await sql<{ key: string }>`select key from title where key in ${listed(keys)}
    union all select t.key from json_each(${JSON.stringify(keys)}) k
    cross join title t on t.key > k.value || '~' and t.key < k.value || '~~'`.execute(db)
  return new Set(rows.map(({ key }) => key))
}

/** Works whose ids contradict may share their best id. */
function uniqueKey(key: string, taken: Set<string>): string {
  let unique = key
  for (let number = 2; taken.has(unique); number += 1) unique = `${key}~${number}`
  taken.add(unique)
  return unique
}

function mergedIds(works: readonly TitleWork[]): Ids {
  return works.reduce<Ids>((all, { ids }) => mergeIds(all, JSON.parse(ids) as Ids).ids, {})
}

interface Out {
  readonly title: object[]
  readonly title_account: object[]
  readonly play: object[]
  readonly part: object[]
}

function deriveTitle(
  id: number,
  title: ReturnType<typeof toTitle>,
  entries: readonly EntryRow[],
  tracker: ReadonlySet<number>,
  out: Out,
): void {
  const masks = { watchlist: 0, history: 0, ratings: 0, progress: 0 }
  for (const feature of FEATURES) {
    const own = entries.filter((entry) => entry.feature === feature)
    for (const rows of Map.groupBy(own.filter(isCounted), partOf).values())
      out.part.push({ title: id, feature, ...derivePart(feature, rows, tracker) })
    for (const [account, rows] of Map.groupBy(own, (entry) => entry.account)) {
      masks[feature] += bitOf(account)
      const newest = rows.reduce((a, b) => ((b.at ?? -1) > (a.at ?? -1) ? b : a))
      // The value of the title itself; of its episodes only their number.
      const whole = rows.find(({ type }) => type === 'work')
      out.title_account.push({
        title: id,
        account,
        feature,
        count: feature === 'history' ? new Set(rows.map(partOf)).size : rows.length,
        at: (feature === 'ratings' ? whole : newest)?.at ?? newest.at,
        day: newest.day,
        value: feature === 'ratings' ? (whole?.value ?? null) : feature === 'progress' ? newest.value : null,
      })
    }
  }
  const watched = derivePlays(id, title, entries, out)
  const whole = entries.filter((entry) => isRated(entry) && entry.type === 'work')
  const added = entries.flatMap(({ feature, at }) => (feature === 'watchlist' && at !== null ? [at] : []))
  out.title.push({
    id,
    ...title,
    anime: entries.some(({ anime }) => anime === 1) ? 1 : 0,
    ...masks,
    accounts: unite(Object.values(masks)),
    added: added.length === 0 ? null : Math.max(...added),
    rating: whole.length === 0 ? null : ratingOf(whole, tracker).value,
    ...watched,
  })
}

/** Rows without the time of a play, or without a rating, are not counted. */
function isCounted({ feature, at, value }: EntryRow): boolean {
  if (feature === 'history') return at !== null
  return feature !== 'ratings' || at !== null || value !== null
}

function derivePart(feature: (typeof FEATURES)[number], rows: readonly EntryRow[], tracker: ReadonlySet<number>) {
  const [{ type, season, episode }] = rows as [EntryRow]
  const accounts = JSON.stringify([...new Set(rows.map(({ account }) => account))].sort((a, b) => a - b))
  const rated = rows.filter(isRated)
  const rating = rated.length === 0 ? { value: null, at: null, day: 0 } : ratingOf(rated, tracker)
  return { type, season, episode, accounts, ...rating, ...newestOf(feature, rows, tracker) }
}

function newestOf(feature: (typeof FEATURES)[number], all: readonly EntryRow[], tracker: ReadonlySet<number>) {
  const rows = all.filter((row) => row.at !== null && (feature !== 'ratings' || isRated(row)))
  if (rows.length === 0 || feature === 'watchlist') return { newest: null, shown: 0 }
  if (feature === 'ratings') return { newest: ratingOf(rows, tracker).at, shown: 1 }
  const newest = Math.max(...rows.map(({ at }) => at!))
  return { newest, shown: feature === 'progress' ? 1 : groupPlays(rows.flatMap(toSeen)).length }
}

function derivePlays(id: number, title: ReturnType<typeof toTitle>, entries: readonly EntryRow[], out: Out) {
  const known = Math.max(0, ...entries.map(({ minutes }) => minutes ?? 0))
  const shown = entries.filter((entry) => entry.feature === 'history' || entry.feature === 'activity')
  let [plays, undated] = [0, 0]
  let last: { at: number; day: boolean } | undefined
  const episodes = new Set<string>()
  for (const [part, rows] of Map.groupBy(shown, partOf)) {
    const [first] = rows as [EntryRow]
    if (first.type === 'episode') episodes.add(part)
    // A show or a season is not a play; its played episodes are.
    const isPlayable = first.type === 'episode' || (first.type === 'work' && title.kind === 'movie')
    const minutes = Math.max(0, ...rows.map((row) => row.minutes ?? 0)) || known
    const seen = isPlayable ? rows.flatMap(toSeen) : []
    const own = playsOf(seen, (minutes || USUAL[title.kind]) * 60_000)
    if (own.length === 0) {
      undated += isPlayable ? 1 : 0
      for (const { at, day } of rows)
        if (at !== null && (last === undefined || at > last.at)) last = { at, day: day === 1 }
    }
    const name = rows.find((row) => row.name !== null)?.name ?? null
    for (const { at, day, accounts } of own) {
      plays += 1
      if (last === undefined || at > last.at) last = { at, day }
      out.play.push({
        title: id,
        season: first.season,
        episode: first.episode,
        name,
        words: foldText(name ?? ''),
        at,
        day: day ? 1 : 0,
        minutes: minutes === 0 ? null : minutes,
        accounts: unite([...accounts.keys()].map(bitOf)),
        services: JSON.stringify([...accounts]),
        ref: `${title.key}${part}@${at}`,
      })
    }
  }
  return {
    last_watched: last?.at ?? null,
    last_day: last?.day === true ? 1 : 0,
    plays,
    episodes: episodes.size,
    undated,
  }
}

function toSeen({ at, day, account, feature, targets }: EntryRow): readonly Seen[] {
  if (at === null) return []
  const scrobble = feature === 'activity'
  return [
    {
      atMs: at,
      isDate: day === 1,
      scrobble,
      accounts: scrobble ? (JSON.parse(targets ?? '[]') as number[]) : [account],
    },
  ]
}

function isRated({ feature, value }: EntryRow): boolean {
  return feature === 'ratings' && value !== null
}

function ratingOf(rows: readonly EntryRow[], tracker: ReadonlySet<number>) {
  const first = shownRating(rows, ({ value, at, account }) => ({
    rating: value!,
    atMs: at,
    isTracker: tracker.has(account),
  }))
  return { value: first!.value!, at: first!.at, day: first!.day }
}

function partOf({ type, season, episode }: EntryRow): string {
  if (type === 'work') return ''
  if (type === 'season') return `#season:${season ?? ''}`
  return `#s${String(season ?? '').padStart(2, '0')}e${String(episode ?? '').padStart(2, '0')}`
}

/** Combines bits. A sum would count a bit twice, and bitwise operators are limited to 32 bits. */
function unite(masks: readonly number[]): number {
  return Number(masks.reduce((all, mask) => all | BigInt(mask), 0n))
}

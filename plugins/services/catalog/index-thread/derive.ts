// Derives titles, plays and ratings from the entries.
import { insertRows, type Tables } from '@playhead/sdk'
import { anyTokensContradict, createLinks, foldText, type Ids, mergeIds, shownRating } from '@playhead/sdk/items'
import { sql } from 'kysely'
import { bitOf } from '../tables.ts'
import { playsOf, type Seen } from './plays.ts'
import { toTitle, type TitleWork } from './title.ts'
import { ORPHAN } from './work-of.ts'

interface EntryRow {
  readonly title: number
  readonly account: number
  readonly feature: string
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

const TITLES = 1_000
const BATCH = 1_000
/** Assumed length of titles without a known one, in minutes. */
const USUAL = { movie: 115, show: 45 } as const
const FEATURES = ['watchlist', 'history', 'ratings', 'progress'] as const

/** Runs within a transaction. */
export async function derive(db: Tables, tracker: ReadonlySet<number>): Promise<void> {
  for (const table of ['title', 'title_account', 'play', 'rating'])
    await sql`delete from ${sql.table(table)}`.execute(db)
  await joinOrphans(db)
  const count = await numberTitles(db)
  const keys = new Set<string>()
  for (let first = 1; first <= count; first += TITLES) {
    const last = first + TITLES - 1
    const { rows: works } = await sql<TitleWork>`select title_id, kind, anime, title, year, ids, tokens, name from work
      where title_id between ${first} and ${last} order by title_id, id`.execute(db)
    const { rows: entries } = await sql<EntryRow>`select w.title_id as title, s.account, s.feature, e.type, e.season,
        e.episode, e.name, e.at, e.day, e.value, e.minutes, e.targets
      from work w indexed by work_title cross join entry e indexed by entry_work on e.work = w.id
      cross join source s on s.id = e.source where w.title_id between ${first} and ${last}`.execute(db)
    const byTitle = Map.groupBy(entries, ({ title }) => title)
    const out = { title: [] as object[], title_account: [] as object[], play: [] as object[], rating: [] as object[] }
    for (const [id, own] of Map.groupBy(works, ({ title_id: title }) => title)) {
      const title = toTitle(own, mergedIds(own), keys)
      deriveTitle(id, title, byTitle.get(id) ?? [], tracker, out)
    }
    for (const [table, rows] of Object.entries(out))
      for (let start = 0; start < rows.length; start += BATCH)
        await insertRows(db, table, rows.slice(start, start + BATCH))
  }
}

/** An episode with only its own ids belongs to the show of an episode with the same id. */
async function joinOrphans(db: Tables): Promise<void> {
  const { rows: orphans } = await sql<{ id: number; name: string }>`select id, name from work
    where name >= ${ORPHAN} and name < ${`${ORPHAN}~`}`.execute(db)
  for (const { id, name } of orphans) {
    const token = name.slice(ORPHAN.length)
    const { rows } = await sql<{ work: number; season: number | null; episode: number | null }>`
      select e.work, e.season, e.episode from entry e join work w on w.id = e.work
      where e.own is not null and instr(' ' || e.own || ' ', ${` ${token} `}) > 0 and w.name not like ${`${ORPHAN}%`}
      limit 1`.execute(db)
    const [found] = rows
    if (found === undefined) continue
    await sql`update entry set work = ${found.work}, season = coalesce(season, ${found.season}),
      episode = coalesce(episode, ${found.episode}) where work = ${id}`.execute(db)
    await sql`delete from work where id = ${id}`.execute(db)
  }
}

/** Works that are linked by ids form one title unless their ids contradict. Returns the number of titles. */
async function numberTitles(db: Tables): Promise<number> {
  const { rows: works } = await sql<{ id: number; tokens: string }>`select id, tokens from work order by id`.execute(db)
  const links = createLinks()
  for (const { tokens } of works) links.add(JSON.parse(tokens) as string[])
  const groups = links.groups()
  const titles: { id: number; title: number }[] = []
  let next = 0
  for (const group of groups()) {
    const members = Array.from(group, (node) => works[node]!)
    const isOne =
      members.length === 1 || !anyTokensContradict(members.map(({ tokens }) => JSON.parse(tokens) as readonly string[]))
    if (isOne) next += 1
    for (const { id } of members) {
      if (!isOne) next += 1
      titles.push({ id, title: next })
    }
  }
  for (let from = 0; from < titles.length; from += BATCH) {
    const rows = JSON.stringify(titles.slice(from, from + BATCH).map(({ id, title }) => [id, title]))
    await sql`update work set title_id = g.value ->> 1 from json_each(${rows}) g where work.id = g.value ->> 0`.execute(
      db,
    )
  }
  return next
}

function mergedIds(works: readonly TitleWork[]): Ids {
  return works.reduce<Ids>((all, { ids }) => mergeIds(all, JSON.parse(ids) as Ids).ids, {})
}

interface Out {
  readonly title: object[]
  readonly title_account: object[]
  readonly play: object[]
  readonly rating: object[]
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
  const ratings = [...Map.groupBy(entries.filter(isRated), partOf).values()].map((rows) => ratingOf(rows, tracker))
  for (const { value, at, day } of ratings) out.rating.push({ title: id, value, at, day })
  const whole = entries.filter((entry) => isRated(entry) && entry.type === 'work')
  const added = entries.flatMap(({ feature, at }) => (feature === 'watchlist' && at !== null ? [at] : []))
  out.title.push({
    id,
    ...title,
    ...masks,
    accounts: unite(Object.values(masks)),
    added: added.length === 0 ? null : Math.max(...added),
    rating: whole.length === 0 ? null : ratingOf(whole, tracker).value,
    ...watched,
  })
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

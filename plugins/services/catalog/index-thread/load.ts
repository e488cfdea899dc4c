// Brings the entries of the index up to the rows of the accounts. A row whose text is unchanged is neither parsed nor written.
import {
  type ActivityRow,
  type CountedFeature as CatalogFeature,
  insertRows,
  pageOfText,
  type Tables,
  yieldToLoop,
} from '@playhead/sdk'
import {
  fingerprint,
  isAnime,
  type Item,
  looseTitle,
  normaliseId,
  parseTime,
  STRONG_SCHEMES,
} from '@playhead/sdk/items'
import { type RawBuilder, sql } from 'kysely'
import { ORPHAN, ownTokensOf, textOf, type Work, workOf } from './work-of.ts'

export interface Source {
  readonly provider: string
  readonly instance: string
  /** `activity`: scrobbles of the activity log; their accounts are in the rows. */
  readonly feature: CatalogFeature | 'activity'
  readonly revision: string
  readonly readAt: number | null
}

export const CATALOG_FEATURES = [
  'watchlist',
  'history',
  'ratings',
  'progress',
] as const satisfies readonly CatalogFeature[]

interface Reader {
  /** Pages of rows, each a text of one line: a row as in `LibraryService.texts`, or the JSON of an `ActivityRow`. */
  lines(source: Source): AsyncIterable<readonly string[]>
}

/** The row of a line. Undefined: it is of no work; null: it is damaged. */
type EntryOf = (line: string) => Promise<Entry | undefined | null> | Entry | undefined | null

interface Entry {
  /** The key of the row; null for a scrobble. */
  readonly key: string | null
  readonly work: Work
  readonly anime: boolean
  readonly type: string
  readonly season: number | null
  readonly episode: number | null
  readonly name: string | null
  readonly at: number | null
  readonly day: number
  readonly value: number | null
  readonly minutes: number | null
  readonly own: string | null
  readonly targets: string | null
}

export const TIMES = {
  watchlist: 'added_at',
  history: 'watched_at',
  ratings: 'rated_at',
  progress: 'progress_at',
} as const
/** Rows of a transaction, so that other work on the thread continues in between. */
const STEP = 250
const REST = 2_000
/** The revision of a source while it is read. */
const READING = 'reading'

interface Known {
  readonly id: number
  readonly name: string
  readonly revision: string
  readonly readAt: number | null
  readonly unreadable: number
}

/** Returns whether the sources are others, or lack other rows than before. Works with other rows are in `touched`. */
export async function loadSources(db: Tables, sources: readonly Source[], reader: Reader): Promise<boolean> {
  const before = await knownSources(db)
  const wanted = new Set(sources.map(nameOf))
  const gone = [...before.values()].filter(({ name }) => !wanted.has(name))
  let isOther = gone.length > 0 || sources.some((source) => !before.has(nameOf(source)))
  for (const { id } of gone) {
    await dropEntries(db, id, noneSeen)
    await sql`delete from source where id = ${id}`.execute(db)
  }
  const accounts = await accountsIn(db)
  for (const source of sources) {
    const known = before.get(nameOf(source))
    if (known === undefined) {
      const account = await accounts(source.provider, source.instance)
      await sql`insert into source (account, feature, revision, read_at)
        values (${account}, ${source.feature}, '', ${source.readAt})`.execute(db)
    } else if (known.readAt !== source.readAt)
      await sql`update source set read_at = ${source.readAt} where id = ${known.id}`.execute(db)
  }
  // A dropped row of one source may take the show of an episode of another, which is then read again.
  for (;;) {
    const known = await knownSources(db)
    const changed = sources.filter((source) => known.get(nameOf(source))!.revision !== source.revision)
    if (changed.length === 0) return isOther
    for (const source of changed) {
      const { id, unreadable } = known.get(nameOf(source))!
      await sql`update source set revision = ${READING} where id = ${id}`.execute(db)
      const now = await loadRows(db, id, reader.lines(source), entryReader(source, accounts))
      isOther ||= now !== unreadable
      await sql`update source set revision = case revision when ${READING} then ${source.revision} else '' end,
        unreadable = ${now} where id = ${id}`.execute(db)
    }
  }
}

async function knownSources(db: Tables): Promise<ReadonlyMap<string, Known>> {
  const { rows } =
    await sql<Known>`select s.id, a.provider || '@' || a.instance || ' ' || s.feature as name, s.revision,
      s.read_at as readAt, s.unreadable
    from source s join account a on a.id = s.account`.execute(db)
  return new Map(rows.map((row) => [row.name, row]))
}

/** Returns the number of damaged rows. */
async function loadRows(
  db: Tables,
  source: number,
  pages: AsyncIterable<readonly string[]>,
  entryOf: EntryOf,
): Promise<number> {
  const { rows } = await sql<{ last: number; count: number }>`select count(*) as count,
    coalesce((select seq from sqlite_sequence where name = 'entry'), 0) as last from entry
    where source = ${source}`.execute(db)
  const { last, count } = rows[0]!
  const seen = createSeen(last)
  let unreadable = 0
  for await (const page of pages) {
    for (let start = 0; start < page.length; start += STEP) {
      const lines = page.slice(start, start + STEP)
      const fresh = await unknownLines(db, source, lines, seen)
      const entries: (Entry & { readonly mark: number })[] = []
      for (const line of fresh) {
        const entry = await entryOf(line)
        if (entry === null) unreadable += 1
        else if (entry !== undefined) entries.push({ ...entry, mark: fingerprint(line) })
      }
      if (entries.length > 0) await db.transaction().execute((trx) => store(trx, source, entries))
      await yieldToLoop()
    }
  }
  if (seen.count() < count) await dropEntries(db, source, seen)
  return unreadable
}

/** Notes the entries of the lines, and returns the lines without one. */
async function unknownLines(
  db: Tables,
  source: number,
  lines: readonly string[],
  seen: Seen,
): Promise<readonly string[]> {
  const marks = lines.map(fingerprint)
  const { rows } = await sql<{ id: number; mark: number }>`select id, mark from entry where source = ${source}
    and mark in (select value from json_each(${JSON.stringify(marks)}))`.execute(db)
  const known = new Set<number>()
  for (const { id, mark } of rows) {
    known.add(mark)
    seen.add(id)
  }
  return lines.filter((_, index) => !known.has(marks[index]!))
}

interface Seen {
  add(id: number): void
  has(id: number): boolean
  count(): number
}

const noneSeen: Seen = { add: () => {}, has: () => false, count: () => 0 }

/** The entries of a source that its rows still have. Those after the last one are of this read. */
function createSeen(last: number): Seen {
  const bits = new Uint8Array((last >> 3) + 1)
  let count = 0
  const has = (id: number) => id > last || ((bits[id >> 3]! >> (id & 7)) & 1) === 1
  return {
    has,
    add(id) {
      if (has(id)) return
      bits[id >> 3]! |= 1 << (id & 7)
      count += 1
    },
    count: () => count,
  }
}

/** Removes the entries that were not seen. */
async function dropEntries(db: Tables, source: number, seen: Seen): Promise<void> {
  for (let after = { id: 0, mark: -1 }; ; ) {
    const { rows } = await sql<typeof after>`select id, mark from entry where source = ${source}
      and (mark, id) > (${after.mark}, ${after.id}) order by mark, id limit ${REST}`.execute(db)
    if (rows.length === 0) return
    after = rows.at(-1)!
    const gone = rows.flatMap(({ id }) => (seen.has(id) ? [] : [id]))
    for (let start = 0; start < gone.length; start += STEP) {
      const ids = JSON.stringify(gone.slice(start, start + STEP))
      await db.transaction().execute((trx) => drop(trx, ids))
      await yieldToLoop()
    }
  }
}

/** @param ids JSON of an array */
async function drop(db: Tables, ids: string): Promise<void> {
  await touch(db, sql`select work, 0 from entry where id in (select value from json_each(${ids}))`)
  const { rows: named } = await sql<{ own: string }>`select own from entry
    where id in (select value from json_each(${ids})) and own is not null and orphan is null`.execute(db)
  await sql`delete from entry where id in (select value from json_each(${ids}))`.execute(db)
  await dropOrphans(
    db,
    named.flatMap(({ own }) => own.split(' ')),
  )
}

/** Episodes that have a show only because of a removed row are read again. */
async function dropOrphans(db: Tables, tokens: readonly string[]): Promise<void> {
  if (tokens.length === 0) return
  const of = sql`orphan in (select value from json_each(${JSON.stringify(tokens)}))`
  await sql`update source set revision = '' where id in (select source from entry where ${of})`.execute(db)
  await touch(db, sql`select work, 0 from entry where ${of}`)
  await sql`delete from entry where ${of}`.execute(db)
}

/** @param works SQL of works and whether they are to be linked */
async function touch(db: Tables, works: RawBuilder<unknown>): Promise<void> {
  await sql`insert into touched (work, relink) select * from (${works}) where true
    on conflict (work) do update set relink = max(relink, excluded.relink)`.execute(db)
}

async function store(
  db: Tables,
  source: number,
  entries: readonly (Entry & { readonly mark: number })[],
): Promise<void> {
  const ids = await storeWorks(
    db,
    entries.map(({ work }) => work),
  )
  // The thread of a replaced plugin may have stored the row meanwhile.
  await insertRows(
    db,
    'entry',
    entries.map(({ work: { name }, ...entry }) => ({ ...entry, source, work: ids.get(name)! })),
    sql`on conflict do nothing`,
  )
  await touch(db, sql`select value, 0 from json_each(${JSON.stringify([...ids.values()])})`)
}

/** The ids of works by name. A known work gets the title of one that has both title and year. */
async function storeWorks(db: Tables, works: readonly Work[]): Promise<ReadonlyMap<string, number>> {
  const isTitled = ({ title, year }: Pick<Work, 'title' | 'year'>) => title !== null && year !== null
  const byName = new Map<string, Work>()
  for (const work of works) {
    const same = byName.get(work.name)
    if (same === undefined) byName.set(work.name, work)
    else if (!isTitled(same) && isTitled(work)) byName.set(work.name, { ...same, title: work.title, year: work.year })
  }
  const { rows } = await sql<
    Pick<Work, 'name' | 'title' | 'year'> & { id: number }
  >`select id, name, title, year from work
    where name in (select value from json_each(${JSON.stringify([...byName.keys()])}))`.execute(db)
  const ids = new Map(rows.map(({ name, id }) => [name, id]))
  const { rows: newest } = await sql<{ id: number }>`select coalesce(max(id), 0) as id from work`.execute(db)
  let next = newest[0]!.id + 1
  const known = new Map(rows.map((row) => [row.name, row]))
  const fresh = [...byName.values()].filter((work) => {
    const before = known.get(work.name)
    if (before === undefined) ids.set(work.name, next++)
    return before === undefined || (!isTitled(before) && isTitled(work))
  })
  await insertRows(
    db,
    'work',
    fresh.map(({ name, kind, title, year, ids: own, tokens }) => ({
      ...{ id: ids.get(name)!, name, kind, title, year },
      ids: JSON.stringify(own),
      tokens: JSON.stringify(tokens),
      loose: looseTitle(title ?? ''),
    })),
    sql`on conflict (id) do update set title = excluded.title, year = excluded.year, loose = excluded.loose`,
  )
  const added = fresh.filter(({ name }) => !known.has(name))
  const tokens = added.flatMap((work) => work.tokens.map((token) => ({ token, work: ids.get(work.name)! })))
  await insertRows(db, 'token', tokens, sql`on conflict do nothing`)
  await touch(db, sql`select value, 1 from json_each(${JSON.stringify(added.map(({ name }) => ids.get(name)))})`)
  return ids
}

/** An episode with only its own ids belongs to the show of an episode with the same id. */
export async function joinOrphans(db: Tables): Promise<void> {
  const { rows: orphans } = await sql<{
    id: number
    name: string
    isNew: number | null
  }>`select id, name, t.relink as isNew
    from work left join touched t on t.work = id where name >= ${ORPHAN} and name < ${`${ORPHAN}~`}`.execute(db)
  const { rows } = await sql<{ through: number; last: number }>`select
      coalesce((select cast(value as integer) from state where name = 'joined'), 0) as through,
      coalesce((select seq from sqlite_sequence where name = 'entry'), 0) as last`.execute(db)
  const { last, through } = rows[0]!
  const left = new Map(orphans.map(({ id, name }) => [name.slice(ORPHAN.length), id]))
  // A new orphan may belong to any show, an older one only to a new row.
  let after = orphans.some(({ isNew }) => isNew === 1) ? 0 : through
  while (left.size > 0 && after < last) {
    const { rows: named } = await sql<Named>`select e.id, e.work, e.season, e.episode, e.own from entry e
      where e.id > ${after} and e.own is not null and e.orphan is null order by e.id limit ${REST}`.execute(db)
    after = named.at(-1)?.id ?? last
    const known = new Set(left.values())
    for (const { work, season, episode, own } of named) {
      if (known.has(work)) continue
      for (const token of own.split(' ')) {
        const orphan = left.get(token)
        if (orphan === undefined) continue
        left.delete(token)
        await db.transaction().execute(async (trx) => {
          await touch(trx, sql`select value, 0 from json_each(${JSON.stringify([orphan, work])})`)
          await sql`update entry set work = ${work}, season = coalesce(season, ${season}),
            episode = coalesce(episode, ${episode}), orphan = ${token} where work = ${orphan}`.execute(trx)
        })
      }
    }
    await yieldToLoop()
  }
  if (last !== through)
    await sql`insert into state (name, value) values ('joined', ${String(last)})
      on conflict (name) do update set value = excluded.value`.execute(db)
}

interface Named {
  readonly id: number
  readonly work: number
  readonly season: number | null
  readonly episode: number | null
  readonly own: string
}

function entryReader({ feature, provider }: Source, accounts: Awaited<ReturnType<typeof accountsIn>>): EntryOf {
  if (feature === 'activity') return (line) => scrobbleOf(JSON.parse(line) as ActivityRow, accounts)
  return (line) => {
    const [row] = pageOfText(`[${line}]`).rows
    if (row === undefined) return null
    const [key, item] = row
    const work = workOf(item, provider)
    return work === undefined ? undefined : { key, ...entryOf(work, feature, item) }
  }
}

function entryOf(work: Work, feature: CatalogFeature, item: Item): Omit<Entry, 'key'> {
  const time = parseTime(item[TIMES[feature]])
  const own = ownTokensOf(item)
  return {
    work,
    anime: isAnime(item),
    type: item.type === 'season' || item.type === 'episode' ? item.type : 'work',
    season: item.season ?? null,
    episode: item.episode ?? null,
    name: item.type === 'episode' ? textOf(item.title) : null,
    at: time?.atMs ?? null,
    day: time?.precision === 'date' ? 1 : 0,
    value: feature === 'ratings' ? (item.rating ?? null) : feature === 'progress' ? percentOf(item) : null,
    minutes: item.duration_ms === undefined ? null : Math.max(1, Math.round(item.duration_ms / 60_000)),
    own: own.length === 0 ? null : own.join(' '),
    targets: null,
  }
}

function percentOf({ progress_percent: percent, progress_ms: position, duration_ms: duration }: Item): number | null {
  if (percent !== undefined) return Math.round(percent * 10) / 10
  if (position === undefined || duration === undefined) return null
  return Math.round(Math.min(100, (position / duration) * 100) * 10) / 10
}

async function scrobbleOf(
  row: ActivityRow,
  accounts: (provider: string, instance: string) => Promise<number>,
): Promise<Entry | undefined> {
  const isEpisode = row.media_type === 'episode'
  const ids = Object.fromEntries(
    STRONG_SCHEMES.flatMap((scheme) => {
      const value = normaliseId(scheme, row.ids?.[scheme])
      return value === undefined ? [] : [[scheme, value]]
    }),
  )
  const item: Item = isEpisode
    ? {
        type: 'episode',
        ids: {},
        show_ids: ids,
        series_title: row.title,
        series_year: row.year ?? null,
        season: row.season,
        episode: row.episode,
      }
    : { type: 'movie', ids, title: row.title, year: row.year ?? null }
  const work = workOf(item, '')
  // Ids assign a play to its title; a play without ids may belong to another title.
  if (work === undefined || work.tokens.length === 0) return undefined
  const targets: number[] = []
  for (const { target, target_instance: instance } of [
    { target: row.source, target_instance: row.source_instance },
    ...row.targets,
  ])
    targets.push(await accounts(target.toUpperCase(), instance || 'default'))
  const day = row.watched_on === undefined ? undefined : parseTime(row.watched_on)
  return {
    key: null,
    work,
    anime: isAnime(item),
    type: isEpisode ? 'episode' : 'work',
    season: row.season ?? null,
    episode: row.episode ?? null,
    name: null,
    at: day?.atMs ?? row.watched_at * 1_000,
    day: day === undefined ? 0 : 1,
    value: null,
    minutes: row.runtime_minutes ?? null,
    own: null,
    targets: JSON.stringify([...new Set(targets)]),
  }
}

function nameOf({ provider, instance, feature }: Pick<Source, 'provider' | 'instance' | 'feature'>): string {
  return `${provider}@${instance} ${feature}`
}

async function accountsIn(db: Tables) {
  const { rows } = await sql<{ id: number; provider: string; instance: string }>`select * from account`.execute(db)
  const known = new Map(rows.map((row) => [`${row.provider}@${row.instance}`, row.id]))
  let next = rows.reduce((most, { id }) => Math.max(most, id + 1), 0)
  return async (provider: string, instance: string): Promise<number> => {
    const name = `${provider}@${instance}`
    const found = known.get(name)
    if (found !== undefined) return found
    const id = next++
    known.set(name, id)
    await sql`insert into account (id, provider, instance) values (${id}, ${provider}, ${instance})`.execute(db)
    return id
  }
}

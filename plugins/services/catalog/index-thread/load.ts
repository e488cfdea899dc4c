// Loads changed rows of accounts as entries.
import { type ActivityRow, type Feature, insertRows, pageOfText, type Tables } from '@playhead/sdk'
import { type Item, looseTitle, normaliseId, parseTime, STRONG_SCHEMES } from '@playhead/sdk/items'
import { sql } from 'kysely'
import { ownTokensOf, textOf, type Work, workOf } from './work-of.ts'

export interface Source {
  readonly provider: string
  readonly instance: string
  /** `activity`: scrobbles of the activity log; their accounts are in the rows. */
  readonly feature: CatalogFeature | 'activity'
  readonly revision: string
  readonly readAt: number | null
}

type CatalogFeature = Extract<Feature, 'watchlist' | 'history' | 'ratings' | 'progress'>
export const CATALOG_FEATURES = ['watchlist', 'history', 'ratings', 'progress'] as const satisfies readonly Feature[]

interface Reader {
  /** Pages of JSON arrays of `[key, item]`. */
  texts(source: Source): AsyncIterable<string>
  scrobbles(): AsyncIterable<readonly ActivityRow[]>
}

interface Entry {
  readonly source: number
  readonly work: number
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

const TIMES = { watchlist: 'added_at', history: 'watched_at', ratings: 'rated_at', progress: 'progress_at' } as const
const BATCH = 1_000

/** Runs within a transaction. Returns whether anything changed. */
export async function loadSources(db: Tables, sources: readonly Source[], reader: Reader): Promise<boolean> {
  const { rows: known } = await sql<{ id: number; name: string; revision: string; read_at: number | null }>`
    select s.id, a.provider || '@' || a.instance || ' ' || s.feature as name, s.revision, s.read_at
    from source s join account a on a.id = s.account`.execute(db)
  const before = new Map(known.map((row) => [row.name, row]))
  const wanted = new Set(sources.map(nameOf))
  const gone = known.filter(({ name }) => !wanted.has(name))
  const changed = sources.filter((source) => before.get(nameOf(source))?.revision !== source.revision)
  for (const { id } of gone) {
    await sql`delete from entry where source = ${id}`.execute(db)
    await sql`delete from source where id = ${id}`.execute(db)
  }
  for (const source of sources) {
    const row = before.get(nameOf(source))
    if (row !== undefined && row.read_at !== source.readAt)
      await sql`update source set read_at = ${source.readAt} where id = ${row.id}`.execute(db)
  }
  if (gone.length === 0 && changed.length === 0) return false
  const works = await openWorks(db)
  const accounts = await accountsIn(db)
  for (const source of changed) {
    let id = before.get(nameOf(source))?.id
    if (id === undefined) {
      const account = await accounts(source.provider, source.instance)
      await sql`insert into source (account, feature, revision, read_at)
        values (${account}, ${source.feature}, ${source.revision}, ${source.readAt})`.execute(db)
      const { rows } = await sql<{ id: number }>`select last_insert_rowid() as id`.execute(db)
      id = rows[0]!.id
    } else {
      await sql`delete from entry where source = ${id}`.execute(db)
      await sql`update source set revision = ${source.revision} where id = ${id}`.execute(db)
    }
    if (source.feature === 'activity') await loadScrobbles(db, id, reader, works, accounts)
    else await loadRows(db, id, source, source.feature, reader, works)
  }
  await sql`delete from work where id not in (select work from entry)`.execute(db)
  return true
}

async function loadRows(
  db: Tables,
  id: number,
  source: Source,
  feature: CatalogFeature,
  reader: Reader,
  works: Works,
): Promise<void> {
  let unreadable = 0
  for await (const text of reader.texts(source)) {
    const entries: Entry[] = []
    const { rows, damaged } = pageOfText(text)
    unreadable += damaged.length
    for (const [, item] of rows) {
      const work = workOf(item, source.provider)
      if (work !== undefined) entries.push(entryOf(id, works.idOf(work), feature, item))
    }
    await works.store()
    for (let start = 0; start < entries.length; start += BATCH)
      await insertRows(db, 'entry', entries.slice(start, start + BATCH))
  }
  await sql`update source set unreadable = ${unreadable} where id = ${id}`.execute(db)
}

function entryOf(source: number, work: number, feature: CatalogFeature, item: Item): Entry {
  const time = parseTime(item[TIMES[feature]])
  const own = ownTokensOf(item)
  return {
    source,
    work,
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

async function loadScrobbles(
  db: Tables,
  id: number,
  reader: Reader,
  works: Works,
  accounts: (provider: string, instance: string) => Promise<number>,
): Promise<void> {
  for await (const page of reader.scrobbles()) {
    const entries: Entry[] = []
    for (const row of page) {
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
      if (work === undefined || work.tokens.length === 0) continue
      const parties = [{ target: row.source, target_instance: row.source_instance }, ...row.targets]
      const targets = await Promise.all(
        parties.map(({ target, target_instance: instance }) => accounts(target.toUpperCase(), instance || 'default')),
      )
      const day = row.watched_on === undefined ? undefined : parseTime(row.watched_on)
      entries.push({
        source: id,
        work: works.idOf(work),
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
      })
    }
    await works.store()
    await insertRows(db, 'entry', entries)
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

interface Works {
  idOf(work: Work): number
  /** Stores new entries. */
  store(): Promise<void>
}

async function openWorks(db: Tables): Promise<Works> {
  const { rows } = await sql<{
    id: number
    name: string
    titled: number
  }>`select id, name, title is not null and year is not null as titled from work`.execute(db)
  const known = new Map(rows.map(({ id, name, titled }) => [name, { id, titled: titled === 1 }]))
  let next = rows.reduce((most, { id }) => Math.max(most, id + 1), 1)
  let fresh: object[] = []
  return {
    idOf(work) {
      const { name, kind, anime, title, year, ids, tokens } = work
      const found = known.get(name)
      const isTitled = title !== null && year !== null
      if (found !== undefined && (found.titled || !isTitled)) return found.id
      const id = found?.id ?? next++
      known.set(name, { id, titled: isTitled })
      fresh.push({
        id,
        name,
        kind,
        anime: anime ? 1 : 0,
        title,
        year,
        ids: JSON.stringify(ids),
        tokens: JSON.stringify(tokens),
        loose: looseTitle(title ?? ''),
      })
      return id
    },
    async store() {
      for (let start = 0; start < fresh.length; start += BATCH)
        await insertRows(
          db,
          'work',
          fresh.slice(start, start + BATCH),
          sql`on conflict (id) do update set title = excluded.title, year = excluded.year, loose = excluded.loose`,
        )
      fresh = []
    },
  }
}

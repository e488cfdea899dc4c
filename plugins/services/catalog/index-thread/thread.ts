// Entry of the thread that maintains the index, because reading and joining a large library would block requests. Requests read
// the index on another connection, which shows the previous state until the update is complete.
import {
  ACTIVITY,
  type ActivityRow,
  insertRows,
  LIBRARY,
  linesOfText,
  METADATA,
  type Metadata,
  type Remote,
  type Tables,
  type ThreadHost,
  TRACKER_STORE,
} from '@playhead/sdk'
import { FOLD_VERSION } from '@playhead/sdk/items'
import { sql } from 'kysely'
import { INDEX_TABLES, TRACKER } from '../tables.ts'
import { derive } from './derive.ts'
import { joinOrphans, loadSources, type Source } from './load.ts'

interface RefreshOrder {
  readonly sources: readonly Source[]
  /** Whether cached lengths and genres of the metadata service may be queried. */
  readonly facts: boolean
}

interface RefreshResult {
  readonly changed: boolean
}

export type IndexWork = ReturnType<typeof work>

const PAGE = 500
/** Used while the index is built; freed afterwards. */
const CACHE_KIB = 65_536

export default function work(host: ThreadHost) {
  const db = host.openDatabase('titles')
  // The index can be rebuilt, so a damaged file is simply set aside at the next start.
  void sql`pragma synchronous = off`.execute(db)
  void sql.raw(`pragma cache_size = -${CACHE_KIB}`).execute(db)
  const library = host.use(LIBRARY)
  const tracker = host.use(TRACKER_STORE)
  const activity = host.use(ACTIVITY)
  const metadata = host.use(METADATA)

  async function* lines(source: Source): AsyncGenerator<readonly string[]> {
    const { provider, instance, feature } = source
    if (feature === 'activity') {
      for await (const page of scrobbles()) yield page.map((row) => JSON.stringify(row))
      return
    }
    if (provider === TRACKER) {
      for await (const page of tracker.rows(instance, feature))
        yield page.map(({ key, item }) => JSON.stringify([key, item]))
      return
    }
    for await (const page of library.texts(provider, instance, feature)) yield linesOfText(page)
  }

  async function* scrobbles(): AsyncGenerator<readonly ActivityRow[]> {
    for (let offset = 0; ; offset += PAGE) {
      const { items } = await activity.list({ kinds: ['scrobble'], status: 'ok', limit: PAGE, offset })
      yield items.filter(({ event }) => event === 'scrobble_stop')
      if (items.length < PAGE) return
    }
  }

  return {
    /** Brings the index up to its sources in small steps. Each title changes in one of them. */
    async refresh({ sources, facts }: RefreshOrder): Promise<RefreshResult> {
      const state = await stateOf(db)
      const build = state.get('build')
      const isFolded = state.get('fold') === String(FOLD_VERSION)
      // Names of works and the texts for search follow the rule.
      if (!isFolded) await db.transaction().execute(clear)
      const isOther = await loadSources(db, sources, { lines })
      await joinOrphans(db)
      const { rows: own } = await sql<{ id: number }>`select id from account where provider = ${TRACKER}`.execute(db)
      const isDerived = await derive(db, new Set(own.map(({ id }) => id)))
      const changed = isOther || isDerived || !isFolded
      if (changed) await setState(db, { build: Number(build ?? 0) + 1, built_at: Date.now(), fold: FOLD_VERSION })
      if (facts) await loadFacts(db, metadata)
      await sql`pragma shrink_memory`.execute(db)
      return { changed }
    },
  }
}

/** Until it is made again, the index has no build, so requests wait for it. */
async function clear(db: Tables): Promise<void> {
  for (const table of ['state', ...INDEX_TABLES]) await sql`delete from ${sql.table(table)}`.execute(db)
}

async function setState(db: Tables, values: Readonly<Record<string, number>>): Promise<void> {
  const rows = Object.entries(values).map(([name, value]) => ({ name, value: String(value) }))
  await insertRows(db, 'state', rows, sql`on conflict (name) do update set value = excluded.value`)
}

async function stateOf(db: Tables): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ name: string; value: string }>`select name, value from state`.execute(db)
  return new Map(rows.map(({ name, value }) => [name, value]))
}

/** The most titles that the metadata service accepts at once. */
const MAX_WORKS = 100

/** Lengths and genres of played titles from the cache of the metadata service. No third party is queried. */
async function loadFacts(db: Tables, metadata: Remote<Metadata>): Promise<void> {
  for (let after = 0; ; ) {
    const { rows } = await sql<{ id: number; kind: 'movie' | 'show'; tmdb: string }>`select id, kind, tmdb from title
      where id > ${after} and plays > 0 and tmdb is not null order by id limit ${MAX_WORKS}`.execute(db)
    if (rows.length === 0) return
    after = rows.at(-1)!.id
    const works = rows.map(({ kind: type, tmdb }) => ({ type, tmdb }))
    const [lengths, genres] = await Promise.all([metadata.cachedLengths(works), metadata.cachedGenres(works)])
    const facts = rows.flatMap(({ kind, tmdb }) => {
      const name = `${kind}/${tmdb}`
      const [minutes, own] = [lengths[name] ?? null, genres[name] ?? []]
      return minutes === null && own.length === 0 ? [] : [{ kind, tmdb, minutes, genres: JSON.stringify(own) }]
    })
    await insertRows(
      db,
      'fact',
      facts,
      sql`on conflict (kind, tmdb) do update set minutes = excluded.minutes, genres = excluded.genres`,
    )
  }
}

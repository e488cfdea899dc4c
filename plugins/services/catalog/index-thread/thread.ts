// Entry of the thread that maintains the index, because reading and joining a large library would block requests. Requests read
// the index on another connection, which shows the previous state until the update is complete.
import {
  ACTIVITY,
  type ActivityRow,
  insertRows,
  LIBRARY,
  METADATA,
  type Metadata,
  type Remote,
  type Tables,
  type ThreadHost,
  TRACKER_STORE,
} from '@playhead/sdk'
import { FOLD_VERSION } from '@playhead/sdk/items'
import { sql } from 'kysely'
import { derive } from './derive.ts'
import { loadSources, type Source } from './load.ts'

interface RefreshOrder {
  readonly sources: readonly Source[]
  /** Whether cached lengths and genres of the metadata service may be queried. */
  readonly facts: boolean
}

interface RefreshResult {
  readonly changed: boolean
}

export type IndexWork = ReturnType<typeof work>

const TRACKER = 'SVC'
const PAGE = 500
/** Used while the index is built; freed afterwards. */
const CACHE_KIB = 65_536

export default function work(host: ThreadHost) {
  const db = host.openDatabase('catalog')
  // The index can be rebuilt, so a damaged file is simply set aside at the next start.
  void sql`pragma synchronous = off`.execute(db)
  void sql.raw(`pragma cache_size = -${CACHE_KIB}`).execute(db)
  const library = host.use(LIBRARY)
  const tracker = host.use(TRACKER_STORE)
  const activity = host.use(ACTIVITY)
  const metadata = host.use(METADATA)

  async function* texts({ provider, instance, feature }: Source): AsyncGenerator<string> {
    if (feature === 'activity') return
    if (provider !== TRACKER) {
      yield* library.texts(provider, instance, feature)
      return
    }
    for await (const page of tracker.rows(instance, feature))
      yield JSON.stringify(page.map(({ key, item }) => [key, item]))
  }

  async function* scrobbles(): AsyncGenerator<readonly ActivityRow[]> {
    for (let offset = 0; ; offset += PAGE) {
      const { items } = await activity.list({ kinds: ['scrobble'], status: 'ok', limit: PAGE, offset })
      yield items.filter(({ event }) => event === 'scrobble_stop')
      if (items.length < PAGE) return
    }
  }

  return {
    /** Updates the index from its sources in one transaction, so that requests see either the old or the new index. */
    async refresh({ sources, facts }: RefreshOrder): Promise<RefreshResult> {
      const changed = await db.transaction().execute(async (trx) => {
        const state = await stateOf(trx)
        const isFolded = state.get('fold') === String(FOLD_VERSION)
        // Names of works and the texts for search follow the rule.
        if (!isFolded)
          for (const table of ['entry', 'source', 'work']) await sql`delete from ${sql.table(table)}`.execute(trx)
        const isChanged = await loadSources(trx, sources, { texts, scrobbles })
        const build = state.get('build')
        if (!isChanged && isFolded && build !== undefined) return false
        const { rows: own } = await sql<{ id: number }>`select id from account where provider = ${TRACKER}`.execute(trx)
        await derive(trx, new Set(own.map(({ id }) => id)))
        const next = { build: Number(build ?? 0) + 1, built_at: Date.now(), fold: FOLD_VERSION }
        for (const [name, value] of Object.entries(next))
          await sql`insert into state (name, value) values (${name}, ${String(value)})
            on conflict (name) do update set value = excluded.value`.execute(trx)
        return true
      })
      if (facts) await loadFacts(db, metadata)
      await sql`pragma shrink_memory`.execute(db)
      return { changed }
    },
  }
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

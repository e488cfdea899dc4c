// Lengths and genres of played titles from the cache of the metadata service. No third party is queried.
import { insertRows, type Metadata, type Remote, type Tables } from '@playhead/sdk'
import { sql } from 'kysely'

/** Of the metadata service. */
const MAX_WORKS = 100

export async function loadFacts(db: Tables, metadata: Remote<Metadata>): Promise<void> {
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

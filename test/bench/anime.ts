// The anime mapping: building an index of 60,000 sources, its size, and looking up episodes and ids. The plugin runs as in the
// service; a server in this process serves the data sets.
import { ANIME_MAPPING, type AnimeMapping, type Item } from '@playhead/sdk'
import { createTestHost } from '@playhead/sdk/testing'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import plugin from '../../plugins/services/anime-mapping/index.ts'
import { startAnimeData } from '../upstreams/anime-data.ts'
import type { Figure } from './index.ts'
import { quantile } from './server.ts'

const SHOWS = 20_000
const SEASONS = 2
const EPISODES = 24
const CALLS = 60
const AT_ONCE = 1_000
const ROUNDS = 3

export async function benchAnime(): Promise<readonly Figure[]> {
  const mappings = manyMappings()
  await using data = await startAnimeData({
    stats: { meta: { generated_on: '2026-07-01T00:00:00Z' } },
    mappings: JSON.stringify(mappings),
    identities: manyIdentities(),
  })
  await using host = await createTestHost({
    plugin,
    manifest: new URL('../../plugins/services/anime-mapping/plugin.json', import.meta.url),
    allow: [new URL(data.assets.url).host],
    config: { enabled: true, mappings_url: data.mappingsUrl, identities_url: data.identitiesUrl },
  })
  const post = async (path: string) => {
    const answer = await host.inject({ method: 'POST', url: `/api/anime-mapping/${path}`, payload: {} })
    if (answer.statusCode !== 200) throw new Error(answer.body)
    return answer.json()
  }
  const updated = await post('update')
  const builds: number[] = []
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedMs = performance.now()
    await post('rebuild-index')
    builds.push(performance.now() - startedMs)
  }
  delay.disable()
  const mapping = host.capability<AnimeMapping>(ANIME_MAPPING)
  const episodes = await each(mapping.coordinates, (at) => episodeOf(at))
  const season = await each(mapping.coordinates, (at) => episodeOf(Math.floor(at / EPISODES), (at % EPISODES) + 1))
  const entries = await each(
    (items: readonly Item[]) =>
      mapping.toEntries(
        items.map(({ show_ids = {}, season: of = 1, episode = 1 }) => ({
          showIds: show_ids,
          season: of,
          episode,
          scheme: 'anilist',
        })),
      ),
    (at) => episodeOf(at),
  )
  const works = await each(mapping.enrich, (at) => ({ type: 'anime', ids: { anilist: String(idOf(at * 37)) } }))
  return [
    { what: 'sources', value: updated.rebuild.source_count, unit: 'count' },
    { what: 'edges, in both directions', value: updated.rebuild.edge_count, unit: 'count' },
    { what: 'identities', value: updated.rebuild.identity_count, unit: 'count' },
    { what: 'mapping set', value: updated.mappings_size / 1e6, unit: 'MB' },
    { what: 'build from the files: median', value: quantile(builds, 0.5) / 1e3, unit: 's', aim: '3' },
    { what: 'build from the files: longest event-loop stall', value: delay.max / 1e6, unit: 'ms', aim: '< 50' },
    { what: 'index file', value: updated.db_size / 1e6, unit: 'MB', aim: '40' },
    { what: 'positions of an episode, other shows each time', value: episodes, unit: 'µs', aim: '20' },
    { what: 'positions of an episode, season by season', value: season, unit: 'µs', aim: '20' },
    { what: 'an episode for AniList, other shows each time', value: entries, unit: 'µs', aim: '20' },
    { what: 'ids of an entry, other entries each time', value: works, unit: 'µs' },
  ]
}

/** Microseconds per item, including the round trip to the thread. The first calls are excluded. */
async function each<Answer>(
  ask: (items: readonly Item[]) => Promise<readonly Answer[]>,
  itemOf: (at: number) => Item,
): Promise<number> {
  const times: number[] = []
  for (let call = 0; call < CALLS; call += 1) {
    const items = Array.from({ length: AT_ONCE }, (_, at) => itemOf(call * AT_ONCE + at))
    const startedMs = performance.now()
    const answers = await ask(items)
    times.push(((performance.now() - startedMs) * 1e3) / AT_ONCE)
    if (answers.length !== AT_ONCE) throw new Error('answers are missing')
  }
  return quantile(times.slice(CALLS / 6), 0.5)
}

function idOf(at: number): number {
  return 1 + (at % (SHOWS * SEASONS))
}

function episodeOf(at: number, episode = 1 + (at % EPISODES)): Item {
  const show = (at * 7_919) % SHOWS
  return { type: 'episode', ids: {}, show_ids: { tvdb: String(500_000 + show) }, season: 1 + (at % SEASONS), episode }
}

/** Two of three sources are seasons, the others entries. */
function manyMappings(): Record<string, Record<string, Record<string, string>>> {
  const mappings: Record<string, Record<string, Record<string, string>>> = {}
  const whole = `1-${EPISODES}`
  for (let show = 0; show < SHOWS; show += 1) {
    for (let season = 1; season <= SEASONS; season += 1) {
      const id = show * SEASONS + season
      mappings[`tvdb_show:${500_000 + show}:s${season}`] = {
        [`anidb:${id}:R`]: { [whole]: whole },
        [`anilist:${id}`]: show % 10 === 0 ? { '1-12': '1-12', '13-24': '14-25' } : { [whole]: whole },
        [`mal:${id}`]: { [whole]: whole },
        [`tmdb_show:${900_000 + show}:s${season}`]: { [whole]: whole },
      }
    }
    const first = show * SEASONS + 1
    mappings[`anilist:${first}`] = { [`mal:${first}`]: { [whole]: whole }, [`anidb:${first}:R`]: { [whole]: whole } }
  }
  return mappings
}

function manyIdentities(): string {
  const rows = Array.from({ length: SHOWS * SEASONS }, (_, at) =>
    [`Show ${at}`, at + 1, at + 1, at + 1, 1e6 + at, 2e6 + at].join('\t'),
  )
  return ['title\tanidb\tanilist\tmyanimelist\tsimkl\tkitsu', ...rows].join('\n')
}

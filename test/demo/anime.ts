// Anime in the demo: an AniList account, and the data that maps its entries to shows. Both seasons of two shows are planned, so
// neither season stands for the show; one entry is in no data set.
import { type AniList, startAniList } from '../upstreams/anilist.ts'
import { startAnimeData } from '../upstreams/anime-data.ts'
import { showCatalogue } from '../upstreams/base/index.ts'
import { type Client, expectOk, saveSettings, untilTrue } from './sign-in.ts'

const SEED = 1
const KNOWN = 12
const PLANNED = 6
const BOTH_SEASONS = 2

export interface DemoAnime extends AsyncDisposable {
  readonly anilist: AniList
  /** @param open follows an address in the signed-in browser */
  signIn(client: Client, url: string, open: (address: string) => Promise<unknown>): Promise<void>
  /** Downloads the data, as a person does with one switch; returns the counts of the status. */
  switchOn(client: Client): Promise<{ readonly source_count: number; readonly edge_count: number }>
}

export async function startDemoAnime(shows: number): Promise<DemoAnime> {
  const anilist = await startAniList({ movies: 40, shows, rateLimits: false })
  const works = showCatalogue(SEED, shows).flatMap((show, index) => {
    const tvdb = show.ids.tvdb
    const first = anilist.series.find(({ title }) => title.romaji === `${show.title} (romaji)`)
    const seasons = [...new Set(show.episodes.map(({ season }) => season))]
    return tvdb === undefined || first === undefined ? [] : [{ index, tvdb, first, seasons, show }]
  })
  const mappings = Object.fromEntries(
    works.slice(0, KNOWN).flatMap(({ tvdb, first, seasons, show }) =>
      seasons.map((season) => {
        const count = show.episodes.filter((episode) => episode.season === season).length
        return [
          `tvdb_show:${tvdb}:s${season}`,
          { [`anilist:${first.id + season - 1}`]: { [`1-${count}`]: `1-${count}` } },
        ]
      }),
    ),
  )
  const data = await startAnimeData(
    { stats: { meta: { generated_on: '2026-07-01T03:00:00Z' } }, mappings },
    'v3',
    false,
  )
  const byId = new Map(anilist.catalogue.map((media) => [media.id, media]))
  const plan = (id: number) => {
    const media = byId.get(id)
    if (media !== undefined) anilist.user.save(media, { status: 'PLANNING' })
  }
  for (const { first } of works.slice(0, PLANNED)) plan(first.id)
  const long = works.slice(0, PLANNED).filter(({ seasons }) => seasons.length > 1)
  for (const { first } of long.slice(0, BOTH_SEASONS)) plan(first.id + 1)
  plan(works.at(-1)!.first.id)
  return {
    anilist,
    async signIn(client, url, open) {
      await saveSettings(client, 'animeA', { api_url: anilist.url, oauth_url: anilist.oauthUrl })
      await expectOk(client, '/api/animeA/save', { client_id: anilist.clientId, client_secret: anilist.clientSecret })
      const { authorize_url: address } = await expectOk(client, '/api/animeA/authorize', { origin: url })
      await open(anilist.authorize(String(address)))
      await untilTrue('AniList', async () => (await client.json('/api/animeA/status')).body.connected === true)
    },
    async switchOn(client) {
      await saveSettings(client, 'anime_mapping', {
        mappings_url: data.mappingsUrl,
        identities_url: data.identitiesUrl,
      })
      await expectOk(client, '/api/anime-mapping/settings', { enabled: true })
      const status = async () => (await client.json('/api/anime-mapping/status')).body
      await untilTrue('the data of the anime mapping', async () => (await status()).index_ready === true)
      return status()
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([anilist.close(), data.close()])
    },
  }
}

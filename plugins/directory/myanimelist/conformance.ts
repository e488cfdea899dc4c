// Plays MyAnimeList with two people for the conformance kit.
import type { Feature, Item } from '@playhead/sdk'
import type { TestHost } from '@playhead/sdk/testing'
import type { Adapter, FlowScript, Person } from '@playhead/sdk/testing/conformance'
import { type MalAnime, type MalStatus, type MyAnimeList, startMyAnimeList } from './stand-in.ts'

type Marked = 'watchlist' | 'history' | 'ratings'
const KINDS = { watchlist: ['movie', 'show'], history: ['movie', 'episode'], ratings: ['movie', 'show'] } as const
const ORIGIN = 'http://playhead.test'
const BACK = '/callback/myanimelist'
const FILM = { media_type: 'movie', num_episodes: 1 }

/** A film or series as a row of the account. */
function workOf({ id, title, media_type: type }: MalAnime): Item {
  const film = type === 'movie' ? { film: true } : {}
  return { type: 'anime', title, year: 2011, ids: { mal: String(id) }, ...film }
}

function episodeOf({ id, title }: MalAnime, episode: number): Item {
  const show = { show_ids: { mal: String(id) }, series_title: title, series_year: 2011 }
  return { type: 'episode', ids: {}, ...show, season: 1, episode }
}

function rowsOf(feature: Feature, anime: MalAnime, status: MalStatus): Item[] {
  const { status: name, score, num_episodes_watched: count, finish_date: day } = status
  if (feature === 'watchlist') return name === 'plan_to_watch' ? [workOf(anime)] : []
  if (feature === 'ratings') return score > 0 ? [{ ...workOf(anime), rating: score }] : []
  if (anime.media_type === 'movie')
    return name === 'completed'
      ? [{ ...workOf(anime), watched: true, ...(day === undefined ? {} : { watched_at: day }) }]
      : []
  const seen = name === 'completed' ? anime.num_episodes : count
  return Array.from({ length: seen }, (_, index) => ({ ...episodeOf(anime, index + 1), watched: true }))
}

async function authorize(host: TestHost, instance: string, more: object = {}): Promise<string> {
  const payload = { origin: ORIGIN, ...more }
  const url = `/api/myanimelist/authorize?instance=${instance}`
  const { statusCode, body } = await host.inject({ method: 'POST', url, payload })
  const { authorize_url: address } = JSON.parse(body) as { authorize_url?: string }
  if (address === undefined) throw new Error(`the sign-in was answered with ${statusCode}: ${body}`)
  return address
}

const pathOf = (address: string) => address.slice(ORIGIN.length)

/** The browser comes back when the flow is looked at. */
function browserFlow(mal: MyAnimeList): FlowScript {
  const returns = new Map<string, string>()
  let latest = ''
  const refuse = (address: string, answer: string) =>
    void returns.set(address, `${BACK}?${answer}&state=${new URL(address).searchParams.get('state')}`)
  return {
    method: 'oauth',
    async start(host, instance) {
      latest = await authorize(host, instance)
      return { code: latest }
    },
    async poll(host) {
      const url = returns.get(latest)
      if (url === undefined) return 'pending'
      returns.delete(latest)
      return (await host.inject({ method: 'GET', url })).statusCode === 200 ? 'authorized' : 'failed'
    },
    approve: (address) => void returns.set(address, pathOf(mal.approve(address))),
    deny: (address) => refuse(address, 'error=access_denied'),
    expire: (address) => refuse(address, 'code=forgotten'),
  }
}

const adapter: Adapter = {
  async start() {
    const mal = await startMyAnimeList({ clientSecret: 'the-secret-of-the-application' })
    let made = 0
    let minutes = 0
    const seeded = new Map<string, MalAnime[]>()
    const next = (feature: Marked): { readonly kind: string; readonly anime: MalAnime } => {
      const kind = KINDS[feature][made++ % 2]!
      const isGray = made % 5 === 0
      return { kind, anime: mal.addAnime({ ...(kind === 'movie' ? FILM : {}), nsfw: isGray ? 'gray' : 'white' }) }
    }
    const put = (person: Person, anime: MalAnime, status: Partial<MalStatus>) =>
      void mal.put(mal.people[person]!, anime, status)

    function valued(feature: Marked, item: Item): Item {
      if (feature === 'watchlist') return item
      if (feature === 'ratings') return { ...item, rating: 7 }
      const at = new Date(Date.parse('2025-03-04T12:00:00Z') + ++minutes * 60_000).toISOString()
      return { ...item, watched_at: at.replace('.000', '') }
    }
    const rows = (person: Person, feature: Feature) =>
      [...mal.people[person]!.list].flatMap(([id, status]) => rowsOf(feature, mal.anime.get(id)!, status))

    return {
      services: [mal],
      config: {
        api_url: mal.apiUrl,
        oauth_url: mal.oauthUrl,
        client_id: mal.clientId,
        client_secret: mal.clientSecret,
        page_size: 10,
        rate_limit: { get_per_sec: 0, post_per_sec: 0 },
      },
      async signIn(host, instance, person) {
        const address = await authorize(host, instance)
        const { statusCode, body } = await host.inject(pathOf(mal.approve(address, mal.people[person])))
        if (statusCode !== 200) throw new Error(`the sign-in ended with ${statusCode}: ${body}`)
      },
      async signInWrongly(host, instance) {
        const state = new URL(await authorize(host, instance)).searchParams.get('state')
        await host.inject(`${BACK}?code=invented&state=${state}`)
      },
      seed(person, feature, count) {
        for (let index = 0; index < count; index += 1) {
          const { kind, anime } = next(feature as Marked)
          const history =
            kind === 'movie'
              ? { status: 'completed', num_episodes_watched: 1, finish_date: '2024-05-06' }
              : { status: 'watching', num_episodes_watched: 1 }
          const marks = { watchlist: { status: 'plan_to_watch' }, ratings: { status: 'on_hold', score: 7 }, history }
          put(person, anime, marks[feature as Marked])
          seeded.getOrInsertComputed(`${person} ${feature}`, () => []).push(anime)
        }
      },
      takeOff(person, feature) {
        const anime = seeded.get(`${person} ${feature}`)?.shift()
        if (anime === undefined) return
        if (feature === 'watchlist') mal.people[person]!.list.delete(anime.id)
        else put(person, anime, feature === 'ratings' ? { score: 0 } : { status: 'watching', num_episodes_watched: 0 })
      },
      fresh: (feature, count) =>
        Array.from({ length: count }, () => {
          const { kind, anime } = next(feature as Marked)
          // Only what is on a list can be rated.
          if (feature === 'ratings') for (const person of [0, 1] as const) put(person, anime, { status: 'on_hold' })
          return valued(feature as Marked, kind === 'episode' ? episodeOf(anime, 1) : workOf(anime))
        }),
      episodes(feature, count) {
        if (feature !== 'history') return []
        const anime = mal.addAnime({ num_episodes: 24 })
        return Array.from({ length: count }, (_, index) => valued('history', episodeOf(anime, index + 1)))
      },
      unknown: (feature) =>
        valued(feature as Marked, { type: 'anime', film: true, title: 'Never made', ids: { mal: '99999999' } }),
      count: (person, feature) => rows(person, feature).length,
      rows,
      secrets: () => [...mal.tokens(), mal.clientSecret],
      expire: (person) => mal.expire(mal.people[person]!),
      revoke: (person) => mal.revoke(mal.people[person]!),
      isRefresh: ({ path, body }) =>
        path.endsWith('/oauth2/token') && body?.includes('grant_type=refresh_token') === true,
      isWrite: ({ method }) => method === 'PATCH' || method === 'DELETE',
      flows: [browserFlow(mal)],
      close: () => mal.close(),
    }
  },
}

export default adapter

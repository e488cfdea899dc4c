// SIMKL for the conformance kit. One entry per work: a rating or a position adds its work to the library.
import type { Feature, Item, ItemKind } from '@playhead/sdk'
import type { Adapter, FlowScript, Person, SeenRequest } from '@playhead/sdk/testing/conformance'
import { type Simkl, startSimkl, type User, type Work } from '../../upstreams/simkl.ts'
import { redirectFlow } from './redirect.ts'
import { connect, idsOf, mixedStock, pastTimes, postOk, showWithSpecials, unknownFilm, valued } from './support.ts'

const NAMES = ['ada', 'bob'] as const
const SHOWS = 32
/** The last shows are reserved for neighbours of an episode and for dropping. */
const WHOLE = 4
const PLAYED = ['movie', 'episode'] as const
const WORKS = ['movie', 'show'] as const
const KINDS: { readonly [feature in Feature]?: readonly ItemKind[] } = {
  watchlist: WORKS,
  ratings: WORKS,
  history: PLAYED,
  progress: PLAYED,
}
const PIN = '/api/trackB/pin'
/** Change times are in seconds: only older changes are certain. */
const BEHIND_MS = 600_000
const BETWEEN_CHANGES_MS = 2_000
const STATES = ['pending', 'authorized', 'denied', 'expired'] as const

const adapter: Adapter = {
  leaveOut: { 'damage.timeout': 'the whole library comes in one answer, which may take three minutes' },
  async start({ size }) {
    const simkl = await startSimkl({
      limits: false,
      suspends: false,
      usernames: NAMES,
      plan: 'vip',
      movies: Math.ceil(size * 1.1) + 8,
      shows: SHOWS,
      moreShows: [showWithSpecials()],
      nowMs: () => Date.now() - BEHIND_MS,
    })
    const known = simkl.state.works.all.filter(({ ids }) => Object.keys(idsOf(ids)).length > 0)
    const [special, ...shows] = known.filter(({ part }) => part === 'shows').toReversed()
    const few = shows.slice(WHOLE)
    const whole = [...(shows[0]?.episodes ?? [])]
    const stock = mixedStock<Thing>({
      movie: known.filter(({ part }) => part === 'movies').map((work) => ({ work })),
      show: few.filter((_, index) => index % 2 === 0).map((work) => ({ work })),
      // A show has one position, so each comes from another show, a special first.
      episode: [special!, ...few.filter((_, index) => index % 2 === 1)].map((work) => ({
        work,
        episode: work.episodes[0]!,
      })),
    })
    const take = (feature: Feature, count: number) => stock.take(KINDS[feature] ?? ['movie'], count)
    const nextTime = pastTimes()
    const seeded: Record<string, Thing[]> = {}
    const seededOf = (person: Person, feature: Feature) => (seeded[`${person} ${feature}`] ??= [])
    const tokens = new Set<string>()
    let dropped = SHOWS - WHOLE
    const config = { api_url: simkl.url, client_id: simkl.clientId, rate_limit: { get_per_sec: 0, post_per_sec: 0 } }
    const userOf = (person: Person): User => simkl.userNamed(NAMES[person])
    const isWrite = ({ method, path }: Pick<SeenRequest, 'method' | 'path'>) =>
      method !== 'GET' && !/^\/(oauth2\/|users\/settings|sync\/watched)/.test(path)
    simkl.onAnswer(({ request }) => {
      if (isWrite(request)) simkl.advance(BETWEEN_CHANGES_MS)
    })

    return {
      services: [simkl],
      config,
      async signIn(host, instance, person) {
        const credentials = simkl.credentials(NAMES[person])
        tokens.add(credentials.access_token).add(credentials.refresh_token)
        await connect(host, 'TRACKB', instance, { ...config, ...credentials })
      },
      seed(person, feature, count) {
        for (const film of take(feature, count)) {
          put(userOf(person), feature, film, nextTime())
          seededOf(person, feature).push(film)
        }
        simkl.advance(BETWEEN_CHANGES_MS)
      },
      takeOff(person, feature) {
        const film = seededOf(person, feature).shift()
        if (film !== undefined) takeOff(userOf(person), feature, film)
        simkl.advance(BETWEEN_CHANGES_MS)
      },
      fresh: (feature, count) => take(feature, count).map((one) => valued(feature, itemOf(one))),
      episodes: (feature, count) =>
        feature === 'progress'
          ? []
          : whole.splice(0, count).map((episode) => valued(feature, itemOf({ work: shows[0]!, episode }))),
      rows: (person, feature) => rowsOf(userOf(person), feature),
      unknown: unknownFilm,
      count: (person, feature) => countOf(userOf(person), feature),
      drop(person) {
        const user = userOf(person)
        const show = simkl.show(dropped++)
        user.move(show, 'dropped')
        simkl.advance(BETWEEN_CHANGES_MS)
        return {
          item: { type: 'show', ids: idsOf(show.ids) },
          resume() {
            user.move(show, 'watching')
            simkl.advance(BETWEEN_CHANGES_MS)
          },
        }
      },
      secrets: () => [...tokens],
      expire: (person) => userOf(person).expireTokens(),
      isRefresh: ({ path }) => path === '/oauth2/token',
      revoke: (person) => userOf(person).revokeTokens(),
      isWrite,
      flows: [
        pinFlow(simkl),
        redirectFlow({
          start: '/api/trackB/authorize',
          back: '/callback',
          approve: (address) => simkl.authorize(address).href,
        }),
      ],
      close: () => simkl.close(),
    }
  },
}

export default adapter

function pinFlow(simkl: Simkl): FlowScript {
  return {
    method: 'device_pin',
    async start(host, instance) {
      const { ok, user_code: code, error } = await postOk(host, `${PIN}/start?instance=${instance}`)
      if (ok !== true) throw new Error(String(error))
      return { code: String(code) }
    },
    async poll(host, instance) {
      const answer = await host.inject({ method: 'POST', url: `${PIN}/poll?instance=${instance}` })
      const { status } = answer.json() as { readonly status: string }
      return status === 'no_pin' ? 'missing' : (STATES.find((state) => state === status) ?? 'failed')
    },
    cancel: async (host, instance) => void (await postOk(host, `${PIN}/cancel?instance=${instance}`)),
    approve: (code) => simkl.approve(code),
    deny: (code) => simkl.deny(code),
    expire(code) {
      const pin = simkl.state.pins.get(code)
      if (pin !== undefined) pin.expiresAtMs = 0
    },
  }
}

/** A film, a show, or an episode of one. */
interface Thing {
  readonly work: Work
  readonly episode?: { readonly season: number; readonly number: number }
}

function itemOf({ work: { part, title, ids }, episode }: Thing): Item {
  if (episode === undefined) return { type: part === 'movies' ? 'movie' : 'show', title, ids: idsOf(ids) }
  const { season, number } = episode
  return { type: 'episode', series_title: title, show_ids: idsOf(ids), ids: {}, season, episode: number }
}

function put(user: User, feature: Feature, { work, episode }: Thing, atMs: number): void {
  if (feature === 'ratings') user.rate(work, 7, atMs)
  else if (feature === 'progress') user.pause(work, 25, episode, atMs)
  else if (feature === 'watchlist') user.plan(work, atMs)
  else if (episode === undefined) user.watch(work, atMs)
  else user.watchEpisode(work, episode.season, episode.number, atMs)
}

function takeOff(user: User, feature: Feature, { work, episode }: Thing): void {
  if (feature === 'ratings') user.rate(work, undefined)
  else if (feature === 'progress') user.pause(work, undefined)
  else if (feature === 'history' && episode !== undefined) user.unwatchEpisode(work, episode.season, episode.number)
  else user.remove(work)
}

const countOf = (user: User, feature: Feature) => rowsOf(user, feature).length

function rowsOf({ account }: User, feature: Feature): readonly Item[] {
  const entries = [...account.library.values()]
  const at = (ms: number) => new Date(ms).toISOString()
  if (feature === 'history')
    return entries.flatMap(({ work, watchedAtMs, watched }): Item[] => [
      ...(watchedAtMs === undefined ? [] : [{ ...itemOf({ work }), watched: true, watched_at: at(watchedAtMs) }]),
      ...[...watched].map(([name, atMs]) => {
        const [season = 0, number = 0] = name.split('/').map(Number)
        return { ...itemOf({ work, episode: { season, number } }), watched: true, watched_at: at(atMs) }
      }),
    ])
  if (feature === 'ratings')
    return entries.flatMap(({ work, rating, ratedAtMs }) =>
      rating === undefined
        ? []
        : [{ ...itemOf({ work }), rating, ...(ratedAtMs === undefined ? {} : { rated_at: at(ratedAtMs) }) }],
    )
  if (feature === 'progress')
    return [...account.paused.values()].map(({ work, episode, progress, pausedAtMs }) => ({
      ...itemOf(episode === undefined ? { work } : { work, episode }),
      progress_percent: progress,
      progress_at: at(pausedAtMs),
    }))
  return entries
    .filter(({ status }) => status === 'plantowatch')
    .map(({ work, addedAtMs }) => ({ ...itemOf({ work }), added_at: at(addedAtMs) }))
}

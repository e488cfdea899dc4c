// SIMKL for the conformance kit. One entry per work: what is rated or half watched comes into the library with it.
import type { Feature, Item } from '@playhead/sdk'
import type { Adapter, FlowScript, Person, SeenRequest } from '@playhead/sdk/testing/conformance'
import { type Simkl, startSimkl, type User, type Work } from '../../upstreams/simkl.ts'
import { redirectFlow } from './redirect.ts'
import { connect, idsOf, pastTimes, postOk, stockOf, unknownFilm, valued } from './support.ts'

const NAMES = ['ada', 'bob'] as const
const PIN = '/api/trackB/pin'
/** Times of changes are told in seconds: only what is a little older is sure. */
const BEHIND_MS = 600_000
const BETWEEN_CHANGES_MS = 2_000
const STATES = ['pending', 'authorized', 'expired'] as const

const adapter: Adapter = {
  leaveOut: { 'damage.timeout': 'the whole library comes in one answer, which may take three minutes' },
  async start({ size }) {
    const simkl = await startSimkl({
      limits: false,
      suspends: false,
      usernames: NAMES,
      plan: 'vip',
      movies: Math.ceil(size * 1.1) + 8,
      shows: 3,
      nowMs: () => Date.now() - BEHIND_MS,
    })
    const films = simkl.state.works.all.filter(
      ({ part, ids }) => part === 'movies' && Object.keys(idsOf(ids)).length > 0,
    )
    const stock = stockOf(films)
    const nextTime = pastTimes()
    const seeded: Record<string, Work[]> = {}
    const seededOf = (person: Person, feature: Feature) => (seeded[`${person} ${feature}`] ??= [])
    const tokens = new Set<string>()
    let dropped = 0
    const config = {
      api_url: simkl.url,
      client_id: simkl.clientId,
      client_secret: simkl.clientSecret,
      rate_limit: { get_per_sec: 0, post_per_sec: 0 },
    }
    const userOf = (person: Person): User => simkl.userNamed(NAMES[person])
    const isWrite = ({ method, path }: Pick<SeenRequest, 'method' | 'path'>) =>
      method !== 'GET' && !/^\/(oauth\/|users\/settings|sync\/watched)/.test(path)
    simkl.onAnswer(({ request }) => {
      if (isWrite(request)) simkl.advance(BETWEEN_CHANGES_MS)
    })

    return {
      services: [simkl],
      config,
      async signIn(host, instance, person) {
        const access_token = simkl.signIn(NAMES[person])
        tokens.add(access_token)
        await connect(host, 'TRACKB', instance, { ...config, access_token, auth_method: 'pin' })
      },
      seed(person, feature, count) {
        for (const film of stock.take(count)) {
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
      fresh: (feature, count) => stock.take(count).map((film) => valued(feature, movieItem(film))),
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
      secrets: () => [simkl.clientSecret, ...tokens],
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
    expire: (code) => void simkl.state.pins.delete(code),
  }
}

function movieItem({ title, ids }: Work): Item {
  return { type: 'movie', title, ids: idsOf(ids) }
}

function put(user: User, feature: Feature, film: Work, atMs: number): void {
  if (feature === 'history') user.watch(film, atMs)
  else if (feature === 'ratings') user.rate(film, 7, atMs)
  else if (feature === 'progress') user.pause(film, 25, undefined, atMs)
  else user.plan(film, atMs)
}

function takeOff(user: User, feature: Feature, film: Work): void {
  if (feature === 'ratings') user.rate(film, undefined)
  else if (feature === 'progress') user.pause(film, undefined)
  else user.remove(film)
}

function countOf({ account }: User, feature: Feature): number {
  const entries = [...account.library.values()]
  if (feature === 'history') return entries.filter(({ watchedAtMs }) => watchedAtMs !== undefined).length
  if (feature === 'ratings') return entries.filter(({ rating }) => rating !== undefined).length
  return feature === 'progress' ? account.paused.size : entries.filter(({ status }) => status === 'plantowatch').length
}

// SIMKL: how profiles sign in, and accounts of its stand-in.
import type { Feature } from '@playhead/sdk'
import { type Simkl, type SimklOptions, startSimkl, type User, type Work } from '../upstreams/simkl.ts'
import { codeOf, type Flow, redirectFlow, stateNamed } from './flows.ts'
import {
  FREE_OF_LIMITS,
  freshNames,
  isPlainWrite,
  type Mark,
  MINUTE_BEHIND,
  type Stand,
  type StandOptions,
  USERNAMES,
} from './stand.ts'
import { episodeName, itemOf, movieName, partsOf, showName, SIZE, type WorkName } from './works.ts'

const SCHEMES = { movie: ['tmdb', 'imdb'], show: ['tmdb', 'imdb', 'tvdb'] } as const
const PIN = '/api/trackB/pin'
/** Some questions are asked with POST. */
const QUESTION = /^\/(oauth2\/|users\/settings|sync\/watched)/

/** Settings before any sign-in. */
export const simklSettings = (simkl: Simkl) => ({
  api_url: simkl.url,
  client_id: simkl.clientId,
  ...(simkl.clientSecret === '' ? {} : { client_secret: simkl.clientSecret }),
  rate_limit: FREE_OF_LIMITS,
})

export function simklPin(simkl: Simkl): Flow {
  return {
    method: 'device_pin',
    start: (client, instance) => codeOf(client, `${PIN}/start?instance=${instance}`),
    async poll(client, instance) {
      const { body } = await client.json(`${PIN}/poll?instance=${instance}`, { method: 'POST' })
      return body.status === 'no_pin' ? 'missing' : (stateNamed(body.status) ?? 'failed')
    },
    async cancel(client, instance) {
      await codeOf(client, `${PIN}/cancel?instance=${instance}`)
    },
    approve: (code, name) => simkl.approve(code, name),
    deny: (code) => simkl.deny(code),
    expire(code) {
      const pin = simkl.state.pins.get(code)
      if (pin !== undefined) pin.expiresAtMs = 0
    },
  }
}

export async function simklStand(options: StandOptions & Pick<SimklOptions, 'suspends'> = {}): Promise<Stand<Simkl>> {
  const { limits = false, nowMs = MINUTE_BEHIND, ...more } = { ...SIZE, ...options }
  const simkl = await startSimkl({ ...more, usernames: USERNAMES, plan: 'vip', limits, nowMs })
  const settings = simklSettings(simkl)
  const nextName = freshNames()
  const byName = new Map(simkl.state.works.all.map((work) => [nameOf(work), work]))
  /** The film or show, and the numbers of an episode. */
  const find = (name: WorkName) => {
    const { kind, index, season, number } = partsOf(name)
    const work = byName.get(kind === 'movie' ? name : `show/${index}`)!
    return { work, ...(kind === 'episode' ? { episode: { season, number } } : {}) }
  }
  return {
    server: simkl,
    provider: 'TRACKB',
    section: 'trackB',
    upstreams: [simkl],
    settings,
    flows: [
      simklPin(simkl),
      redirectFlow({
        start: '/api/trackB/authorize',
        back: '/callback',
        approve: (address, name) => simkl.authorize(address, name).href,
      }),
    ],
    account() {
      const name = nextName()
      const user = simkl.userNamed(name)
      return {
        signIn: () => ({ ...settings, ...simkl.credentials(name) }),
        put(feature, { work: named, atMs, rating, percent }) {
          const { work, episode } = find(named)
          if (feature === 'watchlist') user.plan(work, atMs)
          if (feature === 'history' && episode === undefined) user.watch(work, atMs)
          if (feature === 'history' && episode !== undefined)
            user.watchEpisode(work, episode.season, episode.number, atMs)
          if (feature === 'ratings') user.rate(work, rating, atMs)
          if (feature === 'progress') user.pause(work, percent, episode, atMs)
        },
        remove(feature, named) {
          const { work, episode } = find(named)
          if (feature === 'ratings') user.rate(work, undefined)
          else if (feature === 'progress') user.pause(work, undefined)
          else if (feature === 'history' && episode !== undefined)
            user.unwatchEpisode(work, episode.season, episode.number)
          else user.remove(work)
        },
        marks: (feature) => marksOf(user, feature),
        drop: (show, isDropped) => user.move(find(show).work, isDropped ? 'dropped' : 'watching'),
        expire: () => user.expireTokens(),
        revoke: () => user.revokeTokens(),
      }
    },
    itemOf: (work) => itemOf(work, SCHEMES),
    tellsDuration: false,
    isWrite: (request) => isPlainWrite(request) && !QUESTION.test(request.path),
    isRefresh: ({ path }) => path === '/oauth2/token',
    later: () => simkl.advance(2_000),
    [Symbol.asyncDispose]: () => simkl.close(),
  }
}

function nameOf({ part, ids }: Work, episode?: { readonly season: number; readonly number: number }): WorkName {
  if (part === 'movies') return movieName(ids)
  return episode === undefined ? showName(ids) : episodeName(ids, episode.season, episode.number)
}

function marksOf({ account }: User, feature: Feature): readonly Mark[] {
  const entries = [...account.library.values()]
  switch (feature) {
    case 'watchlist':
      return entries
        .filter(({ status }) => status === 'plantowatch')
        .map(({ work, addedAtMs: atMs }) => ({ work: nameOf(work), atMs }))
    case 'ratings':
      return entries.flatMap(({ work, rating, ratedAtMs: atMs }) =>
        rating === undefined ? [] : [{ work: nameOf(work), rating, atMs }],
      )
    case 'progress':
      return [...account.paused.values()].map(({ work, episode, progress: percent, pausedAtMs: atMs }) => ({
        work: nameOf(work, episode),
        percent,
        atMs,
      }))
    default:
      return entries.flatMap(({ work, watchedAtMs, watched }) => [
        ...(watchedAtMs === undefined ? [] : [{ work: nameOf(work), atMs: watchedAtMs }]),
        ...[...watched].map(([key, atMs]) => {
          const [season = 0, number = 0] = key.split('/').map(Number)
          return { work: nameOf(work, { season, number }), atMs }
        }),
      ])
  }
}

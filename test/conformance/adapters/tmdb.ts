import type { Feature, Item, ItemKind } from '@playhead/sdk'
import type { Adapter, Person } from '@playhead/sdk/testing/conformance'
import { itemOf } from '../../plugins/tmdb/support.ts'
import { startTmdb, type Work } from '../../upstreams/tmdb.ts'
import {
  cancelByDisconnecting,
  connect,
  idsOf,
  mixedStock,
  postOk,
  showWithSpecials,
  unknownFilm,
  valued,
} from './support.ts'

const NAMES = ['ada', 'kim'] as const
const WORKS: readonly ItemKind[] = ['movie', 'show']
const RATED: readonly ItemKind[] = [...WORKS, 'episode']

interface Thing {
  readonly work: Work
  readonly episode?: Work['episodes'][number]
}

const adapter: Adapter = {
  async start({ size }) {
    const tmdb = await startTmdb({
      usernames: NAMES,
      movies: Math.ceil(size * 1.1) + 20,
      shows: 30,
      moreShows: [showWithSpecials()],
    })
    const { movies, shows } = tmdb.works
    const [few, special] = [shows.slice(0, -1), shows.at(-1)!]
    const stock = mixedStock<Thing>({
      movie: movies.map((work) => ({ work })),
      show: few.map((work) => ({ work })),
      // Specials first.
      episode: [special, ...few].flatMap((work) => work.episodes.slice(0, 2).map((episode) => ({ work, episode }))),
    })
    const take = (feature: Feature, count: number) => stock.take(feature === 'ratings' ? RATED : WORKS, count)
    const whole = special.episodes.filter(({ season }) => season > 0)
    const seeded: Record<string, Thing[]> = {}
    const seededOf = (person: Person, feature: Feature) => (seeded[`${person} ${feature}`] ??= [])
    const config = { api_url: tmdb.apiUrl, api_key: tmdb.apiKey }
    const sessions = new Set<string>()

    return {
      services: [tmdb],
      config,
      async signIn(host, instance, person) {
        const session_id = tmdb.signIn(NAMES[person])
        sessions.add(session_id)
        await connect(host, 'METAA', instance, { ...config, session_id })
      },
      async signInWrongly(host, instance) {
        await host.inject({
          method: 'POST',
          url: `/api/metaA_sync/save?instance=${instance}`,
          payload: { api_key: '0'.repeat(32), session_id: 'no' },
        })
      },
      seed(person, feature, count) {
        for (const thing of take(feature, count)) {
          if (feature === 'ratings') tmdb.actions.rate(thing.work, 7, NAMES[person], thing.episode)
          else tmdb.actions.list(thing.work, NAMES[person])
          seededOf(person, feature).push(thing)
        }
      },
      takeOff(person, feature) {
        const thing = seededOf(person, feature).shift()
        if (thing === undefined) return
        if (feature === 'ratings') tmdb.actions.unrate(thing.work, NAMES[person], thing.episode)
        else tmdb.actions.unlist(thing.work, NAMES[person])
      },
      fresh: (feature, count) => take(feature, count).map((thing) => valued(feature, wholeItem(thing))),
      episodes: (feature, count) =>
        feature === 'ratings'
          ? whole.splice(0, count).map((episode) => valued(feature, wholeItem({ work: special, episode })))
          : [],
      unknown: unknownFilm,
      count: (person, feature) =>
        (feature === 'ratings' ? Object.keys(tmdb.ratings(NAMES[person])) : tmdb.watchlist(NAMES[person])).length,
      secrets: () => [tmdb.apiKey, ...sessions],
      revoke: (person) => tmdb.actions.endSessions(NAMES[person]),
      isWrite: ({ method, path }) => method !== 'GET' && !path.startsWith('/3/authentication'),
      flows: [
        {
          method: 'request_token',
          async start(host, instance) {
            const {
              ok,
              request_token: code,
              error,
            } = await postOk(host, `/api/metaA_sync/connect/start?instance=${instance}`, { api_key: tmdb.apiKey })
            if (ok !== true) throw new Error(String(error))
            return { code: String(code) }
          },
          async poll(host, instance) {
            const answer = await host.inject({
              method: 'POST',
              url: `/api/metaA_sync/connect/finish?instance=${instance}`,
              payload: {},
            })
            if (answer.statusCode === 410) return 'expired'
            const { ok, error } = answer.json() as { readonly ok: boolean; readonly error?: string }
            if (ok) return 'authorized'
            return error === 'missing_request_token' ? 'missing' : error === 'not_approved' ? 'pending' : 'failed'
          },
          cancel: cancelByDisconnecting('METAA'),
          approve: (code) => tmdb.actions.approve(code),
          expire: (code) => tmdb.actions.expire(code),
        },
      ],
      close: () => tmdb.close(),
    }
  },
}

export default adapter

function wholeItem({ work, episode }: Thing): Item {
  const { title, year } = work
  if (episode === undefined) return itemOf(work, { title, year })
  const { season, number } = episode
  const ids = idsOf({ tmdb: episode.id })
  return {
    type: 'episode',
    series_title: title,
    series_year: year,
    show_ids: itemOf(work).ids,
    ids,
    season,
    episode: number,
  }
}

// TMDB for the conformance kit.
import type { Feature, ItemKind } from '@playhead/sdk'
import type { Adapter, Person } from '@playhead/sdk/testing/conformance'
import { itemOf } from '../../plugins/tmdb/support.ts'
import { startTmdb, type Work } from '../../upstreams/tmdb.ts'
import { cancelByDisconnecting, connect, mixedStock, postOk, unknownFilm, valued } from './support.ts'

const NAMES = ['ada', 'kim'] as const
const WORKS: readonly ItemKind[] = ['movie', 'show']

const adapter: Adapter = {
  async start({ size }) {
    const tmdb = await startTmdb({ usernames: NAMES, movies: Math.ceil(size * 1.1) + 20, shows: 30 })
    const stock = mixedStock<Work>({ movie: tmdb.works.movies, show: tmdb.works.shows })
    const seeded: Record<string, Work[]> = {}
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
        for (const work of stock.take(WORKS, count)) {
          if (feature === 'ratings') tmdb.actions.rate(work, 7, NAMES[person])
          else tmdb.actions.list(work, NAMES[person])
          seededOf(person, feature).push(work)
        }
      },
      takeOff(person, feature) {
        const work = seededOf(person, feature).shift()
        if (work === undefined) return
        if (feature === 'ratings') tmdb.actions.unrate(work, NAMES[person])
        else tmdb.actions.unlist(work, NAMES[person])
      },
      fresh: (feature, count) =>
        stock.take(WORKS, count).map((work) => valued(feature, itemOf(work, { title: work.title, year: work.year }))),
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

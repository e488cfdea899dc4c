// Nuvio for the conformance kit.
import type { Feature, Item } from '@playhead/sdk'
import type { Adapter, Person } from '@playhead/sdk/testing/conformance'
import { tokensOf } from '../../plugins/nuvio/support.ts'
import { contentId, type Nuvio, startNuvio } from '../../upstreams/nuvio.ts'
import { cancelByDisconnecting, connect, idsOf, pastTimes, postOk, stockOf, valued } from './support.ts'

const NAMES = ['ada', 'bob'] as const
const TABLES = { watchlist: 'library', history: 'watched', progress: 'progress' } as const
const READS = /_pull_|_cursor$|get_sync_overview|health_ping|_tv_login|\/auth\/|\/functions\//

const adapter: Adapter = {
  async start({ size }) {
    const nuvio = await startNuvio({ usernames: NAMES, movies: Math.ceil(size * 1.1) + 8, loginIntervalS: 1 })
    const stock = stockOf(nuvio.movies.flatMap(({ ids }, index) => (Object.keys(ids).length > 0 ? [index] : [])))
    const nextTime = pastTimes()
    const seeded: Record<string, number[]> = {}
    const tokens = new Set<string>()
    const config = { base_url: nuvio.url, client_key: nuvio.clientKey, requests_per_sec: 0 }
    const row = (index: number) => ({ content_id: contentId(nuvio.movies[index]?.ids ?? {}), content_type: 'movie' })

    return {
      services: [nuvio],
      config,
      async signIn(host, instance, person) {
        const signedIn = tokensOf(nuvio, NAMES[person])
        tokens.add(signedIn.access_token).add(signedIn.refresh_token)
        await connect(host, 'TVA', instance, { ...config, ...signedIn })
      },
      seed(person, feature, count) {
        for (const index of stock.take(count)) {
          const atMs = nextTime()
          const value = {
            title: nuvio.movies[index]?.title,
            name: nuvio.movies[index]?.title,
            added_at: atMs,
            watched_at: atMs,
            last_watched: atMs,
            position: 1_000_000,
            duration: 4_000_000,
          }
          nuvio.userNamed(NAMES[person]).put(tableOf(feature), { ...row(index), ...value })
          ;(seeded[`${person} ${feature}`] ??= []).push(index)
        }
      },
      takeOff(person, feature) {
        const index = seeded[`${person} ${feature}`]?.shift()
        if (index !== undefined) nuvio.userNamed(NAMES[person]).drop(tableOf(feature), row(index))
      },
      fresh: (feature, count) =>
        stock
          .take(count)
          .map((index) =>
            valued(feature, movieItem(nuvio, index), { durationMs: nuvio.movies[index]?.runtimeMs ?? 6_000_000 }),
          ),
      count: (person, feature) => nuvio.userNamed(NAMES[person]).rows(tableOf(feature)).length,
      secrets: () => [...tokens],
      expire: (person: Person) => nuvio.userNamed(NAMES[person]).expireTokens(),
      revoke: (person: Person) => nuvio.userNamed(NAMES[person]).revokeTokens(),
      isRefresh: ({ path }) => path === '/auth/v1/token',
      isWrite: ({ method, path }) => method === 'POST' && !READS.test(path),
      flows: [
        {
          method: 'tv_login',
          async start(host, instance) {
            const { ok, code, error } = await postOk(host, `/api/tvA/device/start?instance=${instance}`)
            if (ok !== true) throw new Error(String(error))
            return { code: String(code) }
          },
          async poll(host, instance) {
            const answer = await host.inject({
              method: 'POST',
              url: `/api/tvA/device/poll?instance=${instance}`,
              payload: {},
            })
            const { status } = answer.json() as { readonly status: string }
            if (status === 'approved') {
              await postOk(host, `/api/tvA/device/finish?instance=${instance}`)
              return 'authorized'
            }
            if (status === 'no_pending_login') return 'missing'
            return status === 'cancelled' ? 'denied' : (status as 'pending' | 'expired')
          },
          cancel: cancelByDisconnecting('TVA'),
          approve: (code) => nuvio.approve(code),
          deny: (code) => nuvio.cancel(code),
          expire: () => nuvio.advance(301_000),
        },
      ],
      close: () => nuvio.close(),
    }
  },
}

export default adapter

function tableOf(feature: Feature): 'library' | 'watched' | 'progress' {
  return TABLES[feature as keyof typeof TABLES]
}

function movieItem(nuvio: Nuvio, index: number): Item {
  const movie = nuvio.movies[index]
  return { type: 'movie', title: movie?.title ?? '', ids: idsOf(movie?.ids ?? {}) }
}

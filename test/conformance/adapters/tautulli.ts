// Tautulli for the conformance kit: two people whose plays are in the log of one server.
import type { Adapter } from '@playhead/sdk/testing/conformance'
import { movieCatalogue } from '../../upstreams/base/index.ts'
import { startTautulli } from '../../upstreams/tautulli.ts'
import { connect, idsOf, pastTimes, stockOf, valued } from './support.ts'

const USERS = [9_001, 9_002] as const

const adapter: Adapter = {
  leaveOut: { 'isolation.revoked': 'all people are read with the key of the one server' },
  async start({ size }) {
    const movies = Math.ceil(size * 1.1) + 8
    const tautulli = await startTautulli({ users: USERS, movies, shows: 1 })
    const catalogue = movieCatalogue(1, movies)
    const stock = stockOf(catalogue.flatMap(({ ids }, index) => (Object.keys(ids).length > 0 ? [index] : [])))
    const nextTime = pastTimes()
    const rows: number[][] = [[], []]

    return {
      services: [tautulli],
      config: { server_url: tautulli.url },
      signIn: (host, instance, person) =>
        connect(host, 'STATSA', instance, {
          server_url: tautulli.url,
          api_key: tautulli.apiKey,
          history: { user_id: String(USERS[person]) },
        }),
      async signInWrongly(host, instance) {
        await host.inject({
          method: 'POST',
          url: `/api/statsA/save?instance=${instance}`,
          payload: { server_url: tautulli.url, api_key: 'wrong' },
        })
      },
      seed(person, _feature, count) {
        for (const index of stock.take(count))
          rows[person]?.push(tautulli.play(tautulli.movie(index), { atMs: nextTime(), user: USERS[person] }))
      },
      fresh: (feature, count) =>
        stock.take(count).map((index) => {
          const { title, ids, runtimeMs } = catalogue[index] ?? { title: '', ids: {}, runtimeMs: 6_000_000 }
          return valued(feature, { type: 'movie', title, ids: idsOf(ids) }, { durationMs: runtimeMs })
        }),
      count: (person) => rows[person]?.length ?? 0,
      secrets: () => [tautulli.apiKey],
      revoke: () => tautulli.renewKey(),
      // Everything is asked with POST, so that the key is in no address.
      isWrite: () => false,
      close: () => tautulli.close(),
    }
  },
}

export default adapter

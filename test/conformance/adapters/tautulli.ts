// Tautulli for the conformance kit: two people whose plays are in the log of one server.
import type { Item } from '@playhead/sdk'
import type { Adapter } from '@playhead/sdk/testing/conformance'
import { movieCatalogue, showCatalogue } from '../../upstreams/base/index.ts'
import type { LibraryItem } from '../../upstreams/tautulli/state.ts'
import { startTautulli } from '../../upstreams/tautulli.ts'
import { connect, idsOf, mixedStock, pastTimes, showWithSpecials, valued } from './support.ts'

const SHOWS = 30
const PLAYED = ['movie', 'episode'] as const

interface Thing {
  readonly played: LibraryItem
  readonly item: Item
  readonly durationMs: number
}

const USERS = [9_001, 9_002] as const

const adapter: Adapter = {
  leaveOut: { 'isolation.revoked': 'all people are read with the key of the one server' },
  async start({ size }) {
    const movies = Math.ceil(size * 1.1) + 8
    const more = [showWithSpecials()]
    const tautulli = await startTautulli({ users: USERS, movies, shows: SHOWS, moreShows: more })
    const has = ({ ids }: { readonly ids: object }) => Object.keys(ids).length > 0
    const stock = mixedStock<Thing>({
      movie: movieCatalogue(1, movies).flatMap((movie, index) => {
        const { title, ids, runtimeMs: durationMs } = movie
        const item = { type: 'movie', title, ids: idsOf(ids) } as const
        return has(movie) ? [{ played: tautulli.movie(index), item, durationMs }] : []
      }),
      // Specials first.
      episode: [...showCatalogue(1, SHOWS), ...more]
        .map((show, index) => ({ show, index }))
        .reverse()
        .flatMap(({ show, index }) =>
          has(show)
            ? show.episodes
                .slice(0, 2)
                .map(({ season, number, title, ids, runtimeMs: durationMs }) => ({
                  played: tautulli.episode(index, season, number),
                  durationMs,
                  item: {
                    type: 'episode' as const,
                    title,
                    series_title: show.title,
                    show_ids: idsOf(show.ids),
                    ids: idsOf(ids),
                    season,
                    episode: number,
                  },
                }))
            : [],
        ),
    })
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
        for (const { played } of stock.take(PLAYED, count))
          rows[person]?.push(tautulli.play(played, { atMs: nextTime(), user: USERS[person] }))
      },
      fresh: (feature, count) =>
        stock.take(PLAYED, count).map(({ item, durationMs }) => valued(feature, item, { durationMs })),
      count: (person) => rows[person]?.length ?? 0,
      secrets: () => [tautulli.apiKey],
      revoke: () => tautulli.renewKey(),
      // All requests use POST, so that no address contains the key.
      isWrite: () => false,
      close: () => tautulli.close(),
    }
  },
}

export default adapter

// slow: the whole service over every combination
// Shows dropped at Trakt and ignored by a pair with Jellyfin, over HTTP in the whole service.
import t from 'tap'
import { expectOk, runToEnd, signInToJellyfin, signInToTrakt } from '../demo/sign-in.ts'
import { startService } from '../harness.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { startTrakt } from '../upstreams/trakt.ts'

const DAY_MS = 86_400_000
const planned = (summary: any): number =>
  summary.pairs.flatMap((pair: any) => pair.features).reduce((sum: number, feature: any) => sum + feature.planned, 0)

t.test(
  'shows dropped at Trakt are neither written nor removed anywhere, and sync once when they are resumed',
  async (t) => {
    await using jellyfin = await startJellyfin({ movies: 10, shows: 3 })
    await using trakt = await startTrakt({ movies: 10, shows: 3, plan: 'vip', rateLimits: false })
    await using service = await startService({ shipped: true, watch: false })
    await signInToJellyfin(service, jellyfin)
    await signInToTrakt(service, trakt)
    const { user } = trakt
    const atJellyfin = (show: number, number: number): string => {
      const series = jellyfin
        .items('Series')
        .find(({ providerIds }) => providerIds['Tvdb'] === String(trakt.catalogue.shows[show]!.ids.tvdb))
      return jellyfin
        .items('Episode')
        .find((item) => item.seriesId === series?.id && item.parentIndex === 1 && item.index === number)!.id
    }
    const watchAtJellyfin = (show: number, number: number) =>
      jellyfin.actions.markPlayed('sam', atJellyfin(show, number), Date.now() - (20 + number) * DAY_MS)
    /** Episodes of a show's first season that both services have. */
    const watched = (show: number) => ({
      jellyfin: [1, 2, 3].filter(
        (number) => jellyfin.actions.userData('sam', atJellyfin(show, number))?.played === true,
      ),
      trakt: user.account.plays
        .flatMap(({ entry }) =>
          entry.type === 'episode' && entry.show === trakt.catalogue.shows[show] ? [entry.episode.number] : [],
        )
        .toSorted(),
    })
    for (const show of [0, 1, 2]) {
      for (const number of [1, 2]) watchAtJellyfin(show, number)
      user.watch(trakt.episode(show, 1, 3), Date.now() - 30 * DAY_MS)
    }
    user.drop(trakt.show(0))
    const providers = { tracka: { history_ignore_dropped_shows: true } }
    await expectOk(service, '/api/pairs', {
      source: 'MEDIAB',
      target: 'TRACKA',
      mode: 'two_way',
      enabled: true,
      features: { history: { enabled: true, add: true, remove: true } },
      providers,
    })

    t.match(await runToEnd(service), { result: 'ok', added_last: 6 })
    t.equal(planned(await runToEnd(service)), 0)
    t.same(watched(0), { jellyfin: [1, 2], trakt: [3] }, 'dropped before the first run')
    t.same(
      [watched(1), watched(2)],
      Array.from({ length: 2 }, () => ({ jellyfin: [1, 2, 3], trakt: [1, 2, 3] })),
    )

    user.drop(trakt.show(1))
    user.watch(trakt.episode(2, 1, 3), Date.now() - DAY_MS)
    user.unwatch(trakt.episode(1, 1, 1))
    trakt.faults.add({ kind: 'status', status: 404, match: '/users/hidden/dropped' })
    t.match(
      (await runToEnd(service)).pairs,
      [{ features: [{ feature: 'history', status: 'failed', planned: 0 }] }],
      'without the list nothing is done',
    )
    trakt.faults.clear()
    for (let run = 0; run < 2; run += 1) t.match(await runToEnd(service), { added_last: 0, removed_last: 0 })
    user.unwatch(trakt.episode(1, 1, 2))
    user.unwatch(trakt.episode(2, 1, 2))
    t.match(
      await runToEnd(service),
      { added_last: 0, removed_last: 0 },
      'a list that is shorter is read once more before it is believed',
    )
    t.match(await runToEnd(service), { added_last: 0, removed_last: 1 })
    t.same(
      [watched(1), watched(2).jellyfin],
      [{ jellyfin: [1, 2, 3], trakt: [3] }, [1, 3]],
      'dropped later: only the show that is not dropped loses anything',
    )

    user.drop(trakt.show(0), false)
    t.match(await runToEnd(service), { added_last: 3, removed_last: 0 })
    t.equal(planned(await runToEnd(service)), 0)
    t.same(watched(0), { jellyfin: [1, 2, 3], trakt: [1, 2, 3] }, 'each once')
  },
)

// slow: the whole service, or very many cases
// Complete runs from Tautulli to Playhead's own tracker: plays are added, and nothing is ever removed.
import t from 'tap'
import { expectOk, runToEnd } from '../../demo/sign-in.ts'
import { startService } from '../../harness.ts'
import { startTautulli } from '../../upstreams/tautulli.ts'

const DAY_MS = 86_400_000
const planned = (summary: any): number =>
  summary.pairs.flatMap((pair: any) => pair.features).reduce((sum: number, feature: any) => sum + feature.planned, 0)

for (const rewatches of [false, true]) {
  t.test(
    `plays reach the tracker ${rewatches ? 'one by one' : 'as watched items'}, the second run has no changes, and an emptied log removes nothing`,
    async (t) => {
      await using tautulli = await startTautulli()
      await using service = await startService({ shipped: true, watch: false })
      await expectOk(service, '/api/statsA/save', { server_url: tautulli.url, api_key: tautulli.apiKey })
      await expectOk(service, '/api/config', { svc: { enabled: true } })
      const history = { enabled: true, add: true, remove: true, rewatches }
      await expectOk(service, '/api/pairs', {
        source: 'STATSA',
        target: 'SVC',
        mode: 'one_way',
        enabled: true,
        features: { history },
      })
      const rows = [0, 1, 2, 3, 0].map((index, day) =>
        tautulli.play(tautulli.movie(index), { atMs: Date.now() - (day + 1) * DAY_MS }),
      )
      for (const number of [1, 2, 3])
        rows.push(tautulli.play(tautulli.episode(0, 1, number), { atMs: Date.now() - number * DAY_MS }))
      tautulli.play(tautulli.movie(9), { percent: 10 })

      t.match(await runToEnd(service), { result: 'ok', added_last: rewatches ? 8 : 7 })
      const before = tautulli.count()
      const second = await runToEnd(service)
      t.equal(planned(second), 0)
      t.ok(tautulli.count() - before <= 6, `${tautulli.count() - before} requests`)

      tautulli.play(tautulli.movie(20))
      t.match(await runToEnd(service), { result: 'ok', added_last: 1 })
      for (const row of rows) tautulli.forget(row)
      for (let run = 0; run < 2; run += 1) t.match(await runToEnd(service), { removed_last: 0 })
    },
  )
}

t.test('it can only be a source', async (t) => {
  await using service = await startService({ shipped: true, watch: false })
  const { status } = await service.json('/api/pairs', {
    json: {
      source: 'SVC',
      target: 'STATSA',
      mode: 'one_way',
      enabled: true,
      features: { history: { enabled: true, add: true } },
    },
  })
  t.ok(status >= 400 && status < 500, String(status))
  t.match((await service.json('/api/status?fresh=1')).body, { statsA_connected: false })
})

// slow: the whole service over every combination
// Malformed responses of servers: the run ends with a report, and the service keeps running.
import t from 'tap'
import type { ServerResponse } from 'node:http'
import { expectOk, runToEnd, signInToEmby, signInToJellyfin } from '../demo/sign-in.ts'
import { startService } from '../harness.ts'
import type { UpstreamReply } from '../upstreams/base/messages.ts'
import { startEmby } from '../upstreams/emby.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'

const ON = { enabled: true, add: true, remove: true }

async function connected() {
  const stack = new AsyncDisposableStack()
  const jellyfin = stack.use(await startJellyfin({ movies: 20, shows: 1, activity: 0.5 }))
  const emby = stack.use(await startEmby({ movies: 20, shows: 1 }))
  const service = stack.use(await startService({ shipped: true, watch: false }))
  await signInToJellyfin(service, jellyfin)
  await signInToEmby(service, emby)
  await expectOk(service, '/api/pairs', {
    source: 'MEDIAB',
    target: 'MEDIAC',
    mode: 'two_way',
    enabled: true,
    features: { history: ON, watchlist: ON },
  })
  return { stack, jellyfin, emby, service }
}

/** Changes the responses of lists. */
const spoiled = (change: (text: string) => string) =>
  ({
    kind: 'spoil',
    match: /\/Items/,
    send(response: ServerResponse, { status, json }: UpstreamReply) {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(change(JSON.stringify(json)))
    },
  }) as const

t.test('a title of 600,000 characters neither ends the run nor the service', async (t) => {
  const { stack, jellyfin, service } = await connected()
  await using _stack = stack
  const film = jellyfin
    .items('Movie')
    .find(
      ({ id, providerIds }) =>
        providerIds['Tmdb'] !== undefined && jellyfin.actions.userData('sam', id)?.played === true,
    )!
  const title = `${'\u{1F3AC} a very long title '.repeat(30_000)}`
  jellyfin.faults.add(
    spoiled((text) => text.replaceAll(`"Name":${JSON.stringify(film.name)}`, `"Name":${JSON.stringify(title)}`)),
  )

  const summary = await runToEnd(service, { dry_run: true })

  t.match(summary, { result: 'ok', running: false })
  const plans = await service.json(
    `/api/run/plan/${summary.pairs[0].features.find(({ feature }: any) => feature === 'history').plan_id}?limit=1000`,
  )
  t.equal(plans.status, 200)
  const titles: string[] = JSON.stringify(plans.body).match(/a very long title [^"]*/g) ?? []
  t.ok(titles.length > 0 && titles.every((each) => each.length <= 500), 'the title is cut')
  t.match(await runToEnd(service), { result: 'ok' }, 'what has the title is synced')
  for (const path of ['/api/pairs', '/api/pairs/status', '/api/events/recent', '/api/attention'])
    t.equal((await service.json(path)).status, 200, path)
})

t.test('a response nested a million levels deep is a failed read', async (t) => {
  const { stack, jellyfin, service } = await connected()
  await using _stack = stack
  jellyfin.faults.add(
    spoiled(
      (text) => `{"TotalRecordCount":1,"Items":${'['.repeat(2_000_000)}${']'.repeat(2_000_000)},"was":${text.length}}`,
    ),
  )

  const summary = await runToEnd(service)

  t.match(summary, { result: 'failed', running: false })
  t.match(
    summary.pairs[0].features.map(({ reason }: any) => reason),
    ['invalid_response', 'invalid_response'],
  )
  t.equal((await service.json('/api/pairs')).status, 200)
})

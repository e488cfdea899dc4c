// slow: the whole service over every combination
// Complete runs between the SIMKL stand-in and Playhead's own tracker, over HTTP.
import t from 'tap'
import { expectOk, runToEnd } from '../demo/sign-in.ts'
import { type Simkl, startSimkl } from '../upstreams/simkl.ts'
import { connected, FEATURES, fill, planned, settled } from './simkl-world.ts'

t.test(
  'the first run syncs SIMKL and the tracker, the second has no changes and sends almost no requests',
  async (t) => {
    const { stack, simkl, service } = await connected()
    await using _stack = stack
    fill(simkl)

    const first = await runToEnd(service)
    t.match(first, { result: 'ok', exit_code: 0 })
    t.equal(first.added_last, 12 + 6 + 4 + 3 + 1 + 1)
    const before = simkl.count()
    const second = await settled(service, simkl)

    t.equal(planned(second), 0)
    t.match(second, { result: 'ok', added_last: 0, removed_last: 0, updated_last: 0 })
    t.ok(simkl.count() - before <= 3, `${simkl.count() - before} requests`)
  },
)

t.test('a change by a person at SIMKL reaches the tracker', async (t) => {
  const { stack, simkl, service } = await connected()
  await using _stack = stack
  fill(simkl)
  await runToEnd(service)
  await settled(service, simkl)
  simkl.advance(2_000)
  simkl.user.watch(simkl.movie(45))
  simkl.user.plan(simkl.movie(46))
  simkl.user.rate(simkl.movie(2), 9)
  simkl.user.rate(simkl.movie(0), undefined)

  const run = await runToEnd(service)

  t.match(
    run,
    { result: 'ok', added_last: 3, removed_last: 0 },
    'a list that is shorter is read once more before it is believed',
  )
  t.match(await runToEnd(service), { result: 'ok', removed_last: 1 })
  t.equal(planned(await settled(service, simkl)), 0)
})

t.test('data of the tracker is written to SIMKL once, with its times', async (t) => {
  const { stack, simkl, service } = await connected()
  await using _stack = stack
  fill(simkl)
  await runToEnd(service)
  const other = await startSimkl({ limits: false, nowMs: () => Date.now() - 60_000 })
  stack.use(other)
  await expectOk(service, '/api/config', {
    trackB: { api_url: other.url, client_id: other.clientId, access_token: other.signIn() },
  })
  await expectOk(service, '/api/pairs', {
    source: 'SVC',
    target: 'TRACKB',
    mode: 'one_way',
    enabled: true,
    features: FEATURES,
  })
  const pairs = (await service.json('/api/pairs')).body
  const old = pairs.find(({ source }: { source: string }) => source === 'TRACKB')
  await expectOk(service, `/api/pairs/${old.id}`, { enabled: false }, 'PUT')

  const run = await runToEnd(service)

  t.match(run, { result: 'ok' })
  const watched = (server: Simkl) =>
    [...server.user.account.library.values()]
      .flatMap(({ work, watchedAtMs, watched, status }) =>
        status === 'plantowatch'
          ? [`${work.simkl} planned`]
          : [
              ...(watchedAtMs === undefined ? [] : [`${work.simkl} ${Math.floor(watchedAtMs / 1_000)}`]),
              ...[...watched].map(([number, atMs]) => `${work.simkl} ${number} ${Math.floor(atMs / 1_000)}`),
            ],
      )
      .toSorted()
  t.same(watched(other), watched(simkl))
  other.advance(2_000)
  t.equal(planned(await runToEnd(service)), 0)
})

t.test('a failing service makes the run fail or skip, and nothing is removed', async (t) => {
  for (const status of [500, 412]) {
    const { stack, simkl, service } = await connected()
    await using _stack = stack
    fill(simkl)
    await runToEnd(service)
    await settled(service, simkl)
    const size = simkl.user.account.library.size
    simkl.faults.add({ kind: 'status', status })

    const run = await runToEnd(service)

    t.not(run.result, 'ok', String(status))
    t.equal(run.removed_last, 0)
    simkl.faults.clear()
    t.equal(simkl.user.account.library.size, size)
  }
})

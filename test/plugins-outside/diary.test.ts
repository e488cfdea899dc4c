// slow: plugins of strangers, installed
// An external plugin on its own thread that uses every hook: it receives runs, plays and accounts, and its failures and delays
// affect only its own calls.
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { openSandbox } from '../core/cli/support.ts'
import { expectOk, runToEnd, untilTrue } from '../demo/sign-in.ts'
import { startService, until } from '../harness.ts'
import { connect, delivered, follow, plays, startWorld } from '../service/scrobble-world.ts'

t.setTimeout(900_000)

t.test('the plugin receives all events, and its failure holds only its own calls', async (t) => {
  await using sandbox = await openSandbox()
  await cp(join(import.meta.dirname, 'diary'), join(sandbox.folder, 'diary'), { recursive: true })
  t.match(await sandbox.cliWithoutTypeScript('plugin', 'add', 'diary'), { code: 0 })
  const world = await startWorld()
  t.teardown(() => world.close())
  await using service = await startService({ shipped: true, directory: sandbox.folder, watch: false })
  t.match(await service.plugin('diary'), { state: 'active', origin: 'user' })
  const diary = async () => (await service.json('/api/diary')).body
  const be = async (mood: string) => {
    await expectOk(service, '/api/config', { plugins: { diary: { mood } } })
    await until(`it is ${mood}`, async () => (await diary()).mood === mood)
  }
  await connect(service, world)
  await expectOk(service, '/api/pairs', {
    ...{ source: 'MEDIAB', target: 'TRACKA', mode: 'one_way', enabled: true },
    features: { history: { enabled: true, add: true, remove: true } },
  })
  const watched = world.jellyfin.items('Movie').slice(0, 3)
  for (const [index, { id }] of watched.entries())
    world.jellyfin.actions.markPlayed('sam', id, Date.now() - (index + 2) * 86_400_000)
  const run = async () => {
    const { run_id: id, result } = await runToEnd(service)
    const { items } = (await service.json(`/api/runs/${id}/items?limit=200`)).body
    return { id, result, items: (items as any[]).filter(({ op }) => op === 'add') }
  }

  for (const mood of ['broken', 'lost']) {
    await be(mood)
    const { result, items } = await run()
    t.equal(result, 'partial', mood)
    t.ok(items.length > 0)
    for (const item of items) t.match(item, { outcome: 'deferred', reason: 'veto_failed', note: 'diary' })
    t.same(plays(world), [], 'nothing is let through')
  }
  await be('strict')
  for (const item of (await run()).items)
    t.match(item, { outcome: 'filtered', reason: 'vetoed', note: 'diary: Not in these times.' })
  t.same(plays(world), [])

  await be('slow')
  const { id, items } = await run()
  t.ok(items.length > 0 && items.every(({ outcome }) => outcome === 'applied'), 'slowness stops nothing')
  t.equal(plays(world).length, items.length)
  await be('well')
  const pages = (await diary()).pages as { hook: string; about: any }[]
  const ofRun = pages.filter(({ about }) => about.runId === id)
  const hooks = [
    'runStarted',
    'readFinished',
    'beforePlan',
    'filterPlan',
    'planReady',
    'beforeWrite',
    'afterWrite',
    'runFinished',
  ]
  t.same([...new Set(ofRun.map(({ hook }) => hook))].sort(), hooks.toSorted(), 'told of each step of the run')
  t.match(ofRun.find(({ hook }) => hook === 'runFinished')?.about, { result: 'ok', added: items.length })
  t.ok(
    ['run.started', 'run.finished'].every((name) => pages.some(({ hook }) => hook === name)),
    'and by events',
  )

  await follow(service)
  const film = world.jellyfin.items('Movie').at(-1)!
  const lengthMs = (film.runtimeTicks ?? 0) / 10_000
  const player = await world.jellyfin.playback.start({
    ...{ userId: 'sam', item: film, deviceId: 'tv', deviceName: 'TV', positionMs: lengthMs * 0.8 },
  })
  await untilTrue('the tracker shows it', async () => world.trakt.user.watching() !== undefined)
  await player.finish()
  await delivered(service, 1)
  const told = async (hook: string) => ((await diary()).pages as typeof pages).filter((one) => one.hook === hook)
  await until('it hears of the play', async () => (await told('playCompleted')).length === 1)
  t.match((await told('playCompleted'))[0]?.about, {
    source: { provider: 'MEDIAB' },
    tracker: { provider: 'TRACKA' },
    item: { type: 'movie', title: film.name },
  })

  world.jellyfin.actions.expireTokens()
  await until('it hears that the sign-in is lost', async () => {
    await service.json('/api/connections?fresh=1')
    return (await told('accountHealthChanged')).some(({ about }) => about.status === 'auth_failed')
  })
  t.match((await told('accountHealthChanged')).at(-1)?.about, { provider: 'MEDIAB', before: 'ok' })
})

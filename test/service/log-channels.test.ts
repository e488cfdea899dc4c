// slow: the service as a process, killed and started again
// The log channels: each provider logs its requests, SYNC logs runs, AUTH logs accepted and refused sign-ins.
import t from 'tap'
import { expectOk, runToEnd, signInToEmby, signInToJellyfin } from '../demo/sign-in.ts'
import { PASSWORD, startService, USERNAME } from '../harness.ts'
import { startEmby } from '../upstreams/emby.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'

t.test('after a run and some sign-ins each channel has its lines, without secrets', async (t) => {
  await using jellyfin = await startJellyfin({ movies: 6, shows: 1, activity: 0.5 })
  await using emby = await startEmby({ movies: 6, shows: 1 })
  await using service = await startService({ shipped: true, watch: false })
  const channel = async (name: string) =>
    (await service.json(`/api/logs/dump?channel=${name}&n=200`)).body.lines as string[]
  await signInToJellyfin(service, jellyfin)
  await signInToEmby(service, emby)
  await expectOk(service, '/api/pairs', {
    source: 'MEDIAB',
    target: 'MEDIAC',
    mode: 'one_way',
    enabled: true,
    features: { history: { enabled: true, add: true } },
  })
  const { run_id: run } = await runToEnd(service)
  await emby.close()
  await service.json('/api/debug/clear_probe_cache', { method: 'POST' })
  await runToEnd(service)

  const sync = await channel('SYNC')
  t.ok(sync.some((line) => line.startsWith(`run ${run} begins`)))
  t.ok(sync.some((line) => line.startsWith('pair 1 of 1: MEDIAB → MEDIAC')))
  t.ok(sync.some((line) => /^history: \d+ to add at MEDIAC/.test(line)))
  t.ok(
    sync.some((line) => /^history: \d+ added at MEDIAC/.test(line)),
    sync.join('\n'),
  )
  t.ok(sync.some((line) => /^run ended: ok added=\d+/.test(line)))
  t.ok(sync.some((line) => /^WARN MEDIAC@default cannot be used: down/.test(line)))
  t.ok(sync.some((line) => /^WARN history of MEDIAB → MEDIAC is skipped reason=down/.test(line)))

  const source = await channel('MEDIAB')
  t.ok(source.some((line) => /^the account answers instance=default user=/.test(line)))
  t.ok(source.some((line) => /^history was read instance=default rows=\d+/.test(line)))
  const target = await channel('MEDIAC')
  t.ok(target.some((line) => /^history: added instance=default applied=\d+/.test(line)))
  t.ok(target.some((line) => /^WARN the account cannot be used instance=default status=down/.test(line)))

  const login = (password: string, headers = {}) =>
    service.json('/api/app-auth/login', { json: { username: USERNAME, password }, headers })
  t.equal((await login('not this one')).status, 401)
  t.equal((await login(PASSWORD, { origin: 'https://elsewhere.example' })).status, 403)
  t.equal((await login(PASSWORD)).status, 200)
  // The session of the caller was replaced.
  const auth = service.streams.read('log/AUTH').map(({ data }) => data)
  t.ok(
    auth.some((line) => /^WARN a sign-in failed username=ada address=\S+ attempts=1/.test(line)),
    auth.join('\n'),
  )
  t.ok(
    auth.some((line) =>
      /^WARN a request was refused: it comes from a page of another site .*path=\/api\/app-auth\/login/.test(line),
    ),
  )
  t.ok(auth.some((line) => /^signed in username=ada/.test(line)))
  const all = service.streams.read('log/DEBUG').map(({ data }) => data)
  for (const secret of [PASSWORD, 'not this one']) t.notOk(all.some((line) => line.includes(secret)))
})

t.test('the start is logged in one line, with the address', async (t) => {
  await using service = await startService({ shipped: true, watch: false, withoutAccount: true })
  const lines = service.log
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { level: number; msg: string })
  t.same(
    lines.filter(({ level }) => level >= 30).map(({ msg }) => msg),
    [`Playhead is ready → ${service.url}`],
  )
})

// slow: a whole first start, 4,000 items and the pages on a small machine
// A heap of 128 MB and one core are enough: nothing fails, ends or is quarantined.
import { setTimeout as sleep } from 'node:timers/promises'
import { spawnSync } from 'node:child_process'
import t from 'tap'
import { expectOk, runToEnd, signInToEmby, signInToJellyfin } from '../demo/sign-in.ts'
import { startEmby } from '../upstreams/emby.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { clientOf, cookieOf, spawnService } from './process.ts'

t.setTimeout(900_000)
const ACCOUNT = { username: 'ada', password: 'correct horse battery' }
const ON = { enabled: true, add: true, remove: true }
const MOVIES = 2_000
const SHOWS = 125
const RUN_LIMIT_MS = 600_000
const PAGES = [
  '/api/attention',
  '/api/pairs/status',
  '/api/plugins',
  '/api/library?limit=100',
  '/api/history?limit=100',
  '/api/watchlist?limit=100',
  '/api/runs',
  '/api/events/search?limit=50',
  '/api/events/statistics',
  '/api/analyzer/problems',
  '/api/sync/providers',
  '/api/system/health',
  '/openapi.json',
  '/',
]

t.test('a first start, 4,000 items and the pages need no more than a heap of 128 MB and one core', async (t) => {
  await using jellyfin = await startJellyfin({ movies: MOVIES, shows: SHOWS })
  await using emby = await startEmby({ movies: MOVIES, shows: SHOWS })
  const service = await spawnService(t.testdir(), { NODE_OPTIONS: '--max-old-space-size=128' })
  t.teardown(() => service.kill('SIGKILL'))
  if (service.url === null) throw new Error(service.lines.join('\n'))
  // Its threads, too; those that begin later inherit it. Other systems have no such program.
  spawnSync('taskset', ['--all-tasks', '--pid', '--cpu-list', '0', String(service.pid)])
  let hasEnded = false
  void service.ended.then(() => {
    hasEnded = true
  })

  await service.post('/api/app-auth/credentials', { enabled: true, ...ACCOUNT })
  const client = await clientOf(service, ACCOUNT)
  await signInToJellyfin(client, jellyfin)
  await signInToEmby(client, emby)
  await expectOk(client, '/api/pairs', {
    source: 'MEDIAB',
    target: 'MEDIAC',
    mode: 'one_way',
    enabled: true,
    features: { watchlist: ON, history: ON, progress: ON },
  })
  for (const run of ['first', 'second']) {
    const summary = await runToEnd(client, {}, RUN_LIMIT_MS)
    t.match(summary, { exit_code: 0 }, `the ${run} run`)
  }
  const cookie = cookieOf(await service.post('/api/app-auth/login', ACCOUNT))
  for (let round = 0; round < 3; round += 1)
    for (const page of PAGES) {
      const { status } = await service.get(page, cookie)
      t.ok(status < 400, `${status} ${page}`)
    }
  await sleep(2_000)
  const { body } = await client.json('/api/plugins')
  t.same(
    body.plugins.filter(({ state }: { state: string }) => !['active', 'dormant', 'disabled'].includes(state)),
    [],
  )
  t.notOk(hasEnded, 'it still runs')
  t.same(
    service.lines.filter((line) => /"level":(?:50|60)/.test(line) || /heap|out of memory/i.test(line)),
    [],
    'nothing failed',
  )
})

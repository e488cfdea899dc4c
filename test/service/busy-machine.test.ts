// slow: the service as a process, killed and started again
// The service on one processor beside four busy programs, and paused at times: it is slow, but nothing is disabled, ended,
// refused or duplicated.
import { spawn, spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { expectOk, runToEnd, signInToTrakt } from '../demo/sign-in.ts'
import { until } from '../harness.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { clientOf, spawnService } from './process.ts'

const ACCOUNT = { username: 'ada', password: 'correct horse battery' }
const PLAYS_PER_TITLE = Number(process.env['PLAYHEAD_PLAYS'] ?? 250)
const isPinnable = process.platform === 'linux' && spawnSync('taskset', ['-V']).status === 0

t.setTimeout(1_800_000)

t.test(
  'on a busy and throttled machine nothing is disabled, ended, refused or duplicated',
  { skip: !isPinnable },
  async (t) => {
    // Children inherit it.
    spawnSync('taskset', ['-acp', '0', String(process.pid)])
    const busy = Array.from({ length: 4 }, () => spawn(process.execPath, ['-e', 'for (;;) {}']))
    t.teardown(() => busy.forEach((one) => one.kill('SIGKILL')))
    const directory = t.testdir({
      added: {
        'plugin.json': JSON.stringify({
          id: 'added',
          name: 'Added',
          version: '1.0.0',
          api: '^1.0.0',
          kind: 'service',
          routes: [{ method: 'GET', path: '/api/added' }],
        }),
        'index.ts': `import { definePlugin } from '@playhead/sdk'\nexport default definePlugin({ routes(app) { app.get('/api/added', () => ({ ok: true })) } })`,
      },
    })
    const data = join(directory, 'data')
    await mkdir(data)
    const service = await spawnService(data)
    t.type(service.url, 'string', 'it comes up')
    t.teardown(() => service.kill('SIGKILL'))
    await service.post('/api/app-auth/credentials', { enabled: true, ...ACCOUNT })
    const client = await clientOf(service, ACCOUNT)

    // Stopped for most of the time, as with a small CPU quota.
    let isThrottled = true
    const throttling = (async () => {
      while (isThrottled) {
        process.kill(service.pid as number, 'SIGSTOP')
        await sleep(60)
        process.kill(service.pid as number, 'SIGCONT')
        await sleep(60)
      }
    })()
    const statuses: number[] = []
    const ask = async (path: string, json?: unknown) => {
      const answer = await client.json(path, json === undefined ? {} : { json })
      statuses.push(answer.status)
      return answer.body as any
    }
    const target = { notifier: 'ntfy', name: 'Mine', settings: { server: 'http://127.0.0.1:9', topic: 'mine' } }
    const [first, second] = [
      await ask('/api/notifications/targets', target),
      await ask('/api/notifications/targets', target),
    ]
    t.equal(first.target.id, second.target.id)
    t.equal((await ask('/api/notifications/targets')).targets.length, 1, 'a repeated save makes one')
    await ask('/api/config', { runtime: { debug: true } })
    await ask('/api/config', { runtime: { debug: true } })
    await writeFile(
      join(data, 'plugin-registry.json'),
      JSON.stringify({ version: 1, plugins: [{ id: 'added', source: '../added' }] }),
    )
    await until('the plugin is there', async () => (await client.json('/api/added')).status === 200, 300_000)
    for (const path of ['/api/pairs', '/api/runs', '/api/status', '/api/attention']) await ask(path)

    await using trakt = await startTrakt({ movies: 60, shows: 6, plan: 'vip', rateLimits: false })
    await signInToTrakt(client, trakt)
    const firstMs = Date.UTC(2014, 0, 1, 1)
    let plays = 0
    const watch = (entry: Parameters<typeof trakt.user.watch>[0]) =>
      trakt.user.watch(entry, firstMs + plays++ * 7_200_000)
    for (let round = 0; round < PLAYS_PER_TITLE; round += 1) {
      for (let movie = 0; movie < 40; movie += 1) watch(trakt.movie(movie))
      for (const show of [0, 4])
        for (let episode = 1; episode <= 4; episode += 1) watch(trakt.episode(show, 1, episode))
    }
    const tracker = await expectOk(client, '/api/provider-instances/svc/next', {})
    const { id: pairId } = await expectOk(client, '/api/pairs', {
      ...{ source: 'TRACKA', target: 'SVC', target_instance: tracker.id, mode: 'one-way', enabled: true },
      features: { history: { enabled: true, add: true, rewatches: true } },
    })
    const summary = await runToEnd(client, { pair_id: pairId }, 1_200_000)
    t.match(
      summary.pairs[0].features[0],
      { status: 'ok', added: plays },
      service.lines
        .filter((line) => /"level":(?:40|50)/.test(line))
        .slice(-5)
        .join('\n'),
    )
    isThrottled = false
    await throttling

    t.same([...new Set(statuses)], [200], statuses.join())
    const { plugins } = await ask('/api/plugins')
    t.same(
      plugins.filter(({ state, last_error: error }: any) => error !== null || !['active', 'dormant'].includes(state)),
      [],
    )
    const lines = service.lines.flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
    t.same(
      lines.filter(({ level }) => level >= 50).map(({ msg }) => msg),
      [],
    )
    for (const one of busy) one.kill('SIGKILL')
    t.same(await service.kill('SIGTERM'), [0, null])
  },
)

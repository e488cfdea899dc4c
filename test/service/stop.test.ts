// slow: the service as a process, killed and started again
// SIGTERM after many runs: follow-up work does not delay the stop and is not lost.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { expectOk, runToEnd, signInToEmby, signInToJellyfin } from '../demo/sign-in.ts'
import { until } from '../harness.ts'
import { startEmby } from '../upstreams/emby.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { cookieOf, spawnService } from './process.ts'

const RUNS = 45
const STOP_MS = 3_000
const ACCOUNT = { username: 'ada', password: 'correct horse battery' }

t.setTimeout(900_000)

t.test(
  'SIGTERM right after many runs stops the service in time, and all of them are recorded after the next start',
  async (t) => {
    await using jellyfin = await startJellyfin({ movies: 4, shows: 1, activity: 0.5 })
    await using emby = await startEmby({ movies: 4, shows: 1 })
    const data = join(t.testdir(), 'data')
    let service = await spawnService(data)
    const cookie = cookieOf(await service.post('/api/app-auth/credentials', { enabled: true, ...ACCOUNT }))
    const client = {
      async json(path: string, { json, method }: { json?: unknown; method?: string } = {}) {
        const answer = await fetch(service.url + path, {
          method: method ?? (json === undefined ? 'GET' : 'POST'),
          headers: { cookie, ...(json === undefined ? {} : { 'content-type': 'application/json' }) },
          ...(json === undefined ? {} : { body: JSON.stringify(json) }),
        })
        return { status: answer.status, body: (await answer.json()) as any }
      },
    }
    await signInToJellyfin(client, jellyfin)
    await signInToEmby(client, emby)
    await expectOk(client, '/api/pairs', {
      source: 'MEDIAB',
      target: 'MEDIAC',
      mode: 'two_way',
      enabled: true,
      features: { history: { enabled: true, add: true } },
    })
    for (let run = 0; run < RUNS; run += 1) await runToEnd(client)
    const { body: before } = await client.json('/api/runs?limit=100')
    t.equal(before.total, RUNS)

    const late = new AbortController()
    const end = await Promise.race([
      service.kill('SIGTERM'),
      sleep(STOP_MS, 'it still runs', { signal: late.signal }).catch(() => 'ended'),
    ])
    late.abort()
    t.same(end, [0, null])
    await service.kill('SIGKILL')

    service = await spawnService(data)
    t.same(
      (await client.json('/api/runs?limit=100')).body.runs.map(({ run_id: id }: { run_id: string }) => id),
      before.runs.map(({ run_id: id }: { run_id: string }) => id),
    )
    // Items that the first run added, ingested before or after the stop.
    await until(
      'what the runs did is known to others',
      async () => (await client.json('/api/activity/history')).body.total > 0,
    )
    await service.kill('SIGTERM')
  },
)

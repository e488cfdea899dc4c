// Mixed use over 2,000 films: runs, webhooks, requests of pages, captures and reloads of plugins, all beside each other; then a
// rest of two minutes. Prints memory, its growth, processor time and stalls. BENCH_MIXED_S is the length (20 minutes by
// default), BENCH_REST_S the rest. The service runs as `npm start` does; the stand-ins are another process.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, expectOk, runToEnd, signInToJellyfin, signInToTrakt } from '../demo/sign-in.ts'
import { startChild } from './child.ts'
import type { Figure } from './index.ts'
import { startMeasured } from './measured.ts'
import { ON } from './sync.ts'

const LENGTH_MS = Number(process.env['BENCH_MIXED_S'] ?? 1_200) * 1_000
const REST_MS = Number(process.env['BENCH_REST_S'] ?? 120) * 1_000
const FILMS = 2_000
const WEBHOOKS = 10_000
const BURSTS = 20
const PLAYERS = 10
const RUN_EVERY_MS = 15_000
const CAPTURE_EVERY_MS = 30_000
const RELOAD_EVERY_MS = 10_000
const PAGE_EVERY_MS = 250
const RELOADED = ['jellyfin', 'trakt', 'sync', 'catalog', 'scrobble', 'insights', 'captures', 'history', 'events']
const PAGES = [
  '/api/attention',
  '/api/pairs',
  '/api/pairs/status',
  '/api/plugins',
  '/api/config',
  '/api/library?limit=100',
  '/api/history?limit=100',
  '/api/watchlist?limit=100',
  '/api/runs',
  '/api/run/summary',
  '/api/events/search?limit=50',
  '/api/events/groups?limit=50',
  '/api/events/statistics',
  '/api/scrobbler/overview',
  '/api/snapshots/list',
  '/api/analyzer/problems',
  '/api/scheduling',
  '/api/sync/providers',
  '/api/system/health',
  '/',
]

export async function benchMixed(): Promise<readonly Figure[]> {
  const root = await mkdtemp(join(tmpdir(), 'playhead-bench-mixed-'))
  try {
    await using world = await startChild(new URL('./scrobble-process.ts', import.meta.url))
    const upstreams = await world.ask('start', { latencyMs: 5, movies: FILMS })
    await using service = await startMeasured(join(root, 'data'), join(root, 'loop.json'))
    const { client } = service
    await expectOk(client, '/api/config', { trackA: { rate_limit: { get_per_sec: 0, post_per_sec: 0 } } })
    await signInToJellyfin(client, { url: upstreams.jellyfin })
    await signInToTrakt(client, { ...upstreams, url: upstreams.trakt, approve: (code) => world.ask('approve', code) })
    await expectOk(client, '/api/pairs', {
      source: 'MEDIAB',
      target: 'TRACKA',
      mode: 'one_way',
      enabled: true,
      features: { watchlist: ON, history: ON, ratings: ON },
    })
    await expectOk(client, '/api/scrobbler/settings', { sources: { watcher: false, webhook: true } })
    const { webhooks } = await expectOk(client, '/api/scrobbler/webhooks/profile', {
      provider: 'MEDIAB',
      provider_instance: 'default',
      sinks: ['TRACKA'],
    })
    const url = String(webhooks[0].endpoint_url)

    const startedAtMs = performance.now()
    const isOver = () => performance.now() - startedAtMs > LENGTH_MS
    const done = { runs: 0, webhooks: 0, refused: 0, pages: 0, failedPages: 0, captures: 0, reloads: 0 }
    const each = async (everyMs: number, work: (n: number) => Promise<void>) => {
      for (let n = 0; !isOver(); n += 1) {
        const nextMs = performance.now() + everyMs
        await work(n)
        await sleep(Math.max(0, Math.min(nextMs - performance.now(), startedAtMs + LENGTH_MS - performance.now())))
      }
    }
    const failures = new Map<string, number>()
    const failed = (what: string) => failures.set(what, (failures.get(what) ?? 0) + 1)
    const usedBefore = await service.usedMs()
    const stopSampling = service.sample()
    await service.resetLoop()
    await Promise.all([
      each(RUN_EVERY_MS, async () => {
        await runToEnd(client)
        done.runs += 1
      }),
      each(LENGTH_MS / BURSTS, async () => {
        const { statuses } = await world.ask('burst', { url, events: WEBHOOKS / BURSTS, sessions: PLAYERS })
        for (const [status, count] of Object.entries(statuses as Record<string, number>)) {
          done.webhooks += count
          if (status !== '200') done.refused += count
        }
      }),
      each(PAGE_EVERY_MS, async (n) => {
        const path = PAGES[n % PAGES.length] as string
        const status = await service.get(path)
        done.pages += 1
        if (status < 400) return
        done.failedPages += 1
        failed(`${status} ${path}`)
      }),
      each(CAPTURE_EVERY_MS, async () => {
        if (await capture(client)) done.captures += 1
        else failed('capture')
      }),
      each(RELOAD_EVERY_MS, async (n) => {
        const id = RELOADED[n % RELOADED.length] as string
        const { body } = await client.json(`/api/plugins/${id}/reload`, { method: 'POST' })
        if (body.ok === true) done.reloads += 1
        else failed(`reload ${id}`)
      }),
    ])
    const usedMs = (await service.usedMs()) - usedBefore
    const loop = await service.loop()
    const samples = stopSampling()
    const most = await service.most()
    for (const [what, count] of failures) console.error(`  ${count} x ${what}`)
    await sleep(REST_MS)
    const rest = await service.resident()
    const threads = await service.threads()
    const figure = (what: string, value: number, unit: string, aim?: string): Figure => ({
      what,
      value,
      unit,
      ...(aim === undefined ? {} : { aim }),
    })
    return [
      figure('length', LENGTH_MS / 60_000, 'min'),
      figure('runs', done.runs, ''),
      figure('webhooks', done.webhooks, ''),
      figure('  not taken', done.refused, '', '0'),
      figure('requests of pages', done.pages, ''),
      figure('  refused', done.failedPages, ''),
      figure('captures', done.captures, ''),
      figure('reloads of plugins', done.reloads, ''),
      figure('processor time', usedMs / 1_000, 's'),
      figure('memory, the most', most / 1e6, 'MB', '<= 350'),
      figure('growth in the second half', growthOf(samples.slice(samples.length / 2)) / 1e6, 'MB/min'),
      figure(`memory after ${REST_MS / 1_000} s of rest`, rest / 1e6, 'MB', '<= 200'),
      figure('longest stall of the answering thread, its own processor time', loop.longestUsedMs, 'ms', '<= 30'),
      figure('  stalls over 30 ms', loop.long, ''),
      figure('  by the clock, on this machine', loop.longestMs, 'ms'),
      figure('threads that are left', threads.length, ''),
    ]
  } finally {
    await rm(root, { recursive: true, force: true, maxRetries: 10 })
  }
}

async function capture(client: Client): Promise<boolean> {
  const { status } = await client.json('/api/snapshots/create', {
    json: { provider: 'MEDIAB', feature: 'history', instance: 'default' },
  })
  return status < 300
}

/** Bytes a minute, by least squares. */
function growthOf(samples: readonly { readonly atMs: number; readonly bytes: number }[]): number {
  const mean = (list: readonly number[]) => list.reduce((sum, one) => sum + one, 0) / list.length
  const atMs = mean(samples.map((one) => one.atMs))
  const bytes = mean(samples.map((one) => one.bytes))
  const spread = samples.reduce((sum, one) => sum + (one.atMs - atMs) ** 2, 0)
  return (samples.reduce((sum, one) => sum + (one.atMs - atMs) * (one.bytes - bytes), 0) / spread) * 60_000
}

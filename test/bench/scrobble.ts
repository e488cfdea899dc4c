// The scrobbler: from a webhook to the tracker, a burst of webhooks, 200 followed sessions, and the requests of one play. The
// service and the stand-ins are separate processes. The tracker's limit of one write per second is off.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, expectOk, signInToJellyfin, signInToTrakt } from '../demo/sign-in.ts'
import { type Child, startChild } from './child.ts'
import type { Figure } from './index.ts'
import { quantile, until } from './server.ts'
import { withService } from './sync.ts'

const LATENCY_MS = 5
const SAMPLES = 60
const EVENTS = 10_000
const PLAYERS = 50
const WATCHED = 200
const WINDOW_MS = 30_000
const MINUTE_MS = 60_000

interface Bench {
  readonly client: Client
  readonly service: { ask(question: string): Promise<any> }
  readonly world: Child
}

export async function benchScrobble(): Promise<readonly Figure[]> {
  return [...(await withWorld(benchWebhooks)), ...(await withWorld(benchWatched))]
}

async function withWorld(work: (bench: Bench) => Promise<readonly Figure[]>): Promise<readonly Figure[]> {
  return withService(async ({ client, service }) => {
    await using world = await startChild(new URL('./scrobble-process.ts', import.meta.url))
    const { jellyfin, trakt, ...rest } = await world.ask('start', { latencyMs: LATENCY_MS, movies: 700 })
    await expectOk(client, '/api/config', { trackA: { rate_limit: { get_per_sec: 0, post_per_sec: 0 } } })
    await signInToJellyfin(client, { url: jellyfin })
    await signInToTrakt(client, { url: trakt, ...rest, approve: (code) => world.ask('approve', code) })
    return await work({ client, service, world })
  })
}

async function benchWebhooks({ client, service, world }: Bench): Promise<readonly Figure[]> {
  await expectOk(client, '/api/scrobbler/settings', { sources: { watcher: false, webhook: true } })
  const { webhooks } = await expectOk(client, '/api/scrobbler/webhooks/profile', {
    provider: 'MEDIAB',
    provider_instance: 'default',
    sinks: ['TRACKA'],
  })
  const url = String(webhooks[0].endpoint_url)
  await world.ask('latencies', { url, count: 5 })
  const taken = await world.ask('latencies', { url, count: SAMPLES })
  // The first use of an account triggers a check of it.
  await world.ask('playOne', { url })
  const one = await world.ask('playOne', { url })
  await settled(client)

  const idle = await service.ask('memory')
  await service.ask('sample')
  await service.ask('reset')
  const cpu = await service.ask('cpu')
  const burst = await world.ask('burst', { url, events: EVENTS, sessions: PLAYERS })
  await settled(client)
  const after = await service.ask('cpu')
  const stallMs = await service.ask('block')
  const cpuMs = (after.user + after.system - cpu.user - cpu.system) / 1_000
  const refused = Object.entries(burst.statuses as Record<string, number>)
    .filter(([status]) => status !== '200')
    .reduce((sum, [, count]) => sum + count, 0)
  const what = `${EVENTS} webhooks of ${PLAYERS} players at once`
  return [
    ...(['start', 'stop'] as const).flatMap((kind) => [
      figure(`webhook of a ${kind} sent to request at the tracker: median`, quantile(taken[kind], 0.5), 'ms', '50'),
      figure(`webhook of a ${kind} sent to request at the tracker: p95`, quantile(taken[kind], 0.95), 'ms', '250'),
    ]),
    figure(`${what}: answered`, burst.answeredMs / 1_000, 's'),
    figure(`${what}: answer, median`, quantile(burst.answers, 0.5), 'ms'),
    figure(`${what}: answer, p99`, quantile(burst.answers, 0.99), 'ms'),
    figure(`${what}: answers that are not 200`, refused, 'count', '0'),
    figure(`${what}: the tracker has all plays`, burst.deliveredMs / 1_000, 's'),
    figure(`${what}: plays lost`, burst.lost, 'count', '0'),
    figure(`${what}: plays doubled`, burst.doubled, 'count', '0'),
    figure(`${what}: our own CPU`, cpuMs / 1_000, 's'),
    figure(`${what}: our own CPU for an event`, cpuMs / EVENTS, 'ms'),
    figure(
      `${what}: peak resident memory (idle ${Math.round(idle / 1e6)} MB)`,
      (await service.ask('peak')) / 1e6,
      'MB',
    ),
    figure(`${what}: longest event-loop stall`, stallMs, 'ms', '< 50'),
    ...describePlay(`a play told by ${one.webhooks} webhooks`, one),
  ]
}

async function benchWatched({ client, service, world }: Bench): Promise<readonly Figure[]> {
  await expectOk(client, '/api/scrobbler/settings', {
    sources: { watcher: true, webhook: false },
    watch_autostart: true,
  })
  await expectOk(client, '/api/scrobbler/routes', { provider: 'MEDIAB', sink: 'TRACKA' })
  await expectOk(client, '/api/watch/start')
  await follows(client, 'push')
  await world.ask('playOne', { url: null })
  const one = await world.ask('playOne', { url: null })
  await settled(client)
  const figures = [...describePlay('a play that is watched over the socket', one)]

  figures.push(...(await measure('nothing plays, socket', { client, service, world })))
  await world.ask('playMany', WATCHED)
  await settled(client)
  // Many simultaneous starts may overload the socket.
  await follows(client, 'push')
  figures.push(...(await measure(`${WATCHED} sessions, socket`, { client, service, world })))
  await world.ask('refuseSocket')
  await follows(client, 'poll')
  figures.push(...(await measure(`${WATCHED} sessions, polled`, { client, service, world })))
  await world.ask('stopMany')
  await settled(client)
  // Polls are less frequent while nothing plays.
  await sleep(WINDOW_MS)
  figures.push(...(await measure('nothing plays, polled', { client, service, world })))
  return figures
}

/** Requests and CPU time of a minute; then the event loop, because measuring it uses CPU time. */
async function measure(what: string, { service, world }: Bench): Promise<readonly Figure[]> {
  const [counts, cpu] = [await world.ask('counts'), await service.ask('cpu')]
  const startedAt = performance.now()
  await sleep(WINDOW_MS)
  const perMinute = MINUTE_MS / (performance.now() - startedAt)
  const [countsAfter, cpuAfter] = [await world.ask('counts'), await service.ask('cpu')]
  await service.ask('reset')
  await sleep(WINDOW_MS)
  const delay = await service.ask('delay')
  return [
    figure(`${what}: requests to Jellyfin a minute`, (countsAfter.jellyfin - counts.jellyfin) * perMinute, 'count'),
    figure(`${what}: requests to Trakt a minute`, (countsAfter.trakt - counts.trakt) * perMinute, 'count'),
    figure(
      `${what}: our own CPU a minute`,
      ((cpuAfter.user + cpuAfter.system - cpu.user - cpu.system) / 1e6) * perMinute,
      's',
    ),
    figure(`${what}: event-loop delay, p99`, delay.p99, 'ms'),
    figure(`${what}: longest event-loop stall`, delay.max, 'ms', '< 50'),
  ]
}

function describePlay(what: string, { paths }: { readonly paths: Readonly<Record<string, number>> }): Figure[] {
  const sum = (name: string) =>
    Object.entries(paths)
      .filter(([path]) => path.startsWith(name))
      .reduce((total, [, count]) => total + count, 0)
  return [
    figure(`${what}: requests to Jellyfin`, sum('Jellyfin'), 'count'),
    figure(`${what}: requests to Trakt`, sum('Trakt'), 'count'),
    ...Object.entries(paths).map(([path, count]) => figure(`  of these ${path}`, count, 'count')),
  ]
}

async function follows(client: Client, by: string): Promise<void> {
  await until(async () => {
    const [group] = (await client.json('/api/watch/status')).body.groups
    return group?.connected === true && group.by === by
  })
}

/** Waits until the delivery queue is empty and follow-up work is done. */
async function settled(client: Client): Promise<void> {
  await until(async () => (await client.json('/api/scrobbler/queue?limit=1')).body.total === 0)
  await sleep(3_000)
}

function figure(what: string, value: number, unit: string, aim?: string): Figure {
  return { what, value, unit, ...(aim === undefined ? {} : { aim }) }
}

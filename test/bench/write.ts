// A first run that writes item by item: processor time by thread, wall, and memory, beside a bare client that sends the
// same requests with the same concurrency in the same run. The service is a child, started as `npm start` does; the
// media servers are another, with 5 ms a request.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, expectOk, runToEnd, signInToEmby, signInToJellyfin } from '../demo/sign-in.ts'
import { signIn } from '../upstreams/media-browser/ask.ts'
import { startChild } from './child.ts'
import type { Figure } from './index.ts'
import { freePort, highestOf, residentOf, usedBy, watchWaiting } from './process.ts'
import { quantile } from './server.ts'

const LATENCY_MS = 5
/** Concurrent requests that the provider allows itself. */
const CONCURRENCY = 8
const SIZES = (process.env['BENCH_ITEMS'] ?? '4000,40000').split(',').map(Number)
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 2)
const REST_MS = Number(process.env['BENCH_REST_S'] ?? 60) * 1_000
/** Flags of Node for the service, for example `--cpu-prof --cpu-prof-dir=/tmp/profile`. */
const FLAGS = (process.env['BENCH_FLAGS'] ?? '').split(' ').filter((flag) => flag !== '')
const EPISODES_PER_SHOW = 16
const SERVICE = join(import.meta.dirname, '../../core/start.js')
const ON = { enabled: true, add: true, remove: true }

interface Round {
  readonly bareMs: number
  readonly bareUsedMs: number
  readonly bareWaitedMs: number
  readonly waitedMs: number
  readonly wallMs: number
  readonly usedMs: number
  readonly mainMs: number
  /** Of each thread that is left, by name. */
  readonly threads: ReadonlyMap<string, number>
  readonly connected: number
  readonly peak: number
  readonly rested: number
  readonly after: Used
  readonly unchanged: Used
  readonly writes: number
}

interface Used {
  readonly wallMs: number
  readonly usedMs: number
  readonly mainMs: number
}

export async function benchWrite(): Promise<readonly Figure[]> {
  const root = await mkdtemp(join(tmpdir(), 'playhead-bench-write-'))
  try {
    // Fills the compile cache and the bundles of threads.
    await measure(root, 200, { restMs: 12_000, flags: [] })
    const figures: Figure[] = []
    for (const items of SIZES) {
      const rounds: Round[] = []
      for (let round = 0; round < ROUNDS; round += 1)
        rounds.push(await measure(root, items, { restMs: REST_MS, flags: FLAGS }))
      figures.push(...describe(items, rounds))
    }
    return figures
  } finally {
    await rm(root, { recursive: true, force: true, maxRetries: 10 })
  }
}

function describe(items: number, rounds: readonly Round[]): readonly Figure[] {
  const name = `${items.toLocaleString('en')} items`
  const { writes } = rounds[0]!
  const both = (what: string, of: (round: Round) => number, unit: string, aim?: string): Figure[] => [
    { what: `${name}: ${what}`, value: quantile(rounds.map(of), 0.5), unit, ...(aim === undefined ? {} : { aim }) },
    { what: '  the least', value: Math.min(...rounds.map(of)), unit },
  ]
  const peakAim = items <= 4_000 ? '<= 260' : '<= 320'
  return [
    { what: `${name}: requests to the target, nearly all of them writes`, value: writes, unit: '' },
    ...both('bare client: wall', ({ bareMs }) => bareMs, 'ms'),
    ...both('bare client: processor time of a write', ({ bareUsedMs }) => bareUsedMs / writes, 'ms'),
    ...both('first run: wall', ({ wallMs }) => wallMs, 'ms'),
    ...both('first run: wall to the bare client', ({ wallMs, bareMs }) => wallMs / bareMs, 'ratio'),
    ...both(
      'the same without the time in which threads waited for a processor',
      ({ wallMs, waitedMs, bareMs, bareWaitedMs }) => (wallMs - waitedMs) / (bareMs - bareWaitedMs),
      'ratio',
      '<= 1.4',
    ),
    ...both('first run: processor time', ({ usedMs }) => usedMs, 'ms'),
    ...both('first run: answering thread, of a write', ({ mainMs }) => mainMs / writes, 'ms', '<= 0.45'),
    ...[...rounds.at(-1)!.threads].map(([thread, value]) => ({ what: `  ${thread}`, value, unit: 'ms' })),
    ...both('memory before the run', ({ connected }) => connected / 1e6, 'MB'),
    ...both('memory, the most', ({ peak }) => peak / 1e6, 'MB', peakAim),
    ...both(
      `memory ${REST_MS / 1_000} s after it`,
      ({ rested }) => rested / 1e6,
      'MB',
      items <= 4_000 ? '<= 180' : undefined,
    ),
    ...both('run after it: processor time', ({ after }) => after.usedMs, 'ms'),
    ...both('run after it: answering thread', ({ after }) => after.mainMs, 'ms'),
    ...both('unchanged run: processor time', ({ unchanged }) => unchanged.usedMs, 'ms'),
  ]
}

async function measure(
  root: string,
  items: number,
  { restMs, flags }: { readonly restMs: number; readonly flags: readonly string[] },
): Promise<Round> {
  const data = join(root, 'data')
  await rm(data, { recursive: true, force: true, maxRetries: 10 })
  await mkdir(data, { recursive: true })
  const kept = join(root, 'kept')
  for (const part of ['cache', 'run'])
    await cp(join(kept, part), join(data, part), { recursive: true, preserveTimestamps: true }).catch(() => {})
  await using standIns = await startChild(new URL('./stand-in-process.ts', import.meta.url))
  const movies = items / 2
  const { jellyfin, emby } = await standIns.ask('startMediaServers', {
    movies,
    shows: Math.round(items / 2 / EPISODES_PER_SHOW),
    latencyMs: LATENCY_MS,
    played: 0.5,
  })
  const service = await startService(data, flags)
  try {
    const { client, pid } = service
    await signInToJellyfin(client, { url: jellyfin })
    await signInToEmby(client, { url: emby })
    await expectOk(client, '/api/pairs', {
      source: 'MEDIAB',
      target: 'MEDIAC',
      mode: 'one_way',
      enabled: true,
      features: { watchlist: ON, history: ON, progress: ON },
    })
    await sleep(Math.min(restMs, 3_000))
    const connected = await residentOf(pid)
    // The peak from here on: https://man7.org/linux/man-pages/man5/proc_pid_clear_refs.5.html
    await writeFile(`/proc/${pid}/clear_refs`, '5')
    const before = await standIns.ask('counts', null)
    const waited = watchWaiting([pid, standIns.pid])
    const first = await watchRun(client, pid)
    const waitedMs = await waited()
    const { emby: sent } = await standIns.ask('counts', null)
    const writes: number = sent - before.emby
    const bare = await bareWrites(standIns.pid, jellyfin, emby, writes)
    const after = await watchRun(client, pid)
    const unchanged = await watchRun(client, pid)
    await sleep(restMs)
    const [peak, rested] = [await highestOf(pid), await residentOf(pid)]
    return { ...first, ...bare, waitedMs, connected, peak, rested, after, unchanged, writes }
  } finally {
    await service.stop()
    await rm(kept, { recursive: true, force: true })
    for (const part of ['cache', 'run'])
      await cp(join(data, part), join(kept, part), { recursive: true, preserveTimestamps: true }).catch(() => {})
  }
}

async function watchRun(
  client: Client,
  pid: number,
): Promise<Used & { readonly threads: ReadonlyMap<string, number> }> {
  const [used, threads] = [await usedBy(pid), await threadTimes(pid)]
  const summary = await runToEnd(client)
  if (summary.result !== 'ok')
    throw new Error(`the run was ${summary.result}: ${JSON.stringify(summary.pairs).slice(0, 800)}`)
  const after = await threadTimes(pid)
  const byName = new Map<string, number>()
  for (const [id, { name, usedMs }] of after) {
    const spent = usedMs - (threads.get(id)?.usedMs ?? 0)
    if (spent >= 1) byName.set(name, (byName.get(name) ?? 0) + spent)
  }
  return {
    wallMs: Number(summary.duration_sec) * 1_000,
    usedMs: (await usedBy(pid)) - used,
    mainMs: (after.get(String(pid))?.usedMs ?? 0) - (threads.get(String(pid))?.usedMs ?? 0),
    threads: byName,
  }
}

/** Processor time of each thread. The kernel's scheduler counts in nanoseconds, unlike `stat`. */
async function threadTimes(
  pid: number,
): Promise<ReadonlyMap<string, { readonly name: string; readonly usedMs: number }>> {
  const found = new Map<string, { readonly name: string; readonly usedMs: number }>()
  for (const id of await readdir(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${id}`
    const stat = await readFile(`${folder}/schedstat`, 'utf8').catch(() => undefined)
    if (stat === undefined) continue
    const name = (await readFile(`${folder}/comm`, 'utf8').catch(() => id)).trim()
    found.set(id, { name: id === String(pid) ? 'answering thread' : name, usedMs: Number(stat.split(' ')[0]) / 1e6 })
  }
  return found
}

/** The cost of a client without a service, which reads the same lists, and writes as many plays for another person. */
async function bareWrites(
  standIns: number,
  jellyfin: string,
  emby: string,
  count: number,
): Promise<Pick<Round, 'bareMs' | 'bareUsedMs' | 'bareWaitedMs'>> {
  const from = await signIn({ name: 'jellyfin', url: jellyfin })
  const to = await signIn({ name: 'emby', url: emby }, 'kim')
  await using bare = await startChild(new URL('./write-floor.ts', import.meta.url))
  const waited = watchWaiting([bare.pid, standIns])
  const { wallMs, usedMs } = await bare.ask('write', {
    source: {
      url: jellyfin,
      userId: from.userId,
      headers: {
        authorization: `MediaBrowser Client="bench", Device="bench", DeviceId="1", Version="1", Token="${from.token}"`,
      },
    },
    target: { url: emby, userId: to.userId, headers: { 'x-emby-token': to.token } },
    count,
    concurrency: CONCURRENCY,
  })
  return { bareMs: wallMs, bareUsedMs: usedMs, bareWaitedMs: await waited() }
}

interface Service {
  readonly client: Client
  readonly pid: number
  stop(): Promise<void>
}

async function startService(data: string, flags: readonly string[]): Promise<Service> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child: ChildProcess = spawn(process.execPath, [...flags, SERVICE], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      PLAYHEAD_DATA_DIR: data,
      PLAYHEAD_HOST: '127.0.0.1',
      PLAYHEAD_PORT: String(port),
      PLAYHEAD_LOG_LEVEL: 'error',
    },
  })
  const isOver = once(child, 'exit')
  while ((await fetch(`${url}/api/health`).catch(() => null))?.status !== 200) {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`)
    await sleep(50)
  }
  const signed = await fetch(`${url}/api/app-auth/credentials`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ enabled: true, username: 'ada', password: 'correct horse battery' }),
  })
  const cookie = (signed.headers.get('set-cookie') ?? '').split(';')[0] as string
  return {
    pid: child.pid as number,
    client: {
      async json(path, { json, ...init } = {}) {
        const answer = await fetch(url + path, {
          ...init,
          ...(json === undefined ? {} : { body: JSON.stringify(json), method: init.method ?? 'POST' }),
          headers: { cookie, ...(json === undefined ? {} : { 'content-type': 'application/json' }) },
        })
        return { status: answer.status, body: await answer.json() }
      },
    },
    async stop() {
      child.kill('SIGTERM')
      await isOver
    },
  }
}

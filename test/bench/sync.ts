// The sync: time and requests of first, unchanged and slightly changed runs, compared with the minimum of the protocols; and
// the cost of planning 100,000 items against 100,000. The service and the stand-ins are separate processes.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { type Client, expectOk, runToEnd, signInToEmby, signInToJellyfin, signInToTrakt } from '../demo/sign-in.ts'
import { signIn } from '../upstreams/media-browser/ask.ts'
import { type Child, startChild } from './child.ts'
import type { Figure } from './index.ts'
import { LARGE_PROVIDER } from './large-provider.ts'

const LATENCY_MS = 5
/** Concurrent requests that the providers allow themselves. */
const CONCURRENCY = 8
export const ON = { enabled: true, add: true, remove: true }

export async function benchSync(): Promise<readonly Figure[]> {
  return [...(await benchMediaServers()), ...(await benchTrakt()), ...(await benchLarge())]
}

async function benchMediaServers(): Promise<readonly Figure[]> {
  return withService(async ({ client, service }) => {
    const standIns = await startStandIns()
    const { jellyfin, emby, played } = await standIns.ask('startMediaServers', {
      movies: 2_000,
      shows: 125,
      latencyMs: LATENCY_MS,
      played: 0.5,
    })
    await signInToJellyfin(client, { url: jellyfin })
    await signInToEmby(client, { url: emby })
    await expectOk(client, '/api/pairs', {
      source: 'MEDIAB',
      target: 'MEDIAC',
      mode: 'one_way',
      enabled: true,
      features: { watchlist: ON, history: ON, progress: ON },
    })
    const bareMs = await bareWrites(emby, played)
    const figures: Figure[] = []
    // Emby needs one request per play; three lists on each side.
    const writes = [played, 0, 0]
    for (const [index, name] of ['first run', 'unchanged second run', 'run after 1 % changed'].entries()) {
      if (index === 2) writes[2] = await standIns.ask('watchMore', 0.01)
      const ran = await measure(client, service, standIns, index === 0)
      const floorMs = (Math.ceil(writes[index]! / CONCURRENCY) + 3) * LATENCY_MS
      const what = `Jellyfin to Emby, 4,000 items, ${played} played: ${name}`
      figures.push(...describe(what, ran, ['jellyfin', 'emby'], floorMs, writes[index]!))
      if (index === 0) {
        figures.push({ what: `${what}: its writes alone, by a bare client`, value: bareMs, unit: 'ms' })
        figures.push({ what: `${what}: wall to the bare client`, value: ran.wallMs / bareMs, unit: 'ratio' })
      }
    }
    const { emby: arrived } = await standIns.ask('plays', null)
    figures.push({
      what: 'plays that arrived at Emby',
      value: arrived,
      unit: 'items',
      aim: `${played + writes[2]!}, less what has no ids`,
    })
    await standIns.stop()
    return figures
  })
}

/**
 * The best time of this machine: the same number of writes for another person, from a prepared list, with only the HTTP
 * client.
 */
async function bareWrites(url: string, count: number): Promise<number> {
  const { token, userId, ask } = await signIn({ name: 'emby', url }, 'kim')
  const { body } = await ask(
    'GET',
    `/Users/${userId}/Items?Recursive=true&IncludeItemTypes=Movie,Episode&Limit=${count}`,
  )
  const waiting = (body.Items as { Id: string }[]).values()
  const pool = new Pool(url, { connections: CONCURRENCY })
  const startedAt = performance.now()
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (const { Id } of waiting) {
        const answer = await pool.request({
          method: 'POST',
          path: `/Users/${userId}/PlayedItems/${Id}?DatePlayed=20260101000000`,
          headers: { 'x-emby-token': token },
        })
        if (answer.statusCode !== 200) throw new Error(`a bare write was answered with ${answer.statusCode}`)
        await answer.body.json()
      }
    }),
  )
  const tookMs = performance.now() - startedAt
  await pool.close()
  return tookMs
}

async function benchTrakt(): Promise<readonly Figure[]> {
  return withService(async ({ client, service }) => {
    const standIns = await startStandIns()
    const { jellyfin, played } = await standIns.ask('startMediaServers', {
      movies: 9_000,
      shows: 1_000,
      latencyMs: LATENCY_MS,
      played: 0.9,
    })
    const trakt = await standIns.ask('startTrakt', { movies: 9_000, shows: 1_000, latencyMs: LATENCY_MS })
    await signInToJellyfin(client, { url: jellyfin })
    await signInToTrakt(client, { ...trakt, approve: (code) => standIns.ask('approve', code) })
    await expectOk(client, '/api/pairs', {
      source: 'MEDIAB',
      target: 'TRACKA',
      mode: 'one_way',
      enabled: true,
      features: { history: ON },
    })
    const figures: Figure[] = []
    const writes = [played, 0, 0]
    for (const [index, name] of ['first run', 'unchanged second run', 'run after 1 % changed'].entries()) {
      if (index === 2) writes[2] = await standIns.ask('watchMore', 0.01)
      const ran = await measure(client, service, standIns, index === 0)
      // Trakt accepts one write per second; a batch may be large.
      const floorMs = Math.max(0, Math.ceil(writes[index]! / 500) - 1) * 1_000 + 3 * LATENCY_MS
      figures.push(
        ...describe(`Jellyfin to Trakt, ${played} plays: ${name}`, ran, ['jellyfin', 'trakt'], floorMs, writes[index]!),
      )
    }
    const { trakt: arrived } = await standIns.ask('plays', null)
    figures.push({
      what: 'plays that arrived at Trakt',
      value: arrived,
      unit: 'plays',
      aim: `${played + writes[2]!}, less what has no ids`,
    })
    await standIns.stop()
    return figures
  })
}

/** Two accounts of 100,000 films that share nine tenths. */
async function benchLarge(): Promise<readonly Figure[]> {
  return withService(async ({ client, service }) => {
    await expectOk(client, '/api/pairs', {
      source: 'LARGEA',
      target: 'LARGEB',
      mode: 'two_way',
      enabled: true,
      features: { history: ON },
    })
    const idle = await service.ask('memory')
    await service.ask('sample')
    const figures: Figure[] = []
    for (const [name, request] of [
      ['plan of', { dry_run: true }],
      ['first run of', {}],
      ['second run of', {}],
      ['third run of', {}],
    ] as const) {
      await service.ask('reset')
      const [before, stolenBeforeMs] = [await service.ask('cpu'), await stolenMs()]
      const startedAt = performance.now()
      const summary = await runToEnd(client, request)
      const wallMs = performance.now() - startedAt
      const after = await service.ask('cpu')
      const what = `${name} 100,000 against 100,000 films`
      figures.push(
        { what: `${what}: CPU`, value: (after.user + after.system - before.user - before.system) / 1e6, unit: 's' },
        { what: `${what}: wall`, value: wallMs / 1_000, unit: 's' },
        {
          what: `${what}: peak resident memory (idle ${Math.round(idle / 1e6)} MB)`,
          value: (await service.ask('peak')) / 1e6,
          unit: 'MB',
          aim: '< 350',
        },
        { what: `${what}: longest event-loop stall`, value: await service.ask('block'), unit: 'ms', aim: '< 50' },
        {
          what: `${what}: processor time that the host of this machine took, which stalls it too`,
          value: (await stolenMs()) - stolenBeforeMs,
          unit: 'ms',
        },
        { what: `${what}: operations`, value: summary.pairs[0].features[0].planned, unit: 'items' },
      )
    }
    return figures
  }, LARGE_PROVIDER)
}

/**
 * CPU time that the hypervisor withheld from a virtual machine since boot (`steal`,
 * https://man7.org/linux/man-pages/man5/proc_stat.5.html); none on other systems.
 */
async function stolenMs(): Promise<number> {
  const [cpu = ''] = (await readFile('/proc/stat', 'utf8').catch(() => '')).split('\n')
  return Number(cpu.split(/ +/)[8] ?? 0) * 10
}

interface Measured {
  /** Monitoring uses CPU time, so it is done only where CPU time is not measured. */
  readonly stallMs?: number
  readonly wallMs: number
  readonly cpuMs: number
  readonly requests: Readonly<Record<string, number>>
}

async function measure(client: Client, service: Process, standIns: Child, watchesStall: boolean): Promise<Measured> {
  if (watchesStall) await service.ask('reset')
  const [counts, cpu] = [await standIns.ask('counts', null), await service.ask('cpu')]
  const summary = await runToEnd(client)
  const [countsAfter, cpuAfter] = [await standIns.ask('counts', null), await service.ask('cpu')]
  if (summary.result !== 'ok')
    throw new Error(`the run was ${summary.result}: ${JSON.stringify(summary.pairs).slice(0, 800)}`)
  return {
    ...(watchesStall ? { stallMs: await service.ask('block') } : {}),
    wallMs: Number(summary.duration_sec) * 1_000,
    cpuMs: (cpuAfter.user + cpuAfter.system - cpu.user - cpu.system) / 1_000,
    requests: Object.fromEntries(Object.keys(countsAfter).map((name) => [name, countsAfter[name] - counts[name]])),
  }
}

function describe(
  what: string,
  { wallMs, cpuMs, stallMs, requests }: Measured,
  sides: readonly string[],
  floorMs: number,
  writes: number,
): Figure[] {
  return [
    { what: `${what}: wall`, value: wallMs, unit: 'ms' },
    { what: `${what}: floor`, value: floorMs, unit: 'ms' },
    {
      what: `${what}: wall to floor`,
      value: wallMs / floorMs,
      unit: 'ratio',
      ...(writes > 0 ? { aim: '<= 1.5' } : {}),
    },
    { what: `${what}: our own CPU`, value: cpuMs, unit: 'ms', ...(writes === 0 ? { aim: '< 500' } : {}) },
    ...(stallMs === undefined
      ? []
      : [{ what: `${what}: longest event-loop stall`, value: stallMs, unit: 'ms', aim: '< 50' }]),
    ...sides.map((side) => ({
      what: `${what}: requests to ${side}`,
      value: requests[side] ?? 0,
      unit: 'count',
      ...(writes === 0 ? { aim: '<= 10' } : {}),
    })),
  ]
}

interface Process {
  ask(question: string): Promise<any>
}

export async function withService<Result>(
  work: (running: { readonly client: Client; readonly service: Process }) => Promise<Result>,
  plugins: Readonly<Record<string, Readonly<Record<string, string>>>> = {},
): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), 'playhead-bench-'))
  await writePlugins(directory, plugins)
  // The very first start is excluded; later starts are measured.
  const first = await startService(directory)
  // Deferred code, such as the archive's thread, must be in the compile cache too: that thread needs twice the memory without.
  await (await fetch(`${first.url}/api/events/recent`, { headers: { cookie: first.cookie } })).text()
  // The next start loads only used plugins.
  const answer = await fetch(`${first.url}/api/plugins`, { headers: { cookie: first.cookie } })
  const { plugins: listed } = (await answer.json()) as { plugins: readonly unknown[] }
  await snapshotsOf(listed.length, directory)
  first.child.send('exit')
  await once(first.child, 'exit')
  const { child, url, cookie } = await startService(directory)
  try {
    const client: Client = {
      async json(path, { json, ...init } = {}) {
        const answer = await fetch(url + path, {
          ...init,
          ...(json === undefined ? {} : { body: JSON.stringify(json), method: init.method ?? 'POST' }),
          headers: { cookie, ...(json === undefined ? {} : { 'content-type': 'application/json' }) },
        })
        return { status: answer.status, body: await answer.json() }
      },
    }
    return await work({ client, service: { ask: (question) => ask(child, question) } })
  } finally {
    child.kill('SIGKILL')
    await rm(directory, { recursive: true, force: true, maxRetries: 10 })
  }
}

async function snapshotsOf(count: number, directory: string): Promise<void> {
  for (;;) {
    const files = await readdir(join(directory, 'data', 'run', 'plugins')).catch(() => [])
    if (files.filter((name) => !name.endsWith('.openapi.json')).length >= count) return
    await sleep(200)
  }
}

async function startService(
  directory: string,
): Promise<{ readonly child: ChildProcess; readonly url: string; readonly cookie: string }> {
  const child = fork(new URL('./server-process.ts', import.meta.url), ['shipped', directory], {
    stdio: 'inherit',
    env: { ...process.env, NODE_COMPILE_CACHE: join(directory, 'compile-cache') },
  })
  const [{ url, cookie }] = (await once(child, 'message')) as [{ url: string; cookie: string }]
  return { child, url, cookie }
}

export async function writePlugins(
  directory: string,
  plugins: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Promise<void> {
  await mkdir(join(directory, 'data'), { recursive: true })
  for (const [id, files] of Object.entries(plugins)) {
    await mkdir(join(directory, 'plugins', id), { recursive: true })
    for (const [name, content] of Object.entries(files)) await writeFile(join(directory, 'plugins', id, name), content)
  }
  const entries = Object.keys(plugins).map((id) => ({ id, source: join(directory, 'plugins', id) }))
  if (entries.length > 0)
    await writeFile(join(directory, 'data', 'plugin-registry.json'), JSON.stringify({ version: 1, plugins: entries }))
}

async function ask(child: ChildProcess, question: string): Promise<any> {
  const answer = once(child, 'message')
  child.send(question)
  return (await answer)[0]
}

const startStandIns = (): Promise<Child> => startChild(new URL('./stand-in-process.ts', import.meta.url))

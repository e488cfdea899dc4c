// The shipped service without connections: start time, memory at rest, memory that a plugin adds on first use, and the delay of
// its first use.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { quantile, type Running, run, until } from './server.ts'
import type { Figure } from './index.ts'

const STARTS = 5
/** Long enough for deferred work after a start. */
const REST_MS = 5_000

interface Plugin {
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly state: string
}

export async function benchIdle(root: string): Promise<readonly Figure[]> {
  const directory = join(root, 'idle')
  const bareDirectory = join(root, 'idle-bare')
  await (await run('bare', bareDirectory)).end()
  await noteAllPlugins(directory)
  // The next start compiles code that only dormant plugins need, and writes Node's cache.
  await (await run('shipped', directory)).end()

  // Plugin threads are compiled at their very first use.
  await benchFirstUses(directory)

  const bare: Measured[] = []
  const ours: Measured[] = []
  for (let round = 0; round < STARTS; round += 1) {
    bare.push(await measureStart('bare', bareDirectory, '/api/page'))
    ours.push(await measureStart('shipped', directory, '/api/health'))
  }
  const median = (list: readonly Measured[], of: keyof Measured) =>
    quantile(
      list.map((one) => one[of]),
      0.5,
    )
  const idle = median(ours, 'bytes')
  return [
    { what: 'bare Fastify: start to first 200, warm', value: median(bare, 'ms'), unit: 'ms' },
    { what: 'bare Fastify: idle resident memory', value: median(bare, 'bytes') / 1e6, unit: 'MB' },
    { what: 'all that ships: start to first 200, warm', value: median(ours, 'ms'), unit: 'ms', aim: '<= 1200' },
    { what: 'all that ships, nothing connected: idle resident memory', value: idle / 1e6, unit: 'MB', aim: '<= 100' },
    ...(await benchFirstUses(directory)),
    ...(await benchProviders(directory, idle)),
  ]
}

interface Measured {
  readonly ms: number
  readonly bytes: number
}

/** Runs everything once, until the next start has nothing left to prepare. */
async function noteAllPlugins(directory: string): Promise<void> {
  const running = await run('shipped', directory)
  const wanted = (await plugins(running)).length
  const notes = () => readdir(join(directory, 'data', 'run', 'plugins')).catch(() => [])
  await until(async () => (await notes()).filter((name) => !name.endsWith('.openapi.json')).length >= wanted)
  await running.end()
}

async function measureStart(kind: string, directory: string, path: string): Promise<Measured> {
  const startedAt = performance.now()
  const running = await run(kind, directory)
  await ask(running, path)
  const ms = performance.now() - startedAt
  await sleep(REST_MS)
  const bytes = (await running.ask('memory')) as number
  await running.end()
  return { ms, bytes }
}

/** Measures every dormant plugin that has a route without parameters. */
async function benchFirstUses(directory: string): Promise<readonly Figure[]> {
  const running = await run('shipped', directory)
  const times: { readonly id: string; readonly ms: number }[] = []
  for (const { id, state } of await plugins(running)) {
    if (state !== 'dormant') continue
    const { plugin } = (await ask(running, `/api/plugins/${id}`)) as {
      plugin: { state: string; routes: readonly { method: string; path: string; auth: string }[] }
    }
    const route = plugin.routes.find(
      ({ method, path, auth }) => method === 'GET' && !path.includes(':') && auth === 'S',
    )
    // Another plugin's first use may have loaded this one.
    if (route === undefined || plugin.state !== 'dormant') continue
    const startedAt = performance.now()
    await fetch(running.url + route.path, { headers: { cookie: running.cookie }, signal: AbortSignal.timeout(10_000) })
    times.push({ id, ms: performance.now() - startedAt })
  }
  await running.end()
  const worst = times.toSorted((a, b) => b.ms - a.ms)[0]
  const all = times.map(({ ms }) => ms)
  return [
    {
      what: `first use of a dormant plugin (${times.length} of them): median`,
      value: quantile(all, 0.5),
      unit: 'ms',
      aim: '<= 150',
    },
    { what: `  the slowest, ${worst?.id ?? 'none'}`, value: worst?.ms ?? Number.NaN, unit: 'ms', aim: '<= 150' },
  ]
}

/** The memory of each running plugin, each in a separate process. */
async function benchProviders(directory: string, idle: number): Promise<readonly Figure[]> {
  const first = await run('shipped', directory)
  const providers = (await plugins(first)).filter(({ kind }) => kind === 'provider')
  await first.end()
  const figures: Figure[] = []
  for (const { id, name } of providers) {
    const running = await run('shipped', directory)
    await fetch(`${running.url}/api/plugins/${id}/reload`, { method: 'POST', headers: { cookie: running.cookie } })
    await sleep(REST_MS)
    figures.push({
      what: `  ${name} adds`,
      value: (((await running.ask('memory')) as number) - idle) / 1e6,
      unit: 'MB',
    })
    await running.end()
  }
  return figures
}

async function plugins(running: Running): Promise<readonly Plugin[]> {
  return ((await ask(running, '/api/plugins')) as { readonly plugins: readonly Plugin[] }).plugins
}

async function ask({ url, cookie }: Running, path: string): Promise<unknown> {
  const answer = await fetch(url + path, { headers: { cookie } })
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`)
  return answer.json()
}

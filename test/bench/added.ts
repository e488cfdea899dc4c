// Plugins that a person added, each on a thread of its own, in the product as it is installed: the memory that they take when
// nothing happens, and the time from a save to the version that answers, at the pace of an author.
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { cookieOf, spawnService } from '../service/process.ts'
import type { Figure } from './index.ts'
import { residentOf, usedBy } from './process.ts'
import { quantile, until } from './server.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const ADDED = ['kodi', 'acme']
/** Long enough for deferred work, and for what V8 gives back. */
const REST_MS = 15_000
const SAVES = 20
const WARM_UP = 3
const PAUSE_MS = 1_000
const POLL_MS = 5

interface Running {
  readonly pid: number
  send(method: string, path: string, json?: object): Promise<unknown>
  end(): Promise<void>
}

export async function benchAdded(): Promise<readonly Figure[]> {
  const root = await mkdtemp(join(tmpdir(), 'playhead-bench-'))
  try {
    await promisify(execFile)(process.execPath, [join(ROOT, 'core', 'build.ts')])
    await cp(join(ROOT, 'plugins', 'directory', 'kodi'), join(root, 'kodi'), { recursive: true })
    await cp(join(ROOT, 'sdk', 'templates', 'provider'), join(root, 'acme'), { recursive: true })
    // The first service fills the caches: those of the core, of the plugins, and of a thread.
    await measureMemory(root)
    return [...(await measureMemory(root)), ...(await measureSaves(root))]
  } finally {
    await rm(root, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** Adds the plugins one after the other, with a rest before each look at the memory, and removes them again. */
async function measureMemory(root: string): Promise<readonly Figure[]> {
  const running = await start(root)
  const figures: Figure[] = []
  const settled = async () => {
    await sleep(REST_MS)
    return residentOf(running.pid)
  }
  const idle = await settled()
  let before = idle
  for (const id of ADDED) {
    await add(running, root, id)
    const now = await settled()
    const what = `an added provider without accounts takes: ${id}`
    figures.push({ what, value: (now - before) / 1e6, unit: 'MB', aim: '<= 25' })
    before = now
  }
  for (const id of ADDED) await running.send('DELETE', `/api/plugin-folders/${id}`)
  figures.push({
    what: '  left of all of them when they are removed',
    value: ((await settled()) - idle) / 1e6,
    unit: 'MB',
  })
  await running.end()
  return figures
}

/** The floor is the same plugin in the thread of the service, in the same run: a busy machine slows both. */
async function measureSaves(root: string): Promise<readonly Figure[]> {
  const running = await start(root)
  const own = await savesOf(running, root, 'thread')
  const floor = await savesOf(running, root, 'none')
  await running.end()
  const median = (values: readonly number[]) => quantile(values, 0.5)
  const what = 'save to served, an added provider on a thread of its own'
  return [
    { what: `${what}: median`, value: median(own.totals), unit: 'ms', aim: '<= 200' },
    { what: `${what}: p95`, value: quantile(own.totals, 0.95), unit: 'ms' },
    { what: '  the first save, before a thread waits', value: own.first, unit: 'ms' },
    {
      what: '  times as long as in the thread of the service',
      value: median(own.totals) / median(floor.totals),
      unit: '',
    },
    { what: '  processor time of a save, with the next thread', value: median(own.used), unit: 'ms' },
    ...[...own.phases].map(([phase, list]) => ({
      what: `  of that, ${phase.replace('_ms', '')}: median`,
      value: median(list),
      unit: 'ms',
    })),
    { what: 'save to served, in the thread of the service: median', value: median(floor.totals), unit: 'ms' },
    { what: '  processor time of a save', value: median(floor.used), unit: 'ms' },
  ]
}

async function savesOf(running: Running, root: string, isolation: 'thread' | 'none') {
  const folder = join(root, 'acme')
  const manifest = JSON.parse(await readFile(join(folder, 'plugin.json'), 'utf8')) as object
  await writeFile(join(folder, 'plugin.json'), JSON.stringify({ ...manifest, isolation }))
  await add(running, root, 'acme')
  const file = join(folder, 'index.ts')
  const source = await readFile(file, 'utf8')
  const found = { first: 0, totals: [] as number[], used: [] as number[], phases: new Map<string, number[]>() }
  await sleep(PAUSE_MS)
  for (let save = 0; save < SAVES + WARM_UP; save += 1) {
    const { generation } = await pluginOf(running, 'acme')
    const usedMs = await usedBy(running.pid)
    const startedAt = performance.now()
    await writeFile(file, `${source}\n// Save ${save}\n`)
    while ((await pluginOf(running, 'acme')).generation === generation) await sleep(POLL_MS)
    const tookMs = performance.now() - startedAt
    const { phases } = await pluginOf(running, 'acme')
    // An author looks at the result before the next save.
    await sleep(PAUSE_MS)
    if (save === 0) found.first = tookMs
    if (save < WARM_UP) continue
    found.totals.push(tookMs)
    found.used.push((await usedBy(running.pid)) - usedMs)
    for (const [phase, ms] of Object.entries(phases))
      if (phase.endsWith('_ms')) found.phases.set(phase, [...(found.phases.get(phase) ?? []), ms])
  }
  await writeFile(file, source)
  await running.send('DELETE', '/api/plugin-folders/acme')
  return found
}

async function start(root: string): Promise<Running> {
  const service = await spawnService(join(root, 'data'), { PLAYHEAD_LOG_LEVEL: 'info' })
  const account = { username: 'ada', password: 'correct horse battery' }
  const made = await service.post('/api/app-auth/credentials', { enabled: true, ...account })
  const cookie = cookieOf(made.status === 200 ? made : await service.post('/api/app-auth/login', account))
  return {
    pid: service.pid!,
    async send(method, path, json) {
      const answer = await fetch(`${service.url}${path}`, {
        method,
        headers: { cookie, ...(json === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      })
      if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
      return answer.json()
    },
    end: async () => void (await service.kill('SIGTERM')),
  }
}

async function add(running: Running, root: string, id: string): Promise<void> {
  await running.send('POST', '/api/plugin-folders', { folder: join(root, id) })
  await running.send('POST', `/api/plugins/${id}/enable`, {})
  await until(async () => (await pluginOf(running, id)).state === 'active')
}

interface Plugin {
  readonly state: string
  readonly generation: number | null
  /** Milliseconds of the parts of the last load, and what it compiled. */
  readonly phases: Readonly<Record<string, number>>
}

async function pluginOf(running: Running, id: string): Promise<Plugin> {
  return ((await running.send('GET', `/api/plugins/${id}`)) as { readonly plugin: Plugin }).plugin
}

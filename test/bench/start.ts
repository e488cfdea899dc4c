// The cost of a start: processor time to the first answer and of the minute after it, memory, threads and modules, beside
// a floor process (see start-floor.js) in the same run. Processor time, because the wall clock belongs to the machine.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, highestOf, residentOf, statOf, usedBy } from './process.ts'
import { quantile } from './server.ts'
import type { Figure } from './index.ts'
import { installedBytes } from './installed.ts'

const STARTS = Number(process.env['BENCH_STARTS'] ?? 3)
const REST_MS = Number(process.env['BENCH_REST_S'] ?? 60) * 1_000
const ASK_MS = 25
const SAMPLE_MS = 200
const TICK_MS = 10

const SERVICE = join(import.meta.dirname, '../../core/start.js')
const FLOOR = join(import.meta.dirname, 'start-floor.js')

interface Measured {
  /** Processor time of the process and of its children, in milliseconds. */
  readonly startMs: number
  readonly restMs: number
  /** Resident memory in bytes: at the first answer, the most, and at the end. */
  readonly first: number
  readonly most: number
  readonly last: number
  /** Of each thread that is left at the end: name and processor time. */
  readonly threads: readonly { readonly name: string; readonly usedMs: number }[]
}

export async function benchStart(): Promise<readonly Figure[]> {
  const root = await mkdtemp(join(tmpdir(), 'playhead-bench-start-'))
  try {
    const data = join(root, 'data')
    const floorData = join(root, 'floor')
    // Its first start fills the compile cache.
    await measure(FLOOR, floorData, 1_000)
    const firsts: Measured[] = []
    const first = await measure(SERVICE, data, REST_MS)
    // Compiles what only dormant plugins need.
    await measure(SERVICE, data, REST_MS / 3)
    const floors: Measured[] = []
    const later: Measured[] = []
    for (let round = 0; round < STARTS; round += 1) {
      floors.push(await measure(FLOOR, floorData, 3_000))
      firsts.push(await measure(SERVICE, join(root, `data-${round}`), 1_000))
      later.push(await measure(SERVICE, data, REST_MS))
    }
    const modules = await countModules(SERVICE, data, root)
    const floorModules = await countModules(FLOOR, floorData, root)
    const median = (list: readonly Measured[], of: (one: Measured) => number) => quantile(list.map(of), 0.5)
    const floorMs = median(floors, ({ startMs }) => startMs)
    const laterMs = median(later, ({ startMs }) => startMs)
    const firstMs = median(firsts, ({ startMs }) => startMs)
    const rest = `work after the first answer, ${REST_MS / 1_000} s`
    return [
      { what: 'floor: processor time to the first answer', value: floorMs, unit: 'ms' },
      { what: 'floor: resident memory, the most', value: median(floors, ({ most }) => most) / 1e6, unit: 'MB' },
      { what: 'floor: modules', value: total(floorModules), unit: '' },
      ...valuesOf('later start: processor time to the first answer', later, ({ startMs }) => startMs, 'ms'),
      { what: '  times the floor', value: laterMs / floorMs, unit: '', aim: '<= 2' },
      ...valuesOf(`later start: ${rest}`, later, ({ restMs }) => restMs, 'ms', '<= 200'),
      ...valuesOf('later start: memory at the first answer', later, ({ first: bytes }) => bytes / 1e6, 'MB'),
      ...valuesOf('later start: memory, the most', later, ({ most }) => most / 1e6, 'MB', '<= 140'),
      ...valuesOf(`later start: memory after ${REST_MS / 1_000} s`, later, ({ last }) => last / 1e6, 'MB', '<= 125'),
      { what: 'later start: threads', value: median(later, ({ threads }) => threads.length), unit: '' },
      ...(later.at(-1)?.threads ?? []).map(({ name, usedMs }) => ({ what: `  ${name}`, value: usedMs, unit: 'ms' })),
      ...[...modules].map(([thread, count]) => ({
        what: thread === '0' ? 'later start: modules of the main thread' : `  modules of thread ${thread}`,
        value: count,
        unit: '',
      })),
      ...valuesOf(
        'first start in an empty folder: processor time to the first answer',
        firsts,
        ({ startMs }) => startMs,
        'ms',
        `<= ${Math.round(laterMs * 1.5 + 500)}`,
      ),
      { what: '  times the floor', value: firstMs / floorMs, unit: '' },
      { what: '  times a later start', value: firstMs / laterMs, unit: '' },
      { what: `first start: ${rest}`, value: first.restMs, unit: 'ms' },
      { what: 'first start: memory, the most', value: first.most / 1e6, unit: 'MB' },
      { what: `first start: memory after ${REST_MS / 1_000} s`, value: first.last / 1e6, unit: 'MB' },
      {
        what: 'files of an installation without development packages',
        value: (await installedBytes()) / 1e6,
        unit: 'MB',
        aim: '<= 150',
      },
    ]
  } finally {
    await rm(root, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** The median, and the least and the most beside it. */
function valuesOf(
  what: string,
  list: readonly Measured[],
  of: (one: Measured) => number,
  unit: string,
  aim?: string,
): readonly Figure[] {
  const values = list.map(of)
  return [
    { what, value: quantile(values, 0.5), unit, ...(aim === undefined ? {} : { aim }) },
    { what: '  the least', value: Math.min(...values), unit },
    { what: '  the most', value: Math.max(...values), unit },
  ]
}

const total = (modules: ReadonlyMap<string, number>) => [...modules.values()].reduce((sum, count) => sum + count, 0)

async function begin(file: string, data: string, options: Readonly<Record<string, string>> = {}) {
  await mkdir(data, { recursive: true })
  const port = await freePort()
  const child = spawn(process.execPath, [file], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      PLAYHEAD_DATA_DIR: data,
      PLAYHEAD_HOST: '127.0.0.1',
      PLAYHEAD_PORT: String(port),
      PLAYHEAD_LOG_LEVEL: 'error',
      ...options,
    },
  })
  const pid = child.pid as number
  const isOver = once(child, 'exit')
  const answers = async () =>
    (await fetch(`http://127.0.0.1:${port}/api/health`, { headers: { connection: 'close' } }).catch(() => null))
      ?.status === 200
  while (!(await answers())) {
    if (child.exitCode !== null) throw new Error(`${file} ended with ${child.exitCode}`)
    await sleep(ASK_MS)
  }
  return {
    pid,
    async end() {
      child.kill('SIGTERM')
      await isOver
    },
  }
}

async function measure(file: string, data: string, restMs: number): Promise<Measured> {
  const { pid, end } = await begin(file, data)
  const startMs = await usedBy(pid)
  const first = await residentOf(pid)
  let most = first
  for (const endMs = performance.now() + restMs; performance.now() < endMs; await sleep(SAMPLE_MS))
    most = Math.max(most, await residentOf(pid))
  // The kernel's own mark: what a sample misses.
  most = Math.max(most, await highestOf(pid))
  const restUsedMs = (await usedBy(pid)) - startMs
  const last = await residentOf(pid)
  const threads = await threadsOf(pid)
  await end()
  return { startMs, restMs: restUsedMs, first, most, last, threads }
}

/** Number of loaded modules by thread; the main thread is 0. */
async function countModules(file: string, data: string, root: string): Promise<ReadonlyMap<string, number>> {
  const list = join(root, 'modules')
  const hook = join(root, 'count-modules.mjs')
  await writeFile(list, '')
  await writeFile(
    hook,
    `import { registerHooks } from 'node:module'
import { appendFileSync } from 'node:fs'
import { threadId } from 'node:worker_threads'
registerHooks({ load(url, context, next) {
  if (!url.startsWith('node:')) appendFileSync(${JSON.stringify(list)}, threadId + '\\n')
  return next(url, context)
} })
`,
  )
  const { end } = await begin(file, data, { NODE_OPTIONS: `--import ${hook}` })
  await sleep(REST_MS / 2)
  const lines = (await readFile(list, 'utf8')).trim().split('\n')
  await end()
  const counts = new Map<string, number>()
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1)
  return counts
}

async function threadsOf(pid: number): Promise<Measured['threads']> {
  const ids = await readdir(`/proc/${pid}/task`)
  return Promise.all(
    ids.map(async (id) => {
      const name = (await readFile(`/proc/${pid}/task/${id}/comm`, 'utf8')).trim()
      const fields = await statOf(`/proc/${pid}/task/${id}/stat`)
      return { name, usedMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS }
    }),
  )
}

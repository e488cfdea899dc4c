// The service as a process of its own, as `npm start` runs it, with figures from outside: memory, processor time, threads; and
// stalls of its main thread, which it measures itself.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, highestOf, residentOf, usedBy } from './process.ts'
import { FLAGS, VARIABLES } from '../../core/runtime-settings.js'
import type { Client } from '../demo/sign-in.ts'

const SERVICE = join(import.meta.dirname, '../../core/start.js')
const LOOP = new URL('./measure-loop.js', import.meta.url)
const SAMPLE_MS = 500

export interface LoopTimes {
  readonly longestMs: number
  readonly longestUsedMs: number
  /** Stalls of more than 30 ms of processor time. */
  readonly long: number
}

/** @param loopFile where the process writes the stalls of its main thread */
export async function startMeasured(data: string, loopFile: string, { flags = FLAGS, environment = {} } = {}) {
  await mkdir(data, { recursive: true })
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = spawn(process.execPath, [...flags, '--import', LOOP.href, SERVICE], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      PLAYHEAD_DATA_DIR: data,
      PLAYHEAD_HOST: '127.0.0.1',
      PLAYHEAD_PORT: String(port),
      PLAYHEAD_LOG_LEVEL: 'error',
      LOOP_FILE: loopFile,
      // For a profile.
      NODE_OPTIONS: process.env['BENCH_NODE_OPTIONS'] ?? '',
      ...VARIABLES,
      ...environment,
    },
  })
  const pid = child.pid as number
  const isOver = once(child, 'exit')
  const health = () =>
    fetch(`${url}/api/health`).then(
      ({ status }) => status === 200,
      () => false,
    )
  while (!(await health())) {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`)
    await sleep(25)
  }
  const answer = await fetch(`${url}/api/app-auth/credentials`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ enabled: true, username: 'ada', password: 'correct horse battery' }),
  })
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] as string
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
  const resident = () => residentOf(pid)
  return {
    url,
    pid,
    client,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async get(path: string): Promise<number> {
      const answer = await fetch(url + path, { headers: { cookie } })
      await answer.arrayBuffer()
      return answer.status
    },
    resident,
    most: () => highestOf(pid),
    usedMs: () => usedBy(pid),
    threads: async () => await readdir(`/proc/${pid}/task`),
    sample() {
      const samples: { readonly atMs: number; readonly bytes: number }[] = []
      const timer = setInterval(async () => {
        const bytes = await resident().catch(() => null)
        if (bytes !== null) samples.push({ atMs: performance.now(), bytes })
      }, SAMPLE_MS)
      return () => {
        clearInterval(timer)
        return samples
      }
    },
    async resetLoop(): Promise<void> {
      process.kill(pid, 'SIGUSR2')
      await sleep(1_500)
    },
    loop: async () => JSON.parse(await readFile(loopFile, 'utf8')) as LoopTimes,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await isOver
    },
  }
}

// Processor time and memory of another process, from /proc.
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:net'

const TICK_MS = 10
const PAGE_BYTES = 4_096

/** Processor time in milliseconds, of children too. */
export async function usedBy(pid: number): Promise<number> {
  const fields = await statOf(`/proc/${pid}/stat`)
  // User and system time, its own and of children that ended.
  const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * TICK_MS, 0)
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')).trim()
  let ofChildren = 0
  for (const child of children === '' ? [] : children.split(' '))
    ofChildren += await usedBy(Number(child)).catch(() => 0)
  return own + ofChildren
}

/** Fields from the third on: the name before may contain spaces and parentheses. */
export async function statOf(file: string): Promise<readonly string[]> {
  const stat = await readFile(file, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** Resident memory in bytes. */
export async function residentOf(pid: number): Promise<number> {
  return Number((await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ')[1]) * PAGE_BYTES
}

/** The most resident memory so far, in bytes: the kernel's own mark. */
export async function highestOf(pid: number): Promise<number> {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

/**
 * Measures how long threads of processes wait for a processor: of each tenth of a second, the longest wait of a thread.
 * Without it a busy machine is measured, not the work. The result ends the measurement and returns milliseconds.
 */
export function watchWaiting(pids: readonly number[]): () => Promise<number> {
  let totalMs = 0
  let known = new Map<string, number>()
  let isFirst = true
  const sample = async () => {
    const now = new Map<string, number>()
    let longestMs = 0
    for (const pid of pids)
      for (const id of await readdir(`/proc/${pid}/task`).catch(() => [])) {
        const stat = await readFile(`/proc/${pid}/task/${id}/schedstat`, 'utf8').catch(() => undefined)
        if (stat === undefined) continue
        const ms = Number(stat.split(' ')[1]) / 1e6
        now.set(id, ms)
        longestMs = Math.max(longestMs, ms - (known.get(id) ?? (isFirst ? ms : 0)))
      }
    known = now
    isFirst = false
    totalMs += longestMs
  }
  let last = sample()
  const timer = setInterval(() => (last = last.then(sample)), 100)
  return async () => {
    clearInterval(timer)
    await last
    await sample()
    return totalMs
  }
}

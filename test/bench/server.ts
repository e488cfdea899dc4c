// Servers in separate processes, as the benches start, query and stop them.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Running {
  readonly url: string
  readonly cookie: string
  readonly process: ChildProcess
  ask(question: string): Promise<any>
  stop(): Promise<void>
  /** Waits for a normal exit. */
  end(): Promise<void>
}

export async function run(kind: string, directory: string): Promise<Running> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'server-process.ts'), kind, directory], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // As with `npm start` from the second start on, for the service and the bare server.
    env: { ...process.env, NODE_COMPILE_CACHE: join(directory, 'compile-cache') },
  })
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`${kind} ended with ${code}`)
  })
  failed.catch(() => {})
  const [ready] = (await Promise.race([once(child, 'message'), failed])) as [{ url: string; cookie: string }]
  return {
    ...ready,
    process: child,
    async ask(question) {
      child.send(question)
      const [answer] = (await once(child, 'message')) as [unknown]
      return answer
    },
    async end() {
      child.send('exit')
      await once(child, 'exit')
    },
    async stop() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

/** Fails after a minute. */
export async function until(check: () => Promise<boolean>): Promise<void> {
  for (const endsAt = performance.now() + 60_000; !(await check()); await sleep(100))
    if (performance.now() > endsAt) throw new Error('it did not happen within a minute')
}

export function quantile(values: readonly number[], at: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? Number.NaN
}

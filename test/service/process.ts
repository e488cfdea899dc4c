// Starts the service as a separate process, as `npm start` does.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Client } from '../demo/sign-in.ts'
import { shareCaches } from '../shared-caches.ts'

export type ServiceProcess = Awaited<ReturnType<typeof spawnService>>

export async function spawnService(
  dataDirectory: string,
  environment: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
  /** The folder of the installation. */
  root = join(import.meta.dirname, '../..'),
) {
  await shareCaches(dataDirectory)
  const child = spawn(process.execPath, [join(root, 'core/start.js'), ...flags], {
    env: { PATH: process.env['PATH'], PLAYHEAD_DATA_DIR: dataDirectory, PLAYHEAD_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  const ended = once(child, 'exit') as Promise<[number | null, string | null]>
  const ready = Promise.withResolvers<string>()
  for (const output of [child.stdout, child.stderr]) {
    createInterface({ input: output }).on('line', (line) => {
      lines.push(line)
      const url = /"url":"(http[^"]+)"/.exec(line)?.[1]
      if (url !== undefined) ready.resolve(url)
    })
  }
  const url = await Promise.race([ready.promise, ended.then(() => null)])
  return {
    /** null if the service did not start. */
    url,
    lines,
    pid: child.pid,
    ended,
    async kill(signal: NodeJS.Signals) {
      child.kill(signal)
      return ended
    },
    post: (path: string, body: unknown, cookie = '') =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie },
        body: JSON.stringify(body),
      }),
    get: (path: string, cookie = '') => fetch(`${url}${path}`, { headers: { cookie }, redirect: 'manual' }),
  }
}

export function cookieOf(answer: Response): string {
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] as string
}

/** A signed-in client. */
export async function clientOf(
  service: ServiceProcess,
  account: { readonly username: string; readonly password: string },
): Promise<Client> {
  const cookie = cookieOf(await service.post('/api/app-auth/login', account))
  return {
    async json(path, { json, method } = {}) {
      const answer = await fetch(service.url + path, {
        method: method ?? (json === undefined ? 'GET' : 'POST'),
        headers: { cookie, ...(json === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      })
      return { status: answer.status, body: await answer.json() }
    },
  }
}

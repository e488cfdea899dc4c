// The service with one plugin, or with a second one beside it, as a child process with a fast watchdog.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'
import { PASSWORD, until, USERNAME } from '../../harness.ts'

const FILE = 'index.ts'
const MANIFEST = {
  id: 'looping',
  name: 'looping',
  version: '1.0.0',
  api: '^1.0.0',
  kind: 'service',
  // Added plugins have threads of their own.
  isolation: 'none',
  routes: [{ method: 'GET', path: '/api/looping', auth: 'P' }],
}

export async function openWorld(t: Test, code: string, beside?: { readonly manifest: object; readonly code: string }) {
  const directory = await mkdtemp(join(tmpdir(), 'playhead-test-'))
  t.teardown(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))
  const folder = join(directory, 'looping')
  const write = (code: string) => writeFile(join(folder, FILE), code)
  await mkdir(folder)
  await writeFile(join(folder, 'plugin.json'), JSON.stringify(MANIFEST))
  const plugins = [{ id: 'looping', source: './looping' }]
  if (beside !== undefined) {
    await mkdir(join(directory, 'beside'))
    const manifest = { ...MANIFEST, id: 'beside', name: 'beside', ...beside.manifest }
    await writeFile(join(directory, 'beside', 'plugin.json'), JSON.stringify(manifest))
    await writeFile(join(directory, 'beside', FILE), beside.code)
    plugins.push({ id: 'beside', source: './beside' })
  }
  await writeFile(join(directory, 'registry.json'), JSON.stringify({ version: 1, plugins }))
  await write(code)
  let cookie = ''

  async function start() {
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, 'run-service.ts'), join(directory, 'registry.json')],
      {
        env: { PATH: process.env['PATH'], PLAYHEAD_DATA_DIR: join(directory, 'data'), PLAYHEAD_PORT: '0' },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    const lines: any[] = []
    createInterface({ input: child.stdout }).on('line', (line) =>
      lines.push(line.startsWith('{') ? JSON.parse(line) : { msg: line }),
    )
    const ended = once(child, 'exit')
    t.teardown(() => child.kill('SIGKILL'))
    const { url } = await until('it is up', () => lines.find((line) => line.url !== undefined), 30_000)
    const call = async (path: string, json?: unknown) => {
      const answer = await fetch(url + path, {
        ...(json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) }),
        headers: { 'content-type': 'application/json', connection: 'close', cookie },
      })
      cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie
      return { status: answer.status, body: (await answer.json()) as any }
    }
    if (cookie === '')
      await call('/api/app-auth/credentials', { enabled: true, username: USERNAME, password: PASSWORD })
    return {
      lines,
      ended,
      call,
      kill: (signal: NodeJS.Signals) => child.kill(signal),
      plugin: async () => (await call('/api/plugins/looping')).body.plugin,
      async stop() {
        child.kill('SIGTERM')
        await ended
      },
    }
  }

  /** Enters the endless loop, which ends the process. */
  async function loop(service: Awaited<ReturnType<typeof start>>) {
    await t.rejects(service.call('/api/looping'))
    t.same(await service.ended, [null, 'SIGKILL'])
  }
  return { start, loop, write }
}

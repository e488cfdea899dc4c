// What the container adds: its health check, whatever protocol the service speaks, and a base image that cannot change
// unnoticed.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { startService } from '../harness.ts'

const ROOT = join(import.meta.dirname, '../..')
const DOCKERFILE = await readFile(join(ROOT, 'Dockerfile'), 'utf8')
const [program, ...args] = JSON.parse(/^HEALTHCHECK [^[]*(\[.*\])$/m.exec(DOCKERFILE)?.[1] ?? '[]') as string[]

/** The exit code of the Dockerfile's own command. */
async function healthCheck(port: string | number): Promise<number> {
  t.equal(program, 'node')
  const child = execFile(process.execPath, args, {
    cwd: ROOT,
    env: { PLAYHEAD_HOST: '0.0.0.0', PLAYHEAD_PORT: String(port) },
  })
  const [code] = (await once(child, 'exit')) as [number]
  return code
}

t.test('the health check finds the service alive over http and, once it speaks https, over that', async (t) => {
  const directory = t.testdir()
  for (const protocol of ['http', 'https']) {
    await using service = await startService({ directory, withoutAccount: true, watch: false })
    t.ok(service.url.startsWith(`${protocol}://`), service.url)
    t.equal(await healthCheck(new URL(service.url).port), 0, protocol)
    await service.config.change('test', (draft) => {
      draft['ui'] = { ...(draft['ui'] as object), protocol: 'https' }
    })
  }
})

t.test('the health check fails where nothing listens, and where what listens never answers', async (t) => {
  const silent = createServer((socket) => void socket.on('error', () => {}).resume()).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  t.equal(await healthCheck(port), 1)
  silent.close()
  await once(silent, 'close')
  t.equal(await healthCheck(port), 1)
})

t.test('each stage begins with one image, which is pinned by digest', async (t) => {
  const [, pinned] = /^ARG NODE_IMAGE=(\S+)$/m.exec(DOCKERFILE) ?? []
  t.match(pinned, /^node:26[\d.]*-slim@sha256:[0-9a-f]{64}$/)
  const images = [...DOCKERFILE.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image)
  t.equal(images.length, 3)
  for (const image of images) t.equal(image, '${NODE_IMAGE}')
})

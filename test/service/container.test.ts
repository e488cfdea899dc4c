// The container: its health check for every protocol of the service, and a base image that cannot change unnoticed.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { FLAGS } from '../../core/runtime-settings.js'
import { parse } from 'yaml'
import { startService } from '../harness.ts'

const ROOT = join(import.meta.dirname, '../..')
const DOCKERFILE = await readFile(join(ROOT, 'Dockerfile'), 'utf8')
const [program, ...args] = JSON.parse(/^HEALTHCHECK [^[]*(\[.*\])$/m.exec(DOCKERFILE)?.[1] ?? '[]') as string[]

/** The exit code of the command in the Dockerfile. */
async function healthCheck(port: string | number, host = '0.0.0.0'): Promise<number> {
  t.equal(program, 'node')
  const child = execFile(process.execPath, args, {
    cwd: ROOT,
    env: { PLAYHEAD_HOST: host, PLAYHEAD_PORT: String(port) },
  })
  const [code] = (await once(child, 'exit')) as [number]
  return code
}

t.test('the health check works over http and, after the switch, over https', async (t) => {
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

t.test('the health check uses the address that the service listens on', async (t) => {
  const environment = { PLAYHEAD_HOST: '127.0.0.2' }
  await using service = await startService({ environment, withoutAccount: true, watch: false })
  t.equal(await healthCheck(new URL(service.url).port, '127.0.0.2'), 0)
})

t.test('the health check fails if no process listens, or if it never answers', async (t) => {
  const silent = createServer((socket) => void socket.on('error', () => {}).resume()).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  t.equal(await healthCheck(port), 1)
  silent.close()
  await once(silent, 'close')
  t.equal(await healthCheck(port), 1)
})

t.test('each stage starts with an image that is pinned by digest, and runs without root', async (t) => {
  const [, pinned] = /^ARG NODE_IMAGE=(\S+)$/m.exec(DOCKERFILE) ?? []
  t.match(pinned, /^node:26[\d.]*-slim@sha256:[0-9a-f]{64}$/)
  const images = [...DOCKERFILE.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image)
  t.same(images, ['${NODE_IMAGE}', '${NODE_IMAGE}'])
  const last = DOCKERFILE.split(/^FROM /m).at(-1)
  t.match(last, /^USER node$[\s\S]*^CMD /m)
  t.equal(
    /^CMD (.*)$/m.exec(last ?? '')?.[1],
    `["node", ${FLAGS.map((flag) => `"${flag}"`).join(', ')}, "core/start.js"]`,
  )
  t.notMatch(DOCKERFILE, /amd64|arm64|x86_64|apt-get/, 'no step is for one architecture')
})

t.test('compose is read-only and without capabilities, and with a proxy only the proxy is published', async (t) => {
  const [plain, proxy] = await Promise.all(
    ['compose.yaml', 'compose.proxy.yaml'].map(async (file) =>
      parse(await readFile(join(ROOT, file), 'utf8'), { customTags: [{ tag: '!reset', collection: 'seq' }] }),
    ),
  )
  t.match(plain.services.playhead, {
    read_only: true,
    tmpfs: ['/tmp'],
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
    volumes: ['playhead:/data'],
  })
  t.same(proxy.services.playhead.ports, [])
  t.same(proxy.services.caddy.ports, ['80:80', '443:443', '443:443/udp'])
  t.match(proxy.services.playhead.environment.PLAYHEAD_PUBLIC_URL, /^https:\/\/\$\{PLAYHEAD_NAME/)
})

t.test('systemd accepts the unit, and rates its exposure low', async (t) => {
  const folder = t.testdir()
  // The unit names programs and folders of the target machine.
  const unit = (await readFile(join(ROOT, 'playhead.service'), 'utf8')).replace(
    /^ExecStart=\S+/m,
    `ExecStart=${process.execPath}`,
  )
  t.match(unit, /^RestartPreventExitStatus=78$/m)
  const file = join(folder, 'playhead.service')
  await writeFile(file, unit)
  const analyze = promisify(execFile)
  if ((await analyze('systemd-analyze', ['--version']).catch(() => null)) === null)
    return t.pass('systemd-analyze is not here')
  const { stderr } = await analyze('systemd-analyze', ['verify', file])
  t.notMatch(stderr, /playhead\.service/, stderr)
  const { stdout } = await analyze('systemd-analyze', ['security', '--offline=true', '--no-pager', file])
  const [, exposure] = /Overall exposure level[^:]*: ([\d.]+)/.exec(stdout) ?? []
  t.ok(Number(exposure) < 3, stdout)
})

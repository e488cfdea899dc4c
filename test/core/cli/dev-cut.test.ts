// slow: command lines that start the service
// `plugin dev` at a running service, while the network, service, token and plugin fail.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { until } from '../../harness.ts'
import { cookieOf, spawnService } from '../../service/process.ts'
import { devOf, openSandbox } from './support.ts'

t.setTimeout(900_000)
const ACCOUNT = { username: 'ada', password: 'correct horse battery' }
const LIVE = /Waiting for the next save|Not loaded/

/** A proxy to the service whose address stays when the service is another process. */
async function openNetwork() {
  const sockets = new Set<Socket>()
  let port: number | null = null
  let isSilent = false
  const unanswered: string[] = []
  const server = createServer((near) => {
    const keep = (socket: Socket) => {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
      socket.on('error', () => {})
    }
    keep(near)
    if (isSilent) return near.on('data', (chunk) => unanswered.push(String(chunk).split('\r\n', 1)[0]!))
    if (port === null) return near.destroy()
    const far = connect(port, '127.0.0.1')
    keep(far)
    near.pipe(far).pipe(near)
    far.on('close', () => near.destroy())
    near.on('close', () => far.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const hangUp = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    to(url: string) {
      isSilent = false
      port = Number(new URL(url).port)
    },
    /** Connections are refused, or accepted and never answered. */
    cut(how: 'refused' | 'silent') {
      isSilent = how === 'silent'
      port = null
      hangUp()
    },
    /** A version was sent and is not answered. */
    sending: () => until('it is sent', () => unanswered.some((line) => /^POST .*plugin-development\?/.test(line))),
    [Symbol.asyncDispose]: async () => {
      hangUp()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const source = (mark: string) => `import { definePlugin } from '@playhead/sdk'

export default definePlugin({ routes(app) { app.get('/api/my-day', () => ({ mark: '${mark}' })) } })
`

async function open(t: { teardown(work: () => unknown): void }) {
  const sandbox = await openSandbox()
  const folder = join(sandbox.folder, 'my-day')
  await mkdir(folder)
  const manifest = {
    ...{ id: 'my-day', name: 'My day', version: '0.1.0', api: '^1.0.0', kind: 'service' },
    routes: [{ method: 'GET', path: '/api/my-day' }],
  }
  await writeFile(join(folder, 'plugin.json'), JSON.stringify(manifest))
  await writeFile(join(folder, 'index.ts'), source('one'))
  const data = join(sandbox.folder, 'service')
  const network = await openNetwork()
  const start = async () => {
    const service = await spawnService(data)
    t.teardown(() => service.kill('SIGKILL'))
    network.to(service.url ?? '')
    return service
  }
  let service = await start()
  await service.post('/api/app-auth/credentials', { enabled: true, ...ACCOUNT })
  const signIn = async () => cookieOf(await service.post('/api/app-auth/login', ACCOUNT))
  let cookie = await signIn()
  const call = async (method: string, path: string, json?: unknown) => {
    const answer = await fetch(service.url + path, {
      method,
      headers: { cookie, ...(json === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    })
    return { status: answer.status, body: (await answer.json()) as any }
  }
  const { secret, token } = (await call('POST', '/api/tokens', { name: 'laptop', scope: 'admin' })).body
  await writeFile(join(sandbox.folder, 'token.txt'), secret)
  return {
    sandbox,
    network,
    call,
    token,
    mark: async () => (await call('GET', '/api/my-day')).body.mark,
    dev(...more: readonly string[]) {
      const begin = more.includes('--yes') ? sandbox.start : sandbox.startAtTerminal
      const words = ['--url', network.url, '--token-file', 'token.txt', '--lease', '8', ...more]
      const dev = devOf(sandbox, 'my-day', begin('plugin', 'dev', 'my-day', ...words))
      t.teardown(() => dev.child.kill('SIGKILL'))
      return dev
    },
    save: (mark: string) => writeFile(join(folder, 'index.ts'), source(mark)),
    write: (text: string) => writeFile(join(folder, 'index.ts'), text),
    ask: (hosts: readonly string[]) =>
      writeFile(join(folder, 'plugin.json'), JSON.stringify({ ...manifest, needs: { hosts } })),
    mend: () => network.to(service.url ?? ''),
    kill: () => service.kill('SIGKILL'),
    async restart() {
      service = await start()
      cookie = await signIn()
    },
    async [Symbol.asyncDispose]() {
      await service.kill('SIGKILL')
      await network[Symbol.asyncDispose]()
      await sandbox[Symbol.asyncDispose]()
    },
  }
}

t.test('the last good version is restored after any outage, unless it was ended on purpose', async (t) => {
  await using place = await open(t)
  const dev = place.dev('--yes')
  await dev.said(LIVE)
  t.equal(await place.mark(), 'one')
  const after = async (work: () => unknown, ...said: readonly RegExp[]) => {
    const from = dev.output().length
    await work()
    for (const one of said) await dev.said(one, from)
    return dev.output().slice(from)
  }

  place.network.cut('refused')
  const unsent = await after(() => place.save('two'), /Not loaded/, /this is tried again/)
  t.match(unsent, /FAIL {2}live +the service could not be reached[\s\S]*sent again when the service answers/)
  const mended = await after(place.mend, /sent again: 0\.1\.0/, /answers again/)
  t.equal(`${unsent}${mended}`.match(/this is tried again/g)?.length, 1, 'it is said once')
  t.equal(await place.mark(), 'two', 'what was saved meanwhile')

  await place.kill()
  await after(place.restart, /sent again: 0\.1\.0/)
  t.equal(await place.mark(), 'two', 'the service was killed')

  place.network.cut('silent')
  await place.save('three')
  await place.network.sending()
  await after(() => place.write('const broken = ;'), /FAIL {2}code/)
  await after(place.mend, /sent again/)
  t.equal(await place.mark(), 'three', 'the last good one, also if it was being sent when the next was saved')
  await after(() => place.save('four'), /Waiting for the next save/)
  t.equal(await place.mark(), 'four')

  await after(
    () => place.call('DELETE', '/api/plugin-development/my-day'),
    /ada ended the work on "my-day"[\s\S]*next good save is sent/,
  )
  t.equal((await place.call('GET', '/api/my-day')).status, 404)
  await after(() => place.save('five'), /Waiting for the next save/)
  t.equal(await place.mark(), 'five')

  const ended = once(dev.child, 'exit')
  await place.call('DELETE', `/api/tokens/${place.token.id}`)
  t.same(await ended, [1, null])
  t.match(dev.output(), /could not be told[\s\S]*within 8 s[\s\S]*playhead: the service refuses the token/)
  await until('the lease ends', async () => (await place.call('GET', '/api/my-day')).status === 404)
})

t.test('Ctrl-C ends the command, even while a version is sent to a service that does not answer', async (t) => {
  await using place = await open(t)
  const dev = place.dev('--yes')
  await dev.said(/ok {4}code/)
  place.network.cut('silent')
  await place.network.sending()
  const ended = once(dev.child, 'exit')
  dev.child.kill('SIGINT')
  t.same(await ended, [0, null])
  t.match(dev.output(), /Stopping …\nThe service could not be told \(the service does not answer\)/)
})

const hasTerminal = spawnSync('script', ['--version']).stdout?.includes('util-linux') === true

t.test('a review asks a question', { skip: !hasTerminal && 'needs script(1) of util-linux' }, async (t) => {
  await using place = await open(t)
  const dev = place.dev()
  const QUESTION = /Accept it\? \[y\/N\] /
  const next = async (work: () => unknown, said: RegExp) => {
    const from = dev.output().length
    await work()
    return dev.said(said, from)
  }
  await dev.said(QUESTION)
  await next(() => dev.type('n\n'), /it was not accepted[\s\S]*Not loaded/)
  t.equal((await place.call('GET', '/api/my-day')).status, 404)
  await next(() => place.save('two'), QUESTION)
  await next(() => place.save('three'), /saved index\.ts[\s\S]*Accept it\? \[y\/N\] /)
  await next(() => dev.type('y\n'), /ok {4}live/)
  t.equal(await place.mark(), 'three', 'a save while it asks is asked about itself')
  await next(() => place.save('four'), /ok {4}live/)
  t.equal(await place.mark(), 'four', 'nothing new is asked for')

  await place.ask(['api.example.org'])
  await dev.said(/reaches: api\.example\.org[\s\S]*Accept it\? \[y\/N\] /)
  const ended = once(dev.child, 'exit')
  dev.type('\u0003')
  t.same(await ended, [0, null])
  t.match(dev.output(), /What was there before my-day is back/)
  t.equal((await place.call('GET', '/api/my-day')).status, 404)
})

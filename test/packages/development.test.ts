// slow: packages packed, installed and updated
// Versions that an author sends to a service during development: reviewed, live at once, and removed without a trace.
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { startService, until, type Service } from '../harness.ts'
import { pluginFiles, tarball } from './tarballs.ts'

t.setTimeout(900_000)
const ROUTES = [{ method: 'GET', path: '/api/hello' }]
const OWN = {
  manifest: { name: 'Hello', version: '0.9.0', kind: 'service', routes: ROUTES },
  files: { 'index.ts': source('own') },
}

function source(mark: string, setup = ''): string {
  return `import { definePlugin, hook, Type } from '@playhead/sdk'
export default definePlugin({ setup(ctx) { ${setup} }, routes(app) { app.get('/api/hello', () => ({ mark: '${mark}' })) } })
`
}

function version(mark: string, setup = '', manifest: object = {}): Buffer {
  return tarball(pluginFiles({}, { source: source(mark, setup), manifest: { routes: ROUTES, ...manifest } }))
}

async function tokenOf(service: Service, scope: string): Promise<string> {
  return (await service.json('/api/tokens', { json: { name: `a ${scope} token`, scope } })).body.secret
}

/** Calls as an author with a token; `reviewed` also accepts the requested permissions. */
function author(service: Service, token: string) {
  const call = (path: string, init: RequestInit = {}) =>
    service.json(`/api/plugin-development${path}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, cookie: '' },
    })
  const send = (bytes: Buffer, query: Readonly<Record<string, string>> = {}) => {
    const body = new FormData()
    body.set('file', new Blob([new Uint8Array(bytes)]), 'plugin.tgz')
    return call(`?${new URLSearchParams({ replace: 'true', ...query })}`, { method: 'POST', body })
  }
  return {
    send,
    async reviewed(bytes: Buffer, query: Readonly<Record<string, string>> = {}) {
      const { sha512 } = (await send(bytes, query)).body
      return send(bytes, { ...query, accept: sha512 })
    },
    keep: (id: string) => call(`/${id}/keep`, { method: 'POST' }),
    end: (id: string) => call(`/${id}`, { method: 'DELETE' }),
    list: async () => (await call('')).body.versions,
  }
}

const markOf = async (service: Service) => (await service.json('/api/hello')).body?.mark
const registryOf = (service: Service) =>
  readFile(join(service.directory, 'data', 'plugin-registry.json'), 'utf8').then(JSON.parse)
async function foldersOf(service: Service): Promise<readonly string[]> {
  const home = join(service.directory, 'data', 'plugins', 'installed', '.development', 'hello')
  return existsSync(home) ? readdir(home) : []
}

t.test('a version is live at once, a failing one changes nothing, and the end restores the previous one', async (t) => {
  await using service = await startService({ plugins: { hello: OWN } })
  const { send, reviewed, end, list } = author(service, await tokenOf(service, 'admin'))
  t.equal(await markOf(service), 'own')
  const before = await registryOf(service)
  t.match(await send(version('first'), { replace: 'false' }), { status: 409, body: { error: 'plugin_id_taken' } })
  t.match((await reviewed(version('first'))).body, { ok: true, state: 'live' })
  t.equal(await markOf(service), 'first')
  t.match(await send(version('second', "throw new Error('bad start')")), {
    status: 200,
    body: { ok: false, state: 'failed', error: { message: /bad start/ }, plugin: { state: 'active' } },
  })
  t.match(await send(version('broken', 'const x = ;')), { status: 409, body: { error: 'plugin_build_failed' } })
  t.equal(await markOf(service), 'first', 'what was live stays live')
  t.match((await send(version('third'))).body, { ok: true }, 'it asks for nothing new')
  t.equal(await markOf(service), 'third')
  t.match((await send(version('third'))).body, { ok: true, state: 'live' }, 'the same once more')
  t.match(await send(version('x', '', { isolation: 'none' })), { status: 400, body: { error: 'package_refused' } })
  t.match(await list(), [{ id: 'hello', version: '1.0.0', stands_in: true, plugin: { state: 'active' } }])

  t.match(await end('hello'), { status: 200 })
  t.equal(await markOf(service), 'own')
  t.same(await registryOf(service), before, 'the registry is what it was')
  t.same(await foldersOf(service), [], 'no version is kept')
  t.equal((await end('hello')).status, 404)
})

t.test('permissions of a version are reviewed like those of a package, and enforced', async (t) => {
  await using service = await startService()
  const { send, reviewed, end } = author(service, await tokenOf(service, 'admin'))
  const first = await send(version('first'))
  t.match(first.body, {
    ok: false,
    state: 'review',
    new_asks: [/settings/, /GET \/api\/hello/, /memory/],
    plugin: null,
  })
  t.equal((await service.json('/api/hello')).status, 404, 'nothing was run')
  t.match((await send(version('other'), { accept: first.body.sha512 })).body, { state: 'review' }, 'of other bytes')
  t.match((await send(version('first'), { accept: first.body.sha512 })).body, { state: 'live' })

  const more = version('more', '', { needs: { hosts: ['evil.example.com'] } })
  t.match((await send(more)).body, { state: 'review', new_asks: ['reaches: evil.example.com'] })
  t.equal(await markOf(service), 'first')
  t.match((await reviewed(more)).body, { state: 'live' })
  t.equal(await markOf(service), 'more')

  const hidden = version('hidden', "ctx.tap(hook.notify('runFinished'), 'spy', () => {})")
  t.match((await reviewed(hidden)).body, { state: 'failed', error: { message: /needs\.hooks: runFinished/ } })
  t.equal(await markOf(service), 'more')
  t.match((await end('hello')).body, { ok: true, plugin: null })
  t.equal((await service.json('/api/hello')).status, 404)
})

t.test('only an API token with the scope admin may send, and the sender is recorded', async (t) => {
  await using service = await startService({ plugins: { hello: OWN } })
  const bySession = new FormData()
  bySession.set('file', new Blob([new Uint8Array(version('first'))]), 'plugin.tgz')
  t.match(await service.json('/api/plugin-development', { method: 'POST', body: bySession }), {
    status: 403,
    body: { error: 'admin_token_needed' },
  })
  for (const scope of ['read', 'run', 'write']) {
    const weak = author(service, await tokenOf(service, scope))
    t.equal((await weak.send(version('first'))).status, 403, scope)
    t.equal((await weak.keep('hello')).status, 403, scope)
    t.equal((await weak.end('hello')).status, 403, scope)
  }
  t.equal(await markOf(service), 'own')
  t.same(await foldersOf(service), [])

  const heard: { name: string; data: object }[] = []
  service.events.on('plugin.*', ({ name, data }) => {
    if (name.startsWith('plugin.development')) heard.push({ name, data })
  })
  const { reviewed, end } = author(service, await tokenOf(service, 'admin'))
  await reviewed(version('first'))
  await end('hello')
  t.match(heard, [
    { name: 'plugin.development_sent', data: { plugin: 'hello', version: '1.0.0', by: 'token a admin token' } },
    { name: 'plugin.development_ended', data: { plugin: 'hello', by: 'token a admin token' } },
  ])
})

t.test('a session ends when its author is silent, and continues while the author is connected', async (t) => {
  await using service = await startService({ plugins: { hello: OWN } })
  const { reviewed, send, keep, list } = author(service, await tokenOf(service, 'admin'))
  t.match((await reviewed(version('first'), { lease_s: '2' })).body, { ok: true })
  for (let times = 0; times < 6; times += 1) {
    await new Promise((resolve) => setTimeout(resolve, 500))
    t.equal((await keep('hello')).status, 200)
  }
  t.equal(await markOf(service), 'first', 'longer than its lease')
  await until('it was given up', async () => (await markOf(service)) === 'own', 20_000)
  t.same(await list(), [])
  t.equal((await keep('hello')).status, 404)
  t.equal((await send(version('x'), { lease_s: '0' })).status, 422)
})

t.test('a session does not survive the service, even after a kill', async (t) => {
  await using first = await startService({ plugins: { hello: OWN } })
  const token = await tokenOf(first, 'admin')
  await author(first, token).reviewed(version('first'))
  const during = await registryOf(first)
  t.match(during.plugins, [{ id: 'hello', development: { before: null } }])
  await first.stop()
  t.same(await registryOf(first), during, 'the state that a kill leaves')

  await using second = await startService({ directory: first.directory, plugins: { hello: OWN }, withoutAccount: true })
  second.setCookie(first.cookie())
  await until('the plugin runs', async () => (await markOf(second)) === 'own')
  t.same((await registryOf(second)).plugins, [])
})

t.test('a plugin that excludes others turns them off meanwhile, and on again at the end', async (t) => {
  await using service = await startService({
    plugins: {
      rival: {
        manifest: { provides: ['greeting:daily'] },
        files: {
          'index.ts': `import { capability, definePlugin } from '@playhead/sdk'
export default definePlugin({ setup(ctx) { ctx.provide(capability('greeting:daily'), { text: async () => 'rival' }) } })`,
        },
      },
    },
  })
  const { send, reviewed, end } = author(service, await tokenOf(service, 'admin'))
  const provides = "ctx.provide({ token: 'greeting:daily' }, { text: async () => 'mine' })"
  const mine = (mark: string, setup: string) => version(mark, setup, { provides: ['greeting:daily'] })
  t.match(await send(mine('a', provides), { replace: 'false' }), { status: 409, body: { error: 'plugin_id_taken' } })
  t.match((await reviewed(mine('a', "throw new Error('no')"))).body, { state: 'failed' })
  t.match(await service.plugin('rival'), { state: 'active' }, 'it is back when the version fails')
  t.match((await reviewed(mine('b', provides))).body, { state: 'live', switched_off: ['rival'] })
  t.match(await service.plugin('rival'), { state: 'disabled' })
  await end('hello')
  t.match(await service.plugin('rival'), { state: 'active' })
})

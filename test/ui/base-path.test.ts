// slow: a browser, step by step
// A base path behind a proxy that keeps or strips it: pages, streams, redirects, cookies, sign-in and webhook addresses stay
// below it.
import { once } from 'node:events'
import { glob, readFile } from 'node:fs/promises'
import { createServer, request as ask, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { ownOrigin } from '@playhead/sdk'
import { readEnvironment } from '../../core/environment.ts'
import { ownBaseUrl } from '../../sdk/caller.ts'
import { PASSWORD, settled, signIn, startUi, USERNAME } from './harness.ts'

t.setTimeout(900_000)
const BASE = '/playhead'

t.test('the environment takes a base path, and refuses what would be ambiguous', async (t) => {
  const read = (path: string, more = {}) => readEnvironment({ PLAYHEAD_BASE_PATH: path, ...more })
  t.equal(read('').basePath, '')
  t.equal(read('/').basePath, '')
  t.equal(read('/playhead/').basePath, BASE)
  t.equal(read('/home/media-1').basePath, '/home/media-1')
  for (const wrong of ['playhead', '//playhead', '/a b', '/a"b', '/..', '/a/../b', '/a?b', 'https://x.org/a'])
    t.throws(() => read(wrong), { message: /PLAYHEAD_BASE_PATH must be a path like/ }, wrong)
  for (const wrong of ['/api', '/assets/x', '/guide', '/login'])
    t.throws(() => read(wrong), { message: /PLAYHEAD_BASE_PATH must not begin with/ }, wrong)
  const publicUrl = (address: string) => read(BASE, { PLAYHEAD_PUBLIC_URL: address }).publicUrl
  t.equal(publicUrl('https://home.example/'), 'https://home.example/playhead')
  t.equal(publicUrl('https://home.example/playhead/'), 'https://home.example/playhead')
})

t.test('no page has an address without the base path', async (t) => {
  const root = join(import.meta.dirname, '../../ui')
  for await (const file of glob('{api,app,pages,parts}/**/*.{ts,tsx}', { cwd: root })) {
    const code = await readFile(join(root, file), 'utf8')
    const found = code.match(
      /(?:fetch|location\.(?:assign|replace)|EventSource|window\.open)\(['"`]\/|(?:href|src)=(?:"|\{`|\{')\/(?:api|assets|docs|redoc|guide|metrics)\b.*|location\.origin/g,
    )
    if (file !== 'api/base.ts') t.same(found, null, file)
  }
})

t.test('behind both kinds of proxy, no request leaves the base path', async (t) => {
  await using ui = await startUi({ environment: { PLAYHEAD_BASE_PATH: BASE } })
  const { service, browser } = ui
  const { port, pathname } = new URL(service.url)
  t.equal(pathname, BASE, 'the printed address has it')

  for (const strips of [false, true]) {
    const { server, address, seen } = await startProxy(Number(port), strips)
    t.teardown(() => stop(server))
    const context = await browser.newContext()
    const page = await context.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => void errors.push(String(error)))
    page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())))

    await page.goto(`${address}${BASE}/runs`)
    t.equal(new URL(page.url()).pathname, `${BASE}/login`, 'a redirect to the sign-in')
    await signIn(page)
    await page.waitForURL(`${address}${BASE}/runs`)
    await settled(page)
    const [cookie] = await context.cookies(`${address}${BASE}/`)
    t.match(cookie, { name: 'cw_auth', path: BASE })

    await page.getByRole('navigation').getByRole('link', { name: 'Home', exact: true }).click()
    await page.waitForURL((url) => url.pathname === BASE || url.pathname === `${BASE}/`)
    await settled(page)
    await page.getByRole('link', { name: 'Accounts', exact: true }).first().click()
    await page.waitForURL(`${address}${BASE}/connections`)
    await settled(page)
    await page.reload()
    await settled(page)
    await page.goto(`${address}${BASE}/redoc`)
    await page.getByRole('link', { name: 'GET /api/pairs', exact: true }).waitFor()
    await page.goto(`${address}${BASE}/docs`)
    await page.locator('details').first().waitFor()
    await page.goto(`${address}${BASE}/nothing-here`)
    await page.getByRole('heading', { level: 1 }).waitFor()

    t.same(
      errors.filter((text) => !text.includes('404')),
      [],
      'no error and no refused resource',
    )
    t.ok(seen.some((url) => url.startsWith(`${BASE}/api/`)) && seen.some((url) => url.includes('/stream')))
    t.same(
      seen.filter((url) => !url.startsWith(`${BASE}/`) && url !== BASE),
      [],
      `no request outside (the proxy ${strips ? 'takes it off' : 'leaves it in'})`,
    )
    await context.close()
  }
})

t.test('addresses that leave the service have the base path', async (t) => {
  await using ui = await startUi({
    environment: { PLAYHEAD_BASE_PATH: BASE, PLAYHEAD_PUBLIC_URL: 'https://home.example' },
  })
  const { service } = ui
  const caller = { address: '::1', host: '10.0.0.2:8787', secure: false, session: null, basePath: BASE }
  t.equal(ownBaseUrl(caller), 'http://10.0.0.2:8787/playhead', 'webhook addresses, by the address that was asked for')
  t.equal(ownBaseUrl({ ...caller, publicOrigin: 'https://home.example' }), 'https://home.example/playhead')
  t.equal(ownOrigin(caller, 'http://10.0.0.2:8787/connections'), 'http://10.0.0.2:8787/playhead', 'sign-in redirects')
  t.equal(ownOrigin(caller, 'http://10.0.0.3:8787/playhead'), undefined)
  // The pages do the same: a redirect to SIMKL names the return address.
  await service.json('/api/config/sections/trackB', {
    method: 'PUT',
    json: { values: { client_id: 'an-id', client_secret: 'a-secret' } },
  })
  const { body: begun } = await service.json('/api/trackB/authorize', {
    json: { origin: 'https://home.example/playhead' },
  })
  t.equal(new URL(begun.authorize_url).searchParams.get('redirect_uri'), 'https://home.example/playhead/callback')
  const description = await service.json('/openapi.json')
  t.same(description.body.servers[0].url, `${BASE}/`)

  await service.json('/api/app-auth/logout', { json: {} })
  service.setCookie('')
  const page = await service.call('/pairs?tab=1', { headers: { accept: 'text/html' } })
  t.equal(page.headers.get('location'), `${BASE}/login?next=${encodeURIComponent('/pairs?tab=1')}`)
  const login = await service.call('/api/app-auth/login', { json: { username: USERNAME, password: PASSWORD } })
  t.match(login.headers.get('set-cookie'), /; Path=\/playhead;/)
  const out = await service.call('/logout')
  t.match([out.headers.get('location'), out.headers.get('set-cookie')], [`${BASE}/login`, /; Path=\/playhead;/])
})

/** A reverse proxy, and the paths that the browser requested from it. */
async function startProxy(port: number, strips: boolean) {
  const seen: string[] = []
  const server = createServer((incoming, outgoing) => {
    const url = incoming.url ?? '/'
    seen.push(url)
    if (!url.startsWith(BASE)) return void outgoing.writeHead(404).end()
    const inner = ask(
      {
        host: '127.0.0.1',
        port,
        method: incoming.method,
        path: strips ? url.slice(BASE.length) || '/' : url,
        headers: { ...incoming.headers, 'x-forwarded-for': incoming.socket.remoteAddress },
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      },
    )
    inner.on('error', () => outgoing.destroy())
    outgoing.on('close', () => inner.destroy())
    incoming.pipe(inner)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, seen, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}

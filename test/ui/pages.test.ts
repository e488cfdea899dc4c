// The pages and files that the service serves.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import { loadPages } from '../../core/http/pages.ts'
import { PAGE_PATHS } from '../../ui/app/paths.ts'
import { startService, type Service } from '../harness.ts'

const UI = join(import.meta.dirname, '../../ui')
const pages = await loadPages(UI)

/** Reads the raw bytes of a response. */
async function fetchRaw(service: Service, path: string, encoding: string) {
  const { request } = await import('undici')
  const { statusCode, headers, body } = await request(service.url + path, { headers: { 'accept-encoding': encoding } })
  return { status: statusCode, headers, body: Buffer.from(await body.arrayBuffer()) }
}

for (const name of ['index', 'entry', 'reference']) {
  t.test(`${name} has no inline script or style, and loads nothing from other hosts`, async (t) => {
    const html = await pages.page(name)

    t.notMatch(html, /<style|\sstyle=|\son[a-z]+=|javascript:/i)
    t.notMatch(html, /<script(?![^>]*\ssrc=)/i)
    t.notMatch(html, /(?:src|href|action)="(?:https?:)?\/\//i)
    t.match(html, /<html [^>]*lang="en"/)
    t.match(html, /<meta name="viewport"/)
  })

  t.test(`every file that ${name} uses exists`, async (t) => {
    const assets = [...(await pages.page(name)).matchAll(/\/assets\/([^"?]+)/g)].map(([, asset]) => asset ?? '')

    t.ok(assets.length > 0)
    for (const asset of assets) t.ok((await pages.asset(asset).read('br')).length > 0, asset)
  })
}

t.test('the shell contains one placeholder for the destination', async (t) => {
  for (const name of ['index', 'entry']) t.equal((await pages.page(name)).split('data-next="/"').length, 2, name)
})

t.test('only pages behind the sign-in begin with the frame', async (t) => {
  t.match(await pages.page('index'), /id="frame"/)
  t.notMatch(await pages.page('entry'), /frame/)
})

t.test('our own scripts write text, never markup', async (t) => {
  const sources = (await readdir(UI, { recursive: true })).filter(
    (file) => /\.(?:tsx?|js)$/.test(file) && !file.startsWith('dist'),
  )
  t.ok(sources.length > 0)
  for (const name of sources) {
    t.notMatch(
      await readFile(join(UI, name), 'utf8'),
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|dangerouslySetInnerHTML/,
      name,
    )
  }
})

t.test('the built scripts load nothing from other hosts', async (t) => {
  const scripts = (await readdir(join(UI, 'dist'))).filter((name) => name.endsWith('.js'))
  t.ok(scripts.length > 0)
  for (const name of scripts)
    t.notMatch(
      await readFile(join(UI, 'dist', name), 'utf8'),
      /(?:import\(|from|\.src ?=|fetch\()\s*["'`]https?:/,
      name,
    )
})

t.test('all pages redirect to the sign-in without a session, and only then', async (t) => {
  await using service = await startService({ watch: false })
  const cookie = service.cookie()
  for (const path of PAGE_PATHS.filter((one) => one !== '/login').map((one) => one.replaceAll(/:[a-z]+/g, 'x'))) {
    service.setCookie('')
    const stranger = await service.call(path)
    t.equal(stranger.status, 302, path)
    t.equal(stranger.headers.get('location'), path === '/' ? '/login' : `/login?next=${encodeURIComponent(path)}`)
    service.setCookie(cookie)
    const answer = await service.call(path)
    t.equal(answer.status, 200, path)
    t.match(answer.headers.get('content-type'), 'text/html')
    t.equal(answer.headers.get('cache-control'), 'no-store')
    t.match(answer.headers.get('content-security-policy'), /default-src 'self'/)
    t.match(await answer.text(), /id="root" data-next="\/"/)
  }
})

t.test('files are compressed as the browser accepts, and cached forever', async (t) => {
  await using service = await startService({ watch: false })
  const name = /\/assets\/(main-[^"]+\.js)/.exec(await pages.page('index'))?.[1] as string
  const plain = await readFile(join(UI, 'dist', name))

  const asked = {
    br: await fetchRaw(service, `/assets/${name}`, 'gzip, deflate, br'),
    gzip: await fetchRaw(service, `/assets/${name}`, 'gzip;q=0.5, br;q=0'),
    none: await fetchRaw(service, `/assets/${name}`, 'identity'),
  }
  t.match([asked.br.headers, asked.gzip.headers], [{ 'content-encoding': 'br' }, { 'content-encoding': 'gzip' }])
  t.equal(asked.none.headers['content-encoding'], undefined)
  t.ok(brotliDecompressSync(asked.br.body).equals(plain))
  t.ok(gunzipSync(asked.gzip.body).equals(plain))
  t.ok(asked.none.body.equals(plain))
  for (const { status, headers } of Object.values(asked)) {
    t.equal(status, 200)
    t.match(headers, {
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
      'content-type': 'text/javascript; charset=utf-8',
    })
  }
  const chunk = (await readdir(join(UI, 'dist'))).find((file) => /^chunk-.*\.js$/.test(file))
  const map = await fetchRaw(service, `/assets/${chunk}.map`, 'identity')
  t.equal(map.status, 200)
  t.ok(JSON.parse(map.body.toString()).sources.length > 0)
})

t.test('only built files are served', async (t) => {
  await using service = await startService({ watch: false })
  for (const name of [
    'nothing.js',
    'manifest.json',
    'metafile.json',
    'constructor',
    '__proto__',
    '..%2f..%2fpackage.json',
    'main.tsx',
    'x.map',
  ]) {
    t.equal((await service.call(`/assets/${name}`)).status, 404, name)
  }
})

t.test('without a build the page explains what to do, and the API works', async (t) => {
  const directory = t.testdir({ static: { 'icon.svg': '<svg/>' } })
  const empty = await loadPages(directory)

  await t.rejects(empty.page('index'), { code: 'PLH_NOT_READY', message: /npm ci/ })
  t.throws(() => empty.asset('main.js'), { code: 'PLH_NOT_FOUND' })
  t.same(empty.paths, ['/'])
})

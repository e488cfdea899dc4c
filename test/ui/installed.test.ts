// slow: a browser, step by step
// The search dialog, the shortcuts, the bottom bar on phones, and the installed application.
import { readFile } from 'node:fs/promises'
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { expectOk, runToEnd } from '../demo/sign-in.ts'
import { startEmby } from '../upstreams/emby.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { seriousViolations, settled, startUi } from './harness.ts'

const ui = await startUi()
const { service } = ui
const [jellyfin, emby] = await Promise.all([
  startJellyfin({ movies: 12, shows: 1, activity: 0.8 }),
  startEmby({ movies: 12, shows: 1 }),
])
atEndOfFile(async () => {
  await ui[Symbol.asyncDispose]()
  await Promise.all([jellyfin.close(), emby.close()])
})
await expectOk(service, '/api/mediaB/login', { server: jellyfin.url, username: 'sam', password: 'secret' })
await expectOk(service, '/api/mediaC/login', { server: emby.url, username: 'sam', password: 'secret' })
const { body } = await service.json('/api/pairs', {
  json: {
    name: 'Attic and cellar',
    source: 'MEDIAB',
    target: 'MEDIAC',
    mode: 'two_way',
    enabled: true,
    features: { history: { enabled: true, add: true } },
  },
})
await runToEnd(service, { pair_id: body.pair?.id ?? body.id })
const films = (await service.json('/api/library?kind=movie&limit=1&fresh=true')).body.items
const film: { title: string; year: number } = films[0]

t.test('the search dialog finds titles, pages and actions', async (t) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await ui.open('/runs', { colorScheme })
    await settled(page)
    await page.keyboard.press('Control+k')
    const dialog = page.getByRole('dialog', { name: 'Search' })
    await dialog.getByPlaceholder('Titles, pages, actions').fill(film.title.slice(0, 12))
    const found = dialog.getByRole('button', { name: `${film.title} (${film.year})` }).first()
    await found.waitFor()
    await found.locator('img[data-there]').waitFor({ state: 'attached' })
    t.same(await seriousViolations(page), [], colorScheme)
    await found.click()
    await page.getByRole('heading', { level: 1, name: film.title }).waitFor()
    await page.keyboard.press('Control+k')
    await dialog.getByPlaceholder('Titles, pages, actions').fill('dark')
    await page.keyboard.press('Enter')
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
    t.same([page.recorded.errors, page.recorded.failed], [[], []])
    await page.close()
  }
})

t.test('the palette shows nothing that was found for the word before', async (t) => {
  const page = await ui.open('/runs')
  await settled(page)
  await page.keyboard.press('Control+k')
  const dialog = page.getByRole('dialog', { name: 'Search' })
  const field = dialog.getByPlaceholder('Titles, pages, actions')
  const found = dialog.getByRole('button', { name: `${film.title} (${film.year})` })
  await field.fill(film.title.slice(0, 12))
  await found.first().waitFor()
  const held = Promise.withResolvers<void>()
  await page.route(/\/api\/library\?q=/, async (route) => {
    await held.promise
    await route.continue()
  })
  const asked = page.waitForRequest(/\/api\/library\?q=schedule/)
  await field.fill('schedule')
  await dialog.getByRole('button', { name: 'Schedule', exact: true }).waitFor()
  t.equal(await found.count(), 0, 'while the word is typed')
  await asked
  t.equal(await found.count(), 0, 'while the service looks for it')
  held.resolve()
  await page.unroute(/\/api\/library\?q=/)
})

t.test('shortcuts go to pages and to the search, show themselves, and leave typing alone', async (t) => {
  const page = await ui.open('/')
  await settled(page)
  await page.keyboard.press('?')
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await sheet.getByText('Go to', { exact: true }).waitFor()
  t.same(await seriousViolations(page), [])
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  await page.keyboard.press('g')
  await page.keyboard.press('l')
  await page.waitForURL('**/library')
  await settled(page)
  await page.keyboard.press('/')
  await page.keyboard.type('g?h')
  t.equal(await page.getByRole('searchbox').inputValue(), 'g?h')
  t.equal(await sheet.count(), 0)
  t.equal(new URL(page.url()).pathname, '/library')
})

t.test("on a phone the main pages are within a thumb's reach", async (t) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await ui.open('/', { colorScheme, viewport: { width: 390, height: 844 } })
    await settled(page)
    const bar = page.getByRole('navigation', { name: 'Main pages' })
    await bar.getByRole('link', { name: 'History' }).click()
    await page.waitForURL('**/history')
    t.equal(await bar.getByRole('link', { name: 'History' }).getAttribute('aria-current'), 'page')
    await bar.getByRole('button', { name: 'More' }).click()
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Settings' }).click()
    await page.waitForURL('**/settings')
    await settled(page)
    t.same(await seriousViolations(page), [], colorScheme)
    await page.close()
  }
  const wide = await ui.open('/')
  await settled(wide)
  t.equal(await wide.getByRole('navigation', { name: 'Main pages' }).isVisible(), false)
})

t.test('the application can be installed, and shows an offline page when the service is unreachable', async (t) => {
  const shell = await (await service.call('/')).text()
  const manifest = (await (await service.call(/href="([^"]+\.webmanifest)"/.exec(shell)![1]!)).json()) as {
    icons: { src: string; sizes: string; purpose: string }[]
  }
  t.match(manifest, { name: 'Playhead', start_url: '../', display: 'standalone' })
  for (const { src, sizes } of manifest.icons) {
    const icon = await service.call(`/assets/${src}`)
    t.equal(icon.headers.get('content-type'), 'image/png')
    const bytes = Buffer.from(await icon.arrayBuffer())
    t.equal(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, sizes)
  }
  t.ok(manifest.icons.some(({ purpose }) => purpose === 'maskable'))
  t.equal((await service.call('/sw.js')).headers.get('cache-control'), 'no-cache')

  const page = await ui.open('/', { serviceWorkers: 'allow' })
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)')
  await page.reload()
  await settled(page)
  t.same(await page.evaluate('caches.keys()'), [], 'nothing is kept')
  await page.context().setOffline(true)
  await page.goto(`${service.url}/library`).catch(() => undefined)
  await page.getByRole('heading', { name: 'Could not reach Playhead' }).waitFor()
  t.same(await seriousViolations(page), [])
  await page.context().setOffline(false)
  await page.getByRole('link', { name: 'Try again' }).click()
  await settled(page)
  t.match(page.url(), /\/library$/)

  // A reload while it is away, and then no key is pressed.
  await page.context().setOffline(true)
  await page.goto(`${service.url}/history?kind=movie`).catch(() => undefined)
  await page.getByRole('heading', { name: 'Could not reach Playhead' }).waitFor()
  await page.context().setOffline(false)
  await page.getByRole('heading', { level: 1, name: 'History' }).waitFor()
  t.match(page.url(), /\/history\?kind=movie$/, 'the page that was asked for')
})

t.test('a new version offers to reload', async (t) => {
  const page = await ui.open('/')
  await settled(page)
  const worker = await (await service.call('/sw.js')).text()
  const own = /main-[A-Z0-9]+\.js/.exec(worker)![0]
  t.ok((await readFile(new URL('../../ui/dist/manifest.json', import.meta.url), 'utf8')).includes(own))
  await page.route('**/sw.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: worker.replaceAll(own, 'main-NEWER000.js') }),
  )
  await page.route('**/api/**', (route) => route.abort())
  await page.route('**/healthz', (route) => route.abort())
  await page.getByRole('link', { name: 'Runs', exact: true }).first().click()
  await page
    .getByText(/Reconnecting|Connection lost/)
    .first()
    .waitFor()
  await page.unroute('**/api/**')
  await page.unroute('**/healthz')
  await page.getByText('A new version is available').waitFor()
  await page.unroute('**/sw.js')
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Reload' }).click()])
  await settled(page)
  t.equal(await page.getByText('A new version is available').count(), 0)
})

// slow: a browser, step by step
// Recovery: unknown addresses, failed downloads and requests, and a device with a wrong clock.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { until } from '../harness.ts'
import { settled, startUi } from './harness.ts'

const AS_BROWSER = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } }
const HOUR_MS = 3_600_000

const ui = await startUi()
atEndOfFile(() => ui[Symbol.asyncDispose]())
const { service } = ui
const heading = (page: Awaited<ReturnType<typeof ui.open>>, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true })

t.test('an unknown address gives browsers a page and programs JSON', async (t) => {
  const page = await ui.open('/some/unknown')
  await heading(page, 'Page not found').waitFor()
  t.same([page.recorded.errors, page.recorded.failed], [[], ['404 GET /some/unknown']])
  await page.getByRole('link', { name: 'Go to Home' }).click()
  await heading(page, 'Home').waitFor()

  const answer = await service.call('/some/unknown', AS_BROWSER)
  t.equal(answer.status, 404)
  t.match(answer.headers.get('content-type'), 'text/html')
  for (const [path, init] of [
    ['/some/unknown', {}],
    ['/api/unknown', AS_BROWSER],
    ['/assets/unknown.js', AS_BROWSER],
    ['/some/unknown', { ...AS_BROWSER, json: {} }],
  ] as const) {
    const refused = await service.call(path, init)
    t.equal(refused.status, 404, path)
    t.match(refused.headers.get('content-type'), 'application/json', path)
  }
  const stranger = await fetch(`${service.url}/some/unknown`, { ...AS_BROWSER, redirect: 'manual' })
  t.match(stranger.headers.get('location'), '/login?next=')
})

t.test('a page whose file fails to load is shown once it loads', async (t) => {
  const page = await ui.open('/')
  await settled(page)
  let asked = 0
  await page.route(/\/assets\/runs-/, (route) => (++asked > 2 ? route.continue() : route.abort()))
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Activity' }).click()
  await heading(page, 'Runs').waitFor()
  t.equal(asked, 3)
  t.equal(await page.getByRole('alert').count(), 0)
})

t.test('a page that is older than the service is reloaded', async (t) => {
  const page = await ui.open('/')
  await settled(page)
  let isOld = true
  page.on('load', () => {
    isOld = false
  })
  await page.route(/\/assets\/runs-/, (route) => (isOld ? route.fulfill({ status: 404 }) : route.continue()))
  await page.route('**/login', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<script type="module" src="/assets/main-NEWER.js"></script>' }),
  )
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Activity' }).click()
  await heading(page, 'Runs').waitFor()
  t.notOk(isOld)
})

t.test('a failed read is retried without a click', async (t) => {
  const page = await ui.open('/')
  await settled(page)
  await page.route('**/api/runs?*', (route) =>
    route.fulfill({ status: 500, json: { ok: false, error: 'internal_error' } }),
  )
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Activity' }).click()
  await page.getByRole('alert').waitFor()
  await page.unroute('**/api/runs?*')
  await page.getByRole('heading', { name: 'No runs yet' }).waitFor()
  t.equal(await page.getByRole('alert').count(), 0)
})

t.test('a plugin page that fails to load is shown once it loads', async (t) => {
  const folder = join(service.directory, 'shelf')
  await mkdir(folder)
  await writeFile(
    join(folder, 'plugin.json'),
    JSON.stringify({
      id: 'shelf',
      name: 'Shelf',
      version: '1.0.0',
      api: '^1.0.0',
      kind: 'service',
      ui: { pages: [{ path: 'main', title: 'Books', module: 'page.ts' }] },
    }),
  )
  await writeFile(
    join(folder, 'index.ts'),
    "import { definePlugin } from '@playhead/sdk'\nexport default definePlugin({})\n",
  )
  await writeFile(
    join(folder, 'page.ts'),
    "export const mount = (element: HTMLElement) => { element.textContent = 'Three boards'; return () => {} }\n",
  )
  await writeFile(
    join(service.directory, 'data', 'plugin-registry.json'),
    JSON.stringify({ version: 1, plugins: [{ id: 'shelf', source: folder }] }),
  )
  await service.json('/api/plugins/rescan', { json: {} })
  await until('the plugin runs', async () => (await service.plugin('shelf'))?.state === 'active')

  const page = await ui.open('/')
  await settled(page)
  let asked = 0
  await page.route(/\/api\/plugins\/shelf\/ui\//, (route) => (++asked > 1 ? route.continue() : route.abort()))
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('main').getByRole('link', { name: 'Plugins' }).click()
  await page.getByRole('navigation', { name: 'Plugins' }).getByRole('link', { name: 'Books' }).click()
  await page.getByText('Three boards').waitFor()
  t.equal(asked, 2)
})

t.test('a past time is never shown as future, regardless of the clock of the device', async (t) => {
  for (const wrong of [-2 * HOUR_MS, 2 * HOUR_MS]) {
    const page = await ui.open('/settings/about')
    await settled(page)
    await page.clock.setFixedTime(Date.now() + wrong)
    await page.reload()
    await settled(page)
    const since = await page.locator('time').first().innerText()
    t.match(since, /^(?:now|\d+ (?:sec\.|min\.|(?:second|minute)s?) ago)$/, since)
    await page.goto(`${service.url}/settings/sessions`)
    await settled(page)
    const ends = await page.locator('time').nth(1).innerText()
    t.match(ends, /^(?:in|next|tomorrow)/, ends)
  }
})

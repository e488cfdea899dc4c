// slow: a browser, step by step
// The guide in a browser: in both colour schemes, on a phone, below a base path, and reached from the application.
import t from 'tap'
import { overflow, seriousViolations, startUi } from './harness.ts'

t.setTimeout(900_000)

t.test('the guide is readable in both schemes and on a phone, and the application links to it', async (t) => {
  await using ui = await startUi()
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await ui.open('/guide/services', { signedIn: false, colorScheme })
    await page.getByRole('heading', { level: 1, name: 'Services' }).waitFor()
    t.same(await seriousViolations(page), [], colorScheme)
    t.same([page.recorded.errors, page.recorded.failed], [[], []])
  }
  const phone = await ui.open('/guide', { signedIn: false, viewport: { width: 360, height: 700 } })
  for (const name of ['the first hour', 'behind a reverse proxy']) {
    await phone.getByRole('main').getByRole('link', { name }).click()
    await phone.getByRole('heading', { level: 1 }).waitFor()
    t.equal(await overflow(phone), 0, name)
    await phone.goto(`${ui.service.url}/guide`)
  }
  for (const path of ['reference/sync', 'reference/hooks', 'plugins/modelling']) {
    await phone.goto(`${ui.service.url}/guide/${path}`)
    t.equal(await overflow(phone), 0, path)
  }

  const home = await ui.open('/')
  await home.getByRole('navigation').getByRole('link', { name: 'Help', exact: true }).click()
  await home.getByRole('main').getByRole('link', { name: 'Guide' }).click()
  await home.waitForURL((url) => url.pathname === '/guide')
  await home.getByRole('navigation').getByRole('link', { name: 'Services', exact: true }).click()
  await home.getByRole('heading', { level: 1, name: 'Services' }).waitFor()
  t.equal(await home.getByRole('navigation').locator('[aria-current=page]').textContent(), 'Services')
})

t.test('below a base path all addresses of the guide contain it', async (t) => {
  await using ui = await startUi({ environment: { PLAYHEAD_BASE_PATH: '/playhead' } })
  const page = await ui.open('/guide', { signedIn: false })
  await page.getByRole('main').getByRole('link', { name: 'the first hour' }).click()
  await page.getByRole('heading', { level: 1, name: 'The first hour' }).waitFor()
  t.equal(new URL(page.url()).pathname, '/playhead/guide/first-hour')
  t.same(
    page.recorded.requests.filter((request) => request.includes('http')),
    [],
    'nothing outside',
  )
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

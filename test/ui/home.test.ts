// slow: a browser, step by step
// The home page while people watch: streams appear and disappear without a reload.
import type { Page, Request } from 'playwright-core'
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { expectOk, runToEnd } from '../demo/sign-in.ts'
import { startEmby } from '../upstreams/emby.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { startPlex } from '../upstreams/plex.ts'
import { seriousViolations, settled, startUi } from './harness.ts'
import { tabTo } from './keyboard.ts'
import { fitsEveryWidth } from './looks.ts'

const MINUTE_MS = 60_000
const REFRESH_MS = 60_000
const ONE_LINE = 30

const ui = await startUi()
const { service } = ui
const [jellyfin, emby, plex] = await Promise.all([
  startJellyfin({ movies: 5, shows: 1 }),
  startEmby({ movies: 5, shows: 1 }),
  startPlex({ movies: 2, shows: 1 }),
])
atEndOfFile(async () => {
  await ui[Symbol.asyncDispose]()
  await Promise.all([jellyfin.close(), emby.close(), plex.close()])
})
await expectOk(service, '/api/mediaB/login', { server: jellyfin.url, username: 'sam', password: 'secret' })
await expectOk(service, '/api/mediaC/login', { server: emby.url, username: 'sam', password: 'secret' })
await expectOk(service, '/api/pairs', {
  name: 'Attic and cellar',
  source: 'MEDIAB',
  target: 'MEDIAC',
  mode: 'two_way',
  enabled: true,
  features: { history: { enabled: true, add: true } },
})

t.test('streams appear and disappear without a reload, and are accessible', async (t) => {
  const page = await ui.open('/')
  await settled(page)
  const panel = page.getByRole('region', { name: 'Playing now' })
  await panel.getByText('Nothing is playing.').waitFor()
  t.ok(((await panel.boundingBox())?.height ?? Infinity) < ONE_LINE, 'no stream takes one line')

  const episode = jellyfin.items('Episode')[1]!
  const film = jellyfin.items('Movie')[0]!
  const show = jellyfin.items('Series')[0]!
  const { id } = await expectOk(service, '/api/provider-instances/mediaB/next', { copy_from: 'default' })
  await expectOk(service, `/api/mediaB/login?instance=${id}`, {
    server: jellyfin.url,
    username: 'kim',
    password: 'secret',
  })
  await expectOk(service, '/api/config', {
    mediaA: { cloud_url: plex.cloud.url, server_url: plex.server.url, account_token: plex.accountToken('friend') },
  })
  jellyfin.actions.startPlaying('kim', episode.id, 15 * MINUTE_MS, { device: 'Tablet' })
  jellyfin.actions.startPlaying('kim', film.id, undefined, { paused: true })
  await setVisibility(page, 'hidden')
  await setVisibility(page, 'visible')

  const code = `S0${episode.parentIndex}E0${episode.index}`
  const playing = panel.getByRole('article', { name: `${show.name}, ${code} · ${episode.name}` })
  await playing.getByText(/^Playing · 15:00 of /).waitFor()
  t.match(await playing.textContent(), /kim · Jellyfin \(.+\) · Tablet/)
  const bar = playing.getByRole('progressbar', { name: `Progress of ${show.name}` })
  t.equal(
    await bar.getAttribute('aria-valuenow'),
    String(Math.floor(((15 * MINUTE_MS) / (episode.runtimeTicks! / 10_000)) * 100)),
  )
  t.match(await bar.getAttribute('aria-valuetext'), /^15:00 of \d+:\d\d$/)
  const paused = panel.getByRole('article', { name: film.name })
  await paused.getByText('Paused', { exact: true }).waitFor()
  t.equal(await paused.getByRole('progressbar').count(), 0, 'no progress is known')
  await panel.getByText('2 streams').waitFor()
  await panel.getByText('Plex shows what is playing only to the server owner.').waitFor()
  await fitsEveryWidth(t, page, 'home while something plays', [360, 1280])
  t.same(await seriousViolations(page), [], 'light')
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.reload()
  await playing.waitFor()
  await settled(page)
  t.same(await seriousViolations(page), [], 'dark')

  await tabTo(page, playing.getByRole('link'))
  t.pass('the keyboard reaches the account')

  await setVisibility(page, 'hidden')
  await expectOk(service, `/api/mediaB/token/delete?instance=${id}`)
  await setVisibility(page, 'visible')
  await panel.getByText('Nothing is playing.').waitFor()
  t.equal(await panel.getByRole('article').count(), 0)
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('playback is refreshed at an interval, but not while the tab is hidden', async (t) => {
  const page = await ui.open('/')
  await page.clock.install()
  await page.reload()
  await page.getByRole('region', { name: 'Playing now' }).getByText('Nothing is playing.').waitFor()
  const isRefresh = (request: Request) => request.url().endsWith('/api/watch/currently_watching')
  let requests = 0
  page.on('request', (request) => void (requests += Number(isRefresh(request))))
  // The page starts no second request while one is pending, so each step starts after the last one has ended.
  const refreshedBy = async (action: () => Promise<void>) => {
    const [request] = await Promise.all([page.waitForRequest(isRefresh), action()])
    await (await request.response())?.finished()
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))')
  }
  await refreshedBy(() => page.clock.fastForward(REFRESH_MS))
  await refreshedBy(() => page.clock.fastForward(REFRESH_MS))

  await setVisibility(page, 'hidden')
  requests = 0
  await page.clock.fastForward(10 * REFRESH_MS)
  t.equal(requests, 0, 'not while it is hidden')
  await refreshedBy(() => setVisibility(page, 'visible'))
  t.equal(requests, 1, 'once when it is visible again')
})

/** Requests of the first view; content below it loads when it is scrolled into view. */
const CALLS = [
  '/api/pairs/status',
  '/api/problems',
  '/api/runs',
  '/api/connections',
  '/api/watch/currently_watching',
  '/api/playback_progress/items',
  '/api/history',
]

t.test('all data is requested at once, and nothing moves when it arrives', async (t) => {
  jellyfin.actions.markPlayed('sam', jellyfin.items('Movie')[1]!.id, Date.now() - MINUTE_MS)
  const { body } = await service.json('/api/pairs')
  await runToEnd(service, { pair_id: body[0].id })
  await service.json('/api/history?fresh=true')
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await ui.open('/login', { colorScheme, signedIn: true })
    await page.addInitScript(`globalThis.shifts = 0
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shifts += entry.value
      }).observe({ type: 'layout-shift', buffered: true })`)
    const asked = new Set<string>()
    const all = Promise.withResolvers<void>()
    // Hold every response until all requests were sent: a request that waits for another would never be sent.
    await page.route(/\/api\//, async (route) => {
      const { pathname } = new URL(route.request().url())
      if (CALLS.includes(pathname)) asked.add(pathname)
      if (CALLS.every((one) => asked.has(one))) all.resolve()
      if (CALLS.includes(pathname)) await all.promise
      await route.continue()
    })
    // A slow service.
    emby.faults.add({ kind: 'slow', delayMs: 2_000, match: /Resume|\/Items/ })
    await page.goto(`${service.url}/`)
    await page.getByRole('region', { name: 'Recently watched' }).getByRole('link').nth(1).waitFor()
    emby.faults.clear()
    t.same([...asked].sort(), [...CALLS].sort())
    await page
      .getByRole('region', { name: 'Pairs' })
      .or(page.getByRole('heading', { name: 'Pairs' }))
      .first()
      .waitFor()
    await page.waitForTimeout(500)
    t.ok(Number(await page.evaluate('globalThis.shifts')) <= 0.05, `${await page.evaluate('globalThis.shifts')}`)
    t.same(await seriousViolations(page), [], colorScheme)
    await page.close()
  }
})

t.test('posters come from the media server, without a key and without its token', async (t) => {
  const page = await ui.open('/')
  const shelf = page.getByRole('region', { name: 'Recently watched' })
  await shelf.locator('img[data-there]').first().waitFor()
  const pictures = page.recorded.requests.filter((request) => request.includes('/api/pictures/'))
  t.ok(pictures.length > 0)
  const tokens = [...jellyfin.world.tokens.keys(), ...emby.world.tokens.keys()]
  t.notOk(page.recorded.requests.some((request) => tokens.some((token) => request.includes(token))))
  t.notOk(service.log.some((line) => tokens.some((token) => line.includes(token))))
  await shelf.getByRole('link').nth(1).click()
  await settled(page)
  await page.locator('.title-head img[data-there]').first().waitFor()
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('while a service cannot be reached, home does not report that everything is fine', async (t) => {
  emby.faults.add({ kind: 'status', status: 503 })
  await service.json('/api/connections?fresh=1')
  const page = await ui.open('/')
  await page
    .getByRole('status')
    .filter({ hasText: /^Cannot reach Emby$/ })
    .waitFor()
  const services = page.getByRole('region', { name: 'Services' }).getByRole('link')
  t.match(await services.first().textContent(), /Emby.*Not reachable/, 'the one with a problem is first')
  t.equal(
    await page
      .getByRole('status')
      .filter({ hasText: /^In sync$/ })
      .count(),
    0,
  )
  t.equal(await page.getByText('Nothing needs your attention.').count(), 0)
  t.same(await seriousViolations(page), [])
  emby.faults.clear()
  await service.json('/api/connections?fresh=1')
  await page.reload()
  await page
    .getByRole('status')
    .filter({ hasText: /^In sync$/ })
    .waitFor()
})

// Simulates a tab that the user leaves and returns to.
async function setVisibility(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate(
    `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true }); document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`,
  )
}

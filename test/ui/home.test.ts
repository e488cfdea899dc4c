// The first page while people watch: what plays is there by itself, and goes by itself.
import type { Page } from 'playwright-core'
import t from 'tap'
import { expectOk } from '../demo/sign-in.ts'
import { until } from '../harness.ts'
import { startEmby } from '../upstreams/emby.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { startPlex } from '../upstreams/plex.ts'
import { seriousViolations, settled, startUi } from './harness.ts'
import { fitsEveryWidth } from './looks.ts'

const MINUTE_MS = 60_000
const ASKED_MS = 15_000
const ONE_LINE = 30

const ui = await startUi()
const { service } = ui
const [jellyfin, emby, plex] = await Promise.all([
  startJellyfin({ movies: 5, shows: 1 }),
  startEmby({ movies: 5, shows: 1 }),
  startPlex({ movies: 2, shows: 1 }),
])
t.teardown(async () => {
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

t.test('what somebody plays comes and goes by itself, and can be read by everybody', async (t) => {
  const page = await ui.open('/')
  await settled(page)
  const panel = page.getByRole('region', { name: 'Playing now' })
  await panel.getByText('Nothing is playing.').waitFor()
  t.ok(((await panel.boundingBox())?.height ?? Infinity) < ONE_LINE, 'nothing takes one line')

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
  await look(page, 'hidden')
  await look(page, 'visible')

  const code = `S0${episode.parentIndex}E0${episode.index}`
  const playing = panel.getByRole('article', { name: `${show.name}, ${code} · ${episode.name}` })
  await playing.getByText(/^Playing · 15:00 of /).waitFor()
  t.match(await playing.textContent(), /kim · Jellyfin \(.+\) · Tablet/)
  const bar = playing.getByRole('progressbar', { name: `How far ${show.name} is` })
  t.equal(
    await bar.getAttribute('aria-valuenow'),
    String(Math.floor(((15 * MINUTE_MS) / (episode.runtimeTicks! / 10_000)) * 100)),
  )
  t.match(await bar.getAttribute('aria-valuetext'), /^15:00 of \d+:\d\d$/)
  const paused = panel.getByRole('article', { name: film.name })
  await paused.getByText('Paused', { exact: true }).waitFor()
  t.equal(await paused.getByRole('progressbar').count(), 0, 'nobody said how far it is')
  await panel.getByText('2 streams').waitFor()
  await panel.getByText('Plex tells only the owner of the server what is playing.').waitFor()
  await fitsEveryWidth(t, page, 'home while something plays', [360, 1280])
  t.same(await seriousViolations(page), [], 'light')
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.reload()
  await playing.waitFor()
  await settled(page)
  t.same(await seriousViolations(page), [], 'dark')

  await page.getByRole('link', { name: 'Set a schedule' }).focus()
  await page.keyboard.press('Tab')
  t.equal(
    await page.evaluate('document.activeElement.textContent'),
    await playing.getByRole('link').textContent(),
    'the keyboard comes to the account',
  )

  await look(page, 'hidden')
  await expectOk(service, `/api/mediaB/token/delete?instance=${id}`)
  await look(page, 'visible')
  await panel.getByText('Nothing is playing.').waitFor()
  t.equal(await panel.getByRole('article').count(), 0)
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('it is asked again and again, and not while nobody looks', async (t) => {
  const page = await ui.open('/')
  await page.clock.install()
  await page.reload()
  await page.getByRole('region', { name: 'Playing now' }).getByText('Nothing is playing.').waitFor()
  const asked = () => page.recorded.requests.filter((request) => request === 'GET /api/watch/currently_watching').length
  for (let times = 0; times < 2; times += 1) {
    const before = asked()
    // What is still under way when its time has come again is not asked twice.
    await until('it is asked again', async () => {
      await page.clock.fastForward(ASKED_MS)
      return asked() > before
    })
  }
  await look(page, 'hidden')
  const before = asked()
  await page.clock.fastForward(10 * ASKED_MS)
  await look(page, 'visible')
  await until('it is asked as soon as somebody looks', () => asked() > before)
  t.equal(asked(), before + 1)
})

// As a tab that is left and comes back.
async function look(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate(
    `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true }); document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`,
  )
}

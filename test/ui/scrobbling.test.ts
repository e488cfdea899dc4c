// slow: a browser, step by step
// Scrobbling in the browser: a newcomer follows a media server, plays, and sees it on the home page and delivered.
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { expectOk, signInToJellyfin, signInToTrakt, untilTrue } from '../demo/sign-in.ts'
import { reasonText } from '../../ui/pages/scrobbling/delivery-text.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { settled, startUi } from './harness.ts'
import { tabTo } from './keyboard.ts'
import { fitsEveryWidth, isFit, isFitWindow } from './looks.ts'

const users = [
  { name: 'sam', password: 'secret', administrator: true },
  { name: 'kim', password: 'secret' },
]
const [jellyfin, trakt] = await Promise.all([
  startJellyfin({ movies: 12, shows: 2, users }),
  startTrakt({ movies: 12, shows: 2 }),
])
atEndOfFile(() => Promise.all([jellyfin.close(), trakt.close()]))
const ui = await startUi()
atEndOfFile(() => ui[Symbol.asyncDispose]())
const { service } = ui

const films = jellyfin.items('Movie').filter(({ runtimeTicks }) => (runtimeTicks ?? 0) > 0)
const lengthMs = (n: number) => (films[n]!.runtimeTicks ?? 0) / 10_000
const play = (n: number, positionMs: number, user = 'sam') =>
  jellyfin.playback.start({
    userId: user,
    item: films[n]!,
    deviceId: `tv-of-${user}`,
    deviceName: 'Living room',
    positionMs,
  })
const overview = async () => (await service.json('/api/scrobbler/overview')).body
/** Closed, because the number of streams per person is limited. */
async function clean(t: Test, page: Awaited<ReturnType<typeof ui.open>>): Promise<void> {
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
  await page.context().close()
}
const card = (page: Page, name = 'Jellyfin to Trakt') => page.getByRole('article', { name, exact: true })
const deliveries = (page: Page) => page.getByRole('region', { name: 'Deliveries' })

t.test('without accounts the page names the missing ones, and links to them', async (t) => {
  const page = await ui.open('/')
  await settled(page)
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Sync' }).click()
  await page.getByRole('navigation', { name: 'Sync' }).getByRole('link', { name: 'Scrobbling' }).click()
  await page.getByText(/an account on a media server, such as .*Jellyfin/).waitFor()
  t.equal(await page.getByRole('link', { name: 'Open connections' }).getAttribute('href'), '/connections')
  t.equal(await page.getByRole('button', { name: 'Add scrobbling' }).count(), 0)

  await signInToJellyfin(service, jellyfin)
  await signInToTrakt(service, trakt)
  await page.getByRole('heading', { name: 'Nothing is scrobbled yet' }).waitFor()
  await isFit(t, page, 'scrobbling, nothing followed')
  await clean(t, page)
})

t.test('a new user follows an account with the keyboard alone, plays a film, and sees it at once', async (t) => {
  const home = await ui.open('/')
  await home.getByRole('link', { name: 'Set up scrobbling' }).waitFor()
  const page = await ui.open('/scrobbling')
  await tabTo(page, page.getByRole('button', { name: 'Add scrobbling' }))
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Add scrobbling' })
  await dialog.getByRole('combobox', { name: 'Media server' }).waitFor()
  t.equal(await dialog.getByRole('combobox', { name: 'Media server' }).inputValue(), 'Jellyfin')
  t.equal(await dialog.getByRole('combobox', { name: 'Tracker' }).inputValue(), 'Trakt')
  t.ok(await dialog.getByRole('radio', { name: 'Live' }).isChecked())
  await isFitWindow(t, page, 'the form')
  await tabTo(page, dialog.getByRole('button', { name: 'Add', exact: true }))
  await page.keyboard.press('Enter')

  await card(page).getByText('Connected', { exact: true }).waitFor()
  await card(page).getByText('Jellyfin reports changes at once.').waitFor()
  t.match(await overview(), {
    source_state: { enabled: true, sources: { watcher: true }, watch_autostart: true },
    routes: [{ provider: 'MEDIAB', sink: 'TRACKA', enabled: true }],
    watcher_runtime: { running: true },
  })

  const panel = home.getByRole('region', { name: 'Playing now' })
  const name = films[0]!.name
  const player = await play(0, lengthMs(0) * 0.5)
  await panel
    .getByRole('article', { name })
    .getByText(/^Playing/)
    .waitFor()
  await player.pause()
  await panel
    .getByRole('article', { name })
    .getByText(/^Paused/)
    .waitFor()
  await player.resume()
  await panel
    .getByRole('article', { name })
    .getByText(/^Playing/)
    .waitFor()
  await player.finish()
  await panel.getByText('Nothing is playing.').waitFor()

  await deliveries(page).getByText('Delivered (1)').click()
  const row = deliveries(page).getByRole('listitem', { name: name })
  await row.getByText('Delivered', { exact: true }).waitFor()
  t.match(await row.textContent(), /Watched, for Trakt from Jellyfin by sam/)
  t.equal(trakt.user.plays().length, 1)

  const recent = home.getByRole('region', { name: 'Recently watched' })
  await recent.getByRole('listitem').filter({ hasText: name }).waitFor()
  t.equal(await home.getByRole('link', { name: 'Set up scrobbling' }).count(), 0)
  await clean(t, home)

  await page.getByText('Live log', { exact: true }).click()
  await page
    .getByRole('log')
    .getByText(/^watched route=/)
    .first()
    .waitFor()
  await isFit(t, page, 'scrobbling with a route and a delivery')
  await clean(t, page)
})

t.test('the events list plays with their source and target', async (t) => {
  const page = await ui.open('/events?domain=scrobble')
  await page.getByRole('link', { name: films[0]!.name }).click()
  await page.getByText('Recorded as watched on Trakt').first().waitFor()
  await page
    .getByText(/\d+% · by sam/)
    .first()
    .waitFor()
  await clean(t, page)
})

t.test('while a tracker is down the play waits with a reason, and a retry delivers it', async (t) => {
  const page = await ui.open('/scrobbling')
  trakt.faults.add({ match: /^\/scrobble/, kind: 'status', status: 503 })
  const name = films[1]!.name
  const player = await play(1, lengthMs(1) * 0.8)
  await player.at(lengthMs(1) * 0.8 + 5_000)
  await player.finish()
  const row = deliveries(page).getByRole('listitem', { name: name }).filter({ hasText: 'Watched' })
  await row.waitFor()
  await deliveries(page).getByText('Trakt had a server error (HTTP 503).').first().waitFor()
  await fitsEveryWidth(t, page, 'a waiting delivery')

  trakt.faults.clear()
  await untilTrue('the play is delivered', async () => {
    const retry = deliveries(page).getByRole('button', { name: /^Retry/ })
    if ((await retry.count()) > 0)
      await retry
        .first()
        .click({ timeout: 1_000 })
        .catch(() => undefined)
    return trakt.user.plays().length === 2
  })
  await deliveries(page).getByText('Nothing is waiting.').waitFor()
  await deliveries(page).getByText('Delivered (2)').click()
  await row.getByText('Delivered', { exact: true }).waitFor()
  // A retry may come after the delivery succeeded by itself.
  page.recorded.failed.splice(0)
  await clean(t, page)
})

t.test('an undeliverable play is dropped after a question', async (t) => {
  const page = await ui.open('/scrobbling')
  trakt.faults.add({ match: /^\/scrobble/, kind: 'status', status: 503 })
  const name = films[2]!.name
  const player = await play(2, lengthMs(2) * 0.8)
  await player.at(lengthMs(2) * 0.8 + 5_000)
  await player.finish()
  const drop = deliveries(page).getByRole('button', { name: `Discard ${name}` })
  await drop.first().waitFor()
  while ((await drop.count()) > 0) {
    await drop.first().click()
    const dialog = page.getByRole('dialog', { name: 'Discard this delivery?' })
    await dialog.getByText('It is not sent to Trakt.').waitFor()
    await dialog.getByRole('button', { name: 'Discard' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.waitForTimeout(300)
  }
  await deliveries(page).getByText('Nothing is waiting.').waitFor()
  trakt.faults.clear()
  t.equal(trakt.user.plays().length, 2)
  page.recorded.failed.splice(0)
  await clean(t, page)
})

t.test('a duplicate way is refused with a message', async (t) => {
  const page = await ui.open('/scrobbling')
  await page.getByRole('button', { name: 'Add scrobbling' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add scrobbling' })
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.getByRole('alert').getByText('already scrobbled to this tracker').waitFor()
  t.equal((await overview()).routes.length, 1)
  page.recorded.failed.splice(0)
  await clean(t, page)
})

t.test('a wrong value is reported at its field, and options are kept', async (t) => {
  const page = await ui.open('/scrobbling')
  await page.getByRole('button', { name: 'Edit Jellyfin to Trakt' }).click()
  const dialog = page.getByRole('dialog', { name: 'Options of Jellyfin to Trakt' })
  const watched = dialog.getByRole('textbox', { name: 'Watched at (percent)' })
  await watched.fill('150')
  await dialog.getByRole('radio', { name: 'Selected people' }).press('Space')
  await dialog.getByRole('combobox', { name: 'People' }).fill('kim')
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('This must be between 0 and 100.').waitFor()
  t.equal(await watched.getAttribute('aria-invalid'), 'true')
  t.equal(await dialog.getByRole('alert').count(), 0, 'it is not repeated elsewhere')
  await isFitWindow(t, page, 'the options with an error')
  t.same(
    page.recorded.failed.splice(0).map((line) => line.slice(0, 7)),
    ['400 PUT'],
  )

  await watched.fill('85')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Options saved.').waitFor()
  t.match((await overview()).routes, [
    { filters: { username_whitelist: ['kim'] }, options: { scrobble: { watched_at: 85 } } },
  ])
  await page.getByRole('button', { name: 'Edit Jellyfin to Trakt' }).click()
  t.equal(await watched.inputValue(), '85')
  await watched.fill('')
  await dialog.getByRole('radio', { name: 'Only mine' }).press('Space')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const [route] = (await overview()).routes
  t.same([route.filters, route.options.scrobble], [{}, {}])
  await clean(t, page)
})

t.test('the account lists its followers', async (t) => {
  const page = await ui.open('/connections')
  await page.getByRole('article', { name: 'Trakt' }).getByText('Used for scrobbling').waitFor()
  await page.goto(`${service.url}/connections/TRACKA`)
  const link = page.getByRole('link', { name: 'Jellyfin → Trakt' })
  await link.waitFor()
  await page.getByText('Scrobbling, live').waitFor()
  await link.click()
  await card(page).waitFor()
  await clean(t, page)
})

t.test('while a media server is down the page says so, and follows it again by itself', async (t) => {
  const page = await ui.open('/scrobbling')
  await card(page).getByText('Connected', { exact: true }).waitFor()
  jellyfin.faults.add({ kind: 'status', status: 503 })
  await expectOk(service, '/api/watch/refresh')
  await card(page).getByText('Not reachable', { exact: true }).waitFor()
  await card(page)
    .getByText(/^Could not connect to Jellyfin: .* Next attempt:/)
    .waitFor()
  jellyfin.faults.clear()
  await card(page).getByText('Connected', { exact: true }).waitFor()

  const settings = page.getByRole('region', { name: 'Settings' })
  await settings.getByRole('button', { name: 'Stop live scrobbling' }).click()
  await card(page).getByText('Live scrobbling is not running.').waitFor()
  await card(page).getByRole('button', { name: 'Start' }).click()
  await card(page).getByText('Connected', { exact: true }).waitFor()
  await clean(t, page)
})

t.test('a webhook address is shown, copied, replaced after a question, and works', async (t) => {
  const page = await ui.open('/scrobbling', { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.getByRole('button', { name: 'Add scrobbling' }).click()
  await page.getByRole('radio', { name: 'By webhook' }).click()
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'One more step on Jellyfin' })
  const address = await dialog.getByRole('textbox', { name: 'Webhook address' }).inputValue()
  t.match(address, `${service.url}/webhook/mediaB?profile=`)
  await dialog.getByText('install the plugin Webhook').waitFor()
  await dialog.getByRole('button', { name: 'Copy address' }).click()
  await dialog.getByRole('button', { name: 'Copied' }).waitFor()
  t.equal(await page.evaluate('navigator.clipboard.readText()'), address)
  await isFitWindow(t, page, 'the address')
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByText('Each play is still recorded once').waitFor()

  const hook = card(page).filter({ hasText: 'By webhook' })
  await hook.getByText('Ready', { exact: true }).waitFor()
  await hook.getByRole('button', { name: 'New address' }).click()
  const question = page.getByRole('dialog', { name: 'Create a new webhook address?' })
  await question.getByRole('button', { name: 'New address' }).click()
  await page.getByText('New address created.').waitFor()
  // The page reads the address again.
  const shown = () => hook.getByRole('textbox', { name: 'Webhook address' }).inputValue()
  await untilTrue('the new address', async () => (await shown()) !== address)
  const renewed = await shown()

  // Only the webhook reports from here on.
  await card(page).filter({ hasText: 'Live' }).getByRole('button', { name: 'Delete Jellyfin to Trakt' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Jellyfin to Trakt is no longer scrobbled.').waitFor()
  await card(page).nth(1).waitFor({ state: 'detached' })
  t.equal(await card(page).count(), 1)
  await hook.getByText('Waiting for the first event from Jellyfin…').waitFor()
  const stopHooks = jellyfin.webhooks(renewed)
  t.teardown(() => (typeof stopHooks === 'function' ? stopHooks() : undefined))
  const player = await play(3, lengthMs(3) * 0.5)
  await player.finish()
  await hook.getByText('Received. Last event:').waitFor()
  await untilTrue('the webhook delivers', async () => trakt.user.plays().length === 3)
  await deliveries(page).getByText('Delivered').first().click()
  await deliveries(page).getByRole('listitem', { name: films[3]!.name }).waitFor()
  await clean(t, page)
})

t.test('a webhook delivers to one profile of a tracker; replacing it needs a confirmation', async (t) => {
  const { id } = await expectOk(service, '/api/provider-instances/trackA/next', { label: 'Kim', copy_from: 'default' })
  const addresses = { api_url: trakt.url, oauth_url: trakt.url }
  await expectOk(service, '/api/config', { trackA: { ...addresses, instances: { [id]: addresses } } })
  await signInToTrakt(service, trakt, { instance: id })
  const page = await ui.open('/scrobbling')
  await page.getByRole('button', { name: 'Add scrobbling' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add scrobbling' })
  await dialog.getByRole('combobox', { name: 'Tracker' }).click()
  await page.getByRole('option', { name: 'Trakt (Kim)' }).click()
  await dialog.getByRole('radio', { name: 'By webhook' }).click()
  await dialog.getByText('Jellyfin already sends webhooks for Trakt.').waitFor()
  t.ok(await dialog.getByRole('button', { name: 'Add', exact: true }).isDisabled())
  await dialog.getByRole('radio', { name: 'Live' }).click()
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await card(page, 'Jellyfin to Trakt (Kim)').waitFor()
  t.equal((await overview()).webhooks.length, 1)
  await clean(t, page)
})

t.test('the reasons for waiting are shown as sentences', (t) => {
  for (const [code, text] of [
    ['refused', 'Could not reach Trakt.'],
    ['refused_by_service', 'Trakt rejected it.'],
    ['http_503', 'Trakt had a server error (HTTP 503).'],
    ['http_422', 'Trakt rejected it (HTTP 422).'],
    ['connect_timeout', 'Trakt did not respond in time.'],
    ['something_new', 'It could not be delivered (something_new).'],
  ] as const)
    t.equal(reasonText(code, 'Trakt'), text)
  t.equal(reasonText(null, 'Trakt'), null)
  t.end()
})

t.test('switches explain their effect, and a wrong standard value is reported at its field', async (t) => {
  const page = await ui.open('/scrobbling')
  const way = card(page)
  await way.getByRole('switch').press('Space')
  await way.getByText('Nothing is recorded until you turn it on.').waitFor()
  t.equal((await overview()).webhooks[0].enabled, false)
  await way.getByRole('switch').press('Space')
  await way.getByText('Ready', { exact: true }).waitFor()

  const settings = page.getByRole('region', { name: 'Settings' })
  await settings.getByRole('switch', { name: 'Scrobbling' }).press('Space')
  await way.getByText('Scrobbling is turned off in the settings below.').waitFor()
  await settings.getByRole('switch', { name: 'Scrobbling' }).press('Space')
  await way.getByText('Ready', { exact: true }).waitFor()

  await page.getByText('Default values', { exact: true }).click()
  const step = page.getByRole('textbox', { name: 'Position update interval (percent)' })
  await step.fill('80')
  await page.getByRole('button', { name: 'Save values' }).click()
  await page.getByText('This must be between 1 and 25.').waitFor()
  page.recorded.failed.splice(0)
  await step.fill('10')
  await page.getByRole('button', { name: 'Save values' }).click()
  await page.getByText('Settings saved.').waitFor()
  t.equal((await overview()).source_state.watch_defaults.progress_step, 10)
  await clean(t, page)
})

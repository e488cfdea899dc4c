// The setup guide: from a new account to two synced services, with the mouse and with the keyboard only.
import t from 'tap'
import type { MediaServer } from '../upstreams/media-browser/server.ts'
import { startEmby } from '../upstreams/emby.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { launchBrowser } from './browser.ts'
import { seriousViolations, settled, startUi, PASSWORD, USERNAME } from './harness.ts'
import { tabTo } from './keyboard.ts'
import { isFit } from './looks.ts'

const SIZE = { movies: 40, shows: 2 }
const browser = await launchBrowser()
t.teardown(() => browser.close())

async function world() {
  const [jellyfin, emby] = await Promise.all([startJellyfin({ ...SIZE, activity: 0.5 }), startEmby(SIZE)])
  t.teardown(() => Promise.all([jellyfin.close(), emby.close()]))
  return { jellyfin, emby }
}

const playedBySam = (server: MediaServer) =>
  server.items('Movie').filter(({ id }) => server.actions.userData('sam', id)?.played === true).length

t.test('from a new account to two synced services on the home page', async (t) => {
  const { jellyfin, emby } = await world()
  await using ui = await startUi({ browser, withoutAccount: true })
  const page = await ui.open('/')
  await page.getByLabel('Name', { exact: true }).fill(USERNAME)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByLabel('Repeat password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()

  await page.getByRole('heading', { name: 'Connect two services' }).waitFor()
  await settled(page)
  t.equal(
    await page.getByRole('button', { name: 'Continue' }).isDisabled(),
    true,
    'nothing goes on before two are connected',
  )
  const cards = await page
    .getByRole('listitem')
    .filter({ has: page.getByRole('button', { name: /^Connect / }) })
    .all()
  t.same(
    (await Promise.all(cards.map((card) => card.getAttribute('aria-label')))).slice(0, 8),
    ['Plex', 'Jellyfin', 'Emby', 'Trakt', 'SIMKL', 'AniList', 'TMDB', 'MDBList'],
    'the services that most people begin with come first',
  )
  await isFit(t, page, 'connect')
  for (const [name, server] of [
    ['Jellyfin', jellyfin],
    ['Emby', emby],
  ] as const) {
    await page.getByRole('button', { name: `Connect ${name}` }).click()
    const dialog = page.getByRole('dialog', { name: `Connect ${name}` })
    await dialog.getByLabel('Server').fill(server.url)
    await dialog.getByLabel('User name').fill('sam')
    await dialog.getByLabel(/^Password/).fill('secret')
    if (name === 'Jellyfin') t.same(await seriousViolations(page), [], 'sign-in')
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('listitem', { name }).getByText('Connected', { exact: true }).waitFor()
  }
  await page.getByRole('button', { name: 'Continue' }).click()

  await page.getByRole('button', { name: 'Preview plan' }).waitFor()
  t.equal(
    await page.evaluate('document.activeElement.textContent'),
    'Choose what to sync',
    'the focus is at the new step',
  )
  await isFit(t, page, 'choose')
  await page.getByRole('button', { name: 'Preview plan' }).click()

  const run = page.getByRole('button', { name: /^Run \d+ changes/ })
  await run.waitFor()
  t.equal(playedBySam(emby), 0, 'a plan writes nothing')
  await page.reload()
  await run.waitFor()
  await page.getByRole('button', { name: 'Show the items of History' }).click()
  await page.getByRole('group', { name: 'History' }).getByRole('grid').waitFor()
  await isFit(t, page, 'plan')
  await run.click()

  await page.getByText('Your services are synced').waitFor()
  t.ok(playedBySam(jellyfin) > 0)
  t.equal(playedBySam(emby), playedBySam(jellyfin))
  await isFit(t, page, 'done')

  t.ok(
    await page.getByRole('switch', { name: 'Sync every 6 hours' }).isChecked(),
    'it goes on by itself unless said otherwise',
  )
  await page.getByRole('button', { name: 'Finish' }).click()
  await page.getByText('Your pair is synced.').waitFor()
  const moment = page.getByRole('region', { name: 'Your first sync is done' })
  await moment.getByText(/^\d+ changes brought your services together/).waitFor()
  t.ok((await moment.locator('.first-sync-poster').count()) > 2, 'with posters of what was synced')
  t.equal(
    await page.evaluate(`getComputedStyle(document.querySelector('.first-sync-poster')).animationDuration`),
    '1e-05s',
    'still for those who prefer that',
  )
  const pair = page.getByRole('article', { name: 'Emby and Jellyfin' })
  await pair.getByRole('listitem').filter({ hasText: 'History' }).getByText('Synced').waitFor()
  t.equal(await page.getByRole('figure', { name: 'Items changed per day' }).count(), 1)
  await isFit(t, page, 'home')
  await moment.getByRole('button', { name: 'Close' }).click()
  await page.reload()
  await page.getByText('Your pair is synced.').waitFor()
  t.equal(await moment.count(), 0, 'once')
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('the same with the keyboard only', async (t) => {
  const { jellyfin, emby } = await world()
  await using ui = await startUi({ browser })
  const page = await ui.open('/')
  await settled(page)
  const press = (...keys: readonly string[]) =>
    keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve())

  await tabTo(page, page.getByRole('link', { name: 'Get started', exact: true }))
  await press('Enter')
  await page.getByRole('heading', { name: 'Connect two services' }).waitFor()
  for (const [name, server] of [
    ['Jellyfin', jellyfin],
    ['Emby', emby],
  ] as const) {
    const connect = page.getByRole('button', { name: `Connect ${name}` })
    await tabTo(page, connect)
    await press('Enter')
    const dialog = page.getByRole('dialog', { name: `Connect ${name}` })
    await tabTo(page, dialog.getByLabel('Server'))
    await page.keyboard.type(server.url)
    await tabTo(page, dialog.getByLabel('User name'))
    await page.keyboard.type('sam')
    await tabTo(page, dialog.getByLabel(/^Password/))
    await page.keyboard.type('secret')
    await press('Enter')
    await page.getByRole('listitem', { name }).getByText('Connected', { exact: true }).waitFor()
  }
  await tabTo(page, page.getByRole('button', { name: 'Continue' }))
  await press('Enter')
  const remove = page.getByRole('switch', { name: 'Also sync removals' })
  await tabTo(page, remove)
  await press('Space')
  t.equal(await remove.isChecked(), true)
  await tabTo(page, page.getByRole('button', { name: 'Preview plan' }))
  await press('Enter')
  await tabTo(page, page.getByRole('button', { name: /^Run \d+ changes/ }))
  await press('Enter')
  await page.getByText('Your services are synced').waitFor()
  await tabTo(page, page.getByRole('button', { name: 'Finish' }))
  await press('Enter')

  await page.getByText('Your pair is synced.').waitFor()
  const { body: schedule } = await ui.service.json('/api/scheduling')
  t.match(schedule, { enabled: true, mode: 'every_n_hours', every_n_hours: 6 })
  t.equal(playedBySam(emby), playedBySam(jellyfin))
  const {
    body: [pair],
  } = await ui.service.json('/api/pairs')
  t.match(pair, { mode: 'two_way', features: { history: { enabled: true, remove: true } } })
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

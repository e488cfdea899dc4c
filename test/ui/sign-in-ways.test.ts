// slow: a browser, step by step
// Sign-in methods that use another device or another page, with each possible end.
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { expectOk, type Client } from '../demo/sign-in.ts'
import { until } from '../harness.ts'
import { startAniList } from '../upstreams/anilist.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { startMdblist } from '../upstreams/mdblist.ts'
import { startSimkl } from '../upstreams/simkl.ts'
import { startTmdb } from '../upstreams/tmdb.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { startUi } from './harness.ts'
import { tabTo } from './keyboard.ts'
import { isFitWindow } from './looks.ts'
import { answerConsent, answerPages, closed, connect, connected, shownCode, windowOf, type Opened } from './sign-in.ts'

const SMALL = { movies: 2, shows: 1 }
const TRAKT_PAGE = /^https:\/\/auth\.trakt\.tv\//
const MDBLIST_PAGE = /^https:\/\/mdblist\.com\//
const TMDB_PAGE = 'https://www.themoviedb.org/authenticate/'

const ui = await startUi()
atEndOfFile(() => ui[Symbol.asyncDispose]())
const client: Client = ui.service
const [jellyfin, without, trakt, mdblist, simkl, anilist, tmdb] = await Promise.all([
  startJellyfin(SMALL),
  startJellyfin({ ...SMALL, quickConnect: false }),
  startTrakt(SMALL),
  startMdblist(SMALL),
  startSimkl(SMALL),
  startAniList(SMALL),
  startTmdb(SMALL),
])
atEndOfFile(() => Promise.all([jellyfin, without, trakt, mdblist, simkl, anilist, tmdb].map((one) => one.close())))
// Under a different host name, as third-party pages have: the browser returns from another site.
const anilistPage = anilist.oauthUrl.replace('127.0.0.1', 'localhost')
await expectOk(client, '/api/config', {
  trackA: { api_url: trakt.url, oauth_url: trakt.url },
  trackB: { api_url: simkl.url },
  listA: { api_url: mdblist.url, oauth_url: mdblist.url, client_id: mdblist.clientId },
  animeA: { api_url: anilist.url, oauth_url: anilistPage },
  metaA_sync: { api_url: tmdb.apiUrl },
})
/** As a browser that blocks pop-ups. */
const blockWindows = (page: Opened) =>
  page.evaluate('for (const one of [window, ...Array.from(frames)]) one.open = () => null')
const stateOf = async (provider: string, method: string) =>
  (await expectOk(client, `/api/auth/sign-in/${provider}/poll`, { instance: 'default', method })).status

// The services require five seconds between polls, so these tests wait in parallel.
t.jobs = 3

t.test(
  'a code is shown with its link, QR code and time left, and the card becomes connected without a reload',
  { buffered: true },
  async (t) => {
    const page = await connect(ui, 'Trakt')
    await page.evaluate('window.isSame = true')
    await page.getByLabel('Client ID').fill(trakt.clientId)
    await page.getByLabel('Client secret').fill(trakt.clientSecret)
    await answerPages(page, TRAKT_PAGE)
    const window = await windowOf(page, () => page.getByRole('button', { name: 'Get a code' }).click())
    const code = await shownCode(page)
    await window.waitForURL(TRAKT_PAGE)
    const dialog = page.getByRole('dialog')
    t.match(await dialog.getByRole('link', { name: /^Open / }).getAttribute('href'), /^https:\/\/auth\.trakt\.tv\//)
    await dialog.getByRole('img', { name: /https:\/\/auth\.trakt\.tv\// }).waitFor()
    const time = dialog.getByRole('timer')
    t.match(await time.innerText(), /^Valid for \d+:\d\d$/)
    const before = await time.innerText()
    await time.filter({ hasNotText: before }).waitFor()
    await isFitWindow(t, page, 'a code')
    trakt.approve(code)
    await connected(page, 'Trakt')
    await closed(window)

    await page.getByRole('article', { name: 'Trakt' }).getByText('as ada').waitFor()
    t.equal(await page.evaluate('window.isSame'), true, 'the page was not loaded again')
    t.equal(await page.getByRole('dialog').count(), 0)
    t.same([page.recorded.errors, page.recorded.failed], [[], []])
  },
)

t.test(
  'one press shows the code and opens its page; denied, it closes and a new code can be requested',
  { buffered: true },
  async (t) => {
    const page = await ui.open('/connections')
    await answerPages(page, MDBLIST_PAGE)
    const press = page.getByRole('button', { name: 'Connect MDBList', exact: true })
    const window = await windowOf(page, () => press.click())
    const code = await shownCode(page)
    const link = page.getByRole('dialog').getByRole('link', { name: /^Open / })
    await window.waitForURL(MDBLIST_PAGE)
    t.equal(window.url(), await link.getAttribute('href'))
    const address = page.url()
    for (const target of ['opener', 'opener.parent', 'opener.top'])
      await window.evaluate(`(() => { try { ${target}.location = 'https://mdblist.com/elsewhere' } catch {} })()`)
    await window.evaluate('fetch("/").catch(() => undefined)')
    t.equal(page.url(), address, 'the service cannot navigate the page that opened its window')
    page.recorded.errors.length = 0
    mdblist.deny(code)
    await page.getByRole('alert').filter({ hasText: 'Access was denied at MDBList' }).waitFor()
    await closed(window)
    const again = await windowOf(page, () => page.getByRole('button', { name: 'Get a new code' }).click())
    t.not(await shownCode(page), code)
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await closed(again)
    await until('the sign-in is given up', async () => (await stateOf('LISTA', 'device_code')) !== 'pending')

    await blockWindows(page)
    await page.keyboard.press('Escape')
    await press.click()
    t.not(await shownCode(page), code, 'a blocked window leaves the code')
    await link.waitFor()
    t.same([page.recorded.errors, page.recorded.failed], [[], []])
  },
)

t.test(
  'a code stays valid behind a closed dialog, and a cancelled sign-in does not connect',
  { buffered: true },
  async (t) => {
    const page = await connect(ui, 'SIMKL')
    await page.getByLabel('Client ID').fill(simkl.clientId)
    await page.getByRole('button', { name: 'Get a code' }).click()
    const code = await shownCode(page)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Connect SIMKL' }).click()
    t.equal(await shownCode(page), code, 'the same code')

    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Get a code' }).waitFor()
    simkl.approve(code)
    t.equal(await stateOf('TRACKB', 'device_pin'), 'none')
    t.notMatch((await client.json('/api/provider-instances/TRACKB')).body, [{ configured: true }])
    t.same([page.recorded.errors, page.recorded.failed], [[], []])
  },
)

t.test('Quick Connect is off on the server, then rejected, then approved', { buffered: true }, async (t) => {
  const page = await connect(ui, 'Jellyfin')
  const getCode = async (url: string) => {
    await page.getByLabel('Server').fill(url)
    await page.getByRole('button', { name: 'Get a code' }).click()
  }
  await page.getByText('Quick Connect', { exact: true }).click()
  await getCode(without.url)
  await page.getByRole('alert').filter({ hasText: 'Quick Connect is turned off on the server.' }).waitFor()
  t.same(page.recorded.failed.splice(0), ['409 POST /api/mediaB/quickconnect/start?instance=default'])

  await getCode(jellyfin.url)
  jellyfin.approveQuickConnect(await shownCode(page), 'kim')
  jellyfin.actions.disableUser('kim')
  await page.getByRole('alert').filter({ hasText: 'This user is not allowed to sign in.' }).waitFor()
  await page.getByRole('button', { name: 'Get a new code' }).click()
  t.match(await shownCode(page), /^\d{6}$/)
  t.ok(jellyfin.approveQuickConnect(await shownCode(page), 'sam'))
  await connected(page, 'Jellyfin')

  await page.getByRole('article', { name: 'Jellyfin' }).getByText('as sam').waitFor()
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.jobs = 1

const consentOfAnilist = (page: Opened) =>
  answerConsent(page, `${anilistPage}/oauth/authorize?*`, {
    yes: (address) => anilist.authorize(address.href),
    no: ({ searchParams: asked }) => `${asked.get('redirect_uri')}?error=access_denied&state=${asked.get('state')}`,
  })

t.test('of the tokens that a page shows, a wrong one is refused and the right one signs in', async (t) => {
  const page = await connect(ui, 'AniList')
  await consentOfAnilist(page)
  await page.getByLabel('Client ID').fill(anilist.clientId)
  const shown = await windowOf(page, () => page.getByRole('button', { name: 'Open the sign-in page' }).click())
  await shown.getByRole('link', { name: 'Allow' }).click()
  await shown.waitForURL('**/oauth/pin#*')
  const token = await shown.locator('textarea').inputValue()
  const field = page.getByLabel('Token')
  await isFitWindow(t, page, 'a token to paste')
  await field.fill('made up')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('The service does not accept this token.').waitFor()
  await field.fill(token)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await connected(page, 'AniList')
  await closed(shown)
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
  await expectOk(client, '/api/animeA/token/delete', {})
})

t.test('a service page in a new window is denied, closed, reopened and approved', async (t) => {
  const page = await connect(ui, 'AniList')
  await consentOfAnilist(page)
  const go = page.getByRole('button', { name: 'Open the sign-in page' })
  await page.getByLabel('Client ID').fill(anilist.clientId)
  await page.getByLabel('Client secret').fill(anilist.clientSecret)
  const first = await windowOf(page, () => go.click())
  await isFitWindow(t, page, 'another window')
  await first.getByRole('link', { name: 'Deny' }).click()
  await page.getByRole('alert').filter({ hasText: 'Access was denied at AniList' }).waitFor()
  await closed(first)

  const second = await windowOf(page, () => page.getByRole('button', { name: 'Start again' }).click())
  await second.getByRole('link', { name: 'Allow' }).waitFor()
  await second.close()
  await page.getByText('The window was closed').waitFor()
  const third = await windowOf(page, () => page.getByRole('link', { name: 'Open the page again' }).click())
  await page.getByText('Continue in the window that opened').waitFor()
  await third.getByRole('link', { name: 'Allow' }).click()
  await connected(page, 'AniList')
  await closed(third)

  await page.getByRole('article', { name: 'AniList' }).getByText('as ada').waitFor()
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('a signed-in profile can sign in again: the approval is detected, and cancel ends it', async (t) => {
  const page = await ui.open('/connections/ANIMEA')
  await consentOfAnilist(page)
  const again = async () => {
    await page.getByRole('button', { name: /^Actions for/ }).click()
    await page.getByRole('menuitem', { name: 'Sign in again' }).click()
  }
  const go = page.getByRole('button', { name: 'Open the sign-in page' })
  await again()
  const given = await windowOf(page, () => go.click())
  await given.getByRole('link', { name: 'Allow' }).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await closed(given)
  await go.waitFor()
  await until('the sign-in is given up', async () => (await stateOf('ANIMEA', 'oauth')) !== 'pending')

  const window = await windowOf(page, () => go.click())
  await window.getByRole('link', { name: 'Allow' }).click()
  await connected(page, 'AniList')
  await closed(window)
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('a blocked pop-up shows the link instead', async (t) => {
  await expectOk(client, '/api/animeA/token/delete')
  const page = await connect(ui, 'AniList')
  await consentOfAnilist(page)
  await blockWindows(page)
  await page.getByRole('button', { name: 'Open the sign-in page' }).click()
  const window = await windowOf(page, () => page.getByRole('link', { name: 'Open the sign-in page' }).click())
  await window.getByRole('link', { name: 'Allow' }).click()
  await window.getByText('AniList is connected. You can close this window.').waitFor()
  await connected(page, 'AniList')
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('an approval on a page without a redirect, with the keyboard only', async (t) => {
  const page = await ui.open('/connections')
  await page.context().route(`${TMDB_PAGE}*`, async (route) => {
    const { pathname, search } = new URL(route.request().url())
    if (search === '?yes') tmdb.actions.approve(pathname.split('/').at(-1) ?? '')
    await route.fulfill({
      contentType: 'text/html',
      body: search === '?yes' ? '<p>Allowed</p>' : '<a href="?yes">Allow</a>',
    })
  })
  const button = page.getByRole('button', { name: 'Connect TMDB', exact: true })
  await tabTo(page, button)
  await page.keyboard.press('Enter')
  await tabTo(page, page.getByRole('textbox', { name: 'API key' }))
  await page.keyboard.type(tmdb.apiKey)
  const window = await windowOf(page, () => page.keyboard.press('Enter'))
  await page.getByText('Continue in the window that opened').waitFor()
  t.ok(
    await page.evaluate('document.querySelector("[role=dialog]").contains(document.activeElement)'),
    'the focus goes on in the next step',
  )
  await tabTo(page, page.getByRole('link', { name: 'Open the page again' }))
  await window.getByRole('link', { name: 'Allow' }).focus()
  await window.keyboard.press('Enter')
  await connected(page, 'TMDB')
  await closed(window)

  await page.getByRole('article', { name: 'TMDB' }).getByText('as ada').waitFor()
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

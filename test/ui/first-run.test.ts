// The setup guide: from a new account to two synced services, with the mouse.
import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { launchBrowser } from './browser.ts'
import { playedBySam, startFirstRun } from './first-run.ts'
import { seriousViolations, settled, startUi, PASSWORD, USERNAME } from './harness.ts'
import { isFit } from './looks.ts'
import { readProofs } from '../proof.ts'

const [PHONE, DESK, HEIGHT] = [390, 1280, 800]
/** Pixels: about 25 letters a line. */
const LEAST_TEXT = 200

/** Which of the parts are covered by what lies on the page, as "text: box over box". */
async function covered(page: Page, covers: readonly Locator[], parts: readonly Locator[]): Promise<string[]> {
  const handlesOf = async (locators: readonly Locator[]) =>
    await Promise.all(locators.map(async (locator) => (await locator.elementHandle())!))
  // All boxes of one frame: the page may move between two questions.
  return await page.evaluate(
    ([covers, parts]: any[]) =>
      parts.flatMap((part: any) => {
        const a = part.getBoundingClientRect()
        return covers.flatMap((cover: any) => {
          const b = cover.getBoundingClientRect()
          const isCovered = a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
          return isCovered ? [`${part.textContent}: ${JSON.stringify(b)} over ${JSON.stringify(a)}`] : []
        })
      }),
    [await handlesOf(covers), await handlesOf(parts)],
  )
}

const browser = await launchBrowser()
atEndOfFile(() => browser.close())

t.test('from a new account to two synced services on the home page', async (t) => {
  const { jellyfin, emby } = await startFirstRun(t)
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
  const chosen = [
    ['Jellyfin', jellyfin, PHONE],
    ['Emby', emby, DESK],
  ] as const
  const listed = (await readProofs()).filter(({ browser }) => browser !== '').map(({ provider }) => provider)
  t.same(listed.toSorted(), chosen.map(([name]) => name).toSorted(), 'the table of test/PROOFS.md')
  for (const [name, server, width] of chosen) {
    await page.getByRole('button', { name: `Connect ${name}` }).click()
    const dialog = page.getByRole('dialog', { name: `Connect ${name}` })
    await dialog.getByLabel('Server').fill(server.url)
    await dialog.getByLabel('Username').fill('sam')
    await dialog.getByLabel(/^Password/).fill('secret')
    if (name === 'Jellyfin') t.same(await seriousViolations(page), [], 'sign-in')
    await page.setViewportSize({ width, height: HEIGHT })
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    const toast = page.locator('.mantine-Notification-root', { hasText: `${name} connected.` })
    await toast.waitFor()
    // It stays while the pointer is on it.
    await toast.hover()
    t.same(await covered(page, [toast], [page.getByRole('button', { name: 'Continue' })]), [], `a toast at ${width}`)
    await page.setViewportSize({ width: DESK, height: HEIGHT })
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
  await page
    .getByRole('status')
    .filter({ hasText: /^In sync$/ })
    .waitFor()
  const moment = page.getByRole('region', { name: 'Your first sync is done' })
  await moment.getByText(/^\d+ changes were synced between your services/).waitFor()
  t.ok((await moment.locator('.first-sync-poster').count()) > 2, 'with posters of what was synced')
  for (const width of [PHONE, 500, 700, DESK]) {
    await page.setViewportSize({ width, height: HEIGHT })
    const text = moment.getByRole('status')
    const parts = [
      text.getByRole('heading'),
      text.getByText(/^\d+ changes were synced/),
      ...(await text.getByRole('link').all()),
    ]
    t.same(await covered(page, await moment.locator('.first-sync-poster').all(), parts), [], `posters at ${width}`)
    t.ok((await text.boundingBox())!.width >= LEAST_TEXT, `its text has room at ${width}`)
  }
  await page.setViewportSize({ width: DESK, height: HEIGHT })
  t.equal(
    await page.evaluate(`getComputedStyle(document.querySelector('.first-sync-poster')).animationDuration`),
    '1e-05s',
    'still for those who prefer that',
  )
  const pair = page.getByRole('article', { name: 'Emby and Jellyfin' })
  await pair.getByRole('listitem').filter({ hasText: 'History' }).getByText('In sync').waitFor()
  t.equal(await page.getByRole('figure', { name: 'Items changed per day' }).count(), 1)
  await isFit(t, page, 'home')
  await moment.getByRole('button', { name: 'Close' }).click()
  await page.reload()
  await page
    .getByRole('status')
    .filter({ hasText: /^In sync$/ })
    .waitFor()
  t.equal(await moment.count(), 0, 'once')
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

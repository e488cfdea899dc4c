// slow: a browser, step by step
// The search by keyboard alone, from pages that know nothing of the answers, wide and on a phone.
import type { Page } from 'playwright-core'
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { startFilled } from './filled.ts'
import { overflow, seriousViolations, settled } from './harness.ts'

const filled = await startFilled()
atEndOfFile(() => filled[Symbol.asyncDispose]())
const { ui, service } = filled
const SIZES = { wide: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } }

async function look(page: Page, query: string) {
  await page.keyboard.press('Control+k')
  const dialog = page.getByRole('dialog', { name: 'Search' })
  await dialog.getByRole('textbox', { name: 'Search' }).fill(query)
  return dialog
}

/** Waits until the first answer is the expected one, and opens it with Enter. */
async function openFirst(page: Page, query: string, expected: string): Promise<void> {
  const dialog = await look(page, query)
  await dialog.locator('[data-action][data-selected]').filter({ hasText: expected }).first().waitFor()
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
}

t.test('the first answer is opened with Enter, wide and on a phone', async (t) => {
  for (const [name, viewport] of Object.entries(SIZES)) {
    const page = await ui.open('/runs', { viewport })
    await settled(page)

    await openFirst(page, 'attic', 'Attic and cellar')
    await page.waitForURL(`**/pairs/${filled.pair}`)
    await openFirst(page, 'emby', 'Emby')
    await page.waitForURL('**/connections/MEDIAC')
    await openFirst(page, 'removals without approval', 'Removals without approval')
    await page.locator('#root_removal_min:focus').waitFor()
    t.equal(new URL(page.url()).pathname, '/settings/sync', name)
    await openFirst(page, 'new token', 'New API token')
    await page.locator('#new-token:focus').waitFor()
    await openFirst(page, 'create backup', 'Create a backup')
    await page.getByRole('dialog', { name: 'Back up now' }).waitFor()
    await page.keyboard.press('Escape')
    await page.waitForURL((url) => url.pathname === '/backups' && url.search === '')
    await openFirst(page, 'discord', 'Notifications by Discord')
    await page.getByRole('dialog', { name: 'New channel: Discord' }).waitFor()
    await page.keyboard.press('Escape')
    await openFirst(page, 'webhook jellyfin', 'Webhook address of Jellyfin')
    await page.waitForURL('**/scrobbling?open=add')
    await page.locator('.mantine-Modal-content[role=dialog]').waitFor()
    await page.keyboard.press('Escape')
    t.equal(await overflow(page), 0, name)
    t.same([page.recorded.errors, page.recorded.failed], [[], []], name)
    await page.context().close()
  }
})

t.test('an action that changes something asks first', async (t) => {
  const page = await ui.open('/library')
  await settled(page)
  const runs = async () => (await service.json('/api/runs?limit=1')).body.total
  const before = await runs()
  await openFirst(page, 'undo', 'Undo the last run')
  const question = page.getByRole('dialog', { name: /Undo/ })
  await question.getByRole('button', { name: 'Cancel' }).waitFor()
  await page.keyboard.press('Escape')
  await question.waitFor({ state: 'detached' })
  t.equal(await runs(), before)
  t.equal(new URL(page.url()).pathname, '/library')
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('the fields of all settings are one request, made when the search is used', async (t) => {
  const page = await ui.open('/')
  await settled(page)
  const asked = () => page.recorded.requests.filter((one) => one.endsWith('/api/config/fields')).length
  t.equal(asked(), 0, 'not before the search is used')
  await look(page, 'trusted proxies')
  await page
    .getByRole('dialog', { name: 'Search' })
    .getByRole('button', { name: /Trusted proxies Settings/ })
    .waitFor()
  t.equal(asked(), 1)
  t.equal((await service.call('/api/config/fields')).headers.has('etag'), true)
})

t.test('without an answer it says what to try, and the guide is found', async (t) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await ui.open('/watchlist', { viewport: SIZES.phone, colorScheme })
    await settled(page)
    const dialog = await look(page, 'xqzw')
    await dialog.getByText('No results for “xqzw”.').waitFor()
    await dialog.getByText('Try a title, a service').waitFor()
    t.same(await seriousViolations(page), [], colorScheme)
    await dialog.getByRole('textbox', { name: 'Search' }).fill('nginx')
    await dialog.getByRole('button', { name: /nginx/ }).first().waitFor()
    t.same(await seriousViolations(page), [], colorScheme)
    await dialog.locator('[data-action][data-selected]').filter({ hasText: 'nginx' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/guide/reverse-proxy#nginx')
    await page.context().close()
  }
})

// slow: a browser, step by step
// Single sign-on: link an account, sign in with it, unlink it.
import type { Page } from 'playwright-core'
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { expectOk } from '../demo/sign-in.ts'
import { startPlex } from '../upstreams/plex.ts'
import { settled, startUi } from './harness.ts'
import { closed, windowOf } from './sign-in.ts'

const APPROVAL = 'https://app.plex.tv/auth'

const ui = await startUi()
atEndOfFile(() => ui[Symbol.asyncDispose]())
const plex = await startPlex({ movies: 1, shows: 1 })
atEndOfFile(() => plex.close())
await expectOk(ui.service, '/api/config', { plugins: { sso: { cloud_url: plex.cloud.url } } })

async function open(path: string, signedIn: boolean) {
  const page = await ui.open(path, { signedIn })
  await page
    .context()
    .route(`${APPROVAL}*`, (route) => route.fulfill({ contentType: 'text/html', body: '<p>Sign in</p>' }))
  return page
}

/** The person confirms in the window; its address carries the code behind the #?. */
async function approve(window: Page, who: 'owner' | 'friend' = 'owner'): Promise<void> {
  await window.waitForURL(`${APPROVAL}*`)
  plex.actions.approvePin(new URLSearchParams(new URL(window.url()).hash.slice(2)).get('code') ?? '', who)
}

const link = (page: Page) => page.getByRole('button', { name: 'Link Plex' })
const door = (page: Page) => page.getByRole('button', { name: 'Sign in with your linked account' })

t.test('a closed window links nothing; an approval links and closes the window', async (t) => {
  const page = await open('/settings/single-sign-on', true)
  const first = await windowOf(page, () => link(page).click())
  await page.getByText('Continue in the window that opened…').waitFor()
  await first.close()
  await page.getByText('The window was closed before the account was linked.').waitFor()
  const second = await windowOf(page, () => link(page).click())
  await approve(second)
  await page.getByText('Linked with sample_user').waitFor()
  await closed(second)

  await page.getByText('user@example.org').waitFor()
  t.match((await ui.service.json('/api/app-auth/mediaA/status')).body, {
    linked: true,
    linked_username: 'sample_user',
    login_available: true,
  })
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('the linked account signs in, another one does not', async (t) => {
  const page = await open('/login', false)
  const wrong = await windowOf(page, () => door(page).click())
  await approve(wrong, 'friend')
  await page.getByText('This account is not linked.').waitFor()
  await closed(wrong)
  t.same(page.recorded.failed.splice(0), ['403 POST /api/app-auth/mediaA/check'])

  const right = await windowOf(page, () => door(page).click())
  await approve(right)
  await page.waitForURL(`${ui.service.url}/`)
  await settled(page)
  await closed(right)
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('an unlinked account cannot sign in', async (t) => {
  const page = await open('/settings/single-sign-on', true)
  await page.getByRole('button', { name: 'Unlink' }).click()
  await page.getByRole('dialog', { name: 'Unlink sample_user?' }).getByRole('button', { name: 'Unlink' }).click()
  await page.getByText('Account unlinked.').waitFor()
  await link(page).waitFor()

  const outside = await open('/login', false)
  await outside.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
  t.equal(await door(outside).count(), 0)
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

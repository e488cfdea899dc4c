// slow: a browser, step by step
// A person without an account of Playhead signs in at Trakt by a link: made with few clicks, opened on a phone, used once.
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { expectOk, signInToTrakt, type Client } from '../demo/sign-in.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { overflow, seriousViolations, startUi } from './harness.ts'
import { isFitWindow } from './looks.ts'
import { shownCode } from './sign-in.ts'

const PHONE = { signedIn: false, viewport: { width: 390, height: 844 } } as const
const trakt = await startTrakt({ movies: 2, shows: 0, usernames: ['ada', 'kim'] })
atEndOfFile(() => trakt.close())
const ui = await startUi()
atEndOfFile(() => ui[Symbol.asyncDispose]())
const client: Client = ui.service
await signInToTrakt(client, trakt)
const { accounts } = (await client.json('/api/persons')).body
const own = accounts.find(({ provider }: { provider: string }) => provider === 'TRACKA').uid
await expectOk(client, '/api/persons', { name: 'Ada', accounts: [own] })
await expectOk(client, '/api/persons', { name: 'Kim' })

t.test('a guest signs in on a phone, sees nothing else, and the account is theirs', async (t) => {
  const page = await ui.open('/connections')
  await page.getByRole('button', { name: 'Sign-in link for Kim' }).click()
  const dialog = page.getByRole('dialog', { name: 'Sign-in link for Kim' })
  await dialog.getByRole('combobox', { name: 'Service' }).click()
  await page.getByRole('option', { name: 'Trakt' }).click()
  await dialog.getByRole('button', { name: 'Make the link' }).click()
  const address = new URL(await dialog.getByLabel('Link', { exact: true }).inputValue())
  await isFitWindow(t, page, 'a sign-in link')
  await page.setViewportSize({ width: 1280, height: 800 })
  await dialog.getByRole('button', { name: 'Done' }).click()
  const links = page.getByRole('list', { name: 'Sign-in links' })
  await links.getByText(/^Kim can sign in to Trakt until /).waitFor()

  const guest = await ui.open(`${address.pathname}${address.hash}`, PHONE)
  await guest.getByRole('heading', { name: 'Sign in to Trakt', level: 1 }).waitFor()
  await guest.getByText(/^Hello Kim!/).waitFor()
  t.same([await overflow(guest), await seriousViolations(guest)], [0, []])
  t.equal(await guest.getByRole('navigation').count(), 0)
  await guest.getByRole('button', { name: 'Sign in to Trakt' }).click()
  const code = await shownCode(guest)
  t.equal(new URL(guest.url()).hash, '', 'the address keeps no token')
  t.same([await overflow(guest), await seriousViolations(guest)], [0, []])
  await guest.reload()
  t.equal(await shownCode(guest), code, 'the browser that began goes on')
  trakt.approve(code, 'kim')
  await guest.getByText('Your account at Trakt is connected. You can close this page.').waitFor()
  const asked = guest.recorded.requests.filter((one) => one.includes('/api/'))
  t.same(
    asked.filter((one) => !one.startsWith('POST /api/guest/')),
    [],
    'nothing else of the household is read',
  )
  t.notOk(
    guest.recorded.requests.some((one) => one.includes(address.hash.slice(1))),
    'the token is in no address',
  )
  t.same(guest.recorded.failed, [])

  const other = await ui.open(`${address.pathname}${address.hash}`, { ...PHONE, locale: 'de-DE' })
  await other.getByRole('heading', { name: 'Dieser Link funktioniert nicht' }).waitFor()
  t.same([await overflow(other), await seriousViolations(other)], [0, []])

  await page.reload()
  await links.getByText('Kim signed in to Trakt').waitFor()
  await page
    .getByRole('article', { name: 'Kim' })
    .getByText(/^Trakt \(Kim\)/)
    .waitFor()
  await links.getByRole('button', { name: 'Dismiss' }).click()
  await links.waitFor({ state: 'detached' })
  t.same(
    [page, guest].map(({ recorded }) => recorded.errors),
    [[], []],
  )
})

t.test('a revoked link does not work', async (t) => {
  const { url, link } = await expectOk(client, '/api/sign-in-links', { provider: 'TRACKA', name: 'Kim' })
  const page = await ui.open('/connections')
  await page.getByRole('button', { name: 'Revoke the link of Kim for Trakt' }).click()
  await page.getByText('Link revoked.').waitFor()
  const guest = await ui.open(`/guest${new URL(url).hash}`, PHONE)
  await guest.getByRole('heading', { name: 'This link does not work' }).waitFor()
  t.equal((await client.json(`/api/sign-in-links/${link.id}`, { method: 'DELETE' })).status, 404)
  const { url: next } = await expectOk(client, '/api/sign-in-links', { provider: 'TRACKA', name: 'Kim' })
  await guest.goto(new URL(new URL(next).hash, guest.url()).href)
  await guest.getByRole('heading', { name: 'Sign in to Trakt', level: 1 }).waitFor()
  t.same([page.recorded.errors, guest.recorded.errors], [[], []])
})

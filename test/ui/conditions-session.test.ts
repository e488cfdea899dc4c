// slow: a browser, step by step
// Every page with data after the session has ended: it asks for the sign-in, and then shows the same address.
import type { BrowserContext } from 'playwright-core'
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { untilTrue } from '../demo/sign-in.ts'
import { cookieOf } from '../service/process.ts'
import { follow, isClean, PAGES, PHONE, rowsOf, stands } from './conditions.ts'
import { startFilled } from './filled.ts'
import { PASSWORD, settled, signIn, USERNAME } from './harness.ts'

const filled = await startFilled()
atEndOfFile(() => filled[Symbol.asyncDispose]())
const { ui, service, paths, pair } = filled
const rows = rowsOf('filled', paths)

const post = (path: string, body: object, cookie = '') =>
  fetch(service.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie },
    body: JSON.stringify(body),
  })

async function startSession(): Promise<string> {
  return cookieOf(await post('/api/app-auth/login', { username: USERNAME, password: PASSWORD }))
}

async function enter(context: BrowserContext): Promise<string> {
  const session = await startSession()
  const [name = '', value = ''] = session.split('=')
  await context.addCookies([{ name, value, url: service.url }])
  return session
}

const rename = (name: string) => service.json(`/api/pairs/${pair}`, { method: 'PUT', json: { name } })
const end = async (session: string) => t.equal((await post('/api/app-auth/logout', {}, session)).status, 200)

// Runs first, because its many sessions push out the session of the test.
t.test('an open page asks for the sign-in by itself, keeps typed text, and continues', async (t) => {
  for (const path of ['/', '/plays/add']) {
    const page = await ui.open('/login', { ...PHONE, signedIn: false })
    const session = await enter(page.context())
    await page.goto(service.url + path)
    await settled(page)
    await untilTrue(`${path} follows what changes`, async () => service.streams.size() > 0)
    const typed = path === '/' ? null : page.locator('#content input:is([type=text], [type=search])').first()
    await typed?.fill('Half a name')
    await end(session)
    await signIn(page.getByRole('dialog', { name: 'Sign in' }))
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    t.equal(page.url(), service.url + newAddress(path))
    if (typed !== null) t.equal(await typed.inputValue(), 'Half a name', path)
    await untilTrue(`${path} follows again`, async () => service.streams.size() > 0)
    if (path === '/') {
      await rename('Seen by the page')
      await page.getByText('Seen by the page').first().waitFor()
      await rename('Attic and cellar')
    }
    await stands(t, page, path, PAGES[path]!.filled)
    isClean(t, page)
    await page.context().close()
  }
})

t.test('a request with an expired session is sent once, after the sign-in', async (t) => {
  const page = await ui.open('/login', { ...PHONE, signedIn: false })
  await enter(page.context())
  await page.goto(`${service.url}/settings/tokens`)
  await settled(page)
  await page.locator('#content').getByLabel('Name', { exact: true }).fill('After all')
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Create token' }).click()
  await signIn(page.getByRole('dialog', { name: 'Sign in' }))
  await page.getByText('After all').first().waitFor()
  const { tokens } = (await service.json('/api/tokens')).body
  t.equal(tokens.filter(({ name }: { name: string }) => name === 'After all').length, 1)
  await page.context().close()
})

t.test('signing out in one of two tabs signs out both, and signing in does too', async (t) => {
  const first = await ui.open('/login', { signedIn: false })
  const session = await enter(first.context())
  await first.goto(`${service.url}/schedule`)
  await settled(first)
  const second = await first.context().newPage()
  await second.goto(`${service.url}/pairs`)
  await settled(second)

  // The session ends while both are open; the sign-in in one tab unlocks the other.
  await end(session)
  await follow(second, '/runs')
  await second.getByRole('dialog').waitFor()
  await follow(first, '/events')
  await signIn(first.getByRole('dialog'))
  await first.getByRole('dialog').waitFor({ state: 'detached' })
  await second.getByRole('dialog').waitFor({ state: 'detached' })
  await stands(t, second, '/runs', PAGES['/runs']!.filled)

  await first.getByRole('button', { name: 'Account' }).click()
  await first.getByRole('menuitem', { name: 'Sign out' }).click()
  await first.waitForURL('**/login**')
  await second.waitForURL('**/login?next=%2Fruns')
  await first.context().close()
})

t.test('opened by a link, the page stays below the sign-in dialog', async (t) => {
  const page = await ui.open('/login', { ...PHONE, signedIn: false })
  for (const [path, row] of rows) {
    const session = await enter(page.context())
    await page.goto(`${service.url}${path === '/plays/add' ? '/settings' : '/plays/add'}`)
    await settled(page)
    await end(session)
    await follow(page, path)
    const dialog = page.getByRole('dialog', { name: 'Sign in' })
    await dialog.waitFor().then(
      () => signIn(dialog),
      () => t.fail(`${path} does not ask for the sign-in`),
    )
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await stands(t, page, path, row.filled)
    t.equal(page.url(), service.url + newAddress(path))
  }
  isClean(t, page)
  await page.context().close()
})

/** The events of an item are on the page of its title, and what the analyzer finds is among the problems. */
function newAddress(path: string): string {
  return path
    .replace(/^\/events\/item\/(.+)$/, '/library/$1#events')
    .replace(/^\/analyzer$/, '/problems?source=analyzer')
}

t.test('opened by address, the sign-in page comes first', async (t) => {
  const page = await ui.open('/login', { ...PHONE, signedIn: false })
  for (const [path, row] of rows) {
    await page.context().clearCookies()
    await page.goto(service.url + path)
    t.match(page.url(), path === '/' ? /\/login$/ : `/login?next=${encodeURIComponent(path)}`)
    await signIn(page)
    await page.waitForURL(({ href }) => href === service.url + newAddress(path))
    await stands(t, page, path, row.filled)
  }
  isClean(t, page)
  await page.context().close()
})

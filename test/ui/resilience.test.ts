// slow: a browser, step by step
// A page stays open while its service is slow, is killed, and starts again.
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { cookieOf, spawnService } from '../service/process.ts'
import { launchBrowser } from './browser.ts'
import { PASSWORD, settled, USERNAME } from './harness.ts'

const SLOW_MS = 1_500
const ACCOUNT = { username: USERNAME, password: PASSWORD }

const browser = await launchBrowser()
atEndOfFile(() => browser.close())
const directory = t.testdir({ data: {} })
let service = await spawnService(`${directory}/data`)
atEndOfFile(() => service.kill('SIGKILL'))
const url = service.url as string
await service.post('/api/app-auth/credentials', { enabled: true, ...ACCOUNT })
const cookie = cookieOf(await service.post('/api/app-auth/login', ACCOUNT))

async function open(path: string) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
  t.teardown(() => context.close())
  const [name = '', value = ''] = cookie.split('=')
  await context.addCookies([{ name, value, url }])
  const page = await context.newPage()
  page.setDefaultTimeout(45_000)
  await page.goto(url + path)
  await settled(page)
  return page
}

t.test('with a slow service pages show that they load, and then their content', async (t) => {
  const page = await open('/')
  await page.route('**/api/**', async (route) => {
    await sleep(SLOW_MS)
    await route.continue().catch(() => undefined)
  })
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Activity' }).click()
  await page.getByRole('navigation', { name: 'Activity' }).getByRole('link', { name: 'Events' }).click()
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor()
  await page.locator('#content').getByRole('status', { name: 'Loading…' }).first().waitFor()
  await page.getByRole('grid').or(page.getByText('No events yet')).first().waitFor()
  t.equal(await page.getByRole('alert').count(), 0)
})

t.test('with a killed service the page says so, and continues without a reload once it is back', async (t) => {
  const page = await open('/')
  await page.evaluate('window.isSamePage = true')
  await service.kill('SIGKILL')
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Activity' }).click()
  await page
    .getByText('Connection lost. This page may be out of date.')
    .or(page.getByText('Reconnecting…'))
    .first()
    .waitFor()
  service = await spawnService(`${directory}/data`, { PLAYHEAD_PORT: new URL(url).port })
  t.equal(service.url, url)
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
  await page.locator('#content').getByText('No runs yet').waitFor()
  await page.getByText('Connected', { exact: true }).first().waitFor()
  t.equal(await page.evaluate('window.isSamePage'), true, 'it was not loaded again')
})

t.test('a change in one of two tabs appears in the other when it becomes visible', async (t) => {
  const first = await open('/schedule')
  const second = await first.context().newPage()
  await second.goto(`${url}/schedule`)
  await settled(second)
  await second.getByText('No pair to run').waitFor()
  await first.getByText('No pair to run').waitFor()
  // Signing out in one tab ends the session of both.
  await first.getByRole('button', { name: 'Account' }).click()
  await first.getByRole('menuitem', { name: 'Sign out' }).click()
  await first.waitForURL('**/login**')
  await second.reload()
  await second.waitForURL('**/login**')
  t.match(second.url(), /next=%2Fschedule/)
})

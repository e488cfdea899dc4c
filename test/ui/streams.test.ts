// slow: a browser, step by step
// One connection for the streams of all pages of a browser.
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { settled, signIn, startUi } from './harness.ts'

const TABS = 8
const ui = await startUi()
atEndOfFile(() => ui[Symbol.asyncDispose]())
const { service } = ui
const home = await ui.open('/')
await settled(home)

/** Waits until the condition is true. */
async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (await holds()) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`it never was that ${what}`)
}
const isLive = (page: typeof home) => page.getByRole('status').filter({ hasText: 'Connected' }).waitFor()

t.test('one page has one stream, and so have eight tabs', async (t) => {
  await until('home follows', () => service.streams.size() === 1)
  const tabs = []
  for (let index = 1; index < TABS; index += 1) {
    const tab = await home.context().newPage()
    await tab.goto(`${service.url}/${['runs', 'plugins?shown=builtIn', 'scrobbling'][index % 3]}`)
    await settled(tab)
    tabs.push(tab)
  }
  t.equal(service.streams.size(), 1, 'six connections to a host are all that a browser has')
  await service.json('/api/plugins/version/disable', { json: {} })
  for (const tab of tabs.filter((one) => one.url().includes('/plugins?'))) {
    await tab.getByRole('row').filter({ hasText: 'Off' }).first().waitFor()
    t.pass('and each hears what happens')
  }
  await service.json('/api/plugins/version/enable', { json: {} })
  for (const tab of tabs) await tab.close()
})

t.test('a page that opens later gets the earlier events, and the other pages get nothing twice', async (t) => {
  const first = await home.context().newPage()
  await first.goto(`${service.url}/settings/logs`)
  const lines = (page: typeof first) => page.locator('.log-line').count()
  await until('the log is there', async () => (await lines(first)) > 3)
  const text = () =>
    first.evaluate(`[...document.querySelectorAll('.log-line')].map((line) => line.textContent).join('\\n')`)
  const before = String(await text())
  const second = await home.context().newPage()
  await second.goto(`${service.url}/settings/logs`)
  await until('the log is there as well', async () => (await lines(second)) > 3)
  const after = String(await text())
  const count = (all: string, line: string) => all.split('\n').filter((one) => one === line).length
  const twice = new Set(before.split('\n').filter((line) => line !== '' && count(after, line) > count(before, line)))
  t.same([...twice], [])
  t.equal(service.streams.size(), 1)
  await Promise.all([first.close(), second.close()])
})

t.test('an expired session is renewed, and the stream continues', async (t) => {
  await home.goto(`${service.url}/plugins`)
  await settled(home)
  await home.context().clearCookies()
  await service.json('/api/app-auth/logout-others', { json: {} }).catch(() => undefined)
  await home.reload()
  await home.waitForURL('**/login**')
  await signIn(home)
  await settled(home)
  await isLive(home)
  await until('it follows again', () => service.streams.size() === 1)
  t.pass()
})

t.test('a change is read once on its own page, and once in another tab', async (t) => {
  const other = await ui.open('/settings/tokens')
  const page = await ui.open('/settings/tokens')
  for (const one of [other, page]) await settled(one)
  await until('both follow', () => service.streams.size() === 3)
  for (const one of [other, page]) one.recorded.requests.length = 0
  const reads = ({ recorded }: typeof page) => recorded.requests.filter((one) => one === 'GET /api/tokens').length
  await page.locator('#content').getByLabel('Name', { exact: true }).fill('Kitchen display')
  await page.getByRole('button', { name: 'Create token' }).click()
  await page.locator('#content').getByText('Kitchen display').first().waitFor()
  await other.locator('#content').getByText('Kitchen display').first().waitFor()
  // Changes are processed in rounds of one second.
  await page.waitForTimeout(2_500)
  t.equal(reads(page), 1, 'not again because of the event')
  t.equal(reads(other), 1)
  await Promise.all([page.context().close(), other.context().close()])
})

// The stream begins after the first view; here it begins late, so that the gap is certain.
const LATE = `{
  const { setTimeout } = globalThis
  globalThis.setTimeout = (work, ms, ...given) => setTimeout(work, ms === 700 ? 3_000 : ms, ...given)
}`

for (const isFirst of [true, false]) {
  t.test(
    `a change between the first answers and the stream reaches ${isFirst ? 'the only tab' : 'a tab beside others'}`,
    async (t) => {
      const context = isFirst ? (await ui.open('/login', { signedIn: true })).context() : home.context()
      const page = await context.newPage()
      await page.addInitScript(LATE)
      const answered = page.waitForResponse((answer) => answer.url().endsWith('/api/tokens'))
      await page.goto(`${service.url}/settings/tokens`)
      await (await answered).finished()
      const name = `Made in the gap ${isFirst}`
      await service.json('/api/tokens', { json: { name, scope: 'read' } })
      await page.locator('#content').getByText(name).first().waitFor({ timeout: 15_000 })
      t.pass()
      const again = `Made afterwards ${isFirst}`
      await service.json('/api/tokens', { json: { name: again, scope: 'read' } })
      await page.locator('#content').getByText(again).first().waitFor({ timeout: 15_000 })
      await (isFirst ? context : page).close()
    },
  )
}

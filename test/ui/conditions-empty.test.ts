// Every page on the first day, with an account and nothing else: it says what it is for and offers the next step.
import t from 'tap'
import { expectOk } from '../demo/sign-in.ts'
import { follow, isClean, PHONE, rowsOf, stands } from './conditions.ts'
import { startUi } from './harness.ts'

const ui = await startUi()
t.teardown(() => ui[Symbol.asyncDispose]())
const rows = rowsOf('empty', [])
/** What is filled by a sync. */
const SYNCED = ['/runs', '/schedule', '/watchlist', '/library', '/history', '/statistics', '/events', '/export']

t.test('each says what it is for, and has a next step that can be taken now', async (t) => {
  const page = await ui.open('/', PHONE)
  const content = page.locator('#content')
  for (const [path, { empty, next = '' }] of rows) {
    await follow(page, path)
    await stands(t, page, path, empty)
    const step = content
      .getByRole('button', { name: next, exact: true })
      .or(content.getByRole('link', { name: new RegExp(`^${RegExp.escape(next)}`) }))
      .or(content.getByLabel(next, { exact: true }))
    if (next !== '') t.ok(await step.first().isEnabled(), `${path} offers: ${next}`)
    t.equal(await page.getByRole('alert').filter({ visible: true }).count(), 0, `${path} has no alarm`)
  }
  isClean(t, page)
  t.same(page.recorded.failed, [])
  await page.context().close()
})

t.test('what is filled by a sync leads on: two services are connected, then there is a pair', async (t) => {
  const { id } = await expectOk(ui.service, '/api/provider-instances/SVC/next', { label: 'Second' })
  const page = await ui.open('/', PHONE)
  const content = page.locator('#content')
  const steps = async (name: string, href: string, paths: readonly string[]) => {
    await page.reload()
    for (const path of paths) {
      await follow(page, path)
      t.equal(await content.getByRole('link', { name, exact: true }).getAttribute('href'), href, path)
    }
  }
  await steps('Create a pair', '/pairs/new', SYNCED)
  const pair = { source: 'SVC', target: 'SVC', target_instance: id, mode: 'one_way', enabled: true }
  await expectOk(ui.service, '/api/pairs', { ...pair, features: { history: { enabled: true, add: true } } })
  // A pair is all that a schedule needs.
  await steps(
    'Open the pairs',
    '/pairs',
    SYNCED.filter((path) => path !== '/schedule'),
  )
  isClean(t, page)
  await page.context().close()
})

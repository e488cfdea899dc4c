// slow: a browser, step by step
// Every page on the first day, with an account and nothing else: it states its purpose and offers the next step.
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { expectOk } from '../demo/sign-in.ts'
import { PAGE_PATHS } from '../../ui/app/paths.ts'
import { captures } from '../../ui/texts/en/captures.ts'
import { addressOf, follow, isClean, PAGES, PHONE, rowsOf, stands } from './conditions.ts'
import { settled, startUi } from './harness.ts'

const ui = await startUi()
atEndOfFile(() => ui[Symbol.asyncDispose]())
const rows = rowsOf('empty')
/** The response for an object that does not exist. */
const NOTHING = /^4(?:00|04|14|22) GET /
/** Pages that a sync fills. */
const SYNCED = ['/runs', '/schedule', '/watchlist', '/library', '/history', '/statistics', '/events', '/export']

t.test('each page states its purpose, and offers a next step that works now', async (t) => {
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
  t.same(
    page.recorded.failed.filter((one) => !NOTHING.test(one)),
    [],
  )
  await page.context().close()
})

/** Truncated, invented, malformed and non-text ids. */
const ODD = ['', '0', '..%2F..%2Fetc', '%00', '%E0%A4%A', '%22%3E%3Cb%3E', '__proto__', 'x'.repeat(600)]

t.test('an address with an id that never existed offers a next step, too', async (t) => {
  const page = await ui.open('/', PHONE)
  await settled(page)
  for (const [pattern, { empty, next = '' }] of Object.entries(PAGES).filter(([one]) => one.includes(':')))
    for (const value of ODD) {
      const path = addressOf(pattern, value)
      if (value === '' && !path.includes('?')) continue
      // Without two captures, the comparison page explains how to choose them.
      const says = value === '' && path.startsWith('/captures/compare') ? captures.compare.missing : empty
      const what = path.slice(0, 60)
      await follow(page, path)
      await stands(t, page, what, says)
      t.ok(
        await page.locator('#content').getByRole('link', { name: next, exact: true }).isVisible(),
        `${what}: ${next}`,
      )
      t.equal(await page.getByRole('alert').filter({ visible: true }).count(), 0, `${what} has no alarm`)
    }
  isClean(t, page)
  t.same(
    page.recorded.failed.filter((one) => !NOTHING.test(one)),
    [],
  )
  await page.context().close()
})

t.test('every page about one object has a row', async (t) => {
  const rest = PAGE_PATHS.filter(
    (path) => path.includes(':') && !Object.keys(PAGES).some((pattern) => pattern.startsWith(path)),
  )
  t.same(rest, [])
})

t.test('pages that a sync fills lead on: two services are connected, then there is a pair', async (t) => {
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
  // A schedule needs only a pair.
  await steps(
    'Open pairs',
    '/pairs',
    SYNCED.filter((path) => path !== '/schedule'),
  )
  isClean(t, page)
  await page.context().close()
})

// slow: a browser, list by list
// Every list keeps its filters in the address, and its place and focus for Back; the arrow keys move in it.
import type { Page } from 'playwright-core'
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { runToEnd, untilTrue as endless } from '../demo/sign-in.ts'
import { AREAS } from '../../ui/app/paths.ts'
import { captures } from '../../ui/texts/en/captures.ts'
import { continueWatching } from '../../ui/texts/en/continue.ts'
import { history } from '../../ui/texts/en/history.ts'
import { library } from '../../ui/texts/en/library.ts'
import { plugins } from '../../ui/texts/en/plugins.ts'
import { runs } from '../../ui/texts/en/runs.ts'
import { statistics } from '../../ui/texts/en/statistics.ts'
import { watchlist } from '../../ui/texts/en/watchlist.ts'
import { startFilled } from './filled.ts'
import { settled } from './harness.ts'

const filled = await startFilled()
atEndOfFile(() => filled[Symbol.asyncDispose]())
const { ui, service, paths } = filled
for (let n = 0; n < 12; n += 1) filled.trakt.user.addToWatchlist(filled.trakt.movie(n))
await runToEnd(service)
const pathOf = (start: string) => paths.find((path) => path.startsWith(start))!
const PATIENCE_MS = 15_000
const untilTrue = (what: string, ask: () => Promise<boolean>) => endless(what, ask, PATIENCE_MS)
const LOW = { width: 1280, height: 620 }

/** Chooses the last option of a select. */
const choose = (label: string) => ({
  async set(page: Page) {
    await page.getByRole('combobox', { name: label, exact: true }).click()
    await page.getByRole('option').last().click()
  },
  value: (page: Page) => page.getByRole('combobox', { name: label, exact: true }).inputValue(),
})
const type = (label: string, text: string) => ({
  set: (page: Page) => page.getByLabel(label, { exact: true }).fill(text),
  value: (page: Page) => page.getByLabel(label, { exact: true }).inputValue(),
})
const press = (role: 'tab' | 'radio', name: string) => ({
  async set(page: Page) {
    const one = page.getByRole(role, { name, exact: true })
    if (role === 'tab') await one.click()
    else await page.locator('label', { hasText: name }).first().click()
  },
  async value(page: Page) {
    const one = page.getByRole(role, { name, exact: true })
    return role === 'tab' ? String(await one.getAttribute('aria-selected')) : String(await one.isChecked())
  },
})

const FILTERS: readonly (readonly [
  path: string,
  name: string,
  filter: { set(page: Page): Promise<void>; value(page: Page): Promise<string> },
])[] = [
  ['/library', 'kind', choose(library.kind)],
  ['/library', 'sort', choose(library.sort)],
  ['/history', 'account', choose(history.account)],
  ['/watchlist', 'kind', choose(watchlist.kind)],
  ['/watchlist', 'sort', choose(watchlist.sort)],
  ['/continue', 'sort', choose(continueWatching.sort)],
  ['/continue', 'search', type(continueWatching.search, 'the')],
  ['/statistics', 'account', choose(statistics.account)],
  ['/runs', 'source', choose(runs.list.columns.source)],
  ['/runs', 'state', choose(runs.list.resultFilter)],
  [pathOf('/runs/'), 'op', choose(runs.items.op)],
  ['/plugins', 'text', type(plugins.search, 'trakt')],
  ['/plugins', 'shown', press('radio', plugins.shown.attention)],
  [pathOf('/plugins/'), 'tab', press('tab', plugins.tabs.internals)],
  ['/captures', 'feature', choose(captures.filters.feature)],
  [pathOf('/captures/view'), 'text', type(captures.view.search, 'the')],
  ['/connections', 'text', type('Find a service', 'sim')],
]

t.test('a filter is in the address and stays after a reload', async (t) => {
  const page = await ui.open('/')
  for (const [path, name, { set, value }] of FILTERS) {
    await page.goto(service.url + path)
    await settled(page)
    await set(page)
    await untilTrue(`${path} has ${name} in its address`, async () => new URL(page.url()).searchParams.has(name))
    const before = await value(page)
    t.not(before, '', `${path} ${name}`)
    await page.reload()
    await settled(page)
    await untilTrue(`${path} shows ${name} again`, async () => (await value(page)) === before)
    t.pass(`${path} ${name}: ${before}`)
  }
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
  await page.context().close()
})

/** The focused link or row, and how far its list and the page are scrolled. */
const WHERE = `(() => {
  const now = document.activeElement
  const active = now.getAttribute('aria-activedescendant')
  const focus = active === null ? now.getAttribute('href') : active.split('-').at(-1)
  return { focus, list: Math.round(now.closest('.wall, .table')?.scrollTop ?? 0), page: Math.round(scrollY) }
})()`
interface Where {
  readonly focus: string | null
  readonly list: number
  readonly page: number
}

const LISTS: readonly (readonly [path: string, first: string, keys: readonly string[]])[] = [
  ['/library?kind=movie', '#content [data-item] a', ['End', 'ArrowUp']],
  ['/history', '#content [data-item] a', ['ArrowDown', 'ArrowDown', 'ArrowDown']],
  ['/watchlist?sort=title', '#content [role=listbox]', ['ArrowRight', 'ArrowRight', 'ArrowRight']],
  ['/runs', '#content [role=grid]', ['End']],
  ['/plugins?text=import', '#content [role=grid]', ['ArrowDown', 'ArrowDown']],
  ['/captures?feature=history', '#content [role=grid]', ['ArrowDown']],
  ['/', '#content .shelf [data-item] a[href^="/library/"]', ['ArrowRight', 'ArrowRight', 'ArrowRight']],
]

t.test('Back returns to the item that was opened, with its filter', async (t) => {
  const page = await ui.open('/', { viewport: LOW })
  const where = () => page.evaluate(WHERE) as Promise<Where>
  for (const [path, first, keys] of LISTS) {
    await page.goto(service.url + path)
    await settled(page)
    await page.locator(first).first().focus()
    const start = await where()
    for (const key of keys) await page.keyboard.press(key)
    await page.waitForTimeout(300)
    const before = await where()
    t.not(before.focus, null, path)
    if (path !== '/runs') t.not(before.focus, start.focus, `${path}: the keys move`)
    const address = page.url()
    await page.keyboard.press('Enter')
    if (path.startsWith('/watchlist')) await page.getByRole('dialog').getByRole('link').click()
    await page.waitForURL((url) => url.href !== address)
    await settled(page)
    await page.goBack()
    await page.waitForURL(address)
    await untilTrue(`${path} has its place again`, async () => {
      const after = await where()
      return after.focus === before.focus && after.list === before.list && after.page === before.page
    }).catch(async () => t.same(await where(), before, path))
    t.equal(page.url(), address, path)
    // Also after a reload.
    await page.reload()
    await settled(page)
    await untilTrue(`${path} has its place after a reload`, async () => {
      const after = await where()
      return after.focus === before.focus && after.list === before.list
    }).catch(async () => t.same(await where(), before, `${path}, reloaded`))
  }
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
  await page.context().close()
})

t.test('the arrow keys, Home and End move between posters, plays and cards', async (t) => {
  const page = await ui.open('/')
  const at = async () =>
    Number(await page.evaluate("document.activeElement.closest('[data-item]')?.getAttribute('data-item') ?? -1"))
  for (const path of ['/library', '/history', '/continue', '/']) {
    await page.goto(service.url + path)
    await settled(page)
    const list = page.locator('#content :is(.wall, .cards, .shelf):has([data-item="2"])').first()
    await list.locator('[data-item="0"] :is(a, input)').first().focus()
    await page.keyboard.press('ArrowRight')
    t.equal(await at(), 1, `${path}: to the right`)
    await page.keyboard.press('ArrowLeft')
    t.equal(await at(), 0, `${path}: to the left`)
    await page.keyboard.press('ArrowLeft')
    t.equal(await at(), 0, `${path}: not beyond the first`)
    if (path !== '/') {
      await page.keyboard.press('ArrowDown')
      const below = await at()
      t.ok(below > 0, `${path}: down`)
      await page.keyboard.press('ArrowUp')
      t.equal(await at(), 0, `${path}: up`)
    }
    await page.keyboard.press('End')
    await untilTrue(`${path}: the end`, async () => (await at()) > 1)
    await page.keyboard.press('Home')
    await untilTrue(`${path}: the start`, async () => (await at()) === 0)
  }
  await page.goto(service.url)
  await settled(page)
  await page.evaluate("document.documentElement.dir = 'rtl'")
  await page.locator('#content .shelf [data-item="0"] a').first().focus()
  await page.keyboard.press('ArrowLeft')
  t.equal(await at(), 1, 'in a right-to-left language the next one is on the left')
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
  await page.context().close()
})

t.test('on every fresh page the first Tab goes to the link that skips the navigation', async (t) => {
  const page = await ui.open('/')
  for (const [area, [path]] of Object.entries(AREAS)) {
    const shown = paths.find((one) => one === path) ?? (path.includes(':') ? pathOf(path.split(':')[0]!) : path)
    // The page for a new play begins in its only field.
    if (area === 'plays' || area === 'login' || area === 'plugin-pages' || shown === undefined) continue
    await page.goto(service.url + shown)
    await settled(page)
    await page.keyboard.press('Tab')
    t.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the content', shown)
  }
  t.same(page.recorded.errors, [])
})

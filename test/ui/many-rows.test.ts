// slow: a browser, step by step
// Every list with 10,000 rows: it loads and renders in pages, its last row can be reached, and after a change only visible rows
// are refetched.
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { expectOk, runToEnd, signInToTrakt, untilTrue } from '../demo/sign-in.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { isClean } from './conditions.ts'
import { settled, startUi } from './harness.ts'

const ROWS = 10_000
const FEATURE = { enabled: true, add: true, remove: true }
const FIRST_REQUESTS = 20
const MOST_ELEMENTS = 3_000
/** The first page, for the total, and the visible pages. */
const MOST_AGAIN = 3
const STEPS = 400
const STEP_MS = 100
/** Changes are processed in rounds of one second. */
const QUIET_MS = 2_500

const trakt = await startTrakt({ movies: 2 * ROWS, shows: 1, plan: 'vip', rateLimits: false })
atEndOfFile(() => trakt.close())
for (let index = 0; index < ROWS; index += 1) {
  trakt.user.addToWatchlist(trakt.movie(index))
  // Use other titles, because watched titles leave the watchlist.
  trakt.user.watch(trakt.movie(ROWS + index), Date.now() - 86_400_000 - index * 600_000)
}
const ui = await startUi()
atEndOfFile(() => ui[Symbol.asyncDispose]())
const { service } = ui
await signInToTrakt(service, trakt)
await expectOk(service, '/api/provider-instances/SVC/next', { label: 'Second' })
const side = { source: 'TRACKA', target: 'SVC', mode: 'one_way', enabled: true }
const { id: pair } = await expectOk(service, '/api/pairs', {
  ...side,
  features: { watchlist: FEATURE, history: FEATURE },
})
const capture = async (label: string) => {
  const { snapshot } = await expectOk(service, '/api/snapshots/create', {
    provider: 'SVC',
    feature: 'watchlist',
    label,
  })
  return encodeURIComponent(snapshot.path)
}
const empty = await capture('Empty')
await runToEnd(service, { dry_run: true })
const { run_id: run } = await runToEnd(service)
const full = await capture('Full')
// Titles that the other profile lacks.
await expectOk(service, '/api/pairs', { ...side, target_instance: 'SVC-P01', features: { watchlist: FEATURE } })
await service.json('/api/library?fresh=true')
const { plans } = (await service.json('/api/plans?limit=1')).body

/** The path of a page, and the route of its list; null: loaded in one request. */
const LISTS: Readonly<Record<string, string | null>> = {
  '/library': '/api/library',
  '/history': '/api/history',
  '/watchlist': null,
  '/editor': '/api/editor',
  '/problems?details=findings': '/api/analyzer/problems',
  [`/runs/${run}`]: `/api/runs/${run}/items`,
  [`/plans/${plans[0].plan_id}`]: `/api/run/plan/${plans[0].plan_id}`,
  [`/captures/view?path=${full}`]: '/api/snapshots/read',
  [`/captures/compare?a=${empty}&b=${full}`]: '/api/snapshots/diff/extended',
}
/** Not every title has a finding. */
const FEWER: Readonly<Record<string, number>> = { '/problems?details=findings': 2_000 }
const LIST = `[...document.querySelectorAll('#content .table, #content .wall')].toSorted((a, b) => b.scrollHeight - a.scrollHeight)[0]`

/** The number of the last rendered row, if rows have one, and its text. */
const lastRow = (page: Page): Promise<[number, string]> =>
  page.evaluate(`(() => {
    const rows = [...(${LIST}).querySelectorAll('[role=row], [aria-posinset]')]
    const numberOf = (one) => Number(one.ariaPosInSet ?? one.ariaRowIndex - 1)
    const last = rows.toSorted((a, b) => numberOf(b) - numberOf(a))[0]
    return last === undefined ? [0, (${LIST}).innerText.slice(-100)] : [numberOf(last), last.innerText]
  })()`)

/** Scrolls until the list stops growing and its last row is visible. */
async function scrollToEnd(t: Test, page: Page, path: string): Promise<void> {
  let most = 0
  for (let step = 0, stays = 0, before = 0; step < STEPS && stays < 10; step += 1) {
    const { height, drawn } = (await page.evaluate(`(() => {
      const list = ${LIST}
      list.scrollTop = list.scrollHeight
      return { height: list.scrollHeight, drawn: document.querySelectorAll('#content *').length }
    })()`)) as { height: number; drawn: number }
    most = Math.max(most, drawn)
    stays = height === before ? stays + 1 : 0
    before = height
    await page.waitForTimeout(STEP_MS)
  }
  t.ok(most < MOST_ELEMENTS, `${path} draws what is seen: ${most} elements`)
}

t.test('each list is read and rendered in pages', async (t) => {
  const page = await ui.open('/login', { viewport: { width: 1440, height: 900 } })
  const asked = () => page.recorded.requests.filter((one) => one.includes(' /api/') && !one.includes('/api/pictures'))
  for (const [path, route] of Object.entries(LISTS)) {
    page.recorded.requests.length = 0
    await page.goto(service.url + path)
    await settled(page)
    await untilTrue(`${path} has rows`, () => page.evaluate(`(${LIST})?.scrollHeight > 2000`))
    t.ok(asked().length <= FIRST_REQUESTS, `${path} begins with ${asked().length} requests`)
    await scrollToEnd(t, page, path)
    const [number, text] = await lastRow(page)
    if (path === '/history') t.match(text, String(2 * ROWS - 1), `${path} has its last row`)
    else t.ok(number >= (FEWER[path] ?? ROWS) && text.trim() !== '', `${path} has its last row, ${number}: ${text}`)
    if (route === null) continue

    page.recorded.requests.length = 0
    await service.json(`/api/pairs/${pair}`, { method: 'PUT', json: { name: `Pair ${path}`.slice(0, 20) } })
    const again = () => new Set(asked().filter((one) => one.split('?')[0] === `GET ${route}`))
    await untilTrue(`${path} is read again`, async () => again().size > 0, 5_000).catch(() => undefined)
    await page.waitForTimeout(QUIET_MS)
    t.ok(again().size <= MOST_AGAIN, `${path} reads ${again().size} pages again`)
  }
  isClean(t, page)
  t.same(page.recorded.failed, [])
  await page.context().close()
})

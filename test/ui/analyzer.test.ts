// slow: a browser, step by step
// The details of the problems, which the analyzer finds: no findings, findings by kind, their details, a fix through a plan, and hidden findings.
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { runToEnd } from '../demo/sign-in.ts'
import { ALL, fill, startCaptures } from '../plugins/captures/world.ts'
import { WORKS } from '../plugins/sync/world/works.ts'
import { seriousViolations, settled, startUi } from './harness.ts'
import { isFit, isFitWindow } from './looks.ts'

t.setTimeout(900_000)
const world = await startCaptures({ ANN: {}, BOB: {} })
const ui = await startUi({ service: world.service })
atEndOfFile(async () => {
  await ui[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})
const [ann, bob] = [world.account('ANN'), world.account('BOB')]
const FILMS = ALL.slice(WORKS.length).filter(({ type }) => type === 'movie')
const ONLY_READ = { enabled: true, add: false, remove: false }
let pairId = ''

t.test('without a pair the page names the first step', async (t) => {
  const page = await ui.open('/problems?details=findings')
  await page.getByRole('tabpanel', { name: 'Results' }).getByText('Nothing to check yet').waitFor()
  await isFit(t, page, 'no pair')
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('without findings the page says so, with the time of the check', async (t) => {
  const { body } = await ui.service.json('/api/pairs', {
    json: {
      ...{ name: 'Ann and Bob', source: 'ANN', target: 'BOB', mode: 'two_way', enabled: true },
      features: { watchlist: ONLY_READ, ratings: ONLY_READ },
    },
  })
  pairId = String(body.pair?.id ?? body.id)
  fill(ann, FILMS.slice(0, 5), ['watchlist'])
  fill(bob, FILMS.slice(0, 5), ['watchlist'])
  await runToEnd(ui.service, { pair_id: pairId })
  const page = await ui.open('/problems?details=findings')
  await page.getByText('No problems found').waitFor()
  await page.getByText(/^Checked/).waitFor()
  await isFit(t, page, 'nothing wrong')
})

t.test('findings are listed by kind; one is read, hidden and shown again', async (t) => {
  fill(ann, FILMS.slice(5, 12), ['watchlist'])
  fill(ann, FILMS.slice(0, 3), ['ratings'])
  fill(bob, FILMS.slice(0, 3).reverse(), ['ratings'])
  await runToEnd(ui.service, { pair_id: pairId })
  const page = await ui.open('/problems?details=findings')
  const kinds = page.getByRole('navigation', { name: 'By kind' })
  await kinds.getByText('Missing on the other account').waitFor()
  await kinds.getByText('Different ratings').waitFor()
  await page.getByRole('grid', { name: 'Results' }).waitFor()
  await isFit(t, page, 'findings')

  await kinds.getByText('Missing on the other account').click()
  const grid = page.getByRole('grid', { name: 'Results' })
  await grid.getByText('Different ratings').first().waitFor({ state: 'detached' })
  await grid.focus()
  await page.keyboard.press('Enter')
  const detail = page.getByRole('dialog', { name: 'Missing on the other account' })
  await detail.getByText('The other account of the pair does not have the item.').first().waitFor()
  await detail.getByText('BOB').first().waitFor()
  await isFitWindow(t, page, 'a finding')
  await detail.getByRole('button', { name: 'Hide' }).click()
  await page.getByRole('menuitem', { name: 'All of this kind', exact: true }).click()
  await page.getByText('Hidden. Show it again under', { exact: false }).waitFor()
  await kinds.getByText('Missing on the other account').waitFor({ state: 'detached' })

  await page.getByRole('tab', { name: 'Corrections' }).click()
  await page.getByRole('button', { name: 'Show again: Missing on the other account' }).click()
  await page.getByText('Nothing is hidden.').waitFor()
  await isFit(t, page, 'corrections')
  t.same(page.recorded.errors, [])
})

t.test('two different ratings are fixed through a plan, and the fix is undone', async (t) => {
  const ratings = () =>
    JSON.stringify(
      [ann, bob].map((one) =>
        one
          .of('ratings')
          .map(({ work, rating }) => `${work}: ${rating}`)
          .toSorted(),
      ),
    )
  const before = ratings()
  const page = await ui.open('/problems?details=findings', { colorScheme: 'light' })
  await page.getByRole('navigation', { name: 'By kind' }).getByText('Different ratings').click()
  const grid = page.getByRole('grid', { name: 'Results' })
  await grid.getByText('Missing on the other account').first().waitFor({ state: 'detached' })
  await grid.focus()
  await page.keyboard.press('Enter')
  const choice = page
    .getByRole('dialog', { name: 'Different ratings' })
    .getByRole('group', { name: 'Which one is right?' })
  const keep = choice.getByRole('button', { name: /^Keep \d/ }).first()
  await keep.isEnabled()
  t.equal(ratings(), before, 'nothing was written')
  t.same(await seriousViolations(page), [])
  await keep.click()
  await page.getByText(/^\d+ is kept everywhere/).waitFor()
  t.not(ratings(), before)
  await page.getByRole('tab', { name: 'Corrections' }).click()
  await page.getByRole('link', { name: 'Plan' }).waitFor()
  await page.getByRole('button', { name: /^Undo the correction of/ }).click()
  await page.getByText('Undone', { exact: true }).first().waitFor()
  t.equal(ratings(), before)
  t.same(page.recorded.errors, [])
})

t.test('the former address leads to the problems of the checks, and each opens in full', async (t) => {
  fill(ann, FILMS.slice(20, 21), ['ratings'], Date.now() + 90 * 86_400_000)
  await runToEnd(ui.service, { pair_id: pairId })
  const page = await ui.open('/analyzer')
  await page.waitForURL('**/problems?source=analyzer')
  await page.getByRole('button', { name: 'Check again' }).click()
  await page
    .getByRole('status')
    .filter({ hasText: /^Checked/ })
    .waitFor()
  const group = page.getByRole('region', { name: 'Time in future' })
  await group.getByText('The time is in the future.').first().waitFor()
  const row = group.getByRole('listitem').first()
  await row.getByRole('button', { name: /^More for / }).click()
  await page.getByRole('menuitem', { name: 'Details' }).click()
  const finding = page.getByRole('dialog', { name: 'Time in future' })
  await finding.getByText('ANN', { exact: true }).waitFor()
  t.match(page.url(), /cause=analyzer%3Atime_in_future&finding=/)
  await isFitWindow(t, page, 'a problem in full')
  await page.reload()
  await finding.getByText('ANN', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await finding.waitFor({ state: 'detached' })
  t.match(page.url(), /\/problems\?cause=analyzer%3Atime_in_future$/, 'the cause stays')
  await page.goto(`${ui.service.url}/problems?source=analyzer&account=BOB%40default`)
  await page.getByText('No matching problems').waitFor()
  await page.goto(`${ui.service.url}/analyzer?type=time_in_future`)
  await page.waitForURL('**/problems?cause=analyzer%3Atime_in_future')
  await page.getByText('Details', { exact: true }).click()
  await page.waitForURL('**details=findings')
  await page.getByRole('grid', { name: 'Results' }).waitFor()
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('ratings, pairs and the stored state have views that fit every screen', async (t) => {
  const page = await ui.open('/problems?details=findings')
  for (const [name, text] of [
    ['Ratings', 'Rated before the release'],
    ['Pairs', 'Synced and not synced by pair'],
    ['Sync state', 'Clear in Maintenance'],
  ] as const) {
    await page.getByRole('tab', { name }).click()
    await page.getByText(text, { exact: false }).first().waitFor()
    for (const width of [360, 1440]) {
      await page.setViewportSize({ width, height: 800 })
      t.equal(
        await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
        0,
        `${name} at ${width}`,
      )
    }
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.locator(`[data-mantine-color-scheme="${colorScheme}"]`).first().waitFor()
      t.same(await seriousViolations(page), [], `${name}, ${colorScheme}`)
    }
  }
  t.same(page.recorded.errors, [])
})

t.test('ten thousand findings of a plugin rule, with titles of any length, are paged', async (t) => {
  const page = await ui.open('/')
  await settled(page)
  const total = 10_000
  const LONG = `${'Supercalifragilistic '.repeat(9)}العربية`
  await page.route('**/api/analyzer/rules', (route) =>
    route.fulfill({
      json: {
        ok: true,
        rules: [
          {
            ...{ rule: 'own', label: 'Titles without a year' },
            problems: [
              {
                type: 'own_type',
                severity: 'error',
                category: 'own',
                meaning: 'It has no year.',
                fix: null,
                fixable: false,
              },
            ],
          },
        ],
      },
    }),
  )
  await page.route('**/api/analyzer/problems*', async (route) => {
    const query = new URL(route.request().url()).searchParams
    const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))]
    await route.fulfill({
      json: {
        ...{ ok: true, total, offset, limit, has_more: offset + limit < total, excluded: 0, timings_ms: {} },
        problems: Array.from({ length: Math.min(limit, total - offset) }, (_, n) => ({
          ...{ type: 'own_type', severity: 'error', category: 'own', message: 'It has no year.', rule: 'own' },
          ...{ provider: 'ANN', feature: 'watchlist', key: `k${offset + n}`, title: `${offset + n} ${LONG}` },
        })),
        summary: {
          total,
          by_severity: { error: total, warn: 0, info: 0 },
          by_category: {},
          by_type: { own_type: total },
        },
        ...{ pair_stats: [], pair_exclusions: [], failed_rules: [] },
        attention: { rows: [], counts: {} },
      },
    })
  })
  await page.goto(`${ui.service.url}/problems?details=findings`)
  await page.getByText('10,000 results').waitFor()
  await page.getByRole('navigation', { name: 'By kind' }).getByText('Titles without a year').waitFor()
  const reads = () => page.recorded.requests.filter((one) => one.includes('/analyzer/problems')).length
  const first = reads()
  await page.getByRole('grid').focus()
  await page.keyboard.press('End')
  await page.getByText('249 Super', { exact: false }).first().waitFor()
  t.ok(reads() - first <= 2, 'a page at a time')
  t.equal(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'), 0)
  t.same(await seriousViolations(page), [])
})

t.test('a slow check shows its progress, a failed one its reason and a retry', async (t) => {
  const page = await ui.open('/')
  await settled(page)
  let isBroken = false
  await page.route('**/api/analyzer/problems*', async (route) => {
    if (isBroken) return await route.fulfill({ status: 500, json: { detail: 'The rules could not be asked.' } })
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    await route.continue()
  })
  await page.goto(`${ui.service.url}/problems?details=findings`)
  await page.getByText('Checking your accounts…').waitFor()
  t.same(await seriousViolations(page), [])
  await page.getByRole('grid', { name: 'Results' }).waitFor()
  isBroken = true
  await page.reload()
  await page.getByRole('alert').first().waitFor()
  const retry = page.getByRole('button', { name: 'Try again' }).first()
  await retry.waitFor()
  isBroken = false
  await retry.click()
  await page.getByRole('grid', { name: 'Results' }).waitFor()
})

// The browser application with large data: the longest busy time of the page while a person scrolls and filters.
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { expectOk, runToEnd } from '../demo/sign-in.ts'
import { until } from '../harness.ts'
import { startUi } from '../ui/harness.ts'
import type { Figure } from './index.ts'
import { watchlistProviders } from './large-provider.ts'
import { ON, writePlugins } from './sync.ts'

const EVENTS = Number(process.env['BENCH_EVENTS'] ?? 1_000_000)
const TITLES = Number(process.env['BENCH_TITLES'] ?? 10_000)
const SCROLLS = 60
const FILL_LIMIT_MS = 900_000
// The archive accepts events only from plugins; this plugin creates them.
const FILLER = `import { definePlugin, EVENT_ARCHIVE } from '@playhead/sdk'
import { makeEvents } from './make-events.ts'
export default definePlugin({
  routes(app) {
    app.post('/api/filler/fill', {}, async (request) => {
      const archive = app.playhead.use(EVENT_ARCHIVE)
      void (async () => {
        for (const batch of makeEvents(request.body.events, Date.now())) await archive.record(batch)
      })()
      return { ok: true }
    })
  },
})
`
const FILLER_MANIFEST = {
  id: 'filler',
  name: 'Filler',
  version: '1.0.0',
  api: '^1.0.0',
  kind: 'service',
  requires: ['events'],
  routes: [{ method: 'POST', path: '/api/filler/fill' }],
}
const LONG_TASKS = `new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) (window.longTasks ??= []).push(duration) }).observe({ type: 'longtask', buffered: true })`

export async function benchLargeLists(): Promise<readonly Figure[]> {
  return [...(await benchEventPages()), ...(await benchWatchlist())]
}

async function benchEventPages(): Promise<readonly Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), 'playhead-bench-ui-'))
  try {
    await addFiller(directory)
    await using ui = await startUi({ directory })
    await expectOk(ui.service, '/api/filler/fill', { events: EVENTS })
    await until(
      'the archive is full',
      async () => (await ui.service.json('/api/events/status')).body.events >= EVENTS,
      FILL_LIMIT_MS,
    )
    const page = await ui.open('/events?visibility=all')
    const { figures, step } = createSteps(page)
    await page.evaluate(LONG_TASKS)
    const grid = page.getByRole('grid')
    await grid.getByRole('link').first().waitFor()
    await longestTask(page)

    await step(`threads of ${EVENTS} events: scrolled ${SCROLLS} times`, () => scroll(page, grid))
    const search = page.getByLabel('Find by title, key or reason')
    await step('threads: a word is typed', async () => {
      await search.pressSequentially('lantern', { delay: 40 })
      await page.waitForURL(/q=lantern/)
      await grid
        .getByRole('link', { name: /lantern/ })
        .first()
        .waitFor()
    })
    await step('threads: only problems', async () => {
      await page.getByText('Problems', { exact: true }).click()
      await page.waitForURL(/category=problems/)
      await page.locator('[aria-busy="false"] [role="grid"]').waitFor()
    })
    await page.goto(`${ui.service.url}/events?view=events&visibility=all`)
    await page.evaluate(LONG_TASKS)
    await grid.getByRole('link').first().waitFor()
    await longestTask(page)
    await step(`every event of ${EVENTS}: scrolled ${SCROLLS} times`, () => scroll(page, grid))
    return figures
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** Watchlists with many titles, as a wall and as a table. */
async function benchWatchlist(): Promise<readonly Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), 'playhead-bench-ui-'))
  try {
    await writePlugins(directory, watchlistProviders(TITLES))
    await using ui = await startUi({ directory })
    await expectOk(ui.service, '/api/pairs', {
      source: 'LARGEA',
      target: 'LARGEB',
      mode: 'one_way',
      enabled: true,
      features: { watchlist: ON },
    })
    await runToEnd(ui.service)
    const page = await ui.open('/runs')
    const { figures, step } = createSteps(page)
    await page.evaluate(LONG_TASKS)
    const wall = page.getByRole('listbox', { name: 'Titles on the watchlists' })
    const search = page.getByLabel('Find a title')
    const all = page.getByText(`${TITLES.toLocaleString('en')} titles`, { exact: true })
    const find = async () => {
      await search.pressSequentially('number 777', { delay: 40 })
      await all.waitFor({ state: 'detached' })
      await page.getByText('A film with number 777', { exact: true }).first().waitFor()
    }
    const clear = async () => {
      await search.fill('')
      await all.waitFor()
    }

    await step(`wall of ${TITLES} titles: opened`, async () => {
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Watchlist' }).click()
      await wall.getByRole('option').first().waitFor()
    })
    await step(`wall: scrolled ${SCROLLS} times`, () => scroll(page, wall))
    await step('wall: a title is typed', find)
    await step('wall: all titles again', clear)
    await step('table: opened', async () => {
      await page.getByText('Table', { exact: true }).click()
      await page.getByRole('grid').getByRole('row').nth(5).waitFor()
    })
    await step(`table of ${TITLES} titles: scrolled ${SCROLLS} times`, () => scroll(page, page.getByRole('grid')))
    await step('table: a title is typed', find)
    await step('table: all titles again', clear)
    await step('table: sorted by title', async () => {
      await page.getByRole('columnheader', { name: 'Title' }).getByRole('button').click()
      await page.getByRole('columnheader', { name: 'Title' }).and(page.locator('[aria-sort]')).waitFor()
    })
    return figures
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 10 })
  }
}

function createSteps(page: Page) {
  const figures: Figure[] = []
  const step = async (what: string, act: () => Promise<unknown>) => {
    const at = performance.now()
    await act()
    const ms = performance.now() - at
    figures.push(
      { what: `${what}: longest task`, value: await longestTask(page), unit: 'ms', aim: '< 100' },
      { what: `${what}: time in all`, value: ms, unit: 'ms' },
    )
  }
  return { figures, step }
}

async function addFiller(directory: string): Promise<void> {
  const folder = join(directory, 'filler')
  await mkdir(folder)
  await mkdir(join(directory, 'data'))
  await copyFile(join(import.meta.dirname, 'events/make-events.ts'), join(folder, 'make-events.ts'))
  await writeFile(join(folder, 'index.ts'), FILLER)
  await writeFile(join(folder, 'plugin.json'), JSON.stringify(FILLER_MANIFEST))
  await writeFile(
    join(directory, 'data', 'plugin-registry.json'),
    JSON.stringify({ version: 1, plugins: [{ id: 'filler', source: folder }] }),
  )
}

async function scroll(page: Page, place: Locator): Promise<void> {
  await place.hover()
  for (let index = 0; index < SCROLLS; index += 1) {
    await page.mouse.wheel(0, 900)
    await page.waitForTimeout(30)
  }
}

/** Since the last call. */
async function longestTask(page: Page): Promise<number> {
  return await page.evaluate('Math.max(0, ...(window.longTasks ?? []).splice(0))')
}

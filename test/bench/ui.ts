// The browser application on large data: how long the page is busy without a pause while somebody scrolls and filters.
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expectOk } from '../demo/sign-in.ts'
import { until } from '../harness.ts'
import { startUi } from '../ui/harness.ts'
import type { Figure } from './index.ts'

const EVENTS = Number(process.env['BENCH_EVENTS'] ?? 1_000_000)
const SCROLLS = 60
const FILL_LIMIT_MS = 900_000
// The archive takes events from plugins only; this one makes them.
const FILLER = `import { definePlugin } from '@playhead/sdk'
import { makeEvents } from './make-events.ts'
export default definePlugin({
  routes(app) {
    app.post('/api/filler/fill', {}, async (request) => {
      const archive = app.playhead.use('events')
      void (async () => {
        for (const batch of makeEvents(request.body.events, Date.now())) await archive.record(batch)
      })()
      return { ok: true }
    })
  },
})
`
const FILLER_MANIFEST = { id: 'filler', name: 'Filler', version: '1.0.0', api: '^1.0.0', kind: 'service', requires: ['events'], routes: [{ method: 'POST', path: '/api/filler/fill' }] }
const LONG_TASKS = `new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) (window.longTasks ??= []).push(duration) }).observe({ type: 'longtask', buffered: true })`

export async function benchUi(): Promise<readonly Figure[]> {
  return await benchEventPages()
}

async function benchEventPages(): Promise<readonly Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), 'playhead-bench-ui-'))
  try {
    await addFiller(directory)
    await using ui = await startUi({ directory })
    await expectOk(ui.service, '/api/filler/fill', { events: EVENTS })
    await until('the archive is full', async () => (await ui.service.json('/api/events/status')).body.events >= EVENTS, FILL_LIMIT_MS)
    const page = await ui.open('/events?visibility=all')
    const figures: Figure[] = []
    const step = async (what: string, act: () => Promise<unknown>) => {
      const at = performance.now()
      await act()
      const ms = performance.now() - at
      figures.push({ what: `${what}: longest task`, value: await longestTask(page), unit: 'ms', aim: '< 100' }, { what: `${what}: wall`, value: ms, unit: 'ms' })
    }
    await page.evaluate(LONG_TASKS)
    const grid = page.getByRole('grid')
    await grid.getByRole('link').first().waitFor()
    await longestTask(page)

    await step(`threads of ${EVENTS} events: scrolled ${SCROLLS} times`, () => scroll(page))
    const search = page.getByRole('textbox', { name: 'Find by title, key or reason' })
    await step('threads: a word is typed', async () => {
      await search.pressSequentially('lantern', { delay: 40 })
      await page.waitForURL(/q=lantern/)
      await grid.getByRole('link', { name: /lantern/ }).first().waitFor()
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
    await step(`every event of ${EVENTS}: scrolled ${SCROLLS} times`, () => scroll(page))
    return figures
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 10 })
  }
}

async function addFiller(directory: string): Promise<void> {
  const folder = join(directory, 'filler')
  await mkdir(folder)
  await mkdir(join(directory, 'data'))
  await copyFile(join(import.meta.dirname, 'events/make-events.ts'), join(folder, 'make-events.ts'))
  await writeFile(join(folder, 'index.ts'), FILLER)
  await writeFile(join(folder, 'plugin.json'), JSON.stringify(FILLER_MANIFEST))
  await writeFile(join(directory, 'data', 'plugin-registry.json'), JSON.stringify({ version: 1, plugins: [{ id: 'filler', source: folder }] }))
}

async function scroll(page: Page): Promise<void> {
  await page.getByRole('grid').hover()
  for (let index = 0; index < SCROLLS; index += 1) {
    await page.mouse.wheel(0, 900)
    await page.waitForTimeout(30)
  }
}

/** Since it was last asked for. */
async function longestTask(page: Page): Promise<number> {
  return await page.evaluate('Math.max(0, ...(window.longTasks ?? []).splice(0))')
}

// slow: a browser, step by step
// Every page of a filled service, with its long names, at three widths, in both schemes and from right to left.
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import type { Page } from 'playwright-core'
import { untilTrue } from '../demo/sign-in.ts'
import { startFilled } from './filled.ts'
import { overflow, seriousViolations, settled } from './harness.ts'
import { NO_WORDS } from './opened.ts'

const WIDTHS = [360, 768, 1440] as const
const HEIGHT = 800
const COMPLETE = "document.querySelector('.mantine-Skeleton-root, .mantine-Loader-root') === null"

const filled = await startFilled()
atEndOfFile(() => filled[Symbol.asyncDispose]())
const { ui, service, paths } = filled

async function visit(page: Page, path: string): Promise<void> {
  await page.goto(service.url + path)
  await settled(page)
  await untilTrue('the page is complete', () => page.evaluate(COMPLETE) as Promise<boolean>, 5_000).catch(
    () => undefined,
  )
}

for (const colorScheme of ['light', 'dark'] as const) {
  t.test(`no page violates an accessibility rule or is wider than its window, ${colorScheme}`, async (t) => {
    const page = await ui.open('/', { colorScheme, viewport: { width: WIDTHS[0], height: HEIGHT } })
    for (const path of paths) {
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: HEIGHT })
        if (width === WIDTHS[0]) await visit(page, path)
        t.equal(await overflow(page), 0, `${path} at ${width}`)
        t.same(await seriousViolations(page), [], `${path} at ${width}`)
      }
      t.notMatch(await page.locator('#content').innerText(), NO_WORDS, path)
    }
    t.same(page.recorded.errors, [])
    t.same(page.recorded.failed, [])
  })

  t.test(`no page of the API reference does, ${colorScheme}`, async (t) => {
    for (const path of ['/docs', '/redoc']) {
      const page = await ui.open(path, { colorScheme, viewport: { width: WIDTHS[0], height: HEIGHT } })
      await page.getByRole('heading').first().waitFor()
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: HEIGHT })
        t.equal(await overflow(page), 0, `${path} at ${width}`)
        t.same(await seriousViolations(page), [], `${path} at ${width}`)
      }
      await page.context().close()
    }
  })
}

t.test('a right-to-left page fits, too', async (t) => {
  const page = await ui.open('/', { viewport: { width: WIDTHS[0], height: HEIGHT } })
  await page.addInitScript(
    "document.addEventListener('DOMContentLoaded', () => { document.documentElement.dir = 'rtl' })",
  )
  for (const path of paths) {
    await visit(page, path)
    for (const width of [360, 1440]) {
      await page.setViewportSize({ width, height: HEIGHT })
      t.equal(await overflow(page), 0, `${path} at ${width}`)
    }
  }
})

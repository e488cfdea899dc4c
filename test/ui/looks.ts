// Checks that a page fits all screen widths and is accessible in both colour schemes.
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { overflow, seriousViolations, settled } from './harness.ts'

const HEIGHT = 800
const DESK = 1280

/** Leaves the window at the last of the widths. */
export async function fitsEveryWidth(
  t: Test,
  page: Page,
  what: string,
  widths: readonly number[] = [360, 768, 1440],
): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: HEIGHT })
    t.equal(await overflow(page), 0, `${what} at ${width}`)
  }
}

/** Checks all widths and both colour schemes; reloads the page. */
export async function isFit(t: Test, page: Page, what: string): Promise<void> {
  await fitsEveryWidth(t, page, what)
  await page.setViewportSize({ width: DESK, height: HEIGHT })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.reload()
    await settled(page)
    t.same(await seriousViolations(page), [], `${what}, ${colorScheme}`)
  }
}

/** Checks an open dialog without reloading the page. */
export async function isFitWindow(t: Test, page: Page, what: string): Promise<void> {
  await fitsEveryWidth(t, page, what, [1440, 768, 360])
  t.equal(
    await page.evaluate(
      '(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector("[role=dialog]"))',
    ),
    0,
    `${what} is not cut off`,
  )
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.locator(`[data-mantine-color-scheme="${colorScheme}"]`).first().waitFor()
    t.same(await seriousViolations(page), [], `${what}, ${colorScheme}`)
  }
  await page.setViewportSize({ width: DESK, height: HEIGHT })
}

/** Checks the page in its current state, without a reload. */
export async function isFitNow(t: Test, page: Page, what: string): Promise<void> {
  await fitsEveryWidth(t, page, what)
  await page.setViewportSize({ width: DESK, height: HEIGHT })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.locator(`[data-mantine-color-scheme="${colorScheme}"]`).first().waitFor()
    t.same(await seriousViolations(page), [], `${what}, ${colorScheme}`)
  }
}

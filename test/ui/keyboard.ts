// Helpers for keyboard-only use.
import type { Locator, Page } from 'playwright-core'

const MOST_TABS = 60

/** Presses Tab until the element has focus. */
export async function tabTo(page: Page, locator: Locator): Promise<void> {
  await locator.waitFor()
  for (let n = 0; n < MOST_TABS; n += 1) {
    if ((await locator.and(page.locator(':focus')).count()) > 0) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`the Tab key does not come to ${String(locator)}`)
}

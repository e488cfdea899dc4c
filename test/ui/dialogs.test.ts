// slow: a browser, step by step
// Every dialog and menu follows the accessibility rules in both colour schemes, closes with Escape, and returns the focus.
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { startFilled } from './filled.ts'
import { seriousViolations, settled } from './harness.ts'
import { openAll } from './opened.ts'

/** Least number of overlays; fewer would mean that the test no longer finds the buttons. */
const LEAST = 40

// The test waits for every button of every page.
t.setTimeout(1_800_000)

const filled = await startFilled()
atEndOfFile(() => filled[Symbol.asyncDispose]())
const { ui } = filled
const isFocused = (element: any) => element.ownerDocument.activeElement === element

const SCHEMES = ['light', 'dark'] as const
let turn = 0

async function check(t: Test, page: Page, what: string, schemes: readonly (typeof SCHEMES)[number][] = SCHEMES) {
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme })
    await page.locator(`[data-mantine-color-scheme="${colorScheme}"]`).first().waitFor()
    t.same(await seriousViolations(page), [], `${what}, ${colorScheme}`)
  }
}

t.test('dialogs opened by a button or by a menu item', async (t) => {
  // One colour scheme per page, because each check takes seconds and the components are the same.
  const count = await openAll(t, filled, {
    viewport: { width: 1440, height: 900 },
    check: (test, page, what) => check(test, page, what, [SCHEMES[(turn += 1) % 2]!]),
  })
  t.ok(count >= LEAST, `${count} things were opened`)
})

for (const [name, keys] of [
  ['the search', 'Control+k'],
  ['the sheet of shortcuts', '?'],
] as const)
  t.test(`${name} is opened by a key`, async (t) => {
    const page = await ui.open('/pairs')
    await settled(page)
    const link = page.locator('#content a').first()
    await link.focus()
    await page.keyboard.press(keys)
    await page.getByRole('dialog').waitFor()
    await check(t, page, name)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    t.ok(await link.evaluate(isFocused), 'the focus is where it was')
    await page.context().close()
  })

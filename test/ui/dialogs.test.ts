// slow: a browser, step by step
// What a button or a key opens follows the rules of accessibility in both schemes, is closed by Escape, and gives the focus back.
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { startFilled } from './filled.ts'
import { seriousViolations, settled } from './harness.ts'
import { openAll } from './opened.ts'

/** Of all that is opened; fewer would mean that buttons are no longer found. */
const LEAST = 40

// Every button of every page, each waited for.
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

t.test('what is opened by a button, or by an item of a menu', async (t) => {
  // In one scheme or the other, for each look takes seconds; what they are made of is the same.
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

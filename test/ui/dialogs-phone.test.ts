// slow: a browser, step by step
// Every dialog and menu fits a phone of 360 pixels: nothing is cut off, and each button can be reached and pressed.
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { PHONE } from './conditions.ts'
import { startFilled } from './filled.ts'
import { overflow } from './harness.ts'
import { openAll } from './opened.ts'

const LEAST = 25
/** Lists the open overlays with their problems. Each button is scrolled to, and must be on top. */
const PROBLEMS = `(async () => {
  const problems = []
  for (const one of document.querySelectorAll('[role=dialog], [role=menu], [role=alertdialog]')) {
    if (!one.checkVisibility()) continue
    const ending = one.getAnimations({ subtree: true }).filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
    await Promise.all(ending.map(({ finished }) => finished.catch(() => {})))
    const { left, right, width } = one.getBoundingClientRect()
    if (left < -1 || right > innerWidth + 1) problems.push('it goes from ' + left + ' to ' + right)
    for (const part of [one, ...one.querySelectorAll('*')])
      if (part.scrollWidth > part.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(part).overflowX) && !part.matches('pre, pre *, [data-scrolls]'))
        problems.push('it scrolls to the side: ' + part.tagName + ' ' + part.className + ' ' + part.scrollWidth + ' > ' + part.clientWidth)
    for (const button of one.querySelectorAll('button, a[href], input, select, textarea, [role=menuitem]')) {
      if (!button.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || button.closest('[inert]') !== null) continue
      button.scrollIntoView({ block: 'center' })
      const at = button.getBoundingClientRect()
      if (at.width < 2) continue
      const [x, y] = [at.left + at.width / 2, at.top + at.height / 2]
      // Notifications disappear by themselves.
      const top = document.elementsFromPoint(x, y).find((one) => one.closest('.mantine-Notifications-root') === null) ?? null
      const isOwn = top !== null && (button.contains(top) || top.contains(button) || top.closest('label')?.control === button || top.parentElement === button.parentElement)
      if (x < 0 || x > innerWidth || !isOwn)
        problems.push('cannot be pressed: ' + (button.getAttribute('aria-label') ?? button.textContent ?? button.name).slice(0, 40) + ', under ' + top?.className)
    }
  }
  return problems
})()`

// The test waits for every button of every page.
t.setTimeout(1_800_000)
const filled = await startFilled()
atEndOfFile(() => filled[Symbol.asyncDispose]())

t.test('dialogs fit, and their buttons can be pressed', async (t) => {
  const check = async (t: Test, page: Page, what: string) => {
    t.same(await page.evaluate(PROBLEMS), [], what)
    t.equal(await overflow(page), 0, `${what}: the page is not wider than its window`)
  }
  const count = await openAll(t, filled, { ...PHONE, check })
  t.ok(count >= LEAST, `${count} things were opened`)
})

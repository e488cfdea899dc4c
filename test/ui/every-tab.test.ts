// slow: a browser, step by step
// Every page with the Tab key alone: every control can be reached in reading order with a visible focus, and none traps the
// focus.
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { untilTrue } from '../demo/sign-in.ts'
import { startFilled } from './filled.ts'
import { settled } from './harness.ts'

/** Long lists continue while they load. */
const MOST = 120
/** A date field has three tab stops. */
const SAME_MOST = 30
const LOOKS = `globalThis.keys = (() => {
  const wanted = 'a[href], button, input, select, textarea, summary, [tabindex], [contenteditable=true]'
  const isReached = (one) => one.tabIndex >= 0 && !one.disabled && one.closest('[inert]') === null &&
    one.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }) && isChosen(one)
  // A group of radios focuses the selected one, or the first.
  const isChosen = (one) => {
    if (one.type !== 'radio') return true
    const group = [...document.querySelectorAll('input[type=radio]')].filter(({ name, disabled }) => name === one.name && !disabled)
    return one === (group.find(({ checked }) => checked) ?? group[0])
  }
  const styleOf = (one) => {
    if (one === null) return ''
    const { outline, boxShadow, borderColor, backgroundColor, color, textDecoration } = getComputedStyle(one)
    return [outline, boxShadow, borderColor, backgroundColor, color, textDecoration].join(' ')
  }
  // A switch shows the focus of its hidden field on the element beside it.
  const looksOf = (one) => [one, one.parentElement, one.nextElementSibling, one.parentElement?.nextElementSibling ?? null].map(styleOf).join(' | ')
  const nameOf = (one) => one === null || one === document.body ? 'nothing' : one.tagName + ' ' + (one.getAttribute('aria-label') ?? one.labels?.[0]?.textContent ?? one.textContent ?? '').slice(0, 60)
  const reached = (root) => [...root.querySelectorAll(wanted)].filter(isReached)
  let root, last, seen
  return {
    begin(selector) {
      root = document.querySelector(selector)
      last = null
      seen = new Set()
      root.focus({ preventScroll: true })
      return { count: reached(root).length, positive: [...document.querySelectorAll('[tabindex]')].filter((one) => one.tabIndex > 0).map(nameOf) }
    },
    async look() {
      // A held key repeats after two frames. Long lists draw their next rows in one.
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
      const now = document.activeElement
      // Day, month and year of one field.
      if (now === last) return { name: nameOf(now), isOver: false, missed: null, isSeen: true, isAgain: true }
      const all = reached(root)
      const place = all.indexOf(last)
      const next = place < 0 && last !== null ? undefined : all[place + 1] ?? null
      const isOver = !root.contains(now) || now === root
      const found = { name: nameOf(now), isOver, missed: null, isSeen: true, isAgain: seen.has(now) }
      seen.add(now)
      if (next !== undefined && (isOver ? null : now) !== next) found.missed = nameOf(next)
      if (!isOver && now.type !== 'date') {
        const focused = looksOf(now)
        now.blur()
        found.isSeen = looksOf(now) !== focused
        now.focus({ preventScroll: true })
      }
      last = now
      return found
    },
  }
})()`

const filled = await startFilled()
atEndOfFile(() => filled[Symbol.asyncDispose]())
const { ui, service, paths } = filled

async function walk(t: Test, page: Page, what: string, root: string): Promise<void> {
  await page.evaluate(LOOKS)
  // An address with a place focuses it until the person does something.
  await page.keyboard.press('Shift')
  const { count, positive } = (await page.evaluate(`keys.begin('${root}')`)) as { count: number; positive: string[] }
  t.same(positive, [], `${what} has the order in which it is written`)
  t.ok(count > 0, `${what} has something to use`)
  const problems: string[] = []
  let again = 0
  for (let n = 0; n < MOST; n += 1) {
    await page.keyboard.press('Tab')
    const { name, isOver, missed, isSeen, isAgain } = (await page.evaluate('keys.look()')) as any
    if (missed !== null) problems.push(`${missed} is passed over for ${name}`)
    if (!isSeen) problems.push(`${name}: its focus is not seen`)
    if (isOver) break
    again += isAgain ? 1 : 0
    if (again === SAME_MOST) problems.push(`${name}: the focus does not leave`)
  }
  t.same(problems, [], what)
}

t.test('every page is reachable with Tab', async (t) => {
  const page = await ui.open('/')
  for (const path of paths) {
    await page.goto(service.url + path)
    await settled(page)
    await untilTrue('the page is complete', () =>
      page.evaluate(
        "document.querySelector('#content .mantine-Skeleton-root, #content .mantine-Loader-root') === null && document.querySelector('#content :is(a[href], button, input)') !== null",
      ),
    ).catch(() => undefined)
    await walk(t, page, path, '#content')
  }
  t.same(page.recorded.errors, [])
  await page.context().close()
})

// Every dialog, drawer and menu that a button or menu item opens is checked, closed with Escape, and returns the focus. The
// test presses every button, so that new ones are covered.
import type { ElementHandle, Page, ViewportSize } from 'playwright-core'
import type { Test } from 'tap'
import { untilTrue } from '../demo/sign-in.ts'
import type { Filled } from './filled.ts'
import { settled } from './harness.ts'

const OPENED = '[role=dialog]:visible, [role=menu]:visible, [role=alertdialog]:visible'
/** Some dialogs load when their button is first pressed. */
const OPENS_MS = 1_500
/** Row buttons differ by the name of the row; day buttons by number, weekday and month. */
const SAME_FOR = 14
const ROW = /^Actions for .*/
const NUMBER_OR_DAY = /\d+|\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*/g
export interface Walk {
  readonly viewport: ViewportSize
  readonly check: (t: Test, page: Page, what: string) => Promise<void>
}

/** Resolves after two seconds at the latest. */
const IS_IDLE = `new Promise((done) => {
  setTimeout(done, 2_000)
  requestAnimationFrame(() => requestIdleCallback(done))
})`

const nameOf = async (button: ElementHandle) =>
  String(await button.evaluate((one: any) => one.getAttribute('aria-label') ?? one.textContent ?? '')).trim()

async function press(page: Page, button: ElementHandle, opens = OPENED): Promise<boolean> {
  await button.focus()
  await page.keyboard.press('Enter')
  // On a busy machine, the code of a pressed button loads late.
  await page.evaluate(IS_IDLE).catch(() => {})
  return await page
    .locator(opens)
    .first()
    .waitFor({ timeout: OPENS_MS })
    .then(
      () => true,
      () => false,
    )
}

/** Text that is never valid on a page. */
export const NO_WORDS = /\bundefined\b|\bNaN\b|\[object /

async function close(t: Test, page: Page, name: string, what: string): Promise<void> {
  const holds = `document.activeElement.closest('[role=dialog], [role=menu], [role=alertdialog]') !== null`
  await untilTrue('it has the focus', () => page.evaluate(holds), 5_000).catch(() => t.fail(`${what} takes the focus`))
  await page.keyboard.press('Escape')
  await page
    .locator(OPENED)
    .first()
    .waitFor({ state: 'detached', timeout: 5_000 })
    .catch(() => t.fail(`${what} is closed by Escape`))
  // The button may have been replaced: the loaded component takes its place.
  const focused = async () => await nameOf((await page.evaluateHandle('document.activeElement')) as ElementHandle)
  for (let tries = 0; tries < 20 && (await focused()) !== name; tries += 1) await page.waitForTimeout(50)
  t.equal(await focused(), name, `${what} gives the focus back`)
}

/** Opens and closes everything that a button or menu item of a page opens. Returns the number of opened overlays. */
export async function openAll(t: Test, { ui, service, paths }: Filled, { viewport, check }: Walk): Promise<number> {
  const page = await ui.open('/', { viewport })
  // A menu item may have changed the colour scheme or the language.
  await page.addInitScript('localStorage.clear()')
  // Block writes, so that buttons change nothing.
  await page.route('**/api/**', (route) =>
    route.request().method() === 'GET'
      ? route.continue()
      : route.fulfill({ status: 409, contentType: 'application/json', body: '{"ok":false,"error":"busy"}' }),
  )
  const tried = new Set<string>()
  let count = 0
  for (const path of paths) {
    const visit = async () => {
      await page.goto(service.url + path)
      await settled(page)
    }
    const isNew = (name: string) => {
      const key = `${path.split('/')[1]} ${name.replace(ROW, 'Actions for').replaceAll(NUMBER_OR_DAY, '…').slice(0, SAME_FOR)}`
      return !tried.has(key) && tried.add(key) !== undefined
    }
    // A button may navigate away, so each search starts at the first page again.
    const find = async (isWanted: (name: string) => boolean) => {
      const scope = path === '/' ? 'body' : '#content'
      for (const button of await page.locator(`${scope} button:visible:enabled`).elementHandles()) {
        const name = await nameOf(button)
        if (isWanted(name)) return { button, name }
      }
      return undefined
    }
    await visit()
    for (let found = await find(isNew); found !== undefined; found = await find(isNew)) {
      const { button, name } = found
      const what = `${path}: ${name}`
      if (await press(page, button)) {
        count += 1
        t.notMatch(await page.locator(OPENED).first().innerText(), NO_WORDS, what)
        await check(t, page, what)
        const items = page.locator('[role=menu]:visible [role=menuitem]:not([disabled])')
        const names = await items.allInnerTexts()
        await close(t, page, name, what)
        for (const [index, item] of names.entries()) {
          if (!isNew(item)) continue
          const again = await find((one) => one === name)
          const isOpen = again !== undefined && (await press(page, again.button))
          const chosen = isOpen ? (await items.elementHandles())[index] : undefined
          if (chosen === undefined) t.fail(`${what} has ${item} again`)
          else if (await press(page, chosen, '[role=dialog]:visible')) {
            count += 1
            t.notMatch(await page.locator(OPENED).first().innerText(), NO_WORDS, `${what}, ${item}`)
            await check(t, page, `${what}, ${item}`)
            await close(t, page, name, `${what}, ${item}`)
          } else await visit()
        }
      }
      const isStill = page.url() === service.url + path && !(await page.locator(OPENED).first().isVisible())
      if (!isStill) await visit()
    }
  }
  t.comment(`${count} of ${tried.size} buttons and items open something`)
  await page.context().close()
  return count
}

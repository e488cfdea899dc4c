// slow: a browser, step by step
// Visible texts on every page of a filled service: no ids or codes, and no text that cannot be translated.
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import type { Page } from 'playwright-core'
import { untilTrue } from '../demo/sign-in.ts'
import { settled } from './harness.ts'
import { PROFILE, startFilled } from './filled.ts'

const filled = await startFilled()
atEndOfFile(() => filled[Symbol.asyncDispose]())
const { ui, paths } = filled

/** Accounts of the service, such as MEDIAB or MEDIAB-P01, and codes, such as read_incomplete. */
const ID = /(?<![.\w])(?:MEDIA|TRACK|LIST|META|LOCAL)[A-Z](?:-P\d+)?\b|(?<![.\w])[a-z]{2,}(?:_[a-z0-9]+)+\b/
// Content for developers: raw data, code, the log, and plugin internals.
const TECHNICAL = 'code, pre, kbd, script, style, noscript, textarea, [data-technical], [role="log"]'
const PSEUDO = /^\[.*·\]$|[åƀçđéƒğħîĵķļɱñöþɋřšţûṽŵẋýž]/i
// Formatted by the browser in the language of the page; time zone names; "Service (profile)", which is composed.
const OF_BROWSER =
  /^(?:\w+, )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\w* \d|^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|^\d+:\d\d|^(?:in )?\d+ \w+\.?(?: ago)?$|^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)$|^[\d.,]+ [kMG]?B$|^[A-Z]\w+\/[\w/ +-]+$/
const NAME = `(?:Jellyfin|Emby|Trakt)(?: \\(${PROFILE}\\))?`
// Names of services in a list or with an arrow, titles with their year or episode, channels of the log.
const OF_DATA = new RegExp(
  `^(?:· )?${NAME}(?:(?:, | → )${NAME})*$|^The [\\w ]+[ ,]+(?:\\(?\\d{4}\\)?|S\\d+E\\d+.*)$|^S\\d+E\\d+|^[A-Z-]+$`,
)
/** Visible and accessible text: text nodes, labels, hints, values of closed fields. */
const READ = `(() => {
  const texts = []
  const isTechnical = (node) => node.closest(${JSON.stringify(TECHNICAL)}) !== null
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const { parentElement: parent, data } = walker.currentNode
    if (parent === null || isTechnical(parent) || parent.closest('time') !== null) continue
    texts.push(data)
  }
  for (const node of document.querySelectorAll('[aria-label], [title], [placeholder], [alt], input[readonly], input[aria-haspopup]')) {
    if (isTechnical(node)) continue
    for (const name of ['aria-label', 'title', 'placeholder', 'alt']) texts.push(node.getAttribute(name) ?? '')
    if (node.tagName === 'INPUT' && node.type === 'text' && (node.readOnly || node.hasAttribute('aria-haspopup'))) texts.push(node.value)
  }
  return [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ''))]
})()`
const COMPLETE = "document.querySelector('.mantine-Skeleton-root, .mantine-Loader-root') === null"

const read = (page: Page) => page.evaluate(READ) as Promise<string[]>

async function visit(page: Page, path: string): Promise<void> {
  await page.goto(ui.service.url + path)
  await settled(page)
  await untilTrue('the page is complete', () => page.evaluate(COMPLETE) as Promise<boolean>, 5_000).catch(
    () => undefined,
  )
}

t.test('no page shows an id or a code of the service', async (t) => {
  const page = await ui.open('/')
  t.ok(paths.length > 35)
  for (const path of paths) {
    await visit(page, path)
    t.same(
      (await read(page)).filter((text) => ID.test(text)),
      [],
      path,
    )
  }
  t.same(page.recorded.errors, [])
})

t.test('in the test language every text of every page is translated', async (t) => {
  const page = await ui.open('/')
  await page.evaluate("localStorage.setItem('playhead.language', 'en-XA')")
  let data = ''
  // Titles, names and texts of the service are in its responses.
  page.on('response', (response) => {
    if (response.url().includes('/api/'))
      void response
        .text()
        .then((text) => (data += text))
        .catch(() => undefined)
  })
  for (const path of paths) {
    await visit(page, path)
    const plain = (await read(page)).filter(
      (text) =>
        /[a-z]{2}/i.test(text) &&
        ![PSEUDO, OF_BROWSER, OF_DATA].some((one) => one.test(text)) &&
        // Composed from names and numbers of the service.
        !text
          .split(/ – | \/ | · | and /)
          .map((part) => part.replace(/ [\d.,]+(?: [kMG]?B)?$/, ''))
          .every((part) => OF_DATA.test(part) || data.includes(JSON.stringify(part).slice(1, -1))) &&
        !data.includes(JSON.stringify(text).slice(1, -1)),
    )
    t.same(plain, [], path)
  }
})

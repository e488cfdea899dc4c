// Starts the service and a browser; pages record errors and requests.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { PASSWORD, type Service, startService, USERNAME, type ServiceOptions } from '../harness.ts'
import { launchBrowser } from './browser.ts'

export { PASSWORD, USERNAME } from '../harness.ts'

export interface Recorded {
  /** Console errors, exceptions and policy violations. */
  readonly errors: string[]
  /** Requests that failed or were refused, as "404 GET /path". Remove the ones that a test provokes. */
  readonly failed: string[]
  /** Every request, as "GET /path". */
  readonly requests: string[]
}

export type Ui = Awaited<ReturnType<typeof startUi>>

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
// Ends what hangs; on a busy machine a page takes minutes.
const WAIT_MS = 180_000
const SETTLES_MS = 2_000

/**
 * @param options as for the service; the shipped plugins are loaded by default. A service that the caller passes is left
 * running. Stop with `await using`.
 */
export async function startUi(
  options: ServiceOptions & { readonly browser?: Browser; readonly service?: Service } = {},
) {
  const { browser: shared, service: given, ...rest } = options
  const [service, browser] = await Promise.all([
    given ?? startService({ shipped: true, watch: false, ...rest }),
    shared ?? launchBrowser(),
  ])

  /** Opens a page in its own context (own cookies), signed in as the account of the service if there is one. */
  async function open(
    path: string,
    context: BrowserContextOptions & { readonly signedIn?: boolean } = {},
  ): Promise<Page & { readonly recorded: Recorded }> {
    const { signedIn = true, ...given } = context
    const opened = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      reducedMotion: 'reduce',
      // Playwright cannot intercept requests of a worker.
      serviceWorkers: 'block',
      ...given,
    })
    opened.setDefaultTimeout(WAIT_MS)
    if (signedIn && service.cookie() !== '') {
      const [name = '', value = ''] = service.cookie().split('=')
      await opened.addCookies([{ name, value, url: service.url }])
    }
    const page = await opened.newPage()
    const recorded = record(page, service.url)
    await page.goto(service.url + path)
    return Object.assign(page, { recorded })
  }

  return {
    service,
    browser,
    open,
    async [Symbol.asyncDispose]() {
      if (shared === undefined) await browser.close()
      if (given === undefined) await service[Symbol.asyncDispose]()
    },
  }
}

function record(page: Page, origin: string): Recorded {
  const recorded: Recorded = { errors: [], failed: [], requests: [] }
  page.on('console', (message) => {
    // A refused request is recorded separately, with its address.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      recorded.errors.push(message.text())
  })
  page.on('pageerror', (error) => void recorded.errors.push(String(error)))
  page.on(
    'request',
    (request) => void recorded.requests.push(`${request.method()} ${request.url().replace(origin, '')}`),
  )
  page.on('response', (response) => {
    if (response.status() >= 400)
      recorded.failed.push(`${response.status()} ${response.request().method()} ${response.url().replace(origin, '')}`)
  })
  page.on('requestfailed', (request) => {
    // Leaving a page aborts its streams and pending requests.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED')
      recorded.failed.push(`${request.failure()?.errorText} ${request.method()} ${request.url().replace(origin, '')}`)
  })
  return recorded
}

/** Signs in on the login page, or in the dialog after an expired session. */
export async function signIn(page: Page | Locator, password = PASSWORD): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(USERNAME)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Waits until the page of the address shows its initial data. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('#content').getByRole('status', { name: 'Loading…' }).first().waitFor({ state: 'detached' })
}

/** Serious or worse violations that axe finds, as "rule: element". Tests expect an empty list. */
export async function seriousViolations(page: Page): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(AXE)
  // The rule determines the severity of a violation. Rules that find only minor violations would take a third of the time.
  return await page.evaluate(`axe.run(document, {
    resultTypes: ['violations'],
    rules: Object.fromEntries(axe._audit.rules.filter(({ impact }) => impact === 'minor' || impact === 'moderate').map(({ id }) => [id, { enabled: false }])),
  }).then(({ violations }) => violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 200) + ' ' + failureSummary.replaceAll('\\n', ' '))))`)
}

/** The number of pixels by which the page is wider than the window, after it has adapted to the window size. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(`new Promise((resolve) => {
    const until = performance.now() + ${SETTLES_MS}
    const look = () => {
      const pixels = document.documentElement.scrollWidth - document.documentElement.clientWidth
      if (pixels === 0 || performance.now() > until) resolve(pixels)
      else requestAnimationFrame(look)
    }
    requestAnimationFrame(() => requestAnimationFrame(look))
  })`)
}

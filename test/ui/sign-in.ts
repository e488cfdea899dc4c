// Signs in to services on the connections page; simulated servers provide their sign-in pages.
import type { Page } from 'playwright-core'
import type { Ui } from './harness.ts'

export type Opened = Awaited<ReturnType<Ui['open']>>

/** Opens the connections page and the sign-in dialog of a service. */
export async function connect(ui: Ui, label: string, context: Parameters<Ui['open']>[1] = {}): Promise<Opened> {
  const page = await ui.open('/connections', context)
  await page.getByRole('button', { name: `Connect ${label}`, exact: true }).click()
  return page
}

export const connected = (page: Page, label: string): Promise<void> => page.getByText(`${label} connected.`).waitFor()

export async function shownCode(page: Page): Promise<string> {
  return (await page.locator('[data-code]').textContent()) ?? ''
}

/** Serves an empty page at these addresses of a service, for all windows of the page. */
export async function answerPages(page: Page, addresses: RegExp): Promise<void> {
  await page.context().route(addresses, (route) => route.fulfill({ contentType: 'text/html', body: '<p>Enter it</p>' }))
}

export interface Consent {
  /** Address that the browser follows after consent. */
  readonly yes: (address: URL) => string
  readonly no: (address: URL) => string
}

/** Serves a consent page with two links at these addresses, for all windows of the page. */
export async function answerConsent(page: Page, addresses: string, { yes, no }: Consent): Promise<void> {
  await page.context().route(addresses, async (route) => {
    const address = new URL(route.request().url())
    const link = (href: string, text: string) => `<a href="${href.replaceAll('&', '&amp;')}">${text}</a>`
    await route.fulfill({
      contentType: 'text/html',
      body: `<title>Allow?</title><main>${link(yes(address), 'Allow')} ${link(no(address), 'Deny')}</main>`,
    })
  })
}

/** The window that the action opens. */
export async function windowOf(page: Page, act: () => Promise<unknown>): Promise<Page> {
  const [opened] = await Promise.all([page.waitForEvent('popup'), act()])
  return opened
}

export async function closed(page: Page): Promise<void> {
  if (!page.isClosed()) await page.waitForEvent('close')
}

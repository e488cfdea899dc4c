// A component that is loaded on first use. A failed download is retried; if that does not help, for example because
// an update removed the file, the page is reloaded.
import { lazy, type ComponentType, type LazyExoticComponent } from 'react'
import { pageStyles } from './page-styles.ts'
import { at } from '../../api/base.ts'
import { reportReachable, reportUnreachable } from '../../api/connection.ts'

const FIRST_WAIT_MS = 500
const LAST_WAIT_MS = 10_000
const ATTEMPTS = 4
const RELOAD_EVERY_MS = 60_000
const RELOADED = 'playhead-reloaded'
/** Messages of Chromium, Firefox and Safari for a failed module download. Any other error comes from the module. */
const NOT_FETCHED =
  /Failed to fetch dynamically imported module|error loading dynamically imported module|Importing a module script failed/i

/** @param pick selects the component if it is not the default export */
// biome-ignore lint/suspicious/noExplicitAny: as React's own lazy
export function lazyPart<Part extends ComponentType<any>, Module = { readonly default: Part }>(
  load: () => Promise<Module>,
  pick = (module: Module) => (module as { default: Part }).default,
): LazyExoticComponent<Part> {
  return lazy(async () => {
    const [module] = await Promise.all([untilLoaded(load), pageStyles()])
    return { default: pick(module) }
  })
}

/** Resolves with the result of `load`, retrying until the download succeeds. */
export async function untilLoaded<Module>(load: () => Promise<Module>): Promise<Module> {
  let retry = load
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await retry()
    } catch (error) {
      if (!NOT_FETCHED.test(String(error))) throw error
      // The browser caches the failure by address.
      const address = /https?:[^\s?]+/.exec(String(error))?.[0]
      if (address !== undefined) retry = () => import(`${address}?attempt=${attempt}`) as Promise<Module>
    }
    const build = await buildOfService()
    if (build !== null && (attempt >= ATTEMPTS || build !== ownBuild())) reload()
    await new Promise((resolve) => setTimeout(resolve, Math.min(FIRST_WAIT_MS * 2 ** attempt, LAST_WAIT_MS)))
  }
}

/** The main script of the current build, or null if the service is unreachable. */
async function buildOfService(): Promise<string | null> {
  try {
    const answer = await fetch(at('/login'), { cache: 'no-store' })
    const html = await answer.text()
    reportReachable()
    return answer.ok ? scriptIn(new DOMParser().parseFromString(html, 'text/html')) : null
  } catch {
    reportUnreachable()
    return null
  }
}

function ownBuild(): string | null {
  return scriptIn(document)
}

function scriptIn(page: Document): string | null {
  return page.querySelector('script[type="module"]')?.getAttribute('src') ?? null
}

/** Limited to avoid a reload loop. */
function reload(): void {
  const nowMs = Date.now()
  if (nowMs - Number(sessionStorage.getItem(RELOADED) ?? 0) < RELOAD_EVERY_MS) return
  sessionStorage.setItem(RELOADED, String(nowMs))
  location.reload()
}

// A component that is loaded when it is first shown. A file that could not be fetched is requested again; where that
// does not help, for example after an update of the service, which has other files, the page is reloaded.
import { lazy, type ComponentType, type LazyExoticComponent } from 'react'
import { reportReachable, reportUnreachable } from '../../api/connection.ts'

const FIRST_WAIT_MS = 500
const LAST_WAIT_MS = 10_000
const ATTEMPTS = 4
const RELOAD_EVERY_MS = 60_000
const RELOADED = 'playhead-reloaded'
/** How Chromium, Firefox and Safari say that a module did not come. Anything else is a fault in the module. */
const NOT_FETCHED =
  /Failed to fetch dynamically imported module|error loading dynamically imported module|Importing a module script failed/i

/** @param pick for a module whose component is not its default */
// biome-ignore lint/suspicious/noExplicitAny: as React's own lazy
export function lazyPart<Part extends ComponentType<any>, Module = { readonly default: Part }>(
  load: () => Promise<Module>,
  pick = (module: Module) => (module as { default: Part }).default,
): LazyExoticComponent<Part> {
  return lazy(async () => ({ default: pick(await untilLoaded(load)) }))
}

async function untilLoaded<Module>(load: () => Promise<Module>): Promise<Module> {
  let again = load
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await again()
    } catch (error) {
      if (!NOT_FETCHED.test(String(error))) throw error
      // The browser remembers under its address that a module failed.
      const address = /https?:[^\s?]+/.exec(String(error))?.[0]
      if (address !== undefined) again = () => import(`${address}?attempt=${attempt}`) as Promise<Module>
    }
    const build = await buildOfService()
    if (build !== null && (attempt >= ATTEMPTS || build !== ownBuild())) reload()
    await new Promise((resolve) => setTimeout(resolve, Math.min(FIRST_WAIT_MS * 2 ** attempt, LAST_WAIT_MS)))
  }
}

/** The script that its pages begin with; null when it does not answer. */
async function buildOfService(): Promise<string | null> {
  try {
    const answer = await fetch('/login', { cache: 'no-store' })
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

/** Not over and over, in case that it does not help. */
function reload(): void {
  const nowMs = Date.now()
  if (nowMs - Number(sessionStorage.getItem(RELOADED) ?? 0) < RELOAD_EVERY_MS) return
  sessionStorage.setItem(RELOADED, String(nowMs))
  location.reload()
}

// Values that the service writes into the page: the path below which a proxy publishes it, and the newest change.
interface Browser {
  readonly document?: {
    readonly documentElement: { readonly dataset: { readonly base?: string; readonly change?: string } }
  }
  readonly location?: { readonly origin: string }
}

// This module is also imported outside a browser.
const { document, location } = globalThis as unknown as Browser

/** '' or a path like '/playhead'. */
export const BASE = document?.documentElement.dataset.base ?? ''

/** Number of the newest change when the service sent the page, before all of its reads. */
export const CHANGE = Number(document?.documentElement.dataset.change) || undefined

/** Converts a path of the service to its address in the browser. */
export function at(path: string): string {
  return path.startsWith('/') ? BASE + path : path
}

/** The public address of the service, as other services need it. */
export function serviceAddress(): string {
  return (location?.origin ?? '') + BASE
}

// The path below which a proxy publishes the service; the service writes it into the page.
interface Browser {
  readonly document?: { readonly documentElement: { readonly dataset: { readonly base?: string } } }
  readonly location?: { readonly origin: string }
}

// This module is also imported outside a browser.
const { document, location } = globalThis as unknown as Browser

/** '' or a path like '/playhead'. */
export const BASE = document?.documentElement.dataset.base ?? ''

/** Converts a path of the service to its address in the browser. */
export function at(path: string): string {
  return path.startsWith('/') ? BASE + path : path
}

/** The public address of the service, as other services need it. */
export function serviceAddress(): string {
  return (location?.origin ?? '') + BASE
}

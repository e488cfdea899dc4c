// The path below which a proxy publishes the service; the service writes it into the page.
interface Browser {
  readonly document?: { readonly documentElement: { readonly dataset: { readonly base?: string } } }
  readonly location?: { readonly origin: string }
}

// Also imported outside of a browser.
const { document, location } = globalThis as unknown as Browser

/** '' or a path like '/playhead'. */
export const BASE = document?.documentElement.dataset.base ?? ''

/** The address in the browser of a path of the service. */
export function at(path: string): string {
  return path.startsWith('/') ? BASE + path : path
}

/** The address of the service, as other services are told. */
export function serviceAddress(): string {
  return (location?.origin ?? '') + BASE
}

// Types for a plugin's own pages and panels: `import type` them from '@playhead/sdk/ui', which does not depend on Node.
// Modules are listed under `ui` in plugin.json, compiled by the host for browsers (TypeScript and TSX), and reloaded with
// the plugin.

/**
 * The API that the application gives to a page. Browser types are spelled out because the SDK is compiled without the
 * DOM library.
 */
export interface UiHost {
  /** As `fetch`, for addresses of this service, with the person's session. A 401 shows the sign-in and then retries. */
  request(
    path: string,
    init?: { readonly method?: string; readonly headers?: Readonly<Record<string, string>>; readonly body?: string },
  ): Promise<Response>
  /** Server-sent events of this service, by name (`message` by default). Returns a function that closes the stream. */
  stream(path: string, handlers: Readonly<Record<string, (data: string) => void>>): () => void
  /** Navigates to a page of the application. */
  navigate(path: string): void
  readonly colorScheme: 'light' | 'dark'
  /** BCP 47, for example `en`. */
  readonly locale: string
  /** Returns a function that removes the listener. */
  onColorScheme(listener: (scheme: 'light' | 'dark') => void): () => void
  /** The subject of the panel: a provider and its profile, or a pair. Empty for pages and panels of Home. */
  readonly subject: { readonly provider?: string; readonly instance?: string; readonly pair_id?: string }
}

/**
 * The exports of a page or panel module.
 *
 * @example
 * export const mount: UiModule<HTMLElement>['mount'] = (element, host) => {
 *   element.textContent = 'Hello'
 *   return () => element.replaceChildren()
 * }
 */
export interface UiModule<Element = unknown> {
  /** Renders into the element and returns the cleanup function. */
  mount(element: Element, host: UiHost): () => void
}

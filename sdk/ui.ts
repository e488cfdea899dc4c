// What a plugin's own page or panel in the browser application is written against. Types only: `import type` them from
// '@playhead/sdk'. A module is named under `ui` in plugin.json, is compiled by the host for browsers (TypeScript and
// TSX), and is loaded again when the plugin was loaded again.

/**
 * What the application gives to a page. The part of the browser that it uses is written out, because the SDK knows no
 * browser.
 */
export interface UiHost {
  /**
   * As `fetch`, for addresses of this service; signed in as the person who looks. A 401 asks for the sign-in and then
   * repeats.
   */
  request(
    path: string,
    init?: { readonly method?: string; readonly headers?: Readonly<Record<string, string>>; readonly body?: string },
  ): Promise<Response>
  /** Server-sent events of this service, by name (`message` for those without one). Gives what ends it. */
  stream(path: string, handlers: Readonly<Record<string, (data: string) => void>>): () => void
  /** Goes to a page of the application. */
  navigate(path: string): void
  readonly colorScheme: 'light' | 'dark'
  /** BCP 47, for example `en`. */
  readonly locale: string
  /** Gives what ends it. */
  onColorScheme(listener: (scheme: 'light' | 'dark') => void): () => void
  /** What the panel stands beside: a provider and its profile, or a pair. Empty for pages and for panels of Home. */
  readonly subject: { readonly provider?: string; readonly instance?: string; readonly pair_id?: string }
}

/**
 * What the module of a page or a panel exports.
 *
 * @example
 * export const mount: UiModule<HTMLElement>['mount'] = (element, host) => {
 *   element.textContent = 'Hello'
 *   return () => element.replaceChildren()
 * }
 */
export interface UiModule<Element = unknown> {
  /** Fills the element, and gives what takes everything away again. */
  mount(element: Element, host: UiHost): () => void
}

// Where the pages are. The service answers exactly these addresses with the shell, and the router draws them.
export const AREAS = {
  home: ['/'],
  start: ['/start'],
  connections: ['/connections', '/connections/:provider'],
  pairs: ['/pairs', '/pairs/new', '/pairs/:id', '/plans/:id'],
  runs: ['/runs', '/runs/:id'],
  schedule: ['/schedule'],
  watchlist: ['/watchlist'],
  events: ['/events', '/events/groups/:id', '/events/item/:key'],
  plugins: ['/plugins', '/plugins/:id'],
  'plugin-pages': ['/plugin-pages/:plugin/:page'],
  settings: ['/settings', '/settings/:section'],
  login: ['/login'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type Area = keyof typeof AREAS

export const PAGE_PATHS: readonly string[] = Object.values(AREAS).flat()

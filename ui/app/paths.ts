// The addresses of all pages, used by the router and by the service, which answers them with the shell.
export const AREAS = {
  home: ['/'],
  start: ['/start'],
  connections: ['/connections', '/connections/:provider'],
  recipes: ['/recipes'],
  pairs: ['/pairs', '/pairs/new', '/pairs/:id', '/plans/:id'],
  scrobbling: ['/scrobbling'],
  runs: ['/runs', '/runs/:id'],
  schedule: ['/schedule'],
  continue: ['/continue'],
  watchlist: ['/watchlist'],
  playlists: ['/playlists', '/playlists/:id'],
  library: ['/library'],
  title: ['/library/:key', '/events/item/:key'],
  history: ['/history'],
  plays: ['/plays/add'],
  problems: ['/problems', '/analyzer'],
  editor: ['/editor'],
  anime: ['/anime'],
  statistics: ['/statistics'],
  events: ['/events', '/events/groups/:id'],
  import: ['/import', '/import/:id'],
  export: ['/export'],
  captures: ['/captures', '/captures/view', '/captures/compare', '/captures/restore'],
  backups: ['/backups'],
  maintenance: ['/maintenance'],
  notifications: ['/notifications'],
  plugins: ['/plugins', '/plugins/:id', '/plugin-directory', '/plugin-directory/:id'],
  'plugin-pages': ['/plugin-pages/:plugin/:page'],
  settings: ['/settings', '/settings/:section'],
  help: ['/help'],
  login: ['/login'],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** The page on which a guest signs in. It is none of the areas: it needs no session and has no navigation. */
export const GUEST_PATH = '/guest'

export type Area = keyof typeof AREAS

export const PAGE_PATHS: readonly string[] = Object.values(AREAS).flat()

// The doors: the entries of the navigation. A door with several pages shows them as tabs, in this order. A page without a
// tab belongs to the door whose pages lead to it. The kinds are those of plugins: their pages are the last tabs.
import { IconActivity, IconRefresh, IconTransfer, type TablerIcon } from '@tabler/icons-react'
import type { PluginSummary } from '../parts/plugins/use-plugins.ts'
import { shell } from '../texts/en/shell.ts'
import type { Area } from './paths.ts'
import { ROUTES, type AreaRoute } from './routes.ts'

type DoorId = keyof typeof shell.doors
type PluginKind = PluginSummary['kind']

interface Row {
  readonly icon?: TablerIcon
  readonly tabs: readonly Area[]
  readonly others?: readonly Area[]
  readonly kinds?: readonly PluginKind[]
}

const DOORS: Readonly<Record<DoorId, Row>> = {
  home: { tabs: ['home'], others: ['start'] },
  library: { tabs: ['library'], others: ['title'] },
  watchlist: { tabs: ['watchlist'] },
  history: { tabs: ['history', 'statistics', 'continue'], others: ['plays'] },
  sync: { icon: IconRefresh, tabs: ['pairs', 'playlists', 'scrobbling', 'schedule'], others: ['recipes'] },
  activity: { icon: IconActivity, tabs: ['runs', 'events', 'problems'], kinds: ['analyzer'] },
  accounts: { tabs: ['connections', 'captures', 'editor'], kinds: ['provider'] },
  exchange: { icon: IconTransfer, tabs: ['import', 'export'], kinds: ['importer', 'exporter'] },
  // A menu at the side instead of tabs.
  settings: {
    tabs: ['settings'],
    others: ['backups', 'notifications', 'plugins', 'plugin-pages', 'anime', 'maintenance'],
    kinds: ['feature', 'service', 'notifier'],
  },
  help: { tabs: ['help'] },
}

export interface Door {
  readonly id: DoorId
  readonly title: string
  readonly icon: TablerIcon | undefined
  readonly href: string
  readonly load: () => unknown
  readonly tabs: readonly AreaRoute[]
  readonly areas: readonly Area[]
  readonly kinds: readonly PluginKind[]
}

function doorOf(id: DoorId): Door {
  const { icon, tabs, others = [], kinds = [] } = DOORS[id]
  const routes = tabs.flatMap((area) => ROUTES.filter((route) => route.area === area))
  const [first] = routes as [AreaRoute]
  return {
    id,
    title: shell.doors[id],
    icon: icon ?? first.icon,
    href: first.paths[0] as string,
    load: first.load,
    tabs: routes,
    areas: [...routes.map(({ area }) => area), ...others],
    kinds,
  }
}

const GROUPS: Readonly<Record<keyof typeof shell.groups, readonly DoorId[]>> = {
  you: ['home', 'library', 'watchlist', 'history'],
  sync: ['sync', 'activity', 'accounts'],
  more: ['exchange', 'settings', 'help'],
}

export const NAVIGATION = Object.entries(GROUPS).map(([group, ids]) => ({
  title: shell.groups[group as keyof typeof GROUPS],
  doors: ids.map(doorOf),
}))

const ALL = NAVIGATION.flatMap(({ doors }) => doors)

/** In the bar at the bottom of a phone, within a thumb's reach. */
export const QUICK_DOORS = ALL.filter(({ id }) => ['home', 'library', 'history', 'sync'].includes(id))

/**
 * @param kind of the plugin, at the address of its page
 * @returns undefined at an address without a page
 */
export function doorAt(location: string, kind: PluginKind = null): Door | undefined {
  const area = areaAt(location)
  const ofKind = area === 'plugin-pages' ? ALL.find(({ kinds }) => kinds.some((one) => one === kind)) : undefined
  return ofKind ?? ALL.find(({ areas }) => areas.some((one) => one === area))
}

function areaAt(location: string): Area | undefined {
  return ROUTES.find(({ paths }) => paths.some((path) => begins(location, path)))?.area
}

/** Up to its first parameter: `/events/item/:key` is of another area than `/events`. */
function begins(location: string, path: string): boolean {
  const base = path.replace(/\/:.*$/, '')
  return location === base || (base !== '/' && location.startsWith(`${base}/`))
}

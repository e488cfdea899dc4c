// The navigation groups. An area without a group is listed under tools.
import { shell } from '../texts/en/shell.ts'
import { ROUTES, type AreaRoute } from './routes.ts'

const { groups } = shell

const ORDER: readonly (readonly [title: string, areas: readonly string[]])[] = [
  [groups.you, ['home', 'library', 'continue', 'watchlist', 'history', 'statistics']],
  [groups.sync, ['connections', 'pairs', 'playlists', 'runs', 'schedule', 'scrobbling', 'anime', 'events']],
  [
    groups.tools,
    [
      'editor',
      'import',
      'export',
      'analyzer',
      'captures',
      'backups',
      'maintenance',
      'notifications',
      'plugins',
      'settings',
    ],
  ],
]

interface NavigationGroup {
  readonly title: string
  readonly routes: readonly AreaRoute[]
}

export const NAVIGATION: readonly NavigationGroup[] = ORDER.map(([title, areas], index) => {
  const shown = ROUTES.filter(({ inNavigation }) => inNavigation)
  const named = areas.flatMap((area) => shown.filter((route) => route.area === area))
  const others =
    index === ORDER.length - 1 ? shown.filter(({ area }) => !ORDER.some(([, all]) => all.includes(area))) : []
  return { title, routes: [...others, ...named] }
})

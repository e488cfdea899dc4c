// The route table. A page is loaded when it is first opened; all paths of an area share one module.
import {
  IconArchive,
  IconArrowsShuffle,
  IconBell,
  IconBolt,
  IconBroadcast,
  IconCalendarTime,
  IconCamera,
  IconChefHat,
  IconChartBar,
  IconClockPlay,
  IconClockPlus,
  IconFileExport,
  IconFileImport,
  IconHelp,
  IconHistory,
  IconHome,
  IconLibrary,
  IconLink,
  IconListCheck,
  IconPlayerTrackNext,
  IconPencil,
  IconPlaylist,
  IconPlugConnected,
  IconPuzzle,
  IconRocket,
  IconSettings,
  IconTool,
  IconBookmarks,
  type TablerIcon,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import Home from '../pages/home/index.tsx'
import { lazyPart } from '../parts/page/lazy-part.ts'
import { shell } from '../texts/en/shell.ts'
import { AREAS, type Area } from './paths.ts'
import type { PageProps } from './page-props.ts'

type PageModule = Promise<{ readonly default: ComponentType<PageProps> }>

export interface AreaRoute {
  readonly area: Area
  readonly title: string
  /** The search lists the pages with an icon. */
  readonly icon?: TablerIcon
  readonly paths: readonly string[]
  readonly load: () => PageModule
  readonly page: ComponentType<PageProps>
}

function route(area: Area, title: string, load: () => PageModule, icon?: TablerIcon): AreaRoute {
  return { area, title, paths: AREAS[area], load, page: lazyPart(load), icon }
}

const { pages } = shell

export const ROUTES: readonly AreaRoute[] = [
  // Home is the usual first page, so it is part of the main chunk.
  { ...route('home', pages.home, () => Promise.resolve({ default: Home }), IconHome), page: Home },
  route('connections', pages.connections, () => import('../pages/connections/index.tsx'), IconPlugConnected),
  route('pairs', pages.pairs, () => import('../pages/pairs/index.tsx'), IconLink),
  route('recipes', pages.recipes, () => import('../pages/start/index.tsx'), IconChefHat),
  route('scrobbling', pages.scrobbling, () => import('../pages/scrobbling/index.tsx'), IconBroadcast),
  route('runs', pages.runs, () => import('../pages/runs/index.tsx'), IconHistory),
  route('schedule', pages.schedule, () => import('../pages/schedule/index.tsx'), IconCalendarTime),
  route('continue', pages.continue, () => import('../pages/continue/index.tsx'), IconPlayerTrackNext),
  route('watchlist', pages.watchlist, () => import('../pages/watchlist/index.tsx'), IconBookmarks),
  route('playlists', pages.playlists, () => import('../pages/playlists/index.tsx'), IconPlaylist),
  route('library', pages.library, () => import('../pages/library/index.tsx'), IconLibrary),
  route('title', pages.title, () => import('../pages/title/index.tsx')),
  route('history', pages.history, () => import('../pages/history/index.tsx'), IconClockPlay),
  route('anime', pages.anime, () => import('../pages/anime/index.tsx'), IconArrowsShuffle),
  route('editor', pages.editor, () => import('../pages/editor/index.tsx'), IconPencil),
  route('plays', pages.plays, () => import('../pages/plays/index.tsx'), IconClockPlus),
  route('problems', pages.problems, () => import('../pages/problems/index.tsx'), IconListCheck),
  route('statistics', pages.statistics, () => import('../pages/statistics/index.tsx'), IconChartBar),
  route('events', pages.events, () => import('../pages/events/index.tsx'), IconBolt),
  route('import', pages.import, () => import('../pages/import/index.tsx'), IconFileImport),
  route('export', pages.export, () => import('../pages/export/index.tsx'), IconFileExport),
  route('captures', pages.captures, () => import('../pages/captures/index.tsx'), IconCamera),
  route('backups', pages.backups, () => import('../pages/backups/index.tsx'), IconArchive),
  route('maintenance', pages.maintenance, () => import('../pages/maintenance/index.tsx'), IconTool),
  route('notifications', pages.notifications, () => import('../pages/notifications/index.tsx'), IconBell),
  route('plugins', pages.plugins, () => import('../pages/plugins/index.tsx'), IconPuzzle),
  route('settings', pages.settings, () => import('../pages/settings/index.tsx'), IconSettings),
  route('help', pages.help, () => import('../pages/help/index.tsx'), IconHelp),
  route('start', pages.start, () => import('../pages/start/index.tsx'), IconRocket),
  route('plugin-pages', pages.pluginPage, () => import('../pages/plugin-pages/index.tsx')),
  route('login', pages.login, () => import('../pages/login/index.tsx')),
]

// The icons that a plugin's page may name. All that there are would be more than the rest of the application; any other name is a puzzle piece.
import {
  IconActivity, IconAlertTriangle, IconArchive, IconBell, IconBolt, IconBook, IconBookmark, IconBooks, IconBrain, IconBug, IconCalendar, IconCamera, IconChartBar, IconChartLine, IconChartPie,
  IconCheck, IconClock, IconCloud, IconCode, IconDatabase, IconDeviceTv, IconDownload, IconFile, IconFilter, IconFlag, IconFolder, IconGauge, IconGlobe, IconHeart, IconHistory, IconHome, IconInfoCircle,
  IconKey, IconList, IconListCheck, IconMail, IconMap, IconMessage, IconMovie, IconMusic, IconPhoto, IconPlayerPlay, IconPuzzle, IconRefresh, IconReport, IconRocket, IconSearch, IconServer, IconSettings,
  IconShield, IconSparkles, IconStar, IconTable, IconTag, IconTool, IconTrash, IconTrophy, IconUpload, IconUser, IconUsers, IconVideo, IconWand, type TablerIcon,
} from '@tabler/icons-react'

const ICONS: Readonly<Record<string, TablerIcon>> = {
  activity: IconActivity, 'alert-triangle': IconAlertTriangle, archive: IconArchive, bell: IconBell, bolt: IconBolt, book: IconBook, bookmark: IconBookmark, books: IconBooks, brain: IconBrain, bug: IconBug,
  calendar: IconCalendar, camera: IconCamera, 'chart-bar': IconChartBar, 'chart-line': IconChartLine, 'chart-pie': IconChartPie, check: IconCheck, clock: IconClock, cloud: IconCloud, code: IconCode,
  database: IconDatabase, 'device-tv': IconDeviceTv, download: IconDownload, file: IconFile, filter: IconFilter, flag: IconFlag, folder: IconFolder, gauge: IconGauge, globe: IconGlobe, heart: IconHeart,
  history: IconHistory, home: IconHome, 'info-circle': IconInfoCircle, key: IconKey, list: IconList, 'list-check': IconListCheck, mail: IconMail, map: IconMap, message: IconMessage, movie: IconMovie,
  music: IconMusic, photo: IconPhoto, 'player-play': IconPlayerPlay, puzzle: IconPuzzle, refresh: IconRefresh, report: IconReport, rocket: IconRocket, search: IconSearch, server: IconServer,
  settings: IconSettings, shield: IconShield, sparkles: IconSparkles, star: IconStar, table: IconTable, tag: IconTag, tool: IconTool, trash: IconTrash, trophy: IconTrophy, upload: IconUpload,
  user: IconUser, users: IconUsers, video: IconVideo, wand: IconWand,
}

export default function PluginIcon({ name }: { readonly name: string }) {
  const Icon = (Object.hasOwn(ICONS, name) ? ICONS[name] : undefined) ?? IconPuzzle
  return <Icon size={20} aria-hidden data-icon={name} />
}

// The places of the settings, and their parts: a page with its own address (`/backups`), a page of the settings, or a section
// of the configuration. Parts are the tabs of their place.
import {
  IconArchive,
  IconArrowsShuffle,
  IconBell,
  IconLanguage,
  IconPlugConnected,
  IconPuzzle,
  IconRefresh,
  IconServer2,
  IconShieldLock,
  IconTool,
  IconUser,
  type TablerIcon,
} from '@tabler/icons-react'
import { foldText, searchWords } from '../../../sdk/items/text.ts'
import type { Answer } from '../../api/client.ts'
import type { PluginPageLink } from '../../app/plugin-pages.ts'
import { settings } from '../../texts/en/settings.ts'
import { serviceText } from '../../texts/service-text.ts'
import { elsewhere } from './elsewhere.ts'

export type Section = Answer<'GET /api/config/sections'>['sections'][number]
export type FixedPage = keyof typeof settings.pages

export interface Part {
  /** The last part of its address below `/settings`, or its whole address. */
  readonly id: string
  readonly title: string
  readonly text: string | null
  readonly href: string
  /** Titles of the fields on the page. */
  readonly fields: readonly string[]
  readonly icon?: string | null
  readonly section?: Section
}

export interface Place {
  readonly id: PlaceId
  readonly title: string
  readonly icon: TablerIcon
  readonly parts: readonly Part[]
  /** Parts without a tab: services that are not connected. */
  readonly others: readonly Part[]
}

export interface PlaceGroup {
  readonly title: string
  readonly places: readonly Place[]
}

type PlaceId = keyof typeof settings.places

const ICONS: Readonly<Record<PlaceId, TablerIcon>> = {
  account: IconUser,
  access: IconShieldLock,
  system: IconServer2,
  notifications: IconBell,
  backups: IconArchive,
  maintenance: IconTool,
  plugins: IconPuzzle,
  sync: IconRefresh,
  services: IconPlugConnected,
  anime: IconArrowsShuffle,
  titles: IconLanguage,
}
const GROUPS: Readonly<Record<keyof typeof settings.groups, readonly PlaceId[]>> = {
  you: ['account', 'access'],
  sync: ['sync', 'services', 'anime', 'titles'],
  service: ['system', 'notifications', 'backups', 'maintenance', 'plugins'],
}
const PARTS: Readonly<Record<PlaceId, readonly (keyof typeof settings.parts | FixedPage)[]>> = {
  account: ['account', 'sessions', 'single-sign-on', 'plugins.sso'],
  access: ['tokens', 'security', 'tls'],
  sync: ['sync', 'scrobble', 'playback_progress', 'analyzer'],
  services: ['services'],
  anime: ['/anime', 'anime_mapping'],
  titles: ['metadata', 'metaA'],
  system: ['about', 'updates', 'logs', 'support', 'runtime', 'plugins.metrics'],
  notifications: ['/notifications', 'notifications'],
  backups: ['/backups', 'plugins.backups'],
  maintenance: ['/maintenance', 'maintenance', 'plugins.events', 'plugins.events-export'],
  plugins: ['/plugins', '/plugin-directory', 'plugins.directory'],
}

interface Known {
  /** Undefined while the service is asked. */
  readonly sections: readonly Section[] | undefined
  /** Tokens of the connected services. */
  readonly connected: ReadonlySet<string>
  readonly pluginPages?: readonly PluginPageLink[] | undefined
}

export function placesOf({ sections, connected, pluginPages = [] }: Known): readonly PlaceGroup[] {
  const own = new Map(
    (sections ?? []).filter((one) => elsewhere(one) === undefined).map((section) => [section.path, section]),
  )
  const named = new Set<string>(Object.values(PARTS).flat())
  const rest = [...own.values()].filter(({ path }) => !named.has(path))
  const services = rest.filter(({ kind }) => kind === 'provider')
  const further: Partial<Record<PlaceId, readonly Part[]>> = {
    services: services.filter(({ path }) => connected.has(path)).map(toPart),
    notifications: pluginPages.filter(({ kind }) => kind === 'notifier').map(toPluginPart),
    plugins: [
      ...rest.filter(({ kind }) => kind !== 'provider').map(toPart),
      ...pluginPages.filter(({ kind }) => kind === 'feature' || kind === 'service').map(toPluginPart),
    ],
  }
  const placeOf = (id: PlaceId): Place => ({
    id,
    title: settings.places[id],
    icon: ICONS[id],
    parts: [
      ...PARTS[id].flatMap((part): Part[] => {
        if (isFixedPage(part)) return [{ id: part, ...settings.pages[part], href: addressOf(part), fields: [] }]
        const words = settings.parts[part]
        if (part.startsWith('/')) return [{ id: part, ...words, href: part, fields: [] }]
        const section = own.get(part)
        if (section !== undefined) return [{ ...toPart(section), ...words }]
        return sections === undefined ? [{ id: part, ...words, href: addressOf(part), fields: [] }] : []
      }),
      ...(further[id] ?? []).toSorted(byTitle),
    ],
    others:
      id === 'services'
        ? services
            .filter(({ path }) => !connected.has(path))
            .map(toPart)
            .toSorted(byTitle)
        : [],
  })
  return Object.entries(GROUPS).map(([group, ids]) => ({
    title: settings.groups[group as keyof typeof GROUPS],
    places: ids.map(placeOf).filter(({ parts }) => parts.length > 0),
  }))
}

/** The place of an address, and the part that it shows. */
export function whereIs(
  groups: readonly PlaceGroup[],
  location: string,
): { readonly place?: Place | undefined; readonly part?: Part } {
  const places = groups.flatMap((group) => group.places)
  for (const place of places) {
    const part = [...place.parts, ...place.others].find(
      ({ href }) => location === href || href === `/${location.split('/')[1]}`,
    )
    if (part !== undefined) return { place, part }
  }
  // A page of a plugin that is off is in no tab.
  return location.startsWith('/settings/') ? {} : { place: places.find(({ id }) => id === 'plugins') }
}

/** Places with the parts that contain all words. If a field matches, its name replaces the text. */
export function matching(groups: readonly PlaceGroup[], search: string): readonly PlaceGroup[] {
  const words = searchWords(search)
  if (words.length === 0) return groups
  const has = (text: string) => words.every((word) => foldText(text).includes(word))
  const found = ({ parts, ...place }: Place) => ({
    ...place,
    parts: parts.flatMap((part) => {
      const fields = [...new Set(part.fields.filter(has))]
      if (fields.length > 0) return [{ ...part, text: fields.join(', ') }]
      return has([place.title, part.title, part.text, ...part.fields].join(' ')) ? [part] : []
    }),
  })
  return groups
    .map(({ title, places }) => ({ title, places: places.map(found).filter(({ parts }) => parts.length > 0) }))
    .filter(({ places }) => places.length > 0)
}

export function isFixedPage(id: string): id is FixedPage {
  return Object.hasOwn(settings.pages, id)
}

function addressOf(id: string): string {
  return `/settings/${encodeURIComponent(id)}`
}

function toPart(section: Section): Part {
  // A plugin section may have the same name as a page of the settings.
  const id = isFixedPage(section.path) ? `section-${section.path}` : section.path
  return {
    id,
    title: serviceText(section.title),
    text: serviceText(section.description) ?? null,
    href: addressOf(id),
    fields: section.fields.map((field) => serviceText(field)),
    section,
  }
}

const byTitle = (a: Part, b: Part) => a.title.localeCompare(b.title)

function toPluginPart({ id, label, description, icon, href }: PluginPageLink): Part {
  return { id, title: label, text: description, href, fields: [], icon }
}

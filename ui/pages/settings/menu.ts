// The settings menu: fixed pages and a page for each section of the configuration.
import { foldText, searchWords } from '../../../sdk/items/text.ts'
import { serviceText } from '../../texts/service-text.ts'
import {
  IconActivity,
  IconAdjustments,
  IconApi,
  IconCertificate,
  IconDeviceLaptop,
  IconInfoCircle,
  IconKey,
  IconPlugConnected,
  IconRefresh,
  IconShieldLock,
  IconTerminal2,
  IconTool,
  IconUser,
  type TablerIcon,
} from '@tabler/icons-react'
import type { Answer } from '../../api/client.ts'
import { settings } from '../../texts/en/settings.ts'

export type Section = Answer<'GET /api/config/sections'>['sections'][number]
export type FixedPage = keyof typeof settings.pages

export interface MenuEntry {
  readonly id: string
  readonly title: string
  readonly text: string | null
  readonly icon: TablerIcon
  /** Titles of the fields on the page. */
  readonly fields: readonly string[]
  readonly section?: Section
}

export interface MenuGroup {
  readonly title: string
  readonly entries: readonly MenuEntry[]
}

const ICONS: Readonly<Record<FixedPage, TablerIcon>> = {
  account: IconUser,
  sessions: IconDeviceLaptop,
  tokens: IconApi,
  'single-sign-on': IconKey,
  tls: IconCertificate,
  updates: IconRefresh,
  logs: IconTerminal2,
  support: IconTool,
  about: IconInfoCircle,
}
const ACCOUNT_PAGES: readonly FixedPage[] = ['account', 'sessions', 'tokens', 'single-sign-on']
const SERVICE: readonly FixedPage[] = ['tls', 'updates', 'logs', 'support', 'about']
const CORE_ICONS: Readonly<Record<string, TablerIcon>> = { security: IconShieldLock, runtime: IconActivity }

// Sections with their own page, or managed by the service.
const ELSEWHERE = new Set(['app_auth', 'ui', 'pairs', 'scheduling', 'provider_instance_ids'])

/**
 * @param connected tokens of the connected services; settings of other services are hidden here, because they are on their
 * own pages. undefined: all.
 */
export function menuOf(sections: readonly Section[], connected?: ReadonlySet<string>): readonly MenuGroup[] {
  const shown = sections.filter(
    ({ path, kind }) => !ELSEWHERE.has(path) && (kind !== 'provider' || connected === undefined || connected.has(path)),
  )
  const own = shown.filter(({ kind }) => kind === 'core').map(toCoreEntry)
  const { groups } = settings
  return [
    { title: groups.you, entries: ACCOUNT_PAGES.map(toFixedEntry) },
    { title: groups.service, entries: [...SERVICE.map(toFixedEntry), ...own] },
    {
      title: groups.parts,
      entries: shown
        .filter(({ kind }) => kind !== 'core' && kind !== 'provider')
        .map((section) => toEntry(section, IconAdjustments))
        .toSorted(byTitle),
    },
    {
      title: groups.providers,
      entries: shown
        .filter(({ kind }) => kind === 'provider')
        .map((section) => toEntry(section, IconPlugConnected))
        .toSorted(byTitle),
    },
  ].filter(({ entries }) => entries.length > 0)
}

/** Entries that contain all words. If a field matches, its name replaces the text. */
export function matching(groups: readonly MenuGroup[], search: string): readonly MenuGroup[] {
  const words = searchWords(search)
  if (words.length === 0) return groups
  const has = (text: string) => words.every((word) => foldText(text).includes(word))
  return groups
    .map(({ title, entries }) => ({
      title,
      entries: entries.flatMap((entry) => {
        const fields = [...new Set(entry.fields.filter(has))]
        if (fields.length > 0) return [{ ...entry, text: fields.join(', ') }]
        return has([entry.title, entry.text, ...entry.fields].join(' ')) ? [entry] : []
      }),
    }))
    .filter(({ entries }) => entries.length > 0)
}

export function isFixedPage(id: string): id is FixedPage {
  return Object.hasOwn(settings.pages, id)
}

export function addressOf(id: string): string {
  return `/settings/${encodeURIComponent(id)}`
}

function toFixedEntry(id: FixedPage): MenuEntry {
  return { id, ...settings.pages[id], icon: ICONS[id], fields: [] }
}

function toCoreEntry(section: Section): MenuEntry {
  const known = (settings.core as Readonly<Record<string, { title: string; text: string }>>)[section.path]
  return { ...toEntry(section, CORE_ICONS[section.path] ?? IconAdjustments), ...known }
}

function toEntry(section: Section, icon: TablerIcon): MenuEntry {
  return {
    // A plugin section may have the same name as a fixed page.
    id: isFixedPage(section.path) ? `section-${section.path}` : section.path,
    title: serviceText(section.title),
    text: serviceText(section.description) ?? null,
    icon,
    fields: section.fields.map((field) => serviceText(field)),
    section,
  }
}

function byTitle(a: MenuEntry, b: MenuEntry): number {
  return a.title.localeCompare(b.title)
}

// The entries of the search, from what the service answers. Without React, so that the words can be tested alone.
import type { Answer } from '../api/client.ts'
import { elsewhere } from '../pages/settings/elsewhere.ts'
import { search as texts } from '../texts/en/search.ts'
import { settings } from '../texts/en/settings.ts'
import { LANGUAGES, type Language } from '../texts/language.ts'
import { say } from '../texts/say.ts'
import { serviceText } from '../texts/service-text.ts'
import type { Entry, Vocabulary } from './search-match.ts'

export interface Sources {
  readonly pages: readonly { readonly area: string; readonly title: string; readonly href: string }[]
  readonly pluginPages: readonly { readonly title: string; readonly plugin: string; readonly href: string }[]
  readonly connections: Answer<'GET /api/connections'>['connections']
  readonly pairs: readonly { readonly id: string; readonly name: string; readonly sides: string }[]
  readonly sections: Answer<'GET /api/config/fields'>['sections']
  readonly plugins: readonly { readonly id: string; readonly name: string; readonly description: string }[]
  readonly guide: GuideIndex
}

/** Pages of the guide with their headings, as `ui/build-guide.ts` writes them. */
export type GuideIndex = readonly {
  readonly title: string
  readonly address: string
  readonly headings: readonly (readonly [text: string, id: string])[]
}[]

type ActionId = keyof typeof texts.actions
/** An entry is opened by its address, or by its action. */
export interface SearchEntry extends Entry {
  readonly act?: ActionId | `language ${Language}`
  /** Id of the service, area or action with an icon. */
  readonly icon?: string
}

/** Actions without an address are carried out by the search box. */
const ADDRESSES: Readonly<Partial<Record<ActionId, string>>> = {
  pair: '/pairs/new',
  connect: '/connections',
  scrobble: '/scrobbling?open=add',
  ignore: '/editor',
  play: '/plays/add',
  token: '/settings/tokens#new-token',
  password: '/settings/account#new-password',
  devices: '/settings/sessions',
  backup: '/backups?open=create',
  restore: '/backups',
  capture: '/captures?open=create',
  channel: '/notifications',
  restart: '/settings/support',
  guide: '/guide',
  api: '/redoc',
}
/** A section of a notifier, such as `plugins.notify-discord`. */
const NOTIFIER = /^plugins\.(?:notify-)?/
/** How the usages of an account name a webhook. */
const WEBHOOK = 'webhook'
/** Plugins that other entries already name. */
const NAMED = new Set(['provider', 'notifier'])

export const VOCABULARY: Vocabulary = { synonyms: Object.values(texts.synonyms), fillers: texts.fillers }

export function entriesOf(sources: Sources): readonly SearchEntry[] {
  return [
    ...ofAccounts(sources),
    ...ofPairs(sources),
    ...ofActions(sources),
    ...ofPages(sources),
    ...ofSettings(sources),
    ...ofPlugins(sources),
    ...ofGuide(sources),
  ]
}

/** Those without a query: what most people look for. */
export function firstEntries(entries: readonly SearchEntry[]): readonly SearchEntry[] {
  const first: readonly ActionId[] = ['run', 'undo', 'connect', 'pair']
  return [
    ...entries.filter(({ act, id }) => first.some((one) => act === one || id === `action ${one}`)),
    ...entries.filter(({ group }) => group === 'pages'),
  ]
}

function ofAccounts({ connections }: Sources): readonly SearchEntry[] {
  return connections.flatMap(({ provider, label, profiles }) =>
    profiles
      .filter(({ configured }) => configured)
      .map(({ id, display_label: name, user }): SearchEntry => {
        const isDefault = id === 'default'
        return {
          id: `account ${provider} ${id}`,
          group: 'accounts',
          label: isDefault ? label : `${label} (${name})`,
          description: user?.name ?? '',
          href: `/connections/${encodeURIComponent(provider)}`,
          icon: provider,
        }
      }),
  )
}

function ofPairs({ pairs }: Sources): readonly SearchEntry[] {
  return pairs.map(({ id, name, sides }) => ({
    id: `pair ${id}`,
    group: 'pairs',
    label: name || sides,
    description: name === '' ? '' : sides,
    href: `/pairs/${encodeURIComponent(id)}`,
  }))
}

function ofActions({ connections, sections }: Sources): readonly SearchEntry[] {
  const own = Object.entries(texts.actions).map(([id, label]): SearchEntry => {
    const action = id as ActionId
    const href = ADDRESSES[action]
    return {
      id: `action ${id}`,
      group: 'actions',
      label,
      words: texts.actionWords[action],
      icon: id,
      ...(href === undefined ? { act: action } : { href }),
    }
  })
  const isConnected = ({ profiles }: Sources['connections'][number]) => profiles.some(({ configured }) => configured)
  return [
    ...own,
    ...connections
      .filter((one) => one.group === 'media_server' && isConnected(one))
      .map(
        ({ provider, label, profiles }): SearchEntry => ({
          id: `webhook ${provider}`,
          group: 'actions',
          label: say(texts.webhookOf, { service: label }),
          words: texts.synonyms.webhook,
          href: profiles.some(({ used_by: uses }) => uses.some(({ feature }) => feature === WEBHOOK))
            ? '/scrobbling'
            : '/scrobbling?open=add',
          icon: provider,
        }),
      ),
    ...connections
      .filter((one) => !isConnected(one))
      .map(
        ({ provider, label }): SearchEntry => ({
          id: `connect ${provider}`,
          group: 'actions',
          label: say(texts.connect, { service: label }),
          words: texts.actionWords.connect,
          href: `/connections/${encodeURIComponent(provider)}`,
          icon: provider,
        }),
      ),
    ...sections
      .filter(({ kind }) => kind === 'notifier')
      .map(
        ({ path, title }): SearchEntry => ({
          id: `notify ${path}`,
          group: 'actions',
          label: say(texts.notifyBy, { service: serviceText(title) }),
          words: texts.notifyWords,
          href: `/notifications?open=${encodeURIComponent(path.replace(NOTIFIER, ''))}`,
          icon: 'channel',
        }),
      ),
    ...Object.entries(LANGUAGES)
      .filter(([language]) => language !== 'en-XA')
      .map(
        ([language, name]): SearchEntry => ({
          id: `language ${language}`,
          group: 'actions',
          label: say(texts.language, { name }),
          words: texts.synonyms.language,
          act: `language ${language as Language}`,
          icon: 'language',
        }),
      ),
  ]
}

function ofPages({ pages, pluginPages }: Sources): readonly SearchEntry[] {
  return [
    ...pages.map(
      ({ area, title, href }): SearchEntry => ({
        id: `page ${area}`,
        group: 'pages',
        label: title,
        words: (texts.pageWords as Readonly<Record<string, string>>)[area] ?? '',
        href,
        icon: area,
      }),
    ),
    ...pluginPages.map(
      ({ title, plugin, href }): SearchEntry => ({
        id: `page ${href}`,
        group: 'pages',
        label: title,
        description: plugin,
        href,
      }),
    ),
  ]
}

function ofSettings({ sections, connections }: Sources): readonly SearchEntry[] {
  const connected = new Set(
    connections.filter(({ profiles }) => profiles.some(({ configured }) => configured)).map(({ token }) => token),
  )
  const known = settings.parts as Readonly<Record<string, { readonly title: string; readonly text: string }>>
  const wordsOf = (id: string) => (texts.settingWords as Readonly<Record<string, string>>)[id] ?? ''
  return [
    ...Object.entries(settings.pages).map(
      ([id, { title, text }]): SearchEntry => ({
        id: `setting ${id}`,
        group: 'settings',
        label: title,
        description: text,
        words: wordsOf(id),
        href: `/settings/${id}`,
      }),
    ),
    ...sections
      .filter(
        ({ path, kind, fields }) =>
          fields.length > 0 && elsewhere({ path, kind }) === undefined && (kind !== 'provider' || connected.has(path)),
      )
      .flatMap((section): readonly SearchEntry[] => {
        const { path, fields } = section
        const title = known[path]?.title ?? serviceText(section.title)
        // A section may have the same name as a page of the settings.
        const id = Object.hasOwn(settings.pages, path) ? `section-${path}` : path
        const address = `/settings/${encodeURIComponent(id)}`
        return [
          {
            id: `setting ${path}`,
            group: 'settings',
            label: title,
            description: known[path]?.text ?? serviceText(section.description) ?? '',
            words: wordsOf(path),
            href: address,
          },
          ...fields.map(
            (field): SearchEntry => ({
              id: `setting ${path} ${field.path}`,
              group: 'settings',
              label: serviceText(field.title),
              description: say(texts.inSettings, { section: title }),
              text: serviceText(field.description) ?? '',
              isPart: true,
              href: `${address}#root_${field.path.replaceAll('.', '_')}`,
            }),
          ),
        ]
      }),
  ]
}

function ofPlugins({ plugins, sections }: Sources): readonly SearchEntry[] {
  const named = new Set(sections.filter(({ kind }) => NAMED.has(kind)).map(({ title }) => title))
  return plugins
    .filter(({ name }) => !named.has(name))
    .map(({ id, name, description }) => ({
      id: `plugin ${id}`,
      group: 'plugins',
      label: serviceText(name),
      description: serviceText(description),
      isPart: true,
      href: `/plugins/${encodeURIComponent(id)}`,
    }))
}

function ofGuide({ guide }: Sources): readonly SearchEntry[] {
  return guide.flatMap(({ title, address, headings }): readonly SearchEntry[] => [
    { id: `guide ${address}`, group: 'guide', label: title, href: address },
    ...headings.map(
      ([text, id]): SearchEntry => ({
        id: `guide ${address} ${id}`,
        group: 'guide',
        label: text,
        description: title,
        isPart: true,
        href: `${address}#${id}`,
      }),
    ),
  ])
}

// Searches titles, accounts, pairs, actions, pages, settings and the guide. Loaded on first use.
import { Box, Stack, Text, useMantineColorScheme } from '@mantine/core'
import { createSpotlight, Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import {
  IconAdjustments,
  IconArchive,
  IconArrowBackUp,
  IconArrowsExchange,
  IconBell,
  IconBook,
  IconBolt,
  IconPuzzle,
  IconSearch,
  type TablerIcon,
} from '@tabler/icons-react'
import { useEffect, useMemo, useState, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import { at } from '../api/base.ts'
import { api } from '../api/client.ts'
import { useChange, useRead } from '../api/query.ts'
import { notifyDone, notifyFailure } from '../parts/dialogs/notify.ts'
import { usePlugins } from '../parts/plugins/use-plugins.ts'
import { undoRun } from '../parts/runs/undo.tsx'
import { pictureOf, titleAddress } from '../parts/titles/pictures.ts'
import { useNames } from '../parts/values/names.ts'
import { PosterImage } from '../parts/values/poster-image.tsx'
import { ServiceMark } from '../parts/values/service-mark.tsx'
import { runs } from '../texts/en/runs.ts'
import { search as texts } from '../texts/en/search.ts'
import { shell } from '../texts/en/shell.ts'
import { keepLanguage, type Language } from '../texts/language.ts'
import { say } from '../texts/say.ts'
import { land } from './landing.ts'
import { ROUTES } from './routes.ts'
import { signOut } from './session-state.ts'
import { entriesOf, firstEntries, type GuideIndex, type SearchEntry, VOCABULARY } from './search-entries.ts'
import { search, type Group } from './search-match.ts'

const [store, actions] = createSpotlight()
const TYPING_MS = 120
const FRESH_MS = 60_000
const TITLES = 6
const THUMB = 30
const ICON = 20
/** Addresses outside of this application, which the browser opens. */
const DOCUMENTS = /^\/(?:guide|redoc)(?:[/#]|$)/
const GUIDE = '/guide/search.json'
const OVERLAY = { backgroundOpacity: 0.55, blur: 0 }
const UNDO_LOOKED = 10

const GROUP_ICONS: Readonly<Partial<Record<Group, TablerIcon>>> = {
  pairs: IconArrowsExchange,
  actions: IconBolt,
  settings: IconAdjustments,
  plugins: IconPuzzle,
  guide: IconBook,
}
const ICONS: Readonly<Record<string, TablerIcon>> = {
  ...Object.fromEntries(ROUTES.flatMap(({ area, icon }) => (icon === undefined ? [] : [[area, icon]]))),
  undo: IconArrowBackUp,
  backup: IconArchive,
  restore: IconArchive,
  channel: IconBell,
}

export default function SearchBox({
  openCount,
  onShortcuts,
}: {
  readonly openCount: number
  readonly onShortcuts: () => void
}) {
  const [, navigate] = useLocation()
  const [query, setQuery] = useState('')
  const { titles, pictures, isSearching } = useTitles(query)
  const { entries, isReading } = useEntries()
  const act = useActions(navigate, onShortcuts)
  // biome-ignore lint/correctness/useExhaustiveDependencies: every new count opens the dialog
  useEffect(() => actions.open(), [openCount])

  const found = useMemo(() => {
    if (query.trim() !== '') return search([...titles, ...entries], query, VOCABULARY)
    const first = firstEntries(entries)
    return (['actions', 'pages'] as const).map((group) => ({
      group,
      entries: first.filter((one) => one.group === group),
    }))
  }, [titles, entries, query])
  // The first answer is the one that Enter opens. The dialog marks it when the query changes, but answers also come later.
  // biome-ignore lint/correctness/useExhaustiveDependencies: other answers have another first one
  useEffect(() => {
    if (query.trim() !== '') markFirst()
  }, [found])

  function open({ href, act: action }: SearchEntry) {
    if (action !== undefined) act(action)
    else if (href !== undefined && DOCUMENTS.test(href)) window.location.assign(at(href))
    else if (href !== undefined) {
      navigate(href)
      land(new URL(href, window.location.href).hash)
    }
  }

  const groups = found
    .filter((one) => one.entries.length > 0)
    .map(
      ({ group, entries: own }): SpotlightActionGroupData => ({
        group: texts.groups[group],
        actions: own.map((entry) => ({
          id: entry.id,
          label: entry.label,
          description: entry.description ?? '',
          leftSection: pictures.get(entry.id) ?? iconOf(entry),
          onClick: () => open(entry),
        })),
      }),
    )
  return (
    <Spotlight
      store={store}
      shortcut={null}
      query={query}
      onQueryChange={setQuery}
      actions={groups}
      // They are found and ordered already.
      filter={(_, all) => all}
      nothingFound={isSearching || isReading ? texts.searching : <Nothing query={query} />}
      highlightQuery
      overlayProps={OVERLAY}
      scrollable
      maxHeight="min(60vh, 32rem)"
      title={shell.search}
      classNames={{ header: 'unseen' }}
      searchProps={{
        leftSection: <IconSearch size={ICON} aria-hidden />,
        placeholder: shell.searchHint,
        'aria-label': shell.search,
      }}
    />
  )
}

function Nothing({ query }: { readonly query: string }) {
  return (
    <Stack gap="2xs" role="status">
      <Text inherit>{say(texts.none, { query: query.trim() })}</Text>
      <Text size="sm">{texts.noneText}</Text>
    </Stack>
  )
}

function iconOf({ group, icon }: SearchEntry): ReactNode {
  if (group === 'accounts' && icon !== undefined) return <ServiceMark provider={icon} size={ICON} />
  const Icon = ICONS[icon ?? ''] ?? GROUP_ICONS[group]
  return Icon === undefined ? null : <Icon size={ICON} aria-hidden />
}

/** The dialog keeps the number of the selected answer, which may be another one now. */
function markFirst(): void {
  const first = document.querySelector('[data-action]')
  if (first === null || first.hasAttribute('data-selected')) return
  for (const one of document.querySelectorAll('[data-action][data-selected]')) one.removeAttribute('data-selected')
  first.setAttribute('data-selected', 'true')
  store.setState({ ...store.getState(), selected: 0 })
}

/** The service has already filtered the titles, also by names that are not shown. */
function useTitles(query: string) {
  const [text] = useDebouncedValue(query.trim(), TYPING_MS)
  const { data, isFetching, isPlaceholderData } = useRead(
    ['library', 'palette'],
    'GET /api/library',
    { query: { q: text, limit: TITLES, sort: 'last_watched', order: 'desc' } },
    { enabled: text.length > 1, staleTime: 30_000 },
  )
  // Results for the previous query do not answer this one.
  const isCurrent = text.length > 1 && text === query.trim() && !isPlaceholderData
  const items = isCurrent ? data?.items : undefined
  const isSearching = query.trim().length > 1 && (text !== query.trim() || isFetching)
  return useMemo(() => {
    const known = (items ?? []).map((item) => ({ item, name: item.title || texts.untitled }))
    return {
      isSearching,
      titles: known.map(
        ({ item, name }): SearchEntry => ({
          id: item.key,
          group: 'titles',
          label: item.year === null ? name : `${name} (${item.year})`,
          text: text,
          href: titleAddress(item.key),
        }),
      ),
      pictures: new Map<string, ReactNode>(
        known.map(({ item, name }) => [
          item.key,
          <Box key={item.key} w={THUMB}>
            <PosterImage src={pictureOf(item, 185)} title={name} isSmall />
          </Box>,
        ]),
      ),
    }
  }, [items, text, isSearching])
}

/** Everything but titles. It is read when the search is first opened. */
function useEntries() {
  const names = useNames()
  const connections = useRead(['connections'], 'GET /api/connections', undefined, { staleTime: FRESH_MS })
  const pairs = useRead(['pairs'], 'GET /api/pairs', undefined, { staleTime: FRESH_MS })
  const fields = useRead(['settings', 'fields'], 'GET /api/config/fields', undefined, { staleTime: FRESH_MS })
  const plugins = usePlugins()
  const guide = useQuery<GuideIndex>({
    queryKey: ['guide'],
    queryFn: async ({ signal }) => {
      const answer = await fetch(at(GUIDE), { signal })
      return answer.ok ? ((await answer.json()) as GuideIndex) : []
    },
    staleTime: Infinity,
  })
  const entries = useMemo(
    () =>
      entriesOf({
        pages: ROUTES.filter(({ icon }) => icon !== undefined).map(({ area, title, paths }) => ({
          area,
          title,
          href: paths[0] as string,
        })),
        pluginPages: (plugins.data?.plugins ?? []).flatMap(({ id, name, ui }) =>
          ui.pages.map(({ path, title }) => ({
            title,
            plugin: name,
            href: `/plugin-pages/${encodeURIComponent(id)}/${path}`,
          })),
        ),
        connections: connections.data?.connections ?? [],
        pairs: (pairs.data ?? []).map((pair) => ({
          id: pair.id,
          name: pair.name,
          sides: [
            names.account(pair.source, pair.source_instance),
            names.account(pair.target, pair.target_instance),
          ].join(pair.mode === 'two_way' ? ' ↔ ' : ' → '),
        })),
        sections: fields.data?.sections ?? [],
        plugins: plugins.data?.plugins ?? [],
        guide: guide.data ?? [],
      }),
    [names, connections.data, pairs.data, fields.data, plugins.data, guide.data],
  )
  return { entries, isReading: [connections, pairs, fields, plugins, guide].some(({ isLoading }) => isLoading) }
}

type Act = NonNullable<SearchEntry['act']>

function useActions(navigate: (path: string) => void, onShortcuts: () => void): (action: Act) => void {
  const run = useChange('POST /api/run', { refresh: [['runs']] })
  const { setColorScheme } = useMantineColorScheme()
  const known: Readonly<Partial<Record<Act, () => void>>> = {
    run: () =>
      run.mutate(
        { body: { source: 'ui' } },
        {
          onSuccess: ({ status }) => notifyDone(status === 'accepted' ? runs.started : runs.nothingToRun),
          onError: (error) => notifyFailure(error),
        },
      ),
    undo: () => void undoLast(navigate).catch(notifyFailure),
    dark: () => setColorScheme('dark'),
    light: () => setColorScheme('light'),
    system: () => setColorScheme('auto'),
    shortcuts: onShortcuts,
    signOut: () => void signOut(),
  }
  return (action) => {
    if (!action.startsWith('language ')) return known[action]?.()
    keepLanguage(action.slice('language '.length) as Language)
    window.location.reload()
  }
}

/** The newest run that changed something and can be undone. */
async function undoLast(navigate: (path: string) => void): Promise<void> {
  const { runs: all } = await api('GET /api/runs', { query: { dry_run: false, limit: UNDO_LOOKED } })
  for (const { run_id: id, source } of all) {
    if (source === 'undo') continue
    const { undoable } = await api('GET /api/runs/{run_id}', { params: { run_id: id } })
    if (undoable !== true) continue
    const started = await undoRun(id)
    if (started !== undefined) navigate(`/runs/${started}`)
    return
  }
  notifyFailure(new Error(texts.nothingToUndo), runs.undo.nothing)
}

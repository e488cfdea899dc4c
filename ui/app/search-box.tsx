// Searches titles, pages, their entries and actions. Loaded on first use.
import { Box, useMantineColorScheme } from '@mantine/core'
import { createSpotlight, Spotlight, type SpotlightActionData } from '@mantine/spotlight'
import { useDebouncedValue } from '@mantine/hooks'
import {
  IconArrowsExchange,
  IconKeyboard,
  IconLogout,
  IconMoon,
  IconPlayerPlay,
  IconPlugConnected,
  IconSearch,
  IconSun,
} from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { useChange, useRead } from '../api/query.ts'
import { notifyDone, notifyFailure } from '../parts/dialogs/notify.ts'
import { pictureOf, titleAddress } from '../parts/titles/pictures.ts'
import { PosterImage } from '../parts/values/poster-image.tsx'
import { runs } from '../texts/en/runs.ts'
import { shell } from '../texts/en/shell.ts'
import { ROUTES } from './routes.ts'
import { signOut } from './session-state.ts'
import { useAllSearchEntries } from './search-entries.ts'

const { palette: texts } = shell
const [store, actions] = createSpotlight()
const TYPING_MS = 120
const TITLES = 6
const THUMB = 30

export default function SearchBox({
  openCount,
  onShortcuts,
}: {
  readonly openCount: number
  readonly onShortcuts: () => void
}) {
  const [, navigate] = useLocation()
  const [query, setQuery] = useState('')
  const titles = useTitles(query)
  const commands = useCommands(navigate, onShortcuts)
  const entries = useAllSearchEntries()
  // biome-ignore lint/correctness/useExhaustiveDependencies: every new count opens the dialog
  useEffect(() => actions.open(), [openCount])

  const pages = ROUTES.filter(({ icon }) => icon !== undefined).map(({ area, title, icon: Icon, paths }) => ({
    id: area,
    label: title,
    onClick: () => navigate(paths[0] as string),
    leftSection: Icon === undefined ? null : <Icon size={20} aria-hidden />,
  }))
  const things = entries.map(({ id, label, description = '', href }) => ({
    id,
    label,
    description,
    onClick: () => navigate(href),
  }))
  return (
    <Spotlight
      store={store}
      shortcut={null}
      query={query}
      onQueryChange={setQuery}
      actions={[
        { group: texts.titles, actions: titles.map((title) => ({ ...title, onClick: () => navigate(title.href) })) },
        { group: texts.pages, actions: [...pages, ...things] },
        { group: texts.actions, actions: commands },
      ].filter(({ actions: own }) => own.length > 0)}
      limit={14}
      nothingFound={shell.searchEmpty}
      highlightQuery
      scrollable
      maxHeight="min(60vh, 32rem)"
      title={shell.search}
      classNames={{ header: 'unseen' }}
      searchProps={{
        leftSection: <IconSearch size={20} aria-hidden />,
        placeholder: shell.searchHint,
        'aria-label': shell.search,
      }}
    />
  )
}

/** The service has already filtered the titles; `keywords` keeps the dialog from filtering them again. */
function useTitles(query: string) {
  const [text] = useDebouncedValue(query.trim(), TYPING_MS)
  const { data, isPlaceholderData } = useRead(
    ['library', 'palette'],
    'GET /api/library',
    { query: { q: text, limit: TITLES, sort: 'last_watched', order: 'desc' } },
    { enabled: text.length > 1, staleTime: 30_000 },
  )
  // Results for the previous query do not answer this one.
  if (text.length < 2 || text !== query.trim() || isPlaceholderData) return []
  return (data?.items ?? []).map((item) => {
    const name = item.title || texts.untitled
    return {
      id: item.key,
      label: item.year === null ? name : `${name} (${item.year})`,
      href: titleAddress(item.key),
      keywords: query,
      leftSection: (
        <Box w={THUMB}>
          <PosterImage src={pictureOf(item, 185)} title={name} isSmall />
        </Box>
      ),
    }
  })
}

function useCommands(navigate: (path: string) => void, onShortcuts: () => void): SpotlightActionData[] {
  const run = useChange('POST /api/run', { refresh: [['runs']] })
  const { setColorScheme } = useMantineColorScheme()
  return [
    {
      id: 'run-all',
      label: runs.runAll,
      leftSection: <IconPlayerPlay size={20} aria-hidden />,
      onClick: () =>
        run.mutate(
          { body: { source: 'ui' } },
          {
            onSuccess: ({ status }) => notifyDone(status === 'accepted' ? runs.started : runs.nothingToRun),
            onError: (error) => notifyFailure(error),
          },
        ),
    },
    {
      id: 'new-pair',
      label: texts.newPair,
      leftSection: <IconArrowsExchange size={20} aria-hidden />,
      onClick: () => navigate('/pairs/new'),
    },
    {
      id: 'connect',
      label: texts.connect,
      leftSection: <IconPlugConnected size={20} aria-hidden />,
      onClick: () => navigate('/connections'),
    },
    {
      id: 'dark',
      label: texts.dark,
      leftSection: <IconMoon size={20} aria-hidden />,
      onClick: () => setColorScheme('dark'),
    },
    {
      id: 'light',
      label: texts.light,
      leftSection: <IconSun size={20} aria-hidden />,
      onClick: () => setColorScheme('light'),
    },
    {
      id: 'shortcuts',
      label: shell.shortcuts.title,
      leftSection: <IconKeyboard size={20} aria-hidden />,
      onClick: onShortcuts,
    },
    {
      id: 'sign-out',
      label: shell.signOut,
      leftSection: <IconLogout size={20} aria-hidden />,
      onClick: () => void signOut(),
    },
  ]
}

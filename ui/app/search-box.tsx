// The search dialog over pages and their entries. Loaded on first use.
import { createSpotlight, Spotlight } from '@mantine/spotlight'
import { IconSearch } from '@tabler/icons-react'
import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { shell } from '../texts/en/shell.ts'
import { ROUTES } from './routes.ts'
import { useAllSearchEntries } from './spotlight.tsx'

const [store, actions] = createSpotlight()

export default function SearchBox({ openCount }: { readonly openCount: number }) {
  const [, navigate] = useLocation()
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
      actions={[...pages, ...things]}
      limit={12}
      nothingFound={shell.searchEmpty}
      highlightQuery
      scrollable
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

// The search over the pages and what they offer; loaded when it is first wanted.
import { createSpotlight, Spotlight } from '@mantine/spotlight'
import { IconSearch } from '@tabler/icons-react'
import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { shell } from '../texts/en/shell.ts'
import { ROUTES } from './routes.ts'
import { useAllSearchEntries } from './spotlight.tsx'

const [store, actions] = createSpotlight()

export default function SearchBox({ wanted }: { readonly wanted: number }) {
  const [, navigate] = useLocation()
  const entries = useAllSearchEntries()
  // biome-ignore lint/correctness/useExhaustiveDependencies: every new wish opens it
  useEffect(() => actions.open(), [wanted])

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

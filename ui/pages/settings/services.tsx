// The settings of services: of those that are connected, and of the others.
import { SimpleGrid, Stack, Title } from '@mantine/core'
import { IconPlug, IconPlugConnected } from '@tabler/icons-react'
import { together } from '../../api/query.ts'
import { LinkTile } from '../../parts/page/link-tile.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { settings } from '../../texts/en/settings.ts'
import type { Part, Place } from './places.ts'
import { useConnected, usePlaces, useSections } from './use-places.ts'

const { services: texts } = settings

export default function Services() {
  const query = together(useSections(), useConnected(true))
  const places = usePlaces().flatMap((group) => group.places)
  const { parts, others } = places.find(({ id }) => id === 'services') as Place
  return (
    <QueryView query={query} rows={4}>
      {() => (
        <Stack gap="xl">
          <List
            title={texts.connected}
            parts={parts.filter(({ section }) => section !== undefined)}
            icon={IconPlugConnected}
          />
          <List title={texts.others} parts={others} icon={IconPlug} />
        </Stack>
      )}
    </QueryView>
  )
}

function List({
  title,
  parts,
  icon,
}: {
  readonly title: string
  readonly parts: readonly Part[]
  readonly icon: typeof IconPlug
}) {
  if (parts.length === 0) return null
  return (
    <Stack component="section" gap="sm" aria-label={title}>
      <Title order={2} size="h5">
        {title}
      </Title>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="sm" component="ul" className="plain-list">
        {parts.map((part) => (
          <LinkTile key={part.id} href={part.href} icon={icon} title={part.title} />
        ))}
      </SimpleGrid>
    </Stack>
  )
}

// All places of the settings as cards with links to their parts, searchable by fields.
import {
  Anchor,
  Button,
  Group,
  Loader,
  Paper,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  ThemeIcon,
  Title,
} from '@mantine/core'
import { IconPlus, IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { notifications } from '../../texts/en/notifications.ts'
import { plugins } from '../../texts/en/plugins.ts'
import { settings as texts } from '../../texts/en/settings.ts'
import { shell } from '../../texts/en/shell.ts'
import { matching, type Part, type Place, type PlaceGroup } from './places.ts'

/** What people come for, by the id of the place. */
const ADDS: Readonly<Record<string, { readonly title: string; readonly href: string }>> = {
  notifications: { title: notifications.targets.add, href: '/notifications?open=add' },
  plugins: { title: plugins.add.button, href: '/plugins?open=add' },
}

export function Overview({
  groups,
  isLoading,
}: {
  readonly groups: readonly PlaceGroup[]
  readonly isLoading: boolean
}) {
  const [search, setSearch] = useState('')
  // Their parts come with them.
  const shown = isLoading ? [] : matching(groups, search)
  const isSearched = search.trim() !== ''
  return (
    <Stack gap="xl">
      <TextInput
        type="search"
        aria-label={texts.search}
        placeholder={texts.search}
        leftSection={<IconSearch size={16} aria-hidden />}
        maxLength={200}
        maw={420}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      {isLoading ? (
        <Loader role="status" aria-label={shell.loading} size="sm" />
      ) : shown.length === 0 ? (
        <Text c="dimmed" role="status">
          {texts.noMatch}
        </Text>
      ) : null}
      {shown.map(({ title, places }) => (
        <Stack key={title} component="section" gap="sm" aria-label={title}>
          <Title order={2} size="h5">
            {title}
          </Title>
          <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="sm" component="ul" className="plain-list">
            {places.map((place) => (
              <PlaceCard key={place.id} place={place} isSearched={isSearched} />
            ))}
          </SimpleGrid>
        </Stack>
      ))}
    </Stack>
  )
}

function PlaceCard({
  place: { id, title, icon: Icon, parts },
  isSearched,
}: {
  readonly place: Place
  readonly isSearched: boolean
}) {
  const add = ADDS[id]
  return (
    <Paper component="li" withBorder p="sm" h="100%">
      <Group wrap="nowrap" gap="sm" align="flex-start">
        <ThemeIcon variant="light" size={38}>
          <Icon size={20} aria-hidden />
        </ThemeIcon>
        <Stack gap="3xs" className="grow">
          <Title order={3} size="sm">
            {title}
          </Title>
          <ul className="settings-parts">
            {parts.map((part) => (
              <PartLink key={part.id} part={part} hasText={isSearched} />
            ))}
          </ul>
        </Stack>
        {add === undefined ? null : (
          <Button
            component={Link}
            href={add.href}
            size="compact-sm"
            variant="default"
            leftSection={<IconPlus size={14} aria-hidden />}
          >
            {add.title}
          </Button>
        )}
      </Group>
    </Paper>
  )
}

function PartLink({ part: { href, title, text }, hasText }: { readonly part: Part; readonly hasText: boolean }) {
  return (
    <li>
      <Anchor component={Link} href={href} size="sm" title={text ?? undefined}>
        {title}
        {hasText && text !== null ? (
          <Text span size="xs" c="dimmed">
            {' '}
            {text}
          </Text>
        ) : null}
      </Anchor>
    </li>
  )
}

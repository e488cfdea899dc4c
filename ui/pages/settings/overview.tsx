// All settings pages as tiles, searchable by their fields.
import { Group, Loader, Paper, SimpleGrid, Stack, Text, TextInput, ThemeIcon, Title } from '@mantine/core'
import { IconChevronRight, IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { settings as texts } from '../../texts/en/settings.ts'
import { shell } from '../../texts/en/shell.ts'
import { addressOf, matching, type MenuGroup } from './menu.ts'

export function Overview({
  groups,
  isLoading,
}: {
  readonly groups: readonly MenuGroup[]
  readonly isLoading: boolean
}) {
  const [search, setSearch] = useState('')
  const shown = matching(groups, search)
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
      {shown.length === 0 && !isLoading ? (
        <Text c="dimmed" role="status">
          {texts.noMatch}
        </Text>
      ) : null}
      {shown.map(({ title, entries }) => (
        <Stack key={title} component="section" gap="sm" aria-label={title}>
          <Title order={2} size="h5">
            {title}
          </Title>
          <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="sm" component="ul" className="plain-list">
            {entries.map(({ id, title: name, text, icon: Icon }) => (
              <li key={id}>
                <Paper
                  component={Link}
                  href={addressOf(id)}
                  withBorder
                  p="sm"
                  h="100%"
                  display="block"
                  className="tile"
                >
                  <Group wrap="nowrap" gap="sm">
                    <ThemeIcon variant="light" size={38}>
                      <Icon size={20} aria-hidden />
                    </ThemeIcon>
                    <div className="grow">
                      <Text fw={600} size="sm">
                        {name}
                      </Text>
                      {text === null ? null : (
                        <Text size="xs" c="dimmed" lineClamp={2}>
                          {text}
                        </Text>
                      )}
                    </div>
                    <IconChevronRight size={16} aria-hidden />
                  </Group>
                </Paper>
              </li>
            ))}
          </SimpleGrid>
        </Stack>
      ))}
      {isLoading ? <Loader role="status" aria-label={shell.loading} size="sm" /> : null}
    </Stack>
  )
}

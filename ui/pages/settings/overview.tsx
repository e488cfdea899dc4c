// All settings pages as tiles.
import { Group, Loader, Paper, SimpleGrid, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { IconChevronRight } from '@tabler/icons-react'
import { Link } from 'wouter'
import { shell } from '../../texts/en/shell.ts'
import { addressOf, type MenuGroup } from './menu.ts'

export function Overview({
  groups,
  isLoading,
}: {
  readonly groups: readonly MenuGroup[]
  readonly isLoading: boolean
}) {
  return (
    <Stack gap="xl">
      {groups.map(({ title, entries }) => (
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

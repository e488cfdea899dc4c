// Shown instead of an empty list: what belongs here and how to add it.
import { Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import type { TablerIcon } from '@tabler/icons-react'
import type { ReactNode } from 'react'

interface EmptyStateProps {
  readonly icon: TablerIcon
  readonly title: string
  readonly text: ReactNode
  readonly action?: ReactNode
}

export function EmptyState({ icon: Icon, title, text, action }: EmptyStateProps) {
  return (
    <Paper withBorder p="xl">
      <Stack align="center" gap="sm" ta="center">
        <ThemeIcon size={48} radius="xl" variant="light">
          <Icon size={26} aria-hidden />
        </ThemeIcon>
        <Title order={2} size="h4">
          {title}
        </Title>
        <Text c="dimmed" maw={480} component="div">
          {text}
        </Text>
        {action}
      </Stack>
    </Paper>
  )
}

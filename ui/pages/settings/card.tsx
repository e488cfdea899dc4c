import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface CardProps {
  readonly title: string
  readonly text?: ReactNode
  /** Content to the right of the title. */
  readonly aside?: ReactNode
  readonly children?: ReactNode
}

/** A card on a settings page. */
export function Card({ title, text, aside, children }: CardProps) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start" gap="xs">
          <Title order={2} size="h4">
            {title}
          </Title>
          {aside}
        </Group>
        {text === undefined ? null : (
          <Text size="sm" c="dimmed" component="div" maw={680}>
            {text}
          </Text>
        )}
        {children}
      </Stack>
    </Paper>
  )
}

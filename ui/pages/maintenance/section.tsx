import { Group, Paper, Text, Title } from '@mantine/core'
import type { ReactNode, Ref } from 'react'

interface SectionProps {
  readonly title: string
  readonly text?: string
  readonly actions?: ReactNode
  readonly children?: ReactNode
  readonly frame?: Ref<HTMLElement>
}

export function Section({ title, text, actions, children, frame }: SectionProps) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title} ref={frame}>
      <Group justify="space-between" gap="xs" mb={children === undefined ? 0 : 'sm'}>
        <div className="grow" style={{ minWidth: '12rem' }}>
          <Title order={2} size="h4">
            {title}
          </Title>
          {text === undefined ? null : (
            <Text size="sm" c="dimmed">
              {text}
            </Text>
          )}
        </div>
        {actions === undefined ? null : <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Paper>
  )
}

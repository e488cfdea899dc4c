// A long list that is collapsed and loads when it is expanded.
import { Paper, Text } from '@mantine/core'
import { useState, type ReactNode } from 'react'

interface FoldedProps {
  readonly title: string
  /** Text beside the title. */
  readonly aside?: string
  readonly children: ReactNode
}

export function Folded({ title, aside, children }: FoldedProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Paper withBorder p="sm">
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <Text span fw={500}>
            {title}
          </Text>
          {aside === undefined ? null : (
            <Text span size="sm" c="dimmed">
              {` · ${aside}`}
            </Text>
          )}
        </summary>
        {isOpen ? children : null}
      </details>
    </Paper>
  )
}

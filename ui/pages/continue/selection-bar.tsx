// Actions for the selected titles.
import { Button, Group, Paper, Text } from '@mantine/core'
import { continueWatching } from '../../texts/en/continue.ts'
import { say } from '../../texts/say.ts'
import type { Item, Operation } from '../../parts/titles/positions.ts'

const texts = continueWatching.select

interface SelectionBarProps {
  readonly items: readonly Item[]
  readonly onAll: (() => void) | null
  readonly onClear: () => void
  readonly onAction: (operation: Operation) => void
}

export function SelectionBar({ items, onAll, onClear, onAction }: SelectionBarProps) {
  if (items.length === 0) return null
  const chosen = say(texts.chosen, { n: items.length })
  return (
    <Paper withBorder p="xs" role="region" aria-label={chosen} className="selection-bar">
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Text size="sm" fw={600} role="status">
            {chosen}
          </Text>
          {onAll === null ? null : (
            <Button size="xs" variant="subtle" onClick={onAll}>
              {texts.all}
            </Button>
          )}
          <Button size="xs" variant="subtle" onClick={onClear}>
            {texts.clear}
          </Button>
        </Group>
        <Group gap="xs">
          <Button size="xs" onClick={() => onAction('mark_watched')}>
            {texts.watched}
          </Button>
          <Button size="xs" variant="default" onClick={() => onAction('update_progress')}>
            {texts.set}
          </Button>
          <Button size="xs" color="red.9" onClick={() => onAction('remove_progress')}>
            {texts.remove}
          </Button>
        </Group>
      </Group>
    </Paper>
  )
}

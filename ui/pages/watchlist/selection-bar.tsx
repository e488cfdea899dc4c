// Actions for the selected titles.
import { Button, Group, Menu, Paper, Text } from '@mantine/core'
import { watchlist } from '../../texts/en/watchlist.ts'
import { say } from '../../texts/say.ts'
import type { Row } from './rows.ts'
import type { Services } from './names.ts'

const texts = watchlist.select

interface SelectionBarProps {
  readonly rows: readonly Row[]
  readonly services: Services
  readonly onClear: () => void
  readonly onRemove: (source: string | null) => void
}

export function SelectionBar({ rows, services, onClear, onRemove }: SelectionBarProps) {
  if (rows.length === 0) return null
  const sources = [...new Set(rows.flatMap((row) => row.sources))]
  return (
    <Paper withBorder p="xs" role="region" aria-label={say(texts.chosen, { n: rows.length })}>
      <Group justify="space-between">
        <Text size="sm" fw={600} role="status">
          {say(texts.chosen, { n: rows.length })}
        </Text>
        <Group gap="xs">
          <Button size="xs" variant="subtle" onClick={onClear}>
            {texts.clear}
          </Button>
          <Menu position="bottom-end">
            <Menu.Target>
              <Button size="xs" color="red.9">
                {texts.remove}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Label>{texts.removeFrom}</Menu.Label>
              <Menu.Item onClick={() => onRemove(null)}>{texts.all}</Menu.Item>
              {sources.map((token) => (
                <Menu.Item key={token} onClick={() => onRemove(token)}>
                  {services(token).label}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        </Group>
      </Group>
    </Paper>
  )
}

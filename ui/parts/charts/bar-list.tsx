// Rows with a bar each; names and numbers are text.
import { Group, Progress, Text } from '@mantine/core'

interface BarListProps {
  readonly label: string
  readonly rows: readonly { readonly name: string; readonly value: number; readonly text: string }[]
  /** The value of a full bar; the longest bar by default. */
  readonly whole?: number
  /** Long names are placed above their bars. */
  readonly hasLongNames?: boolean
}

export function BarList({ label, rows, whole, hasLongNames = false }: BarListProps) {
  const most = whole ?? Math.max(1, ...rows.map(({ value }) => value))
  return (
    <ul className="plain-list" aria-label={label}>
      {rows.map(({ name, value, text }) => (
        <li key={name}>
          {hasLongNames ? (
            <Text size="sm" mt="xs" style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Text>
          ) : null}
          <Group gap="sm" wrap="nowrap" py="2xs">
            {hasLongNames ? null : (
              <Text size="sm" truncate style={{ flex: '0 0 7rem' }}>
                {name}
              </Text>
            )}
            <Progress value={(value / most) * 100} size="lg" className="grow" aria-hidden />
            <Text size="xs" c="dimmed" ta="right" style={{ flex: '0 0 auto', minWidth: '4.5rem' }}>
              {text}
            </Text>
          </Group>
        </li>
      ))}
    </ul>
  )
}

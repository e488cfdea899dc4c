// Rows with a bar each; names and numbers are text.
import { Group, Progress, Text } from '@mantine/core'

export interface BarsProps {
  readonly label: string
  readonly rows: readonly { readonly name: string; readonly value: number; readonly text: string }[]
}

export function Bars({ label, rows }: BarsProps) {
  const most = Math.max(1, ...rows.map(({ value }) => value))
  return (
    <ul className="plain-list" aria-label={label}>
      {rows.map(({ name, value, text }) => (
        <Group key={name} component="li" gap="sm" wrap="nowrap" py={3}>
          <Text size="sm" truncate style={{ flex: '0 0 7rem' }}>
            {name}
          </Text>
          <Progress value={(value / most) * 100} size="lg" className="grow" aria-hidden />
          <Text size="xs" c="dimmed" ta="right" style={{ flex: '0 0 4.5rem' }}>
            {text}
          </Text>
        </Group>
      ))}
    </ul>
  )
}

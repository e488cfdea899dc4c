// A list of labelled values; null values are omitted.
import { SimpleGrid, Text } from '@mantine/core'
import type { ReactNode } from 'react'

export function Facts({
  facts,
  cols = { base: 1, xs: 2 },
}: {
  readonly facts: readonly (readonly [name: string, value: ReactNode])[]
  readonly cols?: Readonly<Record<string, number>> | number
}) {
  return (
    <SimpleGrid component="dl" cols={cols} spacing="md" verticalSpacing="xs" m={0}>
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([name, value]) => (
          <div key={name} style={{ minWidth: 0 }}>
            <Text component="dt" size="sm" c="dimmed">
              {name}
            </Text>
            <Text component="dd" m={0} style={{ overflowWrap: 'anywhere' }}>
              {value}
            </Text>
          </div>
        ))}
    </SimpleGrid>
  )
}

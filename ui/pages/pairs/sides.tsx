// The two sides of a pair in one line.
import { Group, Text } from '@mantine/core'
import { IconArrowRight, IconArrowsLeftRight } from '@tabler/icons-react'
import { useSideNames } from '../../parts/names.ts'
import { pairs as texts } from '../../texts/en/pairs.ts'
import type { PairSides } from './use-pair-actions.ts'

export function Sides({ pair }: { readonly pair: PairSides }) {
  const nameOf = useSideNames()
  const Arrow = pair.mode === 'two_way' ? IconArrowsLeftRight : IconArrowRight
  return (
    <Group gap={6} c="dimmed">
      <Text size="sm">{nameOf(pair.source, pair.source_instance)}</Text>
      <Arrow size={16} role="img" aria-label={texts.ways[pair.mode]} />
      <Text size="sm">{nameOf(pair.target, pair.target_instance)}</Text>
    </Group>
  )
}

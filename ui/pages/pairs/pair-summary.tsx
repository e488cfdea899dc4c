// Badges and services of a pair.
import { Group, Text } from '@mantine/core'
import { IconArrowRight, IconArrowsLeftRight } from '@tabler/icons-react'
import { useFeatureNames, useSideNames } from '../../parts/values/names.ts'
import { pairs as texts } from '../../texts/en/pairs.ts'
import type { PairSides } from './use-pair-actions.ts'
import type { PairStatus } from '../../parts/runs/pair-status.ts'
import { SyncBadge } from '../../parts/runs/sync-badge.tsx'
import { ServiceMark } from '../../parts/values/service-mark.tsx'

export function FeatureBadges({ pair }: { readonly pair: PairStatus }) {
  const nameOf = useFeatureNames()
  return (
    <Group gap={6}>
      {pair.features.map(({ feature, sync_status: status }) => (
        <SyncBadge key={feature} status={status} of={nameOf(feature)} />
      ))}
    </Group>
  )
}

export function Sides({ pair }: { readonly pair: PairSides }) {
  const nameOf = useSideNames()
  const Arrow = pair.mode === 'two_way' ? IconArrowsLeftRight : IconArrowRight
  return (
    <Group gap={6} c="dimmed">
      <ServiceMark provider={pair.source} />
      <Text size="sm">{nameOf(pair.source, pair.source_instance)}</Text>
      <Arrow size={16} role="img" aria-label={texts.ways[pair.mode]} />
      <ServiceMark provider={pair.target} />
      <Text size="sm">{nameOf(pair.target, pair.target_instance)}</Text>
    </Group>
  )
}

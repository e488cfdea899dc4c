// Badges and services of a pair.
import { Group, Text } from '@mantine/core'
import { IconArrowRight, IconArrowsLeftRight } from '@tabler/icons-react'
import { useFeatureNames, useSideNames } from '../../parts/values/names.ts'
import { pairs as texts } from '../../texts/en/pairs.ts'
import type { PairSides } from './use-pair-actions.ts'
import type { PairStatus } from '../../parts/runs/pair-status.ts'
import { SyncBadge } from '../../parts/runs/sync-badge.tsx'
import { ServiceMark } from '../../parts/values/service-mark.tsx'

/** The features of a pair, with the state of those that differ from the pair. */
export function FeatureBadges({ pair }: { readonly pair: PairStatus }) {
  const nameOf = useFeatureNames()
  const isSame = ({ sync_status: { state } }: PairStatus['features'][number]) => state === pair.sync_status.state
  return (
    <Group gap="sm">
      {pair.features.map((one) =>
        isSame(one) && one.sync_status.count === 0 ? (
          <Text key={one.feature} size="sm" c="dimmed">
            {nameOf(one.feature)}
          </Text>
        ) : (
          <SyncBadge key={one.feature} status={one.sync_status} of={nameOf(one.feature)} />
        ),
      )}
    </Group>
  )
}

export function Sides({ pair }: { readonly pair: PairSides }) {
  const nameOf = useSideNames()
  const Arrow = pair.mode === 'two_way' ? IconArrowsLeftRight : IconArrowRight
  return (
    <Group gap="xs" c="dimmed">
      <ServiceMark provider={pair.source} />
      <Text size="sm">{nameOf(pair.source, pair.source_instance)}</Text>
      <Arrow size={16} role="img" aria-label={texts.ways[pair.mode]} />
      <ServiceMark provider={pair.target} />
      <Text size="sm">{nameOf(pair.target, pair.target_instance)}</Text>
    </Group>
  )
}

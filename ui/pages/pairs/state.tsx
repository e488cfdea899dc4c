// How a pair and its features stand, in badges.
import { Group } from '@mantine/core'
import { useFeatureNames } from '../../parts/names.ts'
import { featureLook, pairLook, type PairStatus } from '../../parts/pair-look.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { pairs as texts } from '../../texts/en/pairs.ts'
import { say } from '../../texts/say.ts'

export function PairState({ pair }: { readonly pair: PairStatus }) {
  const { tone, label } = pairLook(pair)
  return <StatusBadge tone={tone} label={label} />
}

export function FeatureBadges({ pair }: { readonly pair: PairStatus }) {
  const nameOf = useFeatureNames()
  const shown = pair.features.map((one) => ({ feature: one.feature, ...featureLook(one) }))
  return (
    <Group gap={6}>
      {shown.map(({ feature, tone, label }) => (
        <StatusBadge
          key={feature}
          tone={tone}
          label={say(texts.features, { feature: nameOf(feature), state: label })}
        />
      ))}
    </Group>
  )
}

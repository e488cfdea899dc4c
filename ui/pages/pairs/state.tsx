// How a pair and its features stand, in badges.
import { Group } from '@mantine/core'
import { useFeatureNames } from '../../parts/names.ts'
import { StatusBadge, type Tone } from '../../parts/status-badge.tsx'
import { pairs as texts } from '../../texts/en/pairs.ts'
import { count, say } from '../../texts/say.ts'
import type { PairStatus } from './use-pair-actions.ts'

type FeatureStatus = PairStatus['features'][number]

export function PairState({ pair }: { readonly pair: PairStatus }) {
  const { tone, label } = stateOf(pair)
  return <StatusBadge tone={tone} label={label} />
}

function stateOf({ enabled, running, features }: PairStatus): { readonly tone: Tone; readonly label: string } {
  const { states } = texts
  if (running) return { tone: 'busy', label: states.running }
  if (!enabled) return { tone: 'idle', label: states.off }
  const open = features.reduce((sum, one) => sum + one.open, 0)
  if (features.some(({ status }) => status === 'failed')) return { tone: 'bad', label: states.failed }
  if (open > 0) return { tone: 'warn', label: count(open, states.open) }
  return features.every((one) => one.in_step === true) ? { tone: 'good', label: states.inStep } : { tone: 'idle', label: states.never }
}

export function featureTone({ in_step: inStep, status }: FeatureStatus): Tone {
  if (inStep === null) return 'idle'
  return inStep ? 'good' : status === 'failed' ? 'bad' : 'warn'
}

export function FeatureBadges({ pair }: { readonly pair: PairStatus }) {
  const nameOf = useFeatureNames()
  return <Group gap={6}>{pair.features.map((one) => <StatusBadge key={one.feature} tone={featureTone(one)} label={say(labelOf(one), { feature: nameOf(one.feature) })} />)}</Group>
}

function labelOf({ in_step: inStep }: FeatureStatus) {
  return inStep === null ? texts.features.never : inStep ? texts.features.inStep : texts.features.notInStep
}

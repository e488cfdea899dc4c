// Status labels of pairs and features, the same on all pages.
import { serviceText } from '../../texts/service-text.ts'
import type { Answer } from '../../api/client.ts'
import { pairs } from '../../texts/en/pairs.ts'
import { runs } from '../../texts/en/runs.ts'
import { say } from '../../texts/say.ts'
import type { Tone } from '../values/status-badge.tsx'

export type PairStatus = Answer<'GET /api/pairs/status'>['pairs'][number]
export type FeatureStatus = PairStatus['features'][number]
type Status = NonNullable<FeatureStatus['status']>

export interface StatusLabel {
  readonly tone: Tone
  readonly label: string
}

const { states } = pairs
type Outcome = NonNullable<PairStatus['outcome']>
const TONES = { synced: 'good', partly: 'warn', skipped: 'warn', failed: 'bad', cancelled: 'idle' } as const
const NOT_RUN: readonly (Status | null)[] = ['failed', 'skipped', 'cancelled']

/** The result of a run, pair or feature, with the number of unsynced items. */
export function outcomeLabel(outcome: Outcome, open: number): StatusLabel {
  const label = outcome === 'partly' && open > 0 ? say(states.open, { n: open }) : runs.outcomesOfAll[outcome]
  return { tone: TONES[outcome], label }
}

/** The unsynced items of features, without those that a service lacks. */
export function openOf(features: readonly { readonly unresolved: number; readonly not_in_library: number }[]): number {
  return features.reduce((sum, one) => sum + Math.max(0, one.unresolved - one.not_in_library), 0)
}

export function isSynced({ outcome }: PairStatus): boolean {
  return outcome === 'synced'
}

export function pairStatusLabel(pair: PairStatus): StatusLabel {
  if (pair.running) return { tone: 'busy', label: states.running }
  if (!pair.enabled) return { tone: 'idle', label: states.off }
  if (pair.outcome === null) return { tone: 'idle', label: states.never }
  return outcomeLabel(pair.outcome, openOfPair(pair))
}

/** The unsynced items of a pair, without those that a service lacks. */
export function openOfPair({ features }: PairStatus): number {
  return features.reduce((sum, one) => sum + one.open, 0)
}

export function featureStatusLabel({ outcome, open }: FeatureStatus): StatusLabel {
  return outcome === null ? { tone: 'idle', label: states.never } : outcomeLabel(outcome, open)
}

/** Features that did not run completely, with the reason: "History, Progress: Could not reach Emby." */
export function problemsOf(
  features: readonly Pick<FeatureStatus, 'feature' | 'status' | 'reason' | 'reason_text'>[],
  nameOf: (feature: string) => string,
): readonly string[] {
  const byText = Map.groupBy(
    features.filter(isIncomplete),
    ({ status, reason_text: text }) => serviceText(text) ?? runs.statuses[status as Status],
  )
  return [...byText].map(([why, of]) =>
    say(states.why, { features: of.map(({ feature }) => nameOf(feature)).join(', '), why }),
  )
}

// Held and unsynced items are counted separately.
function isIncomplete({ status, reason }: Pick<FeatureStatus, 'status' | 'reason'>): boolean {
  return NOT_RUN.includes(status) || (status === 'partial' && reason === 'read_incomplete')
}

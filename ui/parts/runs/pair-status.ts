// The reasons and open items of pairs and features, the same on all pages.
import { serviceText } from '../../texts/service-text.ts'
import type { Answer } from '../../api/client.ts'
import { pairs } from '../../texts/en/pairs.ts'
import { say } from '../../texts/say.ts'
import type { Tone } from '../values/status-badge.tsx'

export type PairStatus = Answer<'GET /api/pairs/status'>['pairs'][number]
export type FeatureStatus = PairStatus['features'][number]

export interface StatusLabel {
  readonly tone: Tone
  readonly label: string
}

const NOT_RUN: readonly FeatureStatus['status'][] = ['failed', 'skipped', 'cancelled']

/** The items of a pair that need the person, without those that a service lacks. */
export function openOfPair({ features }: PairStatus): number {
  return features.reduce((sum, one) => sum + one.open, 0)
}

/** Features that did not run completely, with the reason: "History, Progress: Could not reach Emby." */
export function problemsOf(
  features: readonly Pick<FeatureStatus, 'feature' | 'status' | 'reason' | 'reason_text'>[],
  nameOf: (feature: string) => string,
): readonly string[] {
  const byText = Map.groupBy(
    features.filter(isIncomplete),
    ({ status, reason_text: text }) =>
      serviceText(text) ?? pairs.states.reasons[status === 'failed' ? 'failed' : 'paused'],
  )
  return [...byText].map(([why, of]) =>
    say(pairs.states.why, { features: of.map(({ feature }) => nameOf(feature)).join(', '), why }),
  )
}

// Held and unsynced items are counted separately.
function isIncomplete({ status, reason }: Pick<FeatureStatus, 'status' | 'reason'>): boolean {
  return NOT_RUN.includes(status) || (status === 'partial' && reason === 'read_incomplete')
}

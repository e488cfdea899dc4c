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
const TONES = {
  ok: 'good',
  nothing_to_do: 'good',
  partial: 'warn',
  skipped: 'warn',
  failed: 'bad',
  cancelled: 'idle',
} as const
const NOT_RUN: readonly (Status | null)[] = ['failed', 'skipped', 'cancelled']

export function statusLabel(status: Status): StatusLabel {
  return { tone: TONES[status], label: runs.statuses[status] }
}

export function isSynced({ features }: PairStatus): boolean {
  return features.length > 0 && features.every((feature) => feature.in_step === true)
}

export function pairStatusLabel(pair: PairStatus): StatusLabel {
  if (pair.running) return { tone: 'busy', label: states.running }
  if (!pair.enabled) return { tone: 'idle', label: states.off }
  const ran = pair.features.filter(({ status }) => status !== null)
  if (ran.length === 0)
    return pair.last_finished_at === null ? { tone: 'idle', label: states.never } : statusLabel('skipped')
  const status = statusOf(ran)
  if (NOT_RUN.includes(status) || ran.some(isIncomplete)) return statusLabel(status)
  const open = ran.reduce((sum, one) => sum + one.open, 0)
  if (open > 0) return { tone: 'warn', label: say(states.open, { n: open }) }
  return isSynced(pair) ? { tone: 'good', label: states.synced } : { tone: 'warn', label: states.notSynced }
}

export function featureStatusLabel(feature: FeatureStatus): StatusLabel {
  const { in_step: isFeatureSynced, status, held, open } = feature
  if (status === null) return { tone: 'idle', label: states.never }
  if (isIncomplete(feature)) return statusLabel(status)
  if (isFeatureSynced === true) return { tone: 'good', label: states.synced }
  if (held > 0) return { tone: 'warn', label: say(states.held, { n: held }) }
  return open > 0 ? { tone: 'warn', label: say(states.open, { n: open }) } : statusLabel(status)
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

// Held and open items are counted instead.
function isIncomplete({ status, reason }: Pick<FeatureStatus, 'status' | 'reason'>): boolean {
  return NOT_RUN.includes(status) || (status === 'partial' && reason === 'read_incomplete')
}

/** The same rule as for the result of a run. */
function statusOf(features: readonly FeatureStatus[]): Status {
  const statuses = features.map(({ status }) => status)
  if (statuses.includes('cancelled')) return 'cancelled'
  const good = statuses.filter((status) => status === 'ok' || status === 'nothing_to_do')
  if (good.length === statuses.length) return 'ok'
  if (good.length > 0 || statuses.includes('partial')) return 'partial'
  return statuses.every((status) => status === 'skipped') ? 'skipped' : 'failed'
}

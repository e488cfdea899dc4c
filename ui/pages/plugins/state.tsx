// The status badge of a plugin.
import { StatusBadge, type Tone } from '../../parts/values/status-badge.tsx'
import type { PluginSummary } from '../../parts/plugins/use-plugins.ts'
import { plugins } from '../../texts/en/plugins.ts'

const TONES: Readonly<Record<PluginSummary['state'], Tone>> = {
  discovered: 'idle',
  disabled: 'idle',
  blocked: 'warn',
  building: 'busy',
  staging: 'busy',
  active: 'good',
  dormant: 'good',
  failed: 'bad',
  quarantined: 'bad',
  stuck: 'bad',
}

export function StateBadge({
  plugin: { state, last_error: error },
}: {
  readonly plugin: Pick<PluginSummary, 'state' | 'last_error'>
}) {
  return state === 'active' && error !== null ? (
    <StatusBadge tone="warn" label={error.of_edit ? plugins.activeWithError : plugins.activeWithFault} />
  ) : (
    <StatusBadge tone={TONES[state]} label={plugins.states[state]} />
  )
}

export function needsAttention({ state, enabled, last_error: error }: PluginSummary): boolean {
  return (
    enabled &&
    (error !== null || state === 'blocked' || state === 'failed' || state === 'quarantined' || state === 'stuck')
  )
}

export function kindText(kind: PluginSummary['kind']): string {
  return kind === null ? plugins.unknownKind : plugins.kinds[kind]
}

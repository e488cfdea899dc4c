// The block `scrobbler` in the overview of all settings.
import type { AccessInput } from '../config/access.ts'
import { switchOf } from '../config/effective.ts'
import type { Effective, GroupStatus } from '../contract.ts'
import { isRunning } from './status.ts'

export function overviewBlock(
  { settings, effective }: Pick<AccessInput, 'settings' | 'effective'>,
  groups: readonly GroupStatus[],
) {
  const lanes = effective.lanes.filter(({ method }) => effective.sources[method])
  return {
    enabled: settings.enabled,
    mode: modeOf(effective),
    sources: { webhook: switchOf(settings, 'webhook'), watcher: switchOf(settings, 'watcher') },
    effective: { webhook: effective.sources.webhook, watcher: effective.sources.watcher },
    watcher: { alive: groups.some(isRunning) },
    providers: [...new Set(lanes.map(({ source }) => source.provider))].sort(),
    sinks: [...new Set(lanes.map(({ sink }) => sink.provider))].sort(),
  }
}

/** The word for older clients: `watch`, `webhook`, or empty. */
export function modeOf({ sources }: Effective): '' | 'watch' | 'webhook' {
  if (sources.watcher) return 'watch'
  return sources.webhook ? 'webhook' : ''
}

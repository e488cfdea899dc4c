// Starts a queued item: a run request, a capture or a backup.
import { defined, type RunRequest } from '@playhead/sdk'
import { type Entry, entriesOf } from '../plan/entries.ts'
import type { SchedulingConfig } from '../settings.ts'
import type { Item, LastStart } from './state.ts'

const MODES = { standard: 'standard', job: 'advanced', workflow: 'advanced_workflow' } as const
type RunKind = keyof typeof MODES

export interface Order {
  readonly entry: Entry | undefined
  /** The pair to sync; null for all pairs. */
  readonly pairId: string | null
  readonly stepId: string | null
  readonly request: RunRequest
  /** A text for the status. */
  readonly last: Partial<LastStart>
}

/** Undefined if it is no longer in the settings. */
export function orderOf(item: Item, config: SchedulingConfig): Order | undefined {
  if (item.kind === 'event') return orderOfEvent(item)
  const entry = entriesOf(config).find(({ key }) => key === item.key)
  if (entry === undefined) return undefined
  const step = entry.kind === 'workflow' ? entry.steps[item.step] : undefined
  if (entry.kind === 'workflow' && step === undefined) return undefined
  const pairId = step?.pairId ?? entry.pairId
  return {
    entry,
    pairId,
    stepId: step?.id ?? null,
    request: {
      source: 'scheduler',
      ...(entry.kind in MODES ? { scheduler_mode: MODES[entry.kind as RunKind] } : {}),
      ...defined({ pair_id: pairId ?? undefined }),
      ...(entry.kind === 'job' ? { job_id: entry.id } : {}),
      ...(step === undefined ? {} : { workflow_id: entry.id, workflow_step_id: step.id }),
    },
    last: lastOf(item, config),
  }
}

function orderOfEvent(item: Item): Order {
  const [source = '', name = ''] = (item.trigger ?? '').split('.')
  return {
    entry: undefined,
    pairId: item.pairId,
    stepId: null,
    request: {
      source: 'scheduler_event',
      scheduler_mode: 'event',
      ...defined({ pair_id: item.pairId ?? undefined, trigger_event: item.trigger }),
    },
    last: { event_source: source, event_name: name },
  }
}

function lastOf(item: Item, { advanced }: SchedulingConfig): Partial<LastStart> {
  const capture = item.kind === 'capture' ? advanced.capture_jobs.find(({ id }) => id === item.id) : undefined
  if (capture !== undefined) return { capture_provider: capture.provider, capture_feature: capture.feature }
  const backup = item.kind === 'backup' ? advanced.backup_jobs.find(({ id }) => id === item.id) : undefined
  return backup === undefined ? {} : { backup_scope: backup.scope }
}

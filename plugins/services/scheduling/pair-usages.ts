// Who of the schedule names a pair, so that it is not taken from under a job.
import type { PairUsage } from '@playhead/sdk'
import type { SchedulingConfig } from './settings.ts'

export function pairUsagesOf({ advanced }: SchedulingConfig, pairId: string): PairUsage[] {
  const jobs = advanced.jobs
    .filter((job) => job.pair_id === pairId)
    .map(({ id, at }) => ({ feature: 'schedule_job', id, label: at ?? id }))
  const workflows = advanced.workflows
    .filter(({ steps }) => steps.some((step) => step.pair_id === pairId))
    .map(({ id, name }) => ({ feature: 'workflow', id, label: name === '' ? id : name }))
  const rules = advanced.event_rules
    .filter(({ action }) => action.pair_id === pairId)
    .map(({ id, event }) => ({ feature: 'event_rule', id, label: `${event} (${id})` }))
  return [...jobs, ...workflows, ...rules]
}

// Warnings about unusual settings, as sentences for people.
import type { PairState } from '@playhead/sdk'
import { entriesOf, type EntryKind } from './entries.ts'
import type { SchedulingConfig } from '../settings.ts'

interface WarningInput {
  readonly config: SchedulingConfig
  /** Null when the pairs are unavailable. */
  readonly pairs: readonly Pick<PairState, 'id' | 'enabled'>[] | null
  readonly hasCaptures: boolean
  readonly hasBackups: boolean
}

const SHORT_MINUTES = 60

export function warningsOf({ config, pairs, hasCaptures, hasBackups }: WarningInput): readonly string[] {
  const { advanced } = config
  const entries = entriesOf(config)
  const warnings: string[] = []
  const pairOf = (what: string, pairId: string | null) => {
    if (pairs === null || pairId === null || pairId === '') return
    const pair = pairs.find(({ id }) => id === pairId)
    if (pair === undefined) warnings.push(`${what} refers to the pair "${pairId}", which does not exist.`)
    else if (!pair.enabled) warnings.push(`${what} refers to the pair "${pairId}", which is disabled.`)
  }

  const isStandard = entries.some(({ kind }) => kind === 'standard')
  if (isStandard && isShort(config)) warnings.push(tooShort('The schedule'))
  const isPlanned = (wanted: EntryKind) => entries.some(({ kind }) => kind === wanted)
  const missing = [
    ...(!hasCaptures && isPlanned('capture')
      ? ['Captures are planned, but no plugin that makes captures is active.']
      : []),
    ...(!hasBackups && isPlanned('backup') ? ['Backups are planned, but no plugin that makes backups is active.'] : []),
  ]
  if (!advanced.enabled) return [...warnings, ...missing]
  for (const { id, active, pair_id: pairId, after } of advanced.jobs) {
    if (!active) continue
    pairOf(`The job "${id}"`, pairId)
    const isHopeless = after !== null && !entries.some(({ key }) => key === `job:${after}`)
    if (isHopeless) warnings.push(`The job "${id}" waits for the job "${after}", which is never started.`)
  }
  for (const flow of advanced.workflows.filter(({ active }) => active)) {
    if (isShort(flow)) warnings.push(tooShort(`The workflow "${flow.id}"`))
    for (const step of flow.steps.filter(({ active }) => active))
      pairOf(`The step "${step.id}" of the workflow "${flow.id}"`, step.pair_id)
  }
  for (const { id, active, action, filters } of advanced.event_rules) {
    if (!active) continue
    if (filters.route_id === '') warnings.push(`The event rule "${id}" names no route and never applies.`)
    if (action.pair_id === '') warnings.push(`The event rule "${id}" names no pair.`)
    pairOf(`The event rule "${id}"`, action.pair_id)
  }
  return [...warnings, ...missing]
}

function isShort({
  mode,
  custom_interval_minutes: minutes,
}: {
  readonly mode: string
  readonly custom_interval_minutes: number
}): boolean {
  return mode === 'custom_interval' && minutes < SHORT_MINUTES
}

function tooShort(what: string): string {
  return `${what} runs more often than once an hour; services may take that for abuse and block the account.`
}

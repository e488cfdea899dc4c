// The schedule in plans of several services: turns it on, and names the pair that takes another one's place.
import {
  joinedSetup,
  type PluginContext,
  type SetupChange,
  type SetupPart,
  setupStateOf,
  type SetupValues,
} from '@playhead/sdk'
import { normalizeScheduling } from './plan/normalize.ts'
import type { SchedulingConfig } from './settings.ts'

/** The id of the schedule itself; others are those of rows. */
const SCHEDULE = 'schedule'
const NOBODY = { source: null, target: null }

interface SetupParts extends Pick<PluginContext<SchedulingConfig>, 'config' | 'updateConfig'> {
  /** Plans the next starts. */
  resume(): Promise<void>
}

/** A row that names a pair: a job, a step of a workflow, or the action of an event rule. */
interface Row {
  readonly id: string
  readonly label: string
  readonly pair_id: string | null
}

export function createScheduleSetup(parts: SetupParts): SetupPart {
  return {
    async meet(wishes) {
      const wish = wishes.find(({ kind }) => kind === 'schedule')
      if (wish?.kind !== 'schedule') return joinedSetup([])
      const config = parts.config as SchedulingConfig
      const hours = config.enabled ? config.every_n_hours : wish.everyHours
      const entry = { kind: 'schedule', id: SCHEDULE, label: String(hours), ...NOBODY }
      if (config.enabled || config.advanced.enabled) return { changes: [], kept: [entry], refused: [] }
      const after = { enabled: true, mode: 'every_n_hours', every_n_hours: wish.everyHours }
      return { changes: [{ ...entry, action: 'start', before: timesOf(config), after }], kept: [], refused: [] }
    },
    async replace({ earlier }) {
      const successors = new Map(earlier.flatMap(({ pair }) => (pair?.replaces ? [[pair.replaces, pair.id]] : [])))
      const changes = rowsOf(parts.config as SchedulingConfig).flatMap(
        ({ id, label, pair_id: before }): SetupChange[] => {
          const after = successors.get(before ?? '')
          if (after === undefined) return []
          const row = { kind: 'schedule', id, label, ...NOBODY, action: 'change' } as const
          return [{ ...row, before: { pair_id: before }, after: { pair_id: after } }]
        },
      )
      return { changes, kept: [], refused: [] }
    },
    states: async (changes) => changes.map((change) => stateOf(change, parts.config as SchedulingConfig)),
    async apply(changes) {
      await parts.updateConfig((stored) => changed(changes, normalizeScheduling(stored)))
      await parts.resume()
    },
  }
}

function timesOf({ enabled, mode, every_n_hours }: SchedulingConfig): SetupValues {
  return { enabled, mode, every_n_hours }
}

function rowsOf({ advanced }: SchedulingConfig): Row[] {
  return [
    ...advanced.jobs.map((job) => ({ ...job, id: `job:${job.id}`, label: job.at ?? job.id })),
    ...advanced.workflows.flatMap(({ id, name, steps }) =>
      steps.map((step) => ({ ...step, id: `step:${id}:${step.id}`, label: name || id })),
    ),
    ...advanced.event_rules.map(({ id, event, action }) => ({ ...action, id: `rule:${id}`, label: event })),
  ]
}

function stateOf(change: SetupChange, config: SchedulingConfig) {
  const values = change.id === SCHEDULE ? timesOf(config) : rowsOf(config).find(({ id }) => id === change.id)
  return setupStateOf(change, (values as SetupValues | undefined) ?? null, [])
}

function changed(changes: readonly SetupChange[], config: SchedulingConfig) {
  const due = new Map(changes.flatMap((one) => (stateOf(one, config) === 'before' ? [[one.id, one.after]] : [])))
  const withPair = <One extends object>(row: One, id: string) => ({ ...row, ...due.get(id) })
  const { jobs, workflows, event_rules: rules } = config.advanced
  return {
    ...due.get(SCHEDULE),
    advanced: {
      jobs: jobs.map((job) => withPair(job, `job:${job.id}`)),
      workflows: workflows.map((flow) => ({
        ...flow,
        steps: flow.steps.map((step) => withPair(step, `step:${flow.id}:${step.id}`)),
      })),
      event_rules: rules.map((rule) => ({ ...rule, action: withPair(rule.action, `rule:${rule.id}`) })),
    },
  }
}

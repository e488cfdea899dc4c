// Plans in the form of the interface, shared by preview, dry run and run.
import { type ChangeOutcome, type ChangePlan, defined, type Item, type ListPlan } from '@playhead/sdk'
import { meaningOf } from '@playhead/sdk/provider'
import type { Planned } from './planner.ts'
import type { ItemFacts, PlanView, TargetCounts, UnresolvedItem } from '../contract.ts'

/** Maximum rows of a list in a response; the counts include all rows. */
const SHOWN = 200

/** The writes to a list and their outcomes. */
export interface Sent {
  readonly list: string
  readonly plan: ListPlan
  readonly planId: string
  readonly outcomes: readonly ChangeOutcome[]
  readonly leftOut: ChangePlan['leftOut']
}

function allPlans({ plan }: Pick<Planned, 'plan'>): readonly ListPlan[] {
  return [plan.source, ...plan.targets]
}

const total = (plans: readonly ListPlan[], count: (plan: ListPlan) => number) =>
  plans.reduce((sum, plan) => sum + count(plan), 0)

export function planView(planned: Planned, sent: readonly Sent[] = []): PlanView {
  const { mapping, ruleset, plan, unconfirmed } = planned
  const plans = allPlans(planned)
  const unresolved = unresolvedOf(plans, sent)
  const { counts, refused } = plan
  const error = refusalOf(planned)
  const held = plans.flatMap((one) => one.held ?? [])
  const common = {
    mapping_id: mapping.id,
    ruleset_id: mapping.ruleset_id,
    membership: ruleset?.membership ?? mapping.membership,
    order: ruleset?.order ?? mapping.order,
    source_count: counts.source,
    target_count: counts.target,
    planned_additions: refused === null ? total(plans, ({ adds }) => adds.length) : 0,
    planned_removals: refused === null ? total(plans, ({ removes }) => removes.length) : 0,
    blocked_removals: total(plans, ({ blocked }) => blocked),
    blocked_items: held.slice(0, SHOWN).map(({ key, item }) => described(key, item)),
    reorder_count: total(plans, ({ moves }) => moves),
    manual_affected: plans.some(({ removes }) => removes.some(({ managed }) => !managed)),
    managed_count: counts.managed,
    unresolved: unresolved.slice(0, SHOWN),
    unresolved_count: unresolved.length,
    duplicates: plan.duplicates.slice(0, SHOWN).map(({ key, lists }) => ({ key, endpoints: lists })),
    warnings: plan.warnings,
    initial: plan.initial,
    blocked: refused !== null,
    ...defined({ error }),
    ...(unconfirmed.length === 0 ? {} : { losses: unconfirmed }),
  }
  return ruleset === null
    ? { ...common, ...directView(planned, unresolved.length) }
    : { ...common, ...rulesView(planned) }
}

function directView({ plan }: Planned, unresolved: number) {
  const [target] = plan.targets
  return {
    resolved_count: Math.max(0, plan.counts.source - unresolved),
    additions: (target?.adds ?? []).slice(0, SHOWN).map(({ key }) => key),
    removals: (target?.removes ?? []).slice(0, SHOWN).map(({ key }) => key),
    addition_items: (target?.adds ?? []).slice(0, SHOWN).map(({ key, item }) => described(key, item)),
    removal_items: (target?.removes ?? []).slice(0, SHOWN).map(({ key, item }) => described(key, item)),
  }
}

function rulesView({ ruleset, plan, targets }: Planned) {
  const { counts } = plan
  const isFull = plan.refused === 'capacity_exceeded'
  return {
    ruleset,
    capacity_error: isFull ? plan.refused : null,
    logical_source_count: counts.source,
    logical_aggregated_target_count: counts.target,
    managed_target_count: counts.managed,
    unmanaged_target_count: counts.unmanaged,
    total_capacity: counts.capacity,
    available_capacity: counts.available,
    overflow_count: counts.overflow,
    per_target: targets.map(({ endpoint, entries }, n): TargetCounts => {
      const list = plan.targets[n]
      const current = entries.entries.length
      const adds = list?.adds.length ?? 0
      const removes = list?.removes.length ?? 0
      return {
        endpoint_id: endpoint.id,
        provider: endpoint.provider,
        instance: endpoint.instance,
        playlist_id: endpoint.playlist_id,
        playlist_name: endpoint.playlist_name,
        current_count: current,
        logical_count: current + adds - removes,
        available_capacity: ruleset === null ? null : Math.max(0, ruleset.per_endpoint_capacity - current),
        planned_additions: adds,
        planned_removals: removes,
        blocked_removals: list?.blocked ?? 0,
      }
    }),
    source_additions: plan.source.adds.length,
    source_removals: plan.source.removes.length,
  }
}

/** Why the list gets no writes. */
function refusalOf({ plan, targets }: Planned): string | undefined {
  if (plan.refused === null) return undefined
  const isSmart = targets.some(({ endpoint, read }) => endpoint.smart || read?.list.readOnly === 'dynamic')
  return plan.refused === 'target_read_only' && isSmart ? 'target_smart' : plan.refused
}

function unresolvedOf(plans: readonly ListPlan[], sent: readonly Sent[]): readonly UnresolvedItem[] {
  const leftOut = plans.flatMap(({ list, leftOut }) =>
    leftOut.map(({ op, key, item, reason }) => ({ endpoint_id: list, op, ...described(key, item), reason })),
  )
  const failed = sent.flatMap(({ list, plan, outcomes, leftOut }) => {
    const itemOf = (op: string, key: string) =>
      (op === 'remove' ? plan.removes : plan.adds).find((one) => one.key === key)?.item
    const refused = [
      ...leftOut,
      ...outcomes.flatMap(({ key, op, outcome, reason = outcome, note }) =>
        mayBeDone(outcome) || op === 'update' ? [] : [{ key, op, reason, ...defined({ note }) }],
      ),
    ]
    const seen = new Set<string>()
    // After the plan was applied, its skipped rows are among the outcomes too.
    return refused.flatMap(({ key, op, reason, note }) => {
      const item = itemOf(op, key)
      if (item === undefined || seen.has(`${op} ${key}`)) return []
      seen.add(`${op} ${key}`)
      return [
        {
          endpoint_id: list,
          op: op === 'remove' ? ('remove' as const) : ('add' as const),
          ...described(key, item),
          reason,
          ...defined({ note }),
        },
      ]
    })
  })
  return [...leftOut, ...failed]
}

/** An uncertain change counts as done; the next read shows whether it is. */
export function mayBeDone(outcome: ChangeOutcome['outcome']): boolean {
  return meaningOf(outcome) === 'done' || outcome === 'unknown'
}

function described(key: string, item: Item): ItemFacts {
  const { type, title, series_title: series, year, season, episode } = item
  return { key, title: series ?? title ?? null, year: year ?? null, media_type: type, ...defined({ season, episode }) }
}

/** Outcomes of one kind among all writes. */
export function countOf(sent: readonly Sent[], op: ChangeOutcome['op'], outcome: ChangeOutcome['outcome']): number {
  return sent.reduce(
    (sum, { outcomes }) => sum + outcomes.filter((one) => one.op === op && one.outcome === outcome).length,
    0,
  )
}

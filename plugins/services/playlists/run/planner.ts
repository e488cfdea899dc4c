// Plans a run of a mapping. Preview, dry run and run share this planner.
import { createHash } from 'node:crypto'
import {
  accountName,
  type DirectInput,
  type ListPlan,
  type Loss,
  type MappingPlan,
  type NextState,
  type PartitionInput,
  type Reach,
} from '@playhead/sdk'
import { seriousLosses } from '../config/lists.ts'
import { type ResolvedMapping, resolveMapping } from '../config/mappings.ts'
import type { Ruleset } from '../config/rulesets.ts'
import type { Parts } from '../parts.ts'
import type { Endpoint, Mapping } from '../settings.ts'
import { readSides, type Side } from './read.ts'

export interface PlanOptions {
  /** Removals beyond the limit are approved. */
  readonly approved: boolean
  /** Losses of other data are confirmed. */
  readonly confirmed: boolean
  readonly signal: AbortSignal
}

export interface Planned {
  readonly mapping: Mapping
  readonly ruleset: Ruleset | null
  readonly scope: string
  readonly source: Side
  readonly targets: readonly Side[]
  readonly input: DirectInput | PartitionInput
  readonly plan: MappingPlan
  readonly approved: boolean
  readonly confirmed: boolean
  /** Losses that must be confirmed before the removals of a list are sent. */
  readonly unconfirmed: readonly Loss[]
}

/** Larger numbers of removals are blocked until the person approves them. */
const GUARD = { min: 3, ratio: 0.1 }

/** Identifies the state of a mapping: with other lists or rules, or after a restore, the state starts empty. */
export function scopeOf(mapping: Mapping, { source, targets }: ResolvedMapping, epoch: string): string {
  const listOf = ({ id, provider, instance, playlist_id: list, made_by_run: own }: Endpoint) =>
    [id, accountName(provider, instance), own === true ? 'own' : list] as const
  const [, ...sourceList] = listOf(source)
  const names = [mapping.id, mapping.ruleset_id, sourceList, targets.map(listOf)]
  const text = JSON.stringify(epoch === '' ? names : [...names, epoch])
  return createHash('sha256').update(text).digest('base64url').slice(0, 32)
}

export async function planMapping(parts: Parts, mapping: Mapping, options: PlanOptions): Promise<Planned> {
  const resolved = resolveMapping(mapping, parts.config())
  const scope = scopeOf(mapping, resolved, parts.ctx.host.dataEpoch)
  const sides = await readSides(parts, resolved.source, resolved.targets, options.signal)
  return planRead(parts, mapping, resolved.ruleset, scope, sides, await parts.store.state(scope), options)
}

/** Plans again with another state or other reads. */
export async function planRead(
  { policy, now }: Parts,
  mapping: Mapping,
  ruleset: Ruleset | null,
  scope: string,
  { source, targets }: { readonly source: Side; readonly targets: readonly Side[] },
  state: NextState,
  options: Omit<PlanOptions, 'signal'>,
): Promise<Planned> {
  const approved = options.approved || mapping.allow_mass_delete === true
  const confirmed = options.confirmed || mapping.confirm_destructive === true
  // Operations that waited for a confirmation are retried with it.
  const refused = state.refused.filter(({ reason }) => !confirmed || reason !== 'confirmation_required')
  const common = {
    ...state,
    refused,
    source: source.entries,
    within: reachOf(source.endpoint, targets[0]!.endpoint),
    nowMs: now(),
    guard: { ...GUARD, approved },
  }
  const input: DirectInput | PartitionInput =
    ruleset === null
      ? { ...common, target: targets[0]!.entries, membership: mapping.membership, order: mapping.order }
      : {
          ...common,
          targets: targets.map(({ entries }) => entries),
          rules: {
            direction: ruleset.direction,
            membership: ruleset.membership,
            order: ruleset.order,
            perListCapacity: ruleset.per_endpoint_capacity,
            totalCapacity: Math.min(ruleset.aggregate_capacity, ruleset.per_endpoint_capacity * targets.length),
          },
        }
  const whole = 'rules' in input ? await policy.planPartition(input) : await policy.planDirect(input)
  const { plan, unconfirmed } = withoutUnconfirmed(whole, [source, ...targets], confirmed)
  return { mapping, ruleset, scope, source, targets, input, plan, approved, confirmed, unconfirmed }
}

/** Plans of lists with writes: targets in their order, then the source. */
export function pendingLists({ plan, source, targets }: Planned): readonly { side: Side; list: ListPlan }[] {
  if (plan.refused !== null) return []
  const all = [
    ...targets.map((side, n) => ({ side, list: plan.targets[n] as ListPlan })),
    { side: source, list: plan.source },
  ]
  return all.filter(({ list: { adds, removes, order } }) => adds.length + removes.length > 0 || order !== null)
}

/** Items of a state that are removed from the targets when the source loses them. */
export function managedIn({ managed }: NextState, { mapping, ruleset }: Planned): number {
  const isMirror = (ruleset?.membership ?? mapping.membership) === 'mirror'
  const isShared = isMirror || ruleset?.direction === 'bidirectional'
  return managed.filter(({ added }) => added || isShared).length
}

function reachOf(a: Endpoint, b: Endpoint): Reach {
  if (a.provider !== b.provider) return 'anywhere'
  return a.instance === b.instance ? 'account' : 'provider'
}

// Removals with side effects wait for the person; the rest of the plan continues.
function withoutUnconfirmed(plan: MappingPlan, sides: readonly Side[], confirmed: boolean) {
  const losses = new Set<Loss>()
  const reduced = (list: ListPlan): ListPlan => {
    const support = sides.find(({ endpoint }) => endpoint.id === list.list)?.support
    const serious = seriousLosses(support?.losses?.remove)
    if (confirmed || list.removes.length === 0 || serious.length === 0) return list
    for (const loss of serious) losses.add(loss)
    return { ...list, removes: [], blocked: list.blocked + list.removes.length }
  }
  const targets = plan.targets.map(reduced)
  const source = reduced(plan.source)
  const unconfirmed = [...losses]
  if (unconfirmed.length === 0) return { plan, unconfirmed }
  return { plan: { ...plan, source, targets, warnings: [...plan.warnings, 'confirmation_required'] }, unconfirmed }
}

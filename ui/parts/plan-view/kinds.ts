// Filters of a plan and their counts, summed up from the facets of the service.
import { type Answer, api } from '../../api/client.ts'

export type Plan = Answer<'GET /api/run/plan/{plan_id}'>
export type PlanEntry = Plan['items'][number]
type Facet = Plan['facets']['causes'][number]
export type Side = Facet['side']
export type Kind = 'all' | 'add' | 'update' | 'remove' | 'held' | 'left'

/** A plan of one account has one side. */
export function sidesOf({ pair_id: pairId }: Pick<Plan, 'pair_id'>): readonly Side[] {
  return pairId === '' ? ['b'] : ['a', 'b']
}

export const KINDS: readonly Kind[] = ['all', 'add', 'update', 'remove', 'held', 'left']
const LEFT: readonly string[] = ['filtered', 'deferred']
const ACTIVE: readonly string[] = [
  'ready',
  'sent',
  'applied',
  'already',
  'not_found',
  'unsupported',
  'rejected',
  'rate_limited',
  'failed',
  'unknown',
]

export interface Filter {
  readonly kind: Kind
  readonly side: Side | null
  readonly cause: string | null
  readonly text: string
}

export const NO_FILTER: Filter = { kind: 'all', side: null, cause: null, text: '' }

/** The filter as query parameters. */
export function toQuery({ kind, side, cause, text }: Filter) {
  return {
    side: side ?? undefined,
    cause: cause ?? undefined,
    ...(text === '' ? {} : { q: text }),
    ...(kind === 'add' || kind === 'update' || kind === 'remove' ? { op: kind, state: ACTIVE.join() } : {}),
    ...(kind === 'held' ? { state: 'held' } : kind === 'left' ? { state: LEFT.join() } : {}),
  }
}

function isOfKind({ op, state }: Facet, kind: Kind): boolean {
  if (kind === 'all') return true
  if (kind === 'held') return state === 'held'
  if (kind === 'left') return LEFT.includes(state)
  return op === kind && state !== 'held' && !LEFT.includes(state)
}

export function countOf(plan: Plan, kind: Kind, side: Side | null = null): number {
  return plan.facets.causes.reduce(
    (sum, facet) => sum + (isOfKind(facet, kind) && (side === null || facet.side === side) ? facet.count : 0),
    0,
  )
}

/** The causes within a kind and side, most frequent first. */
export function causesOf(
  plan: Plan,
  { kind, side }: Pick<Filter, 'kind' | 'side'>,
): readonly { readonly cause: string; readonly label: string; readonly count: number }[] {
  const found = new Map<string, { cause: string; label: string; count: number }>()
  for (const facet of plan.facets.causes) {
    if (!isOfKind(facet, kind) || (side !== null && facet.side !== side)) continue
    const known = found.get(facet.cause)
    found.set(facet.cause, { cause: facet.cause, label: facet.cause_label, count: (known?.count ?? 0) + facet.count })
  }
  return [...found.values()].sort((a, b) => b.count - a.count)
}

const MAX_NAMES = 30

export async function removalNames({ plan_id }: Pick<Plan, 'plan_id'>, filter: Partial<Filter>): Promise<string[]> {
  const { items } = await api('GET /api/run/plan/{plan_id}', {
    params: { plan_id },
    query: { ...toQuery({ ...NO_FILTER, kind: 'remove', ...filter }), facets: false, limit: MAX_NAMES },
  })
  return [...new Set(items.map(({ display_title: title }) => title))]
}

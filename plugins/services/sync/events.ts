// Events of a run, discriminated by `type`, and their names and shapes in the public stream (`toWire`).
import type { AccountHealth, AccountName, Feature, PairMode, Side } from '@playhead/sdk'
import type { Pair } from './pairs/pair.ts'

type Op = 'add' | 'update' | 'remove'
type Fields = Readonly<Record<string, unknown>>
type Numbers<Name extends string> = Readonly<Record<Name, number>>

interface Ends {
  readonly src: string
  readonly dst: string
}

interface FeatureOf extends Ends {
  readonly feature: Feature
}

interface Quota extends AccountName {
  readonly remaining: number
}

/** Operations by target account. */
export type OpCounts = Readonly<Record<Side, Numbers<Op>>>

export interface PlanEvent {
  readonly type: 'plan'
  readonly pair: Pair
  readonly feature: Feature
  readonly ops: OpCounts
  /** Rows read. */
  readonly read: Numbers<Side>
}

/** Totals that a feature of a pair applied, over all batches. */
interface AppliedEvent extends Pick<PlanEvent, 'pair' | 'feature' | 'ops'> {
  readonly type: 'applied'
}

/** Operations of one kind at one account. */
interface Applying {
  readonly type: 'apply'
  readonly op: Op
  readonly side: Side
  readonly mode: PairMode
  readonly dst: string
  readonly feature: Feature
}

export type ApplyEvent = Applying &
  (
    | { readonly step: 'start'; readonly count: number }
    | {
        readonly step: 'progress'
        readonly instance: string
        readonly done: number
        readonly total: number
        readonly ok: number
      }
    | ({ readonly step: 'done' } & Numbers<'attempted' | 'applied' | 'already' | 'unresolved' | 'errors'>)
    | { readonly step: 'cancelled'; readonly done: number; readonly total: number }
  )

interface Health extends AccountName {
  readonly type: 'health'
  readonly status: AccountHealth['status']
  readonly ok: boolean
  readonly latency_ms?: number
  readonly details: { readonly reason: string } | null
  readonly features: Fields
  /** Remaining quota, where the service reports one. */
  readonly api?: object | null
}

export type EngineEvent =
  | { readonly type: 'run:start'; readonly run_id: string; readonly dry_run: boolean; readonly mode: string }
  | (Ends & {
      readonly type: 'run:pair'
      readonly pair_id: string
      readonly i: number
      readonly n: number
      readonly src_instance: string
      readonly dst_instance: string
      readonly mode: PairMode
      readonly features: readonly string[]
    })
  | (Ends & { readonly type: 'run:pair:skip'; readonly mode: PairMode; readonly reason: string })
  | { readonly type: 'pair:skip'; readonly pair: Pair; readonly reason: string; readonly statuses: readonly string[] }
  | Health
  | (FeatureOf & { readonly type: 'feature:start' | 'feature:done' | 'feature:cancelled' })
  | (Ends & { readonly type: 'playlist:pair'; readonly dry_run: boolean } & Numbers<
        'mappings' | 'added' | 'removed' | 'reordered' | 'unresolved' | 'errors'
      >)
  | (FeatureOf & { readonly type: 'feature:error'; readonly error: string; readonly about?: unknown })
  | (FeatureOf & { readonly type: 'feature:skipped'; readonly reason: string; readonly about?: unknown })
  | (FeatureOf & {
      readonly type: 'feature:unsupported'
      readonly src_supported: boolean
      readonly dst_supported: boolean
    })
  | {
      readonly type: 'snapshot:progress'
      readonly dst: string
      readonly instance: string
      readonly feature: Feature
      readonly done: number
      readonly total?: number
      readonly ok?: true
      readonly final?: true
    }
  | (AccountName & { readonly type: 'read:incomplete'; readonly feature: Feature; readonly reason: string })
  | {
      readonly type: 'snapshot:suspect'
      readonly provider: string
      readonly feature: Feature
      readonly prev_count: number
      readonly cur_count: number
      readonly shrink_limit: number
      readonly prev_checkpoint: null
      readonly now_checkpoint: null
      readonly reason: string
    }
  | PlanEvent
  | {
      readonly type: 'plan:held'
      readonly pair_id: string
      readonly feature: Feature
      readonly side: Side
      readonly count: number
      readonly reason: string | null
    }
  | {
      readonly type: 'mass_delete:blocked'
      readonly dst: string
      readonly feature: Feature
      readonly attempted: number
      readonly baseline: number
      readonly threshold: number | null
    }
  | ApplyEvent
  | AppliedEvent
  | {
      readonly type: 'writes:skipped'
      readonly dst: string
      readonly instance: string
      readonly side: Side
      readonly feature: Feature
      readonly reason: string
      readonly op: Op
      readonly count: number
    }
  | (Quota & { readonly type: 'rate:slow'; readonly base_ms: number; readonly extra_ms: number })
  | (Quota & { readonly type: 'rate:low'; readonly threshold: number; readonly reset: number | null })
  | (AccountName & {
      readonly type: 'post_apply_refresh:start' | 'post_apply_refresh:done'
      readonly feature: Feature
      readonly reason: 'verify'
      readonly ok?: boolean
      readonly count?: number
    })
  | ({ readonly type: 'debug'; readonly msg: string; readonly feature: Feature } & Fields)
  | (AccountName & { readonly type: 'api:totals' } & Fields)
  | ({ readonly type: 'http:overview' | 'stats:overview' | 'run:cancelled' } & Fields)
  | ({ readonly type: 'run:done'; readonly result: string } & Fields)

/** An event as the stream sends it. */
export interface WireEvent {
  readonly event: string
  readonly [field: string]: unknown
}

/** The past tense of an operation, for logs and counts. */
export const DONE = { add: 'added', update: 'updated', remove: 'removed' } as const

/** One wire event, or two for the plan of a two-way pair. */
export function toWire(event: EngineEvent): readonly WireEvent[] {
  switch (event.type) {
    case 'pair:skip': {
      const { pair, reason, statuses } = event
      return [{ event: 'pair:skip', ...wireEnds(pair), reason, statuses }]
    }
    case 'plan':
      return planned(event)
    case 'apply':
      return [applying(event)]
    case 'applied': {
      const { pair, feature, ops } = event
      return [
        {
          ...{ event: 'two:done', a: pair.source, b: pair.target, feature },
          upd_to_A: ops.a.update,
          upd_to_B: ops.b.update,
          adds_to_A: ops.a.add,
          adds_to_B: ops.b.add,
          rem_from_A: ops.a.remove,
          rem_from_B: ops.b.remove,
        },
      ]
    }
    default: {
      const { type, ...fields } = event
      return [{ event: type, ...fields }]
    }
  }
}

function wireEnds({ source, target, mode }: Pair) {
  return mode === 'one_way' ? { src: source, dst: target } : { a: source, b: target }
}

function planned({ pair, feature, ops: { a, b }, read }: PlanEvent): readonly WireEvent[] {
  const ends = { ...wireEnds(pair), feature }
  const counts = { src_count: read.a, dst_count: read.b }
  if (pair.mode === 'one_way')
    return [{ event: 'one:plan', ...ends, adds: b.add, removes: b.remove, updates: b.update, ...counts }]
  return [
    { event: 'two:start', ...ends, removals: a.remove + b.remove },
    {
      event: 'two:plan',
      ...ends,
      add_to_A: a.add,
      add_to_B: b.add,
      upd_to_A: a.update,
      upd_to_B: b.update,
      rem_from_A: a.remove,
      rem_from_B: b.remove,
      ...counts,
    },
  ]
}

function applying(event: ApplyEvent): WireEvent {
  const { op, side, mode, dst, feature } = event
  const at = { dst, feature }
  const name = (step: string) =>
    mode === 'two_way' ? `two:apply:${op}:${side.toUpperCase()}:${step}` : `apply:${op}:${step}`
  switch (event.step) {
    case 'start':
      return { event: name('start'), ...at, count: event.count }
    case 'progress': {
      const { instance, done, total, ok } = event
      return { event: `apply:${op}:progress`, dst, instance, side, feature, done, total, ok }
    }
    case 'cancelled':
      return { event: `apply:${op}:cancelled`, ...at, done: event.done, total: event.total }
    case 'done': {
      const { applied, already, attempted, unresolved, errors } = event
      const fields = {
        count: applied,
        attempted,
        [DONE[op]]: applied,
        dry_run: false,
        skipped: already,
        skipped_exact: already,
        skipped_inferred: 0,
        skip_basis: 'exact',
        unresolved,
        errors,
      }
      return { event: name('done'), ...at, ...fields, ...(mode === 'two_way' ? { result: fields } : {}) }
    }
  }
}

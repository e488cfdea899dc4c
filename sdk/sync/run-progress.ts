// How far a run is, reduced from the named events of `GET /api/run/summary/stream`. Pure: a replay gives the same state. The
// service derives its summaries from it, and the pages show it. It imports nothing, because browsers load it.

/** The events that change the progress of a run, as docs/reference/run-events.md lists them. */
export const PROGRESS_EVENTS = [
  'run:start',
  'run:pair',
  'feature:start',
  'feature:done',
  'feature:skipped',
  'feature:error',
  'feature:cancelled',
  'snapshot:progress',
  'one:plan',
  'two:plan',
  'plan:held',
  'apply:add:progress',
  'apply:update:progress',
  'apply:remove:progress',
] as const

type Named<Name extends (typeof PROGRESS_EVENTS)[number], Fields> = Readonly<{ event: Name } & Fields>
type Plan<Name extends 'one:plan' | 'two:plan', Counts extends string> = Named<
  Name,
  { feature: string } & Record<Counts, number>
>
type Side = 'a' | 'b'
type Ends = Record<'src' | 'src_instance' | 'dst' | 'dst_instance', string>

/** The fields of the events from which the progress is derived. */
export type ProgressEvent =
  | Named<'run:start', object>
  | Named<'run:pair', Ends & { pair_id: string; i: number; n: number; features: readonly string[] }>
  | Named<`feature:${'start' | 'done' | 'skipped' | 'error' | 'cancelled'}`, { feature: string }>
  | Named<
      'snapshot:progress',
      { dst: string; instance: string; feature: string; done: number; total?: number; final?: boolean }
    >
  | Plan<'one:plan', 'adds' | 'removes' | 'updates'>
  | Plan<'two:plan', `${'add_to' | 'upd_to' | 'rem_from'}_${'A' | 'B'}`>
  | Named<'plan:held', { feature: string; count: number }>
  | Named<`apply:${'add' | 'update' | 'remove'}:progress`, { feature: string; side: Side; done: number }>

export type FeatureState = 'waiting' | 'reading' | 'applying' | 'done' | 'failed' | 'cancelled' | 'skipped'

const STATES: { readonly [event in ProgressEvent['event']]?: FeatureState } = {
  'feature:start': 'reading',
  'feature:skipped': 'skipped',
  'feature:error': 'failed',
  'feature:cancelled': 'cancelled',
}

export interface StepProgress {
  readonly done: number
  /** Null while unknown. */
  readonly total: number | null
  readonly isOver: boolean
}

export interface SideProgress {
  readonly provider: string
  readonly instance: string
  /** Null until there is a plan. */
  readonly write: StepProgress | null
  /** Written operations by kind. */
  readonly written: Readonly<Record<string, number>>
}

export interface FeatureProgress extends Readonly<Record<Side, SideProgress>> {
  readonly feature: string
  readonly state: FeatureState
  /** Operations that wait for approval. */
  readonly held: number
}

export interface PairProgress {
  readonly pairId: string
  /** Position in the run, from 1, of `n`. */
  readonly i: number
  readonly n: number
  readonly features: readonly FeatureProgress[]
}

export interface ReadProgress extends StepProgress {
  /** Index of the pair that the account was read for; 0 for a run without pairs. */
  readonly i: number
  readonly provider: string
  readonly instance: string
  readonly feature: string
}

export interface RunProgress {
  /** The pairs so far; the last one is running. */
  readonly pairs: readonly PairProgress[]
  readonly reads: readonly ReadProgress[]
  /** Operations of all plans. Null before the first plan. */
  readonly planned: number | null
}

export const NO_PROGRESS: RunProgress = { pairs: [], reads: [], planned: null }

/** The progress after an event. Events that do not change it may be passed too. */
export function reduceProgress(run: RunProgress, event: ProgressEvent): RunProgress {
  switch (event.event) {
    case 'run:start':
      return NO_PROGRESS
    case 'run:pair':
      return { ...run, pairs: [...run.pairs.map(endPair), pairOf(event)] }
    case 'snapshot:progress': {
      const { dst: provider, instance, feature, done, total = null, final: isOver = false } = event
      const of = { i: run.pairs.at(-1)?.i ?? 0, provider, instance, feature }
      const others = run.reads.filter((read) => !isReadOf(read, of))
      return { ...run, reads: [...others, { ...of, done, total, isOver }] }
    }
    case 'one:plan':
      return planned(run, event, 0, event.adds + event.removes + event.updates)
    case 'two:plan': {
      const total = (side: 'A' | 'B') => event[`add_to_${side}`] + event[`upd_to_${side}`] + event[`rem_from_${side}`]
      return planned(run, event, total('A'), total('B'))
    }
    case 'plan:held':
      return withFeature(run, event, (one) => ({ ...one, held: one.held + event.count }))
    case 'apply:add:progress':
    case 'apply:update:progress':
    case 'apply:remove:progress':
      return withFeature(run, event, (one) => ({ ...one, [event.side]: wrote(one[event.side], event) }))
    // Skipped features also send this event.
    case 'feature:done':
      return withFeature(run, event, (one) => (one.state === 'skipped' ? one : endFeature(one)))
    default: {
      const state = STATES[event.event]
      return state === undefined ? run : withFeature(run, event, (one) => ({ ...one, state }))
    }
  }
}

/** How far an account was read for a feature of a pair; null if it was not. */
export function readOf({ reads }: RunProgress, of: Omit<ReadProgress, keyof StepProgress>): StepProgress | null {
  return reads.find((read) => isReadOf(read, of)) ?? null
}

function isReadOf(read: ReadProgress, of: Omit<ReadProgress, keyof StepProgress>): boolean {
  const names = ['i', 'feature', 'provider', 'instance'] as const
  return names.every((name) => read[name] === of[name])
}

function pairOf(event: Extract<ProgressEvent, { event: 'run:pair' }>): PairProgress {
  const { pair_id: pairId, i, n, features, src, src_instance, dst, dst_instance } = event
  const side = (provider: string, instance: string) => ({ provider, instance, write: null, written: {} })
  const [a, b] = [side(src, src_instance), side(dst, dst_instance)]
  return { pairId, i, n, features: features.map((feature) => ({ feature, state: 'waiting', held: 0, a, b })) }
}

// Pairs run one after the other, so an event belongs to the last pair.
function withFeature(
  run: RunProgress,
  { feature }: { readonly feature: string },
  change: (one: FeatureProgress) => FeatureProgress,
): RunProgress {
  const last = run.pairs.at(-1)
  if (last === undefined) return run
  const features = last.features.map((one) => (one.feature === feature ? change(one) : one))
  return { ...run, pairs: [...run.pairs.slice(0, -1), { ...last, features }] }
}

function planned(run: RunProgress, of: { readonly feature: string }, toA: number, toB: number): RunProgress {
  const write = (total: number): StepProgress => ({ done: 0, total, isOver: total === 0 })
  const next = { ...run, planned: (run.planned ?? 0) + toA + toB }
  return withFeature(next, of, ({ a, b, ...one }) => ({
    ...{ ...one, state: 'applying' },
    ...{ a: { ...a, write: write(toA) }, b: { ...b, write: write(toB) } },
  }))
}

function wrote(side: SideProgress, { event, done }: { readonly event: string; readonly done: number }): SideProgress {
  const written = { ...side.written, [event]: done }
  const sum = Object.values(written).reduce((all, count) => all + count, 0)
  const total = Math.max(side.write?.total ?? 0, sum)
  return { ...side, written, write: { done: sum, total, isOver: sum >= total } }
}

function endFeature({ a, b, ...one }: FeatureProgress): FeatureProgress {
  const end = (side: SideProgress) => ({ ...side, write: side.write === null ? null : { ...side.write, isOver: true } })
  return { ...one, state: 'done', a: end(a), b: end(b) }
}

function endPair(pair: PairProgress): PairProgress {
  return { ...pair, features: pair.features.map((one) => (one.state === 'waiting' ? { ...one, state: 'done' } : one)) }
}

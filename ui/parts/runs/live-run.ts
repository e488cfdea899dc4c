// The state of a run, reduced from its events. Pure: a replay gives the same state.

export type LiveState = 'waiting' | 'reading' | 'applying' | 'done' | 'failed' | 'cancelled' | 'skipped'

interface LiveStep {
  readonly done: number
  /** null while unknown. */
  readonly total: number | null
  readonly isOver: boolean
}

export interface LiveSide {
  readonly provider: string
  readonly instance: string
  readonly read: LiveStep | null
  /** null until the plan exists. */
  readonly write: LiveStep | null
  readonly writtenByOp: Readonly<Record<string, number>>
}

export interface LiveFeature {
  readonly feature: string
  readonly state: LiveState
  readonly held: number
  readonly a: LiveSide
  readonly b: LiveSide
}

export interface LivePair {
  readonly pairId: string
  readonly i: number
  readonly n: number
  readonly features: readonly LiveFeature[]
}

export interface LiveRun {
  readonly runId: string
  readonly pairs: readonly LivePair[]
}

interface LiveEvent {
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
}

/** All events that change the state. */
export const LIVE_EVENTS = [
  'run:start',
  'run:pair',
  'feature:start',
  'snapshot:progress',
  'one:plan',
  'two:plan',
  'plan:held',
  'apply:add:progress',
  'apply:update:progress',
  'apply:remove:progress',
  'feature:done',
  'feature:skipped',
  'feature:error',
  'feature:cancelled',
] as const

export const NO_RUN: LiveRun = { runId: '', pairs: [] }

export function applyEvent(run: LiveRun, { event, data }: LiveEvent): LiveRun {
  const text = (name: string) => String(data[name] ?? '')
  if (event === 'run:start') return { runId: text('run_id'), pairs: [] }
  if (event === 'run:pair') return { ...run, pairs: [...run.pairs.map(close), pairOf(data)] }
  const feature = text('feature')
  const to = (change: (one: LiveFeature) => LiveFeature) => changeFeature(run, feature, change)
  const toSide = (change: (side: LiveSide) => LiveSide) =>
    to((one) => {
      const side = sideOf(one, data)
      return { ...one, [side]: change(one[side]) }
    })
  switch (event) {
    case 'feature:start':
      return to((one) => ({ ...one, state: 'reading' }))
    case 'snapshot:progress':
      return toSide((side) => ({
        ...side,
        read: {
          done: number(data['done']),
          total: typeof data['total'] === 'number' ? data['total'] : null,
          isOver: data['final'] === true,
        },
      }))
    case 'one:plan':
      return to((one) => planned(one, 0, number(data['adds']) + number(data['removes']) + number(data['updates'])))
    case 'two:plan':
      return to((one) => planned(one, total(data, 'A'), total(data, 'B')))
    case 'plan:held':
      return to((one) => ({ ...one, held: one.held + number(data['count']) }))
    case 'feature:skipped':
      return to((one) => ({ ...one, state: 'skipped' }))
    // Skipped features also send this event.
    case 'feature:done':
      return to((one) => (one.state === 'skipped' ? one : { ...closeFeature(one), state: 'done' }))
    case 'feature:error':
      return to((one) => ({ ...one, state: 'failed' }))
    case 'feature:cancelled':
      return to((one) => ({ ...one, state: 'cancelled' }))
    default: {
      const op = /^apply:(add|update|remove):progress$/.exec(event)?.[1]
      return op === undefined ? run : toSide((side) => wrote(side, op, number(data['done'])))
    }
  }
}

/** Counts the finished features and all features. */
export function countThrough({ pairs }: LiveRun): { readonly done: number; readonly total: number } {
  const all = pairs.flatMap(({ features }) => features)
  return {
    done: all.filter(({ state }) => state !== 'waiting' && state !== 'reading' && state !== 'applying').length,
    total: all.length,
  }
}

function pairOf(data: LiveEvent['data']): LivePair {
  const side = (provider: string, instance: string): LiveSide => ({
    provider: String(data[provider] ?? ''),
    instance: String(data[instance] ?? 'default'),
    read: null,
    write: null,
    writtenByOp: {},
  })
  const features = Array.isArray(data['features']) ? (data['features'] as readonly string[]) : []
  return {
    pairId: String(data['pair_id'] ?? ''),
    i: number(data['i']),
    n: number(data['n']),
    features: features.map((feature) => ({
      feature,
      state: 'waiting',
      held: 0,
      a: side('src', 'src_instance'),
      b: side('dst', 'dst_instance'),
    })),
  }
}

// Pairs run one after the other, so an event belongs to the last pair.
function changeFeature(run: LiveRun, feature: string, change: (one: LiveFeature) => LiveFeature): LiveRun {
  const last = run.pairs.at(-1)
  if (last === undefined) return run
  return {
    ...run,
    pairs: [
      ...run.pairs.slice(0, -1),
      { ...last, features: last.features.map((one) => (one.feature === feature ? change(one) : one)) },
    ],
  }
}

function sideOf({ a, b }: LiveFeature, { side, dst, instance }: LiveEvent['data']): 'a' | 'b' {
  if (side === 'a' || side === 'b') return side
  return a.provider === dst && (a.provider !== b.provider || a.instance === instance) ? 'a' : 'b'
}

function planned(one: LiveFeature, toA: number, toB: number): LiveFeature {
  const write = (count: number): LiveStep => ({ done: 0, total: count, isOver: count === 0 })
  return { ...one, state: 'applying', a: { ...one.a, write: write(toA) }, b: { ...one.b, write: write(toB) } }
}

function wrote(side: LiveSide, op: string, done: number): LiveSide {
  const writtenByOp = { ...side.writtenByOp, [op]: done }
  const sum = Object.values(writtenByOp).reduce((all, count) => all + count, 0)
  const whole = Math.max(side.write?.total ?? 0, sum)
  return { ...side, writtenByOp, write: { done: sum, total: whole, isOver: sum >= whole } }
}

function closeFeature(one: LiveFeature): LiveFeature {
  const over = (step: LiveStep | null) => (step === null ? null : { ...step, isOver: true })
  return {
    ...one,
    a: { ...one.a, read: over(one.a.read), write: over(one.a.write) },
    b: { ...one.b, read: over(one.b.read), write: over(one.b.write) },
  }
}

function close(pair: LivePair): LivePair {
  return { ...pair, features: pair.features.map((one) => (one.state === 'waiting' ? { ...one, state: 'done' } : one)) }
}

function total(data: LiveEvent['data'], side: 'A' | 'B'): number {
  return number(data[`add_to_${side}`]) + number(data[`upd_to_${side}`]) + number(data[`rem_from_${side}`])
}

function number(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}

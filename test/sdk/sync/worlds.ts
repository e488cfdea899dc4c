// Random groups and rules for every feature, and the effect of decisions.
import fc from '../../fast-check.ts'
import type {
  Decision,
  DecideRules,
  FeatureOptions,
  FeatureSupport,
  Group,
  Item,
  Pending,
  Row,
  Seen,
  Shape,
  Side,
  SyncFeature,
} from '@playhead/sdk'
import { createHistory } from '../../../plugins/features/history/policy.ts'
import { createProgress } from '../../../plugins/features/progress/policy.ts'
import { createRatings } from '../../../plugins/features/ratings/policy.ts'
import { createWatchlist } from '../../../plugins/features/watchlist/policy.ts'

export const NOW = Date.UTC(2026, 6, 1, 12)
export const HOUR = 3_600_000
export const SIDES = ['a', 'b'] as const

export const FEATURES_UNDER_TEST: Readonly<Record<string, SyncFeature>> = {
  watchlist: createWatchlist(),
  history: createHistory(),
  ratings: createRatings(() => NOW),
  progress: createProgress(),
}
export type Name = 'watchlist' | 'history' | 'ratings' | 'progress'
export const NAMES: readonly Name[] = ['watchlist', 'history', 'ratings', 'progress']

export const SUPPORT: FeatureSupport = {
  read: true,
  add: true,
  update: true,
  remove: true,
  kinds: ['movie', 'show', 'season', 'episode'],
}

/** A time relative to the last run: -9 … 3 hours; null if unknown. */
type Moment = number | null
interface RowSpec {
  readonly value: number
  readonly at: Moment
  readonly short: boolean
  readonly percentOnly: boolean
  readonly plays: number | undefined
}
interface SeenSpec {
  readonly value: number
  readonly at: Moment
}
export interface GroupSpec {
  readonly rows: Readonly<Record<Side, RowSpec | 'absent' | 'unknown'>>
  readonly seen: Readonly<Record<Side, SeenSpec | null>> | null
  readonly pending: Readonly<Record<Side, { readonly op: Pending['op']; readonly value: number } | null>>
  readonly settled: { readonly a: number | null; readonly b: number | null; readonly reason: string | undefined } | null
  readonly watched: Readonly<Record<Side, boolean | undefined>>
}
const moment: fc.Arbitrary<Moment> = fc.option(fc.integer({ min: -9, max: -1 }), { freq: 4 })
const value = fc.integer({ min: 0, max: 3 })
const rowSpec: fc.Arbitrary<RowSpec> = fc.record({
  value,
  at: moment,
  short: fc.boolean(),
  percentOnly: fc.boolean(),
  plays: fc.constantFrom(undefined, 1, 2),
})
const sideSpec = fc.oneof(
  { weight: 4, arbitrary: rowSpec },
  { weight: 3, arbitrary: fc.constant('absent' as const) },
  { weight: 1, arbitrary: fc.constant('unknown' as const) },
)
const seenSpec = fc.option(fc.record({ value, at: moment }), { freq: 3 })
const pendingSpec = fc.option(
  fc.record({ op: fc.constantFrom('add', 'update', 'remove'), value }) as fc.Arbitrary<{
    op: Pending['op']
    value: number
  }>,
  { freq: 1 },
)
const anySpec: fc.Arbitrary<GroupSpec> = fc.record({
  rows: fc.record({ a: sideSpec, b: sideSpec }),
  seen: fc.option(fc.record({ a: seenSpec, b: seenSpec }), { freq: 4 }),
  pending: fc.oneof(
    { weight: 3, arbitrary: fc.constant({ a: null, b: null }) },
    { weight: 1, arbitrary: fc.record({ a: pendingSpec, b: pendingSpec }) },
  ),
  settled: fc.option(
    fc.record({
      a: fc.option(value),
      b: fc.option(value),
      reason: fc.constantFrom(undefined, 'removals_off', 'newer_on_b'),
    }),
    { freq: 1 },
  ),
  watched: fc.record({ a: fc.constantFrom(undefined, true, false), b: fc.constantFrom(undefined, true, false) }),
})

// Random generation rarely produces unchanged items, which are the removable ones.
export const groupSpec: fc.Arbitrary<GroupSpec> = fc.oneof(
  anySpec,
  anySpec.map((spec): GroupSpec => {
    const { a, b } = spec.rows
    const last = typeof a !== 'string' ? a : typeof b !== 'string' ? b : null
    if (last === null) return spec
    const seen = { value: last.value, at: Math.min(last.at ?? -6, -6) }
    const row = { ...last, at: seen.at, short: false, percentOnly: false }
    return {
      ...spec,
      rows: { a: typeof a === 'string' ? a : row, b: typeof b === 'string' ? b : row },
      seen: { a: seen, b: seen },
    }
  }),
)

/** The item of a row, as read from an account. */
export function itemOf(name: Name, { value: n, at, short, percentOnly }: RowSpec, offsetMs = 0): Item {
  const movie: Item = {
    type: 'movie',
    title: 'Heat',
    year: 1995,
    ids: { tmdb: '949', mediaa: 'x1' },
    native: { item_id: '7', event_id: '8' },
    library_id: '1',
  }
  const time = at === null ? undefined : iso(NOW + at * HOUR + offsetMs)
  if (name === 'watchlist') return { ...movie, ...(time === undefined ? {} : { added_at: time }) }
  // The time is the value of a history row.
  if (name === 'history') return { ...movie, watched: true, watched_at: iso(NOW + (at ?? -9) * HOUR + offsetMs) }
  if (name === 'ratings') return { ...movie, rating: 3 + n * 2, ...(time === undefined ? {} : { rated_at: time }) }
  const durationMs = 6_000_000
  const position = n * (short ? 20_000 : 1_700_000)
  return {
    ...movie,
    ...(percentOnly
      ? { progress_percent: Math.round((position / durationMs) * 10_000) / 100 }
      : { progress_ms: position, duration_ms: durationMs }),
    ...(time === undefined ? {} : { progress_at: time }),
  }
}

function iso(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}Z`
}

export function rowOf(name: Name, item: Item, plays?: number): Row {
  const shape = shapeOf(name, item)
  if ('skip' in shape) throw new Error(`a row of the test is skipped: ${shape.skip}`)
  return {
    item,
    value: shape.value,
    ...(shape.evidenceMs === undefined ? {} : { evidenceMs: shape.evidenceMs }),
    ...(plays === undefined ? {} : { plays }),
  }
}

function shapeOf(name: Name, item: Item): Shape {
  const feature = FEATURES_UNDER_TEST[name]!
  const options = feature.normalize({ types: 'all', mode: 'all' })
  return feature.shape([item], {
    options,
    mode: 'two_way',
    support: { a: SUPPORT, b: SUPPORT },
    playsAllowed: true,
    side: 'a',
    nowMs: NOW,
  })[0]!
}

/** A group as the engine would build it, with all times shifted by `offsetMs`. */
export function build(name: Name, spec: GroupSpec, offsetMs = 0): Group {
  const valueFor = (n: number, at: Moment) =>
    rowOf(name, itemOf(name, { value: n, at, short: false, percentOnly: false, plays: undefined }, offsetMs)).value
  const row = (side: Side): Row | null => {
    const row = spec.rows[side]
    return typeof row === 'string' ? null : rowOf(name, itemOf(name, row, offsetMs), row.plays)
  }
  const presence = (side: Side) => (typeof spec.rows[side] === 'string' ? spec.rows[side] : 'present')
  const seen = (side: Side): Seen | null => {
    const seen = spec.seen?.[side] ?? null
    return seen === null
      ? null
      : {
          value: valueFor(seen.value, seen.at),
          seenAtMs: NOW - 5 * HOUR + offsetMs,
          ...(seen.at === null ? {} : { evidenceMs: NOW + seen.at * HOUR + offsetMs }),
        }
  }
  const pending = (side: Side): Pending | null => {
    const pending = spec.pending[side]
    return pending === null
      ? null
      : {
          op: pending.op,
          value: pending.op === 'remove' ? '' : valueFor(pending.value, -6),
          atMs: NOW - 5 * HOUR + offsetMs,
        }
  }
  const { settled } = spec
  return {
    key: 'movie:tmdb:949',
    base:
      spec.seen === null
        ? null
        : {
            a: seen('a'),
            b: seen('b'),
            pendingA: pending('a'),
            pendingB: pending('b'),
            settled:
              settled === null
                ? null
                : {
                    a: settled.a === null ? null : valueFor(settled.a, -6),
                    b: settled.b === null ? null : valueFor(settled.b, -6),
                    ...(settled.reason === undefined ? {} : { reason: settled.reason }),
                  },
          },
    a: row('a'),
    b: row('b'),
    presenceA: presence('a'),
    presenceB: presence('b'),
    ...(spec.watched.a === undefined ? {} : { watchedA: spec.watched.a }),
    ...(spec.watched.b === undefined ? {} : { watchedB: spec.watched.b }),
  }
}

const support: fc.Arbitrary<FeatureSupport> = fc
  .record({ idempotentAdd: fc.boolean(), update: fc.boolean() })
  .map((some) => ({ ...SUPPORT, ...some }))
export const rules: fc.Arbitrary<DecideRules> = fc.record({
  mode: fc.constantFrom('one_way', 'two_way'),
  options: fc.record({
    enabled: fc.constant(true),
    add: fc.boolean(),
    remove: fc.boolean(),
    mode: fc.constantFrom('only_new', 'all'),
    keep_newer_target: fc.boolean(),
    source_always_wins: fc.boolean(),
    update_watched_at: fc.boolean(),
    clear_below_min: fc.boolean(),
    replay_enabled: fc.boolean(),
  }) as fc.Arbitrary<FeatureOptions>,
  removeMode: fc.constantFrom('source_deletes', 'mirror'),
  mirrorApproved: fc.boolean(),
  restoreDeleted: fc.boolean(),
  sourceOfTruth: fc.constantFrom('a', 'b'),
  firstRun: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  lastRunStartedAtMs: fc.constantFrom(null, NOW - 5 * HOUR),
  nowMs: fc.constant(NOW),
  mayProveAbsence: fc.record({
    a: fc.oneof(fc.constant(true), fc.boolean()),
    b: fc.oneof(fc.constant(true), fc.boolean()),
  }),
  support: fc.record({ a: support, b: support }),
}) as fc.Arbitrary<DecideRules>

export function decide(name: Name, group: Group, given: DecideRules): Decision {
  return FEATURES_UNDER_TEST[name]!.decide([group], given)[0]!
}

/** The world after the operations and a new read of both sides. */
export function carryOut(
  name: Name,
  group: Group,
  { ops, state, reason, hold, over = [] }: Decision,
  { nowMs }: DecideRules,
): Group {
  const rows: Record<Side, Row | null> = { a: group.a, b: group.b }
  const presence = { a: group.presenceA, b: group.presenceB }
  const pending: Record<Side, Pending | null> = { a: group.base?.pendingA ?? null, b: group.base?.pendingB ?? null }
  const seen: Record<Side, Seen | null> = { a: group.base?.a ?? null, b: group.base?.b ?? null }
  const settled = group.base?.settled ?? null
  const follows = hold !== true && state !== 'diverged'
  for (const side of SIDES) {
    const isOver = over.includes(side)
    if (isOver) pending[side] = null
    const row = rows[side]
    if (row !== null && (isOver || (follows && !ops.some((op) => op.side === side))))
      seen[side] = { value: row.value, seenAtMs: nowMs }
    if (row === null && presence[side] === 'absent' && follows && ops.length === 0) seen[side] = null
  }
  for (const { side, op, item, value } of ops) {
    pending[side] = { op, value, atMs: nowMs }
    if (op === 'remove') rows[side] = null
    else if (presence[side] !== 'unknown') rows[side] = rowOf(name, item!)
    if (presence[side] !== 'unknown') presence[side] = op === 'remove' ? 'absent' : 'present'
  }
  return {
    ...group,
    a: rows.a,
    b: rows.b,
    presenceA: presence.a,
    presenceB: presence.b,
    base: {
      a: seen.a,
      b: seen.b,
      pendingA: pending.a,
      pendingB: pending.b,
      settled:
        state === 'diverged'
          ? { a: rows.a?.value ?? null, b: rows.b?.value ?? null, ...(reason === undefined ? {} : { reason }) }
          : follows
            ? null
            : settled,
    },
  }
}

export function nextRun(given: DecideRules): DecideRules {
  return { ...given, firstRun: false, lastRunStartedAtMs: given.nowMs, nowMs: given.nowMs + HOUR }
}

const OTHER = { a: 'b', b: 'a' } as const
export function swapGroup({ base, watchedA, watchedB, ...group }: Group): Group {
  return {
    key: group.key,
    a: group.b,
    b: group.a,
    presenceA: group.presenceB,
    presenceB: group.presenceA,
    ...(watchedB === undefined ? {} : { watchedA: watchedB }),
    ...(watchedA === undefined ? {} : { watchedB: watchedA }),
    base:
      base === null
        ? null
        : {
            a: base.b,
            b: base.a,
            pendingA: base.pendingB,
            pendingB: base.pendingA,
            settled: base.settled === null ? null : { ...base.settled, a: base.settled.b, b: base.settled.a },
          },
  }
}

export function swapRules(given: DecideRules): DecideRules {
  const { mayProveAbsence, support: of, sourceOfTruth } = given
  return {
    ...given,
    sourceOfTruth: OTHER[sourceOfTruth],
    mayProveAbsence: { a: mayProveAbsence.b, b: mayProveAbsence.a },
    support: { a: of.b, b: of.a },
  }
}

/** Comparable after swapping sides: writes and stored state. */
export function outlineOf({ ops, state, hold, over }: Decision, isSwapped = false): unknown {
  const side = (one: Side) => (isSwapped ? OTHER[one] : one)
  return {
    ops: ops.map((op) => ({ side: side(op.side), op: op.op, value: op.value, item: op.item })),
    state,
    hold: hold === true,
    over: (over ?? []).map(side).sort(),
  }
}

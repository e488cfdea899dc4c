// Progress: thresholds of a position, conflicts, clearing, and values that read back equal after a write.
import t from 'tap'
import fc, { runsOf } from '../../fast-check.ts'
import type { DecideRules, FeatureSupport, Group, Seen } from '@playhead/sdk'
import { type Item, progressOf } from '@playhead/sdk/items'
import { createProgress } from '../../../plugins/features/progress/policy.ts'
import { isEqual } from '../../../plugins/features/progress/position.ts'
import { type Case, rulesOf } from '../../sdk/sync/tables.ts'
import { decide, HOUR, NOW, rowOf, SUPPORT } from '../../sdk/sync/worlds.ts'

const progress = createProgress()
const MINUTE = 60_000
const LENGTH = 100 * MINUTE
type Rules = Partial<Case> & { mode: Case['mode'] }
const TWO = { mode: 'two_way' } as const
const ONE = { mode: 'one_way' } as const

/** `30`: minutes of a hundred; `30@-2`: two hours ago; `30@-2!`: with an estimated time; `30%`: only a percentage. */
function placed(text: string): Item {
  const [, minutes, percent, , hour, madeUp] = /^([\d.]+)(%?)(@(-?[\d.]+))?(!?)$/.exec(text)!
  return {
    type: 'movie',
    ids: { tmdb: '949' },
    ...(percent === '%'
      ? { progress_percent: Number(minutes) }
      : { progress_ms: Math.round(Number(minutes) * MINUTE), duration_ms: LENGTH }),
    ...(hour === undefined ? {} : { progress_at: new Date(NOW + Number(hour) * HOUR).toISOString() }),
    ...(madeUp === '!' ? { progress_at_source: 'first_observed' } : {}),
  }
}

function group(base: string, now: string, more: Partial<Group> = {}): Group {
  const [seenA, seenB] = base
    .split(' ')
    .map((text): Seen | null =>
      text === '-' ? null : { value: rowOf('progress', placed(text)).value, seenAtMs: NOW - 5 * HOUR },
    )
  const [a, b] = now.split(' ').map((text) => (text === '-' || text === '?' ? null : rowOf('progress', placed(text))))
  const presence = (index: number) =>
    now.split(' ')[index] === '?' ? 'unknown' : now.split(' ')[index] === '-' ? 'absent' : 'present'
  return {
    key: 'movie:tmdb:949',
    a: a!,
    b: b!,
    presenceA: presence(0),
    presenceB: presence(1),
    ...more,
    base: base === '- -' ? null : { a: seenA!, b: seenB!, pendingA: null, pendingB: null, settled: null },
  }
}

function told(given: Group, rules: Rules): string {
  const { ops, state, hold, reason } = decide('progress', given, rulesOf({ remove: true, ...rules }))
  if (ops.length > 0)
    return ops
      .map(({ side, op, value }) => `${op} ${side} ${value === '' ? '' : Number(value) / MINUTE}`.trim())
      .join(', ')
  return `${hold === true ? 'hold' : state}${reason === undefined ? '' : ` ${reason}`}`
}

const decided = (base: string, now: string, rules: Rules, more?: Partial<Group>) => told(group(base, now, more), rules)
const completes = (percent: number, minDurationSeconds?: number): Rules['support'] => {
  const b: FeatureSupport = {
    ...SUPPORT,
    completion: { percent, ...(minDurationSeconds === undefined ? {} : { minDurationSeconds }) },
  }
  return { a: SUPPORT, b }
}

t.test('a new position is written when it passes the gates', async (t) => {
  t.equal(decided('- -', '30 -', ONE), 'add b 30')
  t.equal(decided('- -', '- 30', TWO), 'add a 30')
  t.equal(decided('- -', '- 30', ONE), 'none only_on_b')
  t.equal(decided('- -', '0.5 -', ONE), 'hold below_minimum')
  t.equal(decided('- -', '0.5 -', { ...ONE, options: { min_seconds: 0 } }), 'add b 0.5', '0 means no minimum')
  t.equal(decided('- -', '95 -', ONE), 'hold near_the_end')
  t.equal(decided('- -', '94 -', { ...ONE, support: completes(90) }), 'hold near_the_end')
  t.equal(
    decided('- -', '94 -', { ...ONE, support: completes(90, 7_200) }),
    'add b 94',
    'the work is too short for the policy of the target',
  )
  t.equal(decided('- -', '30 -', ONE, { watchedB: true }), 'hold already_watched')
  t.equal(decided('- -', '30 -', { ...ONE, options: { replay_enabled: true } }, { watchedB: true }), 'add b 30')
  t.equal(
    decided('- -', '30% -', { ...ONE, support: { a: SUPPORT, b: { ...SUPPORT, needsDuration: true } } }),
    'hold missing_duration',
  )
  t.equal(decided('- -', '0 0', TWO), 'none')
  t.equal(decided('- -', '30 0', ONE), 'update b 30', 'a row that says 0 is there to be changed')
})

t.test('P32 of two positions the later one wins, and one of unknown time never wins over a known one', async (t) => {
  t.equal(decided('- -', '30@-2 50@-3', TWO), 'update b 30')
  t.equal(decided('- -', '30@-3 50@-2', TWO), 'update a 50')
  t.equal(decided('- -', '50@-3 30@-2', ONE), 'diverged older', 'also when the source is ahead')
  t.equal(decided('- -', '30@-2 50@-2', TWO), 'update a 50', 'at the same time the larger one')
  t.equal(decided('- -', '30 50', TWO), 'update a 50')
  t.equal(decided('- -', '30 50', ONE), 'diverged not_ahead')
  t.equal(decided('- -', '90@-1! 30@-8', TWO), 'update a 30')
  t.equal(decided('- -', '90@-1! 30@-8', ONE), 'diverged time_unknown')
  t.equal(decided('30 30', '30 50', TWO), 'update a 50', 'only B moved')
  t.equal(decided('30 50', '20 50', TWO), 'diverged not_ahead', 'A moved back, and nobody knows when')
  t.equal(decided('30 30', '30@-9 50', TWO), 'diverged time_unknown')
  t.equal(decided('30 50', '30 50', TWO), 'none unchanged')
  t.equal(decided('- -', '30 30.4', TWO), 'linked')
  t.equal(decided('- -', '30 30.6', TWO), 'update a 30.6')
})

t.test('a position that disappeared is cleared on the other side with removals on', async (t) => {
  t.equal(decided('30 30', '- 30', TWO), 'remove b')
  t.equal(decided('30 30', '0 30', TWO), 'remove b', 'set to the beginning is the same')
  t.equal(decided('30 30', '30 -', TWO), 'remove a')
  t.equal(decided('30 30', '- 30', ONE), 'remove b')
  t.equal(decided('30 30', '30 -', ONE), 'diverged cleared_on_b')
  t.equal(decided('30 30', '- 30', { ...TWO, mayProveAbsence: { a: false, b: true } }), 'hold absence_not_proven')
  t.equal(decided('30 30', '0 30', { ...TWO, mayProveAbsence: { a: false, b: true } }), 'hold absence_not_proven')
  t.equal(decided('30 30', '? 30', TWO), 'hold presence_unknown')
  t.equal(decided('30 30', '- 40', TWO), 'add a 40', 'it was played on since')
  t.equal(decided('30 30', '- 30@-1', TWO), 'add a 30')
  t.equal(decided('30 30', '- 40', ONE), 'diverged newer_on_b')
  t.equal(decided('0.5 0.5', '- 0.5', TWO), 'hold below_minimum')
  t.equal(decided('0.5 0.5', '- 0.5', { ...TWO, options: { clear_below_min: true } }), 'remove b')
  t.equal(decided('96 96', '- 96', TWO), 'hold near_the_end')
})

t.test('P5 nothing is cleared with removals off', async (t) => {
  for (const now of ['- 30', '30 -', '0 30', '30 0'])
    t.equal(decided('30 30', now, { ...TWO, remove: false }), 'diverged removals_off')
})

t.test('P33 a position that disappeared because the work was finished is not cleared elsewhere', async (t) => {
  t.equal(decided('30 30', '- 30', TWO, { watchedA: true }), 'hold finished_on_a')
  t.equal(decided('30 30', '30 -', TWO, { watchedB: true }), 'hold finished_on_b')
  t.equal(decided('30 30', '- 30', ONE, { watchedA: true }), 'hold finished_on_a')
})

t.test('a position fits the work as the target has it, and contains no unobserved time', async (t) => {
  const target = rowOf('progress', { ...placed('10@-9'), duration_ms: 50 * MINUTE })
  const written = (now: string, changes: Partial<Group> = {}) =>
    decide('progress', group('- -', now, changes), rulesOf({ mode: 'two_way', remove: true })).ops[0]
  t.match(written('45% -')?.item, { progress_percent: 45, progress_ms: undefined, progress_at: undefined })
  t.match(written('40%@-1 -', { b: target, presenceB: 'present' }), {
    side: 'b',
    value: String(20 * MINUTE),
    item: { progress_ms: 20 * MINUTE, duration_ms: 50 * MINUTE, progress_percent: 40 },
  })
  t.equal(written('60@-1 -', { b: target, presenceB: 'present' }), undefined, 'behind the end of the shorter cut')
  t.match(written('30@-1 -')?.item, { progress_at: new Date(NOW - HOUR).toISOString() })
  t.equal(written('30@-1! -')?.item?.progress_at, undefined)
})

t.test('P28 P40 a written position is within the work and equal when it is read again', async () => {
  const side = fc.record({
    minutes: fc.integer({ min: 0, max: 100_000 }).map((n) => n / 1_000),
    isShare: fc.boolean(),
    hour: fc.option(fc.integer({ min: -9, max: -1 }), { nil: undefined }),
    lengthMs: fc.option(fc.integer({ min: MINUTE, max: 4 * LENGTH }), { nil: undefined }),
  })
  const itemOf = ({
    minutes,
    isShare,
    hour,
    lengthMs,
  }: {
    minutes: number
    isShare: boolean
    hour: number | undefined
    lengthMs: number | undefined
  }): Item => {
    const { duration_ms: ignored, ...item } = placed(
      `${minutes.toFixed(3)}${isShare ? '%' : ''}${hour === undefined ? '' : `@${hour}`}`,
    )
    if (lengthMs === undefined) return item
    return {
      ...item,
      duration_ms: lengthMs,
      ...(item.progress_ms === undefined ? {} : { progress_ms: Math.min(item.progress_ms, lengthMs) }),
    }
  }
  let writes = 0
  fc.assert(
    fc.property(
      side,
      fc.option(side),
      fc.constantFrom('one_way', 'two_way'),
      fc.constantFrom(0, 1, 30),
      (a, b, mode, delta) => {
        const rows = { a: rowOf('progress', itemOf(a)), b: b === null ? null : rowOf('progress', itemOf(b)) }
        const rules: DecideRules = rulesOf({
          mode: mode as Case['mode'],
          remove: true,
          options: { min_seconds: 0, delta_seconds: delta },
        })
        const given: Group = {
          key: 'k',
          base: null,
          ...rows,
          presenceA: 'present',
          presenceB: b === null ? 'absent' : 'present',
        }
        const [op] = decide('progress', given, rules).ops
        if (op?.item === undefined) return
        writes++
        const after = progressOf(op.item)
        const source = progressOf((op.side === 'b' ? rows.a : rows.b)!.item)
        if ((after.positionMs ?? 0) > (after.durationMs ?? Infinity)) throw new Error('behind the end')
        if (!isEqual(source, after, 1_000)) throw new Error(`not equal: ${JSON.stringify({ source, after })}`)
        const read = {
          ...given,
          [op.side]: rowOf('progress', op.item),
          presenceA: 'present',
          presenceB: 'present',
        } as Group
        if (decide('progress', read, rules).ops.length > 0) throw new Error('written again')
      },
    ),
    { numRuns: runsOf(5_000) },
  )
  if (writes < 500) throw new Error(`only ${writes} writes were tried`)
})

t.test('an own write that is read back in whole percent is recognised', async (t) => {
  const written = (now: string): Group => {
    const given = group('30 10%', now)
    return {
      ...given,
      base: { ...given.base!, pendingB: { op: 'update', value: String(30.4 * MINUTE), atMs: NOW - HOUR } },
    }
  }
  t.match(decide('progress', written('30 30%'), rulesOf({ mode: 'two_way', remove: true })), { ops: [], over: ['b'] })
  t.match(decide('progress', written('30 10%'), rulesOf({ mode: 'two_way', remove: true })), {
    ops: [],
    hold: true,
    over: undefined,
  })
  t.match(decide('progress', written('30 60%'), rulesOf({ mode: 'two_way', remove: true })), {
    ops: [{ side: 'a' }],
    over: ['b'],
  })
})

t.test('options: numbers are clamped to their ranges, older names are read, and 0 counts', async (t) => {
  t.same(progress.normalize({}), {
    enabled: true,
    add: true,
    remove: false,
    min_seconds: 60,
    delta_seconds: 30,
    max_percent: 95,
    clear_below_min: false,
    replay_enabled: false,
    timestamp_tolerance_seconds: 30,
  })
  const given = progress.normalize({
    minSeconds: '0',
    deltaSeconds: -5,
    maxPercent: 250,
    timestamp_tolerance_seconds: 999,
    propagateTimestampUpdates: true,
  })
  t.match(given, { min_seconds: 0, delta_seconds: 0, max_percent: 100, timestamp_tolerance_seconds: 300 })
  t.notOk('minSeconds' in given || 'propagateTimestampUpdates' in given)
  t.match(progress.normalize({ max_percent: 0 }), { max_percent: 0 })
  t.throws(() => progress.normalize({ min_seconds: 'soon' }), {
    code: 'PLH_INVALID',
    details: { problems: [{ option: 'min_seconds' }] },
  })
})

t.test('a row without a position is skipped, and one at the beginning counts as none', async (t) => {
  const shape = (item: Partial<Item>) =>
    progress.shape([{ type: 'movie', ids: {}, ...item }], {
      options: progress.normalize({}),
      mode: 'two_way',
      support: { a: SUPPORT, b: SUPPORT },
      playsAllowed: true,
      side: 'a',
      nowMs: NOW,
    })[0]
  t.same(shape({}), { skip: 'no_position' })
  t.same(shape({ progress_ms: 0 }), { value: '0' })
  t.same(shape({ progress_percent: 12.5 }), { value: '12.5%' })
  const atMs = Date.UTC(2026, 0, 2, 3)
  t.same(shape({ progress_ms: 5_000, progress_at: '2026-01-02T03:00:00Z' }), {
    value: '5000',
    evidenceMs: atMs,
    rank: atMs,
  })
  t.same(shape({ progress_ms: 5_000, progress_at: '2026-01-02T03:00:00Z', progress_at_source: 'first_observed' }), {
    value: '5000',
  })
})

// Properties of the decisions of every feature, over random groups and rules.
import t from 'tap'
import fc, { runsOf } from '../../fast-check.ts'
import {
  build,
  carryOut,
  decide,
  FEATURES_UNDER_TEST,
  groupSpec,
  HOUR,
  type Name,
  NAMES,
  nextRun,
  NOW,
  outlineOf,
  rules,
  SIDES,
  swapGroup,
  swapRules,
} from '../../sdk/sync/worlds.ts'
import type { Decision, DecideRules, Group, Side } from '@playhead/sdk'

const OTHER = { a: 'b', b: 'a' } as const
const removals = ({ ops }: Decision) => ops.filter(({ op }) => op === 'remove')
const presenceOf = (group: Group, side: Side) => (side === 'a' ? group.presenceA : group.presenceB)
const pendingOf = (group: Group, side: Side) => (side === 'a' ? group.base?.pendingA : group.base?.pendingB) ?? null

function holds(
  promise: string,
  check: (name: Name, group: Group, given: DecideRules, decision: Decision) => void,
  whole = 3_000,
): void {
  for (const name of NAMES) {
    t.test(`${name}: ${promise}`, async () => {
      fc.assert(
        fc.property(groupSpec, rules, (spec, given) => {
          const group = build(name, spec)
          check(name, group, given, decide(name, group, given))
        }),
        { numRuns: runsOf(whole) },
      )
    })
  }
}

function must(condition: boolean, what: string, seen?: unknown): void {
  if (!condition) throw new Error(`${what}: ${JSON.stringify(seen)}`)
}

holds(
  'P1 P6 nothing is removed while the other side is unknown or may not prove absence',
  (_name, group, given, decision) => {
    for (const { side } of removals(decision)) {
      must(presenceOf(group, OTHER[side]) !== 'unknown' && presenceOf(group, side) === 'present', 'presence', decision)
      must(given.mayProveAbsence[OTHER[side]], 'proof', decision)
    }
  },
)

holds(
  'P3 P17 nothing is removed that was not seen on both sides, except in a mirror that was approved',
  (_name, group, given, decision) => {
    for (const { cause } of removals(decision)) {
      if (cause === 'mirror')
        must(given.mirrorApproved && given.removeMode === 'mirror' && given.mode === 'one_way', 'mirror', decision)
      else must(group.base?.a != null && group.base.b != null, 'seen', decision)
    }
  },
)

holds('P4 P5 nothing is removed in a first run or with removals off', (_name, _group, given, decision) => {
  if (given.firstRun || !given.options.remove) must(removals(decision).length === 0, 'removal', decision)
})

holds(
  'P10 P11 an own write that is not visible is neither repeated nor taken for a removal',
  (_name, group, _given, decision) => {
    for (const side of SIDES) {
      const pending = pendingOf(group, side)
      const isInvisible =
        pending !== null && presenceOf(group, side) !== (pending.op === 'remove' ? 'absent' : 'present')
      const isRetaken = pending?.op === 'remove' && (group[side]?.evidenceMs ?? 0) > pending.atMs
      if (isInvisible && !isRetaken)
        must(
          decision.ops.length === 0 && decision.hold === true && !(decision.over ?? []).includes(side),
          'wait',
          decision,
        )
    }
  },
)

holds(
  'P10 a write that was never seen before is not grounds for a removal when it appears',
  (_name, group, _given, decision) => {
    for (const side of SIDES) {
      if (pendingOf(group, side)?.op === 'add' && group.base?.[side] === null)
        must(
          removals(decision).every(({ cause }) => cause === 'mirror'),
          'removal',
          decision,
        )
    }
  },
)

holds('P13 P26 what the person did after the loss is not removed', (_name, group, given, decision) => {
  for (const { side, cause } of removals(decision)) {
    if (cause === 'mirror') continue
    const lostAtMs = group.base?.[OTHER[side]]?.seenAtMs ?? 0
    // A time that the row already had at its last read is no newer action of the person.
    const knownMs = Math.max(lostAtMs, group.base?.[side]?.evidenceMs ?? -Infinity)
    const evidenceMs = group[side]?.evidenceMs ?? 0
    // A time of the lost row is a copy of its date.
    must(evidenceMs <= knownMs || evidenceMs === group.base?.[OTHER[side]]?.evidenceMs, 'evidence', decision)
    must(pendingOf(group, side) !== null || group[side]?.value === group.base?.[side]?.value, 'value', {
      decision,
      given,
    })
  }
})

holds('P35 nothing is added or changed with adding off', (_name, _group, given, decision) => {
  if (!given.options.add) must(removals(decision).length === decision.ops.length, 'write', decision)
})

holds(
  'an operation goes to a side that differs, in one-way pairs to the target, and there is at most one',
  (_name, group, given, decision) => {
    must(decision.ops.length <= 1, 'one', decision)
    for (const { side, op, value, item } of decision.ops) {
      must(given.mode === 'two_way' || side === 'b', 'direction', decision)
      must(op === 'add' ? group[side] === null : group[side] !== null, 'kind of operation', decision)
      must(op === 'remove' || (item !== undefined && (group[side]?.value !== value || value === '')), 'value', decision)
      must(
        item?.native === undefined && item?.library_id === undefined && item?.ids.mediaa === undefined,
        'foreign ids',
        decision,
      )
    }
  },
)

holds('an item that was left as it is stays so until its values change', (name, group, given, decision) => {
  const base = group.base ?? { a: null, b: null }
  const settled = { a: group.a?.value ?? null, b: group.b?.value ?? null }
  const left: Group = { ...group, base: { a: base.a, b: base.b, pendingA: null, pendingB: null, settled } }
  must(decide(name, left, given).ops.length === 0, 'left', { left, decision })
  const row = group.a ?? group.b
  const changed: Group = { ...left, base: { ...left.base!, settled: { a: 'other', b: 'other' } } }
  const known = decide(name, { ...changed, base: { ...changed.base!, settled: null } }, given)
  if (row !== null && SIDES.every((side) => presenceOf(group, side) !== 'unknown'))
    must(JSON.stringify(decide(name, changed, given)) === JSON.stringify(known), 'changed')
})

holds('an unknown side gets nothing but an add that would do no harm', (_name, group, given, decision) => {
  for (const { side, op } of decision.ops) {
    if (presenceOf(group, side) !== 'unknown' && presenceOf(group, OTHER[side]) !== 'unknown') continue
    must(
      op === 'add' && given.mode === 'one_way' && given.support.b.idempotentAdd === true && group.base?.b == null,
      'unknown',
      decision,
    )
  }
})

holds('P40 P43 once its operations are carried out a group needs no more', (name, group, given, first) => {
  // The second run may remove items that the first one must not.
  if (given.firstRun && (group.base !== null || given.removeMode === 'mirror')) return
  let world = carryOut(name, group, first, given)
  let next = nextRun(given)
  // A write that only now became visible is decided later, so one more operation may follow; after that no change remains.
  const settlesLater = SIDES.some((side) => pendingOf(group, side) !== null)
  for (let run = 0; run < 4; run++) {
    const decision = decide(name, world, next)
    if (run >= (settlesLater ? 2 : 0)) must(decision.ops.length === 0, `run ${run + 2}`, { first, decision, world })
    world = carryOut(name, world, decision, next)
    next = nextRun(next)
  }
})

holds('P31 swapping both sides of a two-way pair mirrors what is done', (name, group, given, decision) => {
  if (given.mode !== 'two_way') return
  const swapped = decide(name, swapGroup(group), swapRules(given))
  must(JSON.stringify(outlineOf(swapped, true)) === JSON.stringify(outlineOf(decision)), 'mirrored', {
    decision,
    swapped,
  })
})

for (const name of NAMES) {
  t.test(`${name}: P48 P49 a decision depends only on its group and the rules`, async () => {
    fc.assert(
      fc.property(fc.array(groupSpec, { minLength: 1, maxLength: 8 }), rules, (specs, given) => {
        const groups = specs.map((spec) => build(name, spec))
        const together = FEATURES_UNDER_TEST[name]!.decide(groups, given)
        const backwards = FEATURES_UNDER_TEST[name]!.decide(groups.toReversed(), given).toReversed()
        must(JSON.stringify(together) === JSON.stringify(backwards), 'order')
        must(JSON.stringify(together) === JSON.stringify(groups.map((group) => decide(name, group, given))), 'alone')
      }),
      { numRuns: runsOf(500) },
    )
  })

  t.test(`${name}: moving all times by the same amount changes nothing`, async () => {
    fc.assert(
      fc.property(groupSpec, rules, fc.integer({ min: -1_000, max: 1_000 }), (spec, given, hours) => {
        const offsetMs = hours * HOUR
        const later = {
          ...given,
          nowMs: NOW + offsetMs,
          lastRunStartedAtMs: given.lastRunStartedAtMs === null ? null : given.lastRunStartedAtMs + offsetMs,
        }
        const shape = ({ ops, state, reason, hold, over }: Decision) => ({
          ops: ops.map(({ side, op, cause }) => [side, op, cause]),
          state,
          reason,
          hold,
          over,
        })
        const decided = shape(decide(name, build(name, spec), given))
        must(
          JSON.stringify(shape(decide(name, build(name, spec, offsetMs), later))) === JSON.stringify(decided),
          'moved',
          decided,
        )
      }),
      { numRuns: runsOf(1_000) },
    )
  })
}

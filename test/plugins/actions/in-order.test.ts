// Plans that follow each other at one account: what the one before left decides whether the next is applied.
import t from 'tap'
import {
  type ActionProgress,
  type ActionSequence,
  type ChangeOutcome,
  type PlanTally,
  PlayheadError,
} from '@playhead/sdk'
import { actionsOf } from './service.ts'

type Outcome = ChangeOutcome['outcome']

/** A library whose plans end as given: outcomes, or an error. A plan that was not applied is `deferred`. */
function libraryOf(plans: Readonly<Record<string, readonly Outcome[] | PlayheadError>>, lastsMs = 0) {
  const applied: unknown[][] = []
  return {
    applied,
    async apply(planId: string, options: object) {
      applied.push([planId, options])
      await new Promise((done) => setTimeout(done, lastsMs))
      const end = plans[planId]
      if (end instanceof PlayheadError) throw end
      return []
    },
    async tally(planId: string): Promise<PlanTally> {
      const end = plans[planId]!
      const isApplied = applied.some(([id]) => id === planId) && !(end instanceof PlayheadError)
      const outcomes = isApplied ? end : (['deferred'] as const)
      const open = outcomes.flatMap((outcome, n) =>
        outcome === 'applied' || outcome === 'already' ? [] : [{ key: `${planId}${n}`, op: 'add' as const, outcome }],
      )
      return { isDone: isApplied, counts: outcomes.map((outcome) => ({ op: 'add', outcome, count: 1 })), open }
    },
  }
}

async function sequence(library: object, planIds: readonly string[], options: ActionSequence = { dependent: true }) {
  const parts: ActionProgress[] = []
  for await (const part of actionsOf(library).applyInOrder(planIds, options)) parts.push(part)
  const end = parts.pop()
  if (end?.type !== 'end') throw new Error('it has no end')
  return { parts, tally: end.tally }
}

t.test('a plan follows only what is done or refused, unless plans are independent', async (t) => {
  for (const [outcome, stops] of [
    ['applied', false],
    ['already', false],
    ['not_found', false],
    ['unsupported', false],
    ['rejected', false],
    ['filtered', false],
    ['held', true],
    ['unknown', true],
    ['rate_limited', true],
    ['failed', true],
    ['deferred', true],
  ] as const) {
    for (const dependent of [true, false]) {
      const library = libraryOf({ a: ['applied', outcome], b: ['applied'] })
      const { tally } = await sequence(library, ['a', 'b'], { dependent })
      const isLeft = stops && dependent
      t.equal(library.applied.length, isLeft ? 1 : 2, `${outcome} ${dependent}`)
      const isDone = outcome === 'applied' || outcome === 'already'
      t.equal(tally.done.add, 1 + (isDone ? 1 : 0) + (isLeft ? 0 : 1), `${outcome} ${dependent}`)
      t.equal(tally.unsettled, (stops ? 1 : 0) + (isLeft ? 1 : 0))
      t.equal(tally.refused, isDone || stops ? 0 : 1)
      t.equal(tally.filtered, outcome === 'filtered' ? 1 : 0)
      t.same(tally.errors, [])
    }
  }
})

t.test('a plan that cannot be applied ends the sequence, also of independent plans', async (t) => {
  for (const dependent of [true, false]) {
    const error = new PlayheadError('PLH_CONFLICT', 'Another person.', { wire: 'account_changed' })
    const library = libraryOf({ a: error, b: ['applied'] })
    const { tally } = await sequence(library, ['a', 'b'], { dependent })
    t.same(tally.errors, ['account_changed'])
    t.same([library.applied.length, tally.done.add, tally.unsettled], [1, 0, 2])
  }
})

t.test('what is open has the meaning and the reason of actions', async (t) => {
  const { tally } = await sequence(libraryOf({ a: ['not_found', 'unknown'] }), ['a'])
  t.match(tally.open, [
    { key: 'a0', status: 'unresolved', reason: 'not_found', sent: true },
    { key: 'a1', status: 'unresolved', reason: 'unknown', sent: true },
  ])
})

t.test('plans are applied as for many changes, and with the hold of the caller', async (t) => {
  const library = libraryOf({ a: ['applied'] })
  const { parts } = await sequence(library, ['a'], { dependent: true, approved: true, within: 'hold' })
  t.same(library.applied, [['a', { approved: true, within: 'hold', long: true }]])
  t.same(parts, [{ type: 'progress', index: 0, tried: 0, total: null }])
})

t.test('progress is reported while a plan is applied', async (t) => {
  const { parts } = await sequence(libraryOf({ a: ['applied', 'deferred'] }, 700), ['a'])
  t.same(parts[1], { type: 'progress', index: 0, tried: 1, total: 2 })
})

t.test('an iteration that is left waits for the plan that is being applied', async (t) => {
  const library = libraryOf({ a: ['applied'], b: ['applied'] }, 100)
  const startedAt = performance.now()
  for await (const _ of actionsOf(library).applyInOrder(['a', 'b'], { dependent: true })) break
  t.ok(performance.now() - startedAt > 90)
  t.equal(library.applied.length, 1)
})

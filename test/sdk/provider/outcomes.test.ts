// Each outcome has one meaning, for the engine, for actions, and for everything that counts or shows outcomes.
import t from 'tap'
import { isWriteOutcome, meaningOf, wasNotTried, writeOutcomes } from '@playhead/sdk/provider'

t.test('the meanings of outcomes', async (t) => {
  t.same(writeOutcomes('done'), ['applied', 'already'])
  t.same(writeOutcomes('refused'), ['not_found', 'unsupported', 'rejected'])
  t.same(writeOutcomes('unknown', 'failed'), ['rate_limited', 'failed', 'unknown'])
  t.same(writeOutcomes('held'), [], 'nothing that is sent is held')
  t.same((['filtered', 'held', 'deferred', 'unknown'] as const).map(meaningOf), [
    'refused',
    'held',
    'failed',
    'unknown',
  ])
})

t.test('what was not sent is no outcome of a write, nor is a word that objects inherit', async (t) => {
  for (const outcome of ['held', 'filtered', 'deferred', 'sent', 'toString', '', undefined, null, 1])
    t.notOk(isWriteOutcome(outcome), String(outcome))
  t.ok(isWriteOutcome('unknown'))
})

t.test('a change was not tried if the account stopped responding before it', async (t) => {
  t.ok(wasNotTried({ outcome: 'rate_limited', reason: 'deferred' }))
  t.ok(wasNotTried({ outcome: 'deferred', reason: 'not_attempted' }))
  for (const reason of ['account_changed', 'veto_failed', 'cancelled'])
    t.notOk(wasNotTried({ outcome: 'deferred', reason }))
  t.notOk(wasNotTried({ outcome: 'failed' }))
})

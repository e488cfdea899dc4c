// Checkpoints: encoding, and when they are rejected.
import t from 'tap'
import fc from '../../fast-check.ts'
import { Type } from '@playhead/sdk'
import { createCheckpoints, isFullReadRecent, sameStamps, stampsFor } from '@playhead/sdk/provider'

const HOUR_MS = 3_600_000
const NOW_MS = 1_782_936_900_000
const checkpoints = createCheckpoints(
  Type.Object({
    stamps: Type.Record(Type.String(), Type.String()),
    plays: Type.Optional(Type.Object({ total: Type.Number() })),
  }),
)
const asked = { account: 'ann', nowMs: NOW_MS }
const base = { account: 'ann', fullAtMs: NOW_MS - HOUR_MS, stamps: { watched_at: 't1' } }

t.test('a checkpoint is read back unchanged', (t) => {
  t.strictSame(checkpoints.decode(checkpoints.encode(base), asked), base)
  const more = { ...base, plays: { total: 3 } }
  t.strictSame(checkpoints.decode(checkpoints.encode(more), asked), more)
  t.end()
})

t.test('a text that an earlier version stored is still readable', (t) => {
  const text = `{"v":1,"account":"ann","stamps":{"watched_at":"t1"},"fullAtMs":${NOW_MS - HOUR_MS}}`
  t.strictSame(checkpoints.decode(text, asked), base)
  t.end()
})

t.test('checkpoints of other accounts, old ones and future ones are invalid', (t) => {
  const text = checkpoints.encode(base)
  t.equal(checkpoints.decode(text, { ...asked, account: 'bob' }), undefined)
  t.equal(checkpoints.decode(text, { ...asked, nowMs: base.fullAtMs + 24 * HOUR_MS }), undefined)
  t.strictSame(checkpoints.decode(text, { ...asked, nowMs: base.fullAtMs + 24 * HOUR_MS - 1 }), base)
  t.equal(checkpoints.decode(text, { ...asked, nowMs: base.fullAtMs - 1 }), undefined, 'the clock was set back')
  t.equal(checkpoints.decode(text, { ...asked, trustedMs: HOUR_MS }), undefined)
  t.equal(checkpoints.decode(undefined, asked), undefined)
  t.end()
})

t.test('a text with missing, foreign or versioned content is invalid', (t) => {
  const whole = { v: 1, ...base }
  for (const change of [
    { v: 2 },
    { v: undefined },
    { account: undefined },
    { account: 7 },
    { fullAtMs: null },
    { fullAtMs: 'now' },
    { stamps: undefined },
    { stamps: null },
    { stamps: { watched_at: 1 } },
    { plays: { total: 'three' } },
    { plays: null },
  ])
    t.equal(checkpoints.decode(JSON.stringify({ ...whole, ...change }), asked), undefined, JSON.stringify(change))
  t.end()
})

t.test('any text is a checkpoint of this account or none, and never throws', (t) => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const found = checkpoints.decode(text, asked)
      return found === undefined || found.account === 'ann'
    }),
  )
  t.equal(isFullReadRecent(NOW_MS, NOW_MS), true)
  t.end()
})

t.test('stamps count only if the service returns all of them, and optional ones count where they exist', (t) => {
  const all = { watched_at: 't1', rated_at: 't2', journal_at: 't3' }
  t.strictSame(stampsFor(all, ['watched_at']), { watched_at: 't1' })
  t.strictSame(stampsFor(all, ['watched_at'], ['journal_at', 'paused_at']), { watched_at: 't1', journal_at: 't3' })
  t.equal(stampsFor(all, ['watched_at', 'paused_at']), undefined)
  t.end()
})

t.test('stamps are equal with the same names and times, in any order', (t) => {
  t.equal(sameStamps({ a: '1', b: '2' }, { b: '2', a: '1' }), true)
  t.equal(sameStamps({ a: '1' }, { a: '1', b: '2' }), false)
  t.equal(sameStamps({ a: '1', b: '2' }, { a: '1', c: '2' }), false)
  t.equal(sameStamps({ a: '1' }, { a: '2' }), false)
  t.end()
})

// Shared cached values.
import t from 'tap'
import { createMemo } from '@playhead/sdk/provider'

function world() {
  const state = { loads: 0, nowMs: 0, owner: 'ann', fails: false }
  const memo = createMemo({
    async load() {
      state.loads += 1
      const mine = `${state.owner} ${state.loads}`
      await new Promise(setImmediate)
      if (state.fails) throw new Error('no')
      return mine
    },
    ttlMs: 1_000,
    now: () => state.nowMs,
    owner: async () => state.owner,
  })
  return { memo, state }
}

t.test('concurrent callers share one result, for as long as it is cached', async (t) => {
  const { memo, state } = world()
  t.strictSame(await Promise.all([memo.get(), memo.get(), memo.get()]), ['ann 1', 'ann 1', 'ann 1'])
  state.nowMs = 999
  t.equal(await memo.get(), 'ann 1')
  state.nowMs = 1_000
  t.equal(await memo.get(), 'ann 2')
})

t.test('a result for another account is never returned', async (t) => {
  const { memo, state } = world()
  await memo.get()
  state.owner = 'bob'
  t.equal(await memo.get(), 'bob 2')
})

t.test('a fresh result is loaded again, and replaces the cached one', async (t) => {
  const { memo, state } = world()
  await memo.get()
  t.equal(await memo.fresh(), 'ann 2')
  t.equal(await memo.get(), 'ann 2')
  memo.drop()
  t.equal(await memo.get(), 'ann 3')
  t.equal(state.loads, 3)
})

t.test('a failure is returned to all waiting callers, and the next one loads again', async (t) => {
  const { memo, state } = world()
  state.fails = true
  const ends = await Promise.allSettled([memo.get(), memo.get()])
  t.strictSame(
    ends.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  t.equal(state.loads, 1)
  state.fails = false
  t.equal(await memo.get(), 'ann 2')
})

t.test('without an owner the result is cached for any account', async (t) => {
  let loads = 0
  const memo = createMemo({ load: async () => ++loads, ttlMs: 1_000, now: () => 0 })
  t.strictSame([await memo.get(), await memo.get()], [1, 1])
})

t.test('loading ends when all waiting callers have left, and not before', async (t) => {
  const loads: AbortSignal[] = []
  const memo = createMemo({
    load: (signal) => {
      loads.push(signal)
      return new Promise<string>((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      )
    },
    ttlMs: 1_000,
    now: () => 0,
  })
  const [one, two] = [new AbortController(), new AbortController()]
  const ends = [memo.get(one.signal), memo.get(two.signal)].map((end) =>
    end.then(
      () => 'loaded',
      (error: unknown) => error,
    ),
  )
  await new Promise(setImmediate)
  one.abort('first')
  t.equal(await ends[0], 'first')
  t.equal(loads[0]?.aborted, false)
  two.abort('second')
  t.equal(await ends[1], 'second')
  t.equal(loads[0]?.aborted, true)
  void memo.get()
  const late = new AbortController()
  const end = memo.get(late.signal).catch((error: unknown) => error)
  await new Promise(setImmediate)
  t.equal(loads.length, 2, 'the next one asks again')
  late.abort('third')
  t.equal(await end, 'third')
  t.equal(loads[1]?.aborted, false, 'who gave no signal still waits')
})

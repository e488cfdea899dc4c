// Values that are made once for all callers, and released after their last use.
import t from 'tap'
import { createShared } from '@playhead/sdk'

t.test('a value is made once for each revision, and released when it is unused and no longer cached', async (t) => {
  const made: string[] = []
  const released: string[] = []
  const shared = createShared<string>(1, (value) => void released.push(value))
  const take = (name: string, revision: string) =>
    shared.take(name, revision, async () => {
      made.push(name + revision)
      return name + revision
    })
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  const [first, second] = await Promise.all([take('a', '1'), take('a', '1')])
  t.same([first.value, second.value], ['a1', 'a1'])
  t.same(made, ['a1'])
  first[Symbol.dispose]()
  second[Symbol.dispose]()
  await settled()
  t.same(released, [], 'it stays cached')

  const third = await take('a', '1')
  const newer = await take('a', '2')
  await settled()
  t.same([made, released], [['a1', 'a2'], []], 'it is still in use')
  third[Symbol.dispose]()
  await settled()
  t.same(released, ['a1'])
  newer[Symbol.dispose]()

  const other = await take('b', '1')
  other[Symbol.dispose]()
  await settled()
  t.same(released, ['a1', 'a2'], 'only so many are cached')
})

t.test('a failure reaches all callers and is not cached', async (t) => {
  const shared = createShared<string>(2)
  let calls = 0
  const make = async () => {
    calls += 1
    if (calls === 1) throw new Error('the disk is full')
    return 'made'
  }
  const both = await Promise.allSettled([shared.take('a', '1', make), shared.take('a', '1', make)])
  t.same(
    both.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  using taken = await shared.take('a', '1', make)
  t.equal(taken.value, 'made')
  t.equal(calls, 2)
})

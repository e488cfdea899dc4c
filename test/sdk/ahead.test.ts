// Reading a stream one step ahead.
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { ahead } from '../../sdk/ahead.ts'

t.test('the next value is made while one is used, in order', async (t) => {
  const made: number[] = []
  const used: number[] = []
  async function* numbers() {
    for (let n = 1; n <= 3; n += 1) {
      made.push(n)
      yield n
    }
  }
  for await (const n of ahead(numbers())) {
    await nextTurn()
    t.equal(made.at(-1), Math.min(3, n + 1))
    used.push(n)
  }
  t.same(used, [1, 2, 3])
})

t.test('an error is thrown when it is its turn, however long a value is used', async (t) => {
  async function* failing() {
    yield 1
    throw new Error('the second page')
  }
  const used: number[] = []
  await t.rejects(
    (async () => {
      for await (const n of ahead(failing())) {
        // Node reports an unhandled rejection at the end of a turn.
        await nextTurn()
        await nextTurn()
        used.push(n)
      }
    })(),
    { message: 'the second page' },
  )
  t.same(used, [1])
})

t.test('a stream that is left is closed', async (t) => {
  let isClosed = false
  async function* endless() {
    try {
      for (let n = 1; ; n += 1) yield n
    } finally {
      isClosed = true
    }
  }
  for await (const n of ahead(endless())) if (n === 2) break
  t.ok(isClosed)
})

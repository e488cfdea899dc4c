// Long loops let others run, also when there are several of them.
import t from 'tap'
import { createPace } from '../../sdk/pace.ts'

t.test('loops that rest go on one in each turn of the event loop, in their order', async (t) => {
  const went: string[] = []
  let turn = 0
  let over = false
  const countTurns = () =>
    setImmediate(() => {
      turn += 1
      if (!over) countTurns()
    })
  countTurns()
  await Promise.all(
    ['a', 'b', 'c'].map(async (name) => {
      const pace = createPace()
      for (let step = 0; step < 3; step += 1) {
        await pace.rest()
        went.push(`${turn} ${name}`)
      }
    }),
  )
  over = true
  t.same(
    went.map((each) => each.split(' ')[1]),
    ['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'c'],
  )
  t.equal(new Set(went.map((each) => each.split(' ')[0])).size, 9, 'each in a turn of its own')
})

t.test('a rest is due when loops held the event loop for the time of a slice, whichever of them it was', async (t) => {
  const [one, other] = [createPace(5), createPace(5)]
  await one.rest()
  const until = performance.now() + 5
  while (performance.now() < until) t.ok(true)
  t.ok(one.due())
  t.ok(other.due())
})

t.test('a rest that is not due is none', async (t) => {
  await createPace().rest()
  let others = 0
  setImmediate(() => {
    others += 1
  })
  await createPace(60_000).restIfDue()
  t.equal(others, 0, 'nobody else had a turn')
  await createPace(0).restIfDue()
  t.equal(others, 1)
})

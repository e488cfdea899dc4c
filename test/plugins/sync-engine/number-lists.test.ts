// Lists of numbers, one behind the other.
import fc from 'fast-check'
import t from 'tap'
import { createNumberLists } from '../../../plugins/services/sync/engine/number-lists.ts'

t.test('lists come back as they were put in', async () => fc.assert(fc.property(fc.array(fc.array(fc.nat(2 ** 31 - 1), { maxLength: 700 })), (lists) => {
  const kept = createNumberLists()
  for (const list of lists) kept.add(list)
  return lists.every((list, index) => JSON.stringify([...kept.get(index)]) === JSON.stringify(list))
})))

t.test('more lists than there was room for at first', (t) => {
  const kept = createNumberLists()
  for (let index = 0; index < 5_000; index += 1) kept.add([index, index * 2])
  t.same([...kept.get(0)], [0, 0])
  t.same([...kept.get(4_999)], [4_999, 9_998])
  t.end()
})

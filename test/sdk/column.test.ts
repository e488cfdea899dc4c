// Columns of numbers: what was set comes back, whatever block it lies in, and all else is what they are filled with.
import fc from 'fast-check'
import t from 'tap'
import { createColumn } from '../../sdk/column.ts'

t.test('a column holds what was set last, and what it is filled with elsewhere', async () =>
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(20_000), fc.integer()), { maxLength: 50 }),
      fc.constantFrom(0, Number.NaN),
      (changes, filled) => {
        const column = createColumn(Float64Array, filled)
        const model = new Map<number, number>()
        for (const [index, value] of changes) {
          column.set(index, value)
          model.set(index, value)
        }
        const size = Math.max(0, ...[...model.keys()].map((index) => index + 1))
        return (
          column.size === size &&
          Array.from({ length: size + 2 }, (_, index) => index).every((index) =>
            Object.is(column.at(index), model.get(index) ?? filled),
          )
        )
      },
    ),
  ),
)

t.test('numbers are put one behind the other, and nothing is there after the release', (t) => {
  const column = createColumn(Int32Array)
  for (let index = 0; index < 10_000; index += 1) column.push(index * 3)
  t.equal(column.size, 10_000)
  t.equal(column.at(9_999), 29_997)
  column.release()
  t.equal(column.size, 0)
  t.equal(column.at(5), 0)
  t.end()
})

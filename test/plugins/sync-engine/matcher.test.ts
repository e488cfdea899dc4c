// Matching of many rows by tokens, and contradictions of strong ids.
import { createMatcher, createTextNumbers } from '@playhead/sdk'
import fc from '../../fast-check.ts'
import t from 'tap'
import { addFacts, FACT_PLACES, factsOf } from '../../../sdk/items/facts.ts'
import { fingerprint } from '../../../sdk/items/fingerprint.ts'
import type { Item } from '../../../sdk/items/item.ts'
import { contradicts } from '../../../sdk/items/tokens.ts'
import { fewIds, itemWith } from '../../sdk/items/support.ts'

const rows = fc.array(fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 3 }), { maxLength: 25 })

/** For each row the first one of its group, by brute force. */
function joinedOf(all: readonly (readonly number[])[]): readonly number[] {
  const joined = all.map((_, index) => index)
  for (let round = 0; round < all.length; round += 1) {
    for (const [x, one] of all.entries()) {
      for (const [y, other] of all.entries()) {
        if (one.some((token) => other.includes(token))) joined[x] = joined[y] = Math.min(joined[x]!, joined[y]!)
      }
    }
  }
  return joined
}

t.test('rows are one group when a chain of tokens joins them', async () =>
  fc.assert(
    fc.property(rows, (all) => {
      const matcher = createMatcher()
      for (const row of all) matcher.add(row)
      const joined = joinedOf(all)
      const groups = all.flatMap((_, first) =>
        joined[first] === first ? [all.flatMap((__, row) => (joined[row] === first ? row : []))] : [],
      )
      const { count, start, nodes } = matcher.spans()
      const found = Array.from({ length: count }, (_, group) => [...nodes.subarray(start[group], start[group + 1])])
      return JSON.stringify(found) === JSON.stringify(groups)
    }),
  ),
)

t.test('facts of two items contradict each other where their strong ids do', async () => {
  fc.assert(
    fc.property(itemWith(fewIds), itemWith(fewIds), (a: Item, b: Item) => {
      const facts = factsOf(a)
      return facts.length === FACT_PLACES && addFacts(facts, factsOf(b)) === !contradicts(a, b)
    }),
    { numRuns: 300 },
  )
})

t.test('texts are numbered in the order in which they come, also where fingerprints meet', async () =>
  fc.assert(
    fc.property(
      fc.array(fc.string({ maxLength: 6 }), { maxLength: 200 }),
      fc.constantFrom(
        fingerprint,
        () => 7,
        (text: string) => text.length * 2 ** 48,
      ),
      (texts, printOf) => {
        const numbers = createTextNumbers(printOf)
        const known = new Map<string, number>()
        for (const text of texts) {
          if (!known.has(text)) known.set(text, known.size)
          if (numbers.numberOf(text) !== known.get(text)) return false
        }
        return numbers.count === known.size
      },
    ),
  ),
)

t.test('very many texts have numbers of their own, and none after the release', (t) => {
  const numbers = createTextNumbers()
  let wrong = 0
  for (const round of [0, 1]) {
    for (let number = 0; number < 200_000; number += 1)
      if (numbers.numberOf(`movie:tmdb:${number}`) !== number) wrong += 1
    t.equal(numbers.count, 200_000, `round ${round}`)
  }
  t.equal(wrong, 0)
  numbers.release()
  t.equal(numbers.numberOf('movie:tmdb:1'), 200_000, 'it is new again, and has the number of no other')
  t.end()
})

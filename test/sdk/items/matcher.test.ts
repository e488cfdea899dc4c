// Matching of very many rows: who meets, by texts and by fingerprints, and what items say by their strong ids.
import fc from 'fast-check'
import t from 'tap'
import { addFacts, FACT_PLACES, factsOf } from '../../../sdk/items/facts.ts'
import { createFingerprintTable, fingerprint } from '../../../sdk/items/fingerprint.ts'
import type { Item } from '../../../sdk/items/item.ts'
import { createMatcher } from '../../../sdk/items/matcher.ts'
import { contradicts } from '../../../sdk/items/tokens.ts'
import { fewIds, itemWith } from './support.ts'

const rows = fc.array(fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 3 }), { maxLength: 25 })
const rest = async () => {}

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

t.test('rows are one group when a chain of tokens joins them, by texts as by fingerprints', () => fc.assert(fc.asyncProperty(rows, async (all) => {
  const texts = createMatcher()
  const prints = createMatcher(createFingerprintTable())
  for (const row of all) {
    texts.add(row.map(String))
    prints.add(row.map((token) => fingerprint(String(token))))
  }
  const joined = joinedOf(all)
  const groups = all.flatMap((_, first) => joined[first] === first ? [all.flatMap((__, row) => joined[row] === first ? row : [])] : [])
  for (const { count, start, nodes } of [await texts.spans(rest), await prints.spans(rest)]) {
    const found = Array.from({ length: count }, (_, group) => [...nodes.subarray(start[group], start[group + 1])])
    if (JSON.stringify(found) !== JSON.stringify(groups)) return false
  }
  return true
})))

t.test('after the groups were made nothing can be added', async (t) => {
  const matcher = createMatcher()
  matcher.add(['a'])
  await matcher.spans(rest)
  t.throws(() => matcher.add(['a']), /made already/)
})

t.test('a table of fingerprints gives what was put in for each of very many, and nothing for others', (t) => {
  const table = createFingerprintTable()
  const printOf = (number: number) => fingerprint(`movie:tmdb:${number}`)
  for (let number = 0; number < 200_000; number += 1) {
    if (table.get(printOf(number)) !== undefined) t.fail(`${number} has the fingerprint of another`)
    table.set(printOf(number), number)
  }
  let wrong = 0
  for (let number = 0; number < 200_000; number += 1) if (table.get(printOf(number)) !== number) wrong += 1
  for (let number = 200_000; number < 400_000; number += 1) if (table.get(printOf(number)) !== undefined) wrong += 1
  t.equal(wrong, 0)
  t.end()
})

t.test('any whole number of 53 bits can be a key, also those that fall on one place', async () => {
  fc.assert(fc.property(fc.uniqueArray(fc.oneof(fc.maxSafeNat(), fc.nat({ max: 40 }).map((part) => part * 2 ** 40), fc.nat({ max: 3 }))), (keys) => {
    const table = createFingerprintTable()
    for (const [value, key] of keys.entries()) table.set(key, value)
    return keys.every((key, value) => table.get(key) === value)
  }))
})

t.test('facts of two items contradict each other where their strong ids do', async () => {
  fc.assert(fc.property(itemWith(fewIds), itemWith(fewIds), (a: Item, b: Item) => {
    const facts = factsOf(a)
    return facts.length === FACT_PLACES && addFacts(facts, factsOf(b)) === !contradicts(a, b)
  }), { numRuns: 300 })
})

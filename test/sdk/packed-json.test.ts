// Packed JSON: what was put in comes back to the letter, whatever it is; the pieces tell other lists from one another.
import fc from 'fast-check'
import t from 'tap'
import { createPackedJson } from '../../sdk/packed-json.ts'

const row = fc.record({
  type: fc.constantFrom('movie', 'episode'), title: fc.string({ unit: 'binary' }), year: fc.option(fc.integer()),
  ids: fc.dictionary(fc.string(), fc.string(), { maxKeys: 4 }), rating: fc.double(), tags: fc.array(fc.string(), { maxLength: 3 }),
}, { requiredKeys: ['type'] }).map((value) => JSON.stringify(value))
const texts = fc.array(fc.oneof(row, fc.json(), fc.string({ unit: 'grapheme' }), fc.string({ unit: fc.constantFrom(':', '"', '\\', '0', '-', '\0', 'x') })), { maxLength: 60 })

const pack = (list: readonly string[]) => {
  const packed = createPackedJson()
  for (const text of list) packed.add(text)
  return packed
}
const bytesOf = (list: readonly string[]) => Buffer.concat([...pack(list).pieces()])

t.test('texts come back as they were put in', async () => fc.assert(fc.property(texts, (list) => {
  const packed = pack(list)
  return packed.size === list.length && list.every((text, index) => packed.get(index) === text.toWellFormed())
}), { numRuns: 500 }))

t.test('equal lists have equal pieces, and others have others', async () => fc.assert(fc.property(
  fc.array(row, { maxLength: 5 }), fc.array(row, { maxLength: 5 }),
  (one, other) => bytesOf(one).equals(bytesOf([...one])) && (one.join('\n') === other.join('\n')) === bytesOf(one).equals(bytesOf(other)),
)))

t.test('rows of one form take half of their texts, and forms are bounded', (t) => {
  const rows = Array.from({ length: 1_000 }, (_, index) => JSON.stringify({
    type: 'movie', title: `A film ${index}`, year: 1990, ids: { tmdb: String(index), imdb: `tt${index}` }, watched: true, watched_at: '2020-01-01T00:00:00Z',
  }))
  t.ok(bytesOf(rows).length < rows.join('').length * 0.6, 'they are smaller')
  const others = Array.from({ length: 6_000 }, (_, index) => `{"key${index}":${index}}`)
  const packed = pack(others)
  t.ok(others.every((text, index) => packed.get(index) === text))
  t.end()
})

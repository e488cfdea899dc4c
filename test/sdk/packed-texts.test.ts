// Packed texts: what was put in comes back, and nothing after the release.
import fc from 'fast-check'
import t from 'tap'
import { createPackedTexts } from '../../sdk/packed-texts.ts'

t.test('packed texts come back as they were put in, whatever they hold', async () =>
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 200 }), (texts) => {
      const packed = createPackedTexts()
      for (const text of texts) packed.add(text)
      return packed.size === texts.length && texts.every((text, index) => packed.get(index) === text.toWellFormed())
    }),
  ),
)

t.test('a text larger than a chunk is kept whole, and released texts cannot be read', (t) => {
  const packed = createPackedTexts()
  const large = 'x'.repeat(3_000_000)
  for (const text of ['small', large, 'after']) packed.add(text)
  t.ok(packed.get(1) === large)
  t.equal(packed.get(2), 'after')
  packed.release()
  t.throws(() => packed.get(0), RangeError)
  t.end()
})

t.test('the pieces are the texts, one behind the other', async () =>
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), fc.integer({ min: 1, max: 64 }), (texts, segmentBytes) => {
      const packed = createPackedTexts(segmentBytes)
      for (const text of texts) packed.add(text)
      return Buffer.concat([...packed.pieces()]).equals(Buffer.concat(texts.map((text) => Buffer.from(text))))
    }),
  ),
)

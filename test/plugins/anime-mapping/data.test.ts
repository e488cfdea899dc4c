// The formats of the data sets: ranges, descriptors, the JSON object in chunks, the table.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import { parseDescriptor, keyOf } from '../../../plugins/services/anime-mapping/data/descriptor.ts'
import { readMembers } from '../../../plugins/services/anime-mapping/data/members.ts'
import { parseRange, type Range, translate } from '../../../plugins/services/anime-mapping/data/ranges.ts'
import { readTable } from '../../../plugins/services/anime-mapping/data/table.ts'
import { MAPPINGS } from './sample.ts'
import { buildIndex } from './support.ts'

t.test('translating an episode', async (t) => {
  for (const [source, target, episode, result] of [
    ['1-35', '40-74', 13, 52],
    ['1-12', '1-6,8-13', 7, 8],
    ['1-6,8-13', '1-12', 8, 7],
    ['1-6,8-13', '1-12', 7, 'outside'],
    ['14-', '13-', 20, 19],
    ['1-35', '40-74', 36, 'outside'],
    ['1-12', '1-12|2', 3, 'ratio'],
    ['1-12|2', '1-12', 3, 'ratio'],
    ['7', '1', 7, 1],
    ['1-12', '1-10', 11, 'outside'],
  ] as const) {
    t.equal(translate(parseRange(source) as Range, parseRange(target) as Range, episode), result, `${source} ${target}`)
  }
})

t.test('invalid ranges and descriptors are rejected', async (t) => {
  for (const text of [
    '',
    '0',
    '-1',
    '3-1',
    '1--2',
    'a',
    '1-2-3',
    '1,',
    ',1',
    '1|',
    '1|a',
    '1|2|3',
    '1.5',
    '9999999',
    '1-6,4-9',
    '1-,5-',
    '3,3',
    '١',
  ])
    t.equal(parseRange(text), undefined, text)
  for (const text of [
    '',
    'tvdb_show',
    'tvdb_show:',
    'tvdb_show:1:x',
    'tvdb_show:1:s',
    'tvdb_show:1:s-1',
    'tvdb_show:0',
    'tvdb_show:01',
    'tvdb_show:1:s1:2',
    'kitsu:1',
    'anidb:1:r',
    'anidb:1:s1',
    'anilist:1:s1',
    'mal:1e5',
    'imdb_show:1',
    'imdb_show:tt',
    'tvdb_movie:1:s1',
    '__proto__:1',
    'tmdb_show:9999999999999999999',
  ])
    t.equal(parseDescriptor(text), undefined, text)
  t.equal(keyOf(parseDescriptor('tvdb_show:1:s01')!), 'tvdb_show:1:s1')
  t.match(parseDescriptor('imdb_show:tt0001:s0'), { scheme: 'imdb', kind: 'show', id: 'tt0001', season: 0 })
})

const json = fc.jsonValue({ maxDepth: 2, noUnicodeString: false })

t.test('an object is parsed equally in chunks of any size', async (t) => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: 'grapheme' }), json),
      fc.integer({ min: 1, max: 9 }),
      fc.constantFrom('', ' ', '\n\t', '\uFEFF'),
      fc.boolean(),
      (object, size, before, isIndented) => {
        const bytes = Buffer.from(
          before + JSON.stringify(object, null, isIndented ? 2 : 0) + (before === '\uFEFF' ? '' : before),
        )
        const found: [string, unknown][] = []
        const reader = readMembers((key, value) => found.push([key, value]))
        const scratch = Buffer.alloc(size)
        for (let at = 0; at < bytes.length; at += size) {
          // Simulate a stream that reuses its buffer.
          const length = bytes.copy(scratch, 0, at, at + size)
          reader.push(scratch.subarray(0, length))
        }
        reader.end()
        t.same(found, Object.entries(JSON.parse(JSON.stringify(object)) as object))
      },
    ),
    { numRuns: runsOf(300) },
  )
})

t.test('a truncated or broken object is refused, at any position', async (t) => {
  const text = JSON.stringify(MAPPINGS)
  const read = (given: string | Uint8Array) => {
    const reader = readMembers(() => {})
    reader.push(Buffer.from(given))
    reader.end()
  }
  for (let length = 0; length < text.length; length += 1)
    t.throws(() => read(text.slice(0, length)), { code: 'INVALID_DATA' }, `cut at ${length}`)
  for (const broken of [
    '[]',
    'null',
    '"a"',
    '{} {}',
    '{}x',
    '{"a":1,}',
    '{,}',
    '{"a":1,,"b":2}',
    '{"a"}',
    '{a:1}',
    "{'a':1}",
    '{"a":1]',
    '{"a":01}',
    '<html></html>',
    `{"a":${'['.repeat(50)}${']'.repeat(50)}}`,
  ])
    t.throws(() => read(broken), { code: 'INVALID_DATA' }, broken)
  t.throws(() => read(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])), { code: 'INVALID_DATA' }, 'not UTF-8')
  read('{}')
})

t.test('an endless member does not fill the memory', async (t) => {
  const reader = readMembers(() => {})
  reader.push(Buffer.from('{"a":"'))
  const part = Buffer.alloc(1 << 20, 'x')
  t.throws(
    () => {
      for (let index = 0; index < 64; index += 1) reader.push(part)
    },
    { code: 'INVALID_DATA' },
  )
})

t.test('the table accepts any order of columns, quotes and odd rows', async (t) => {
  const rows: (readonly string[])[] = []
  const read = (text: string, size = 7) => {
    rows.length = 0
    const reader = readTable(['anidb', 'kitsu'], (values) => void rows.push(values))
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size))
    reader.end()
    return rows
  }
  t.same(read('kitsu\ttitle\tanidb\n1\t"a\tb ""c"""\t2\r\n3\t4\n5\tü\t6'), [
    ['2', '1'],
    ['6', '5'],
  ])
  t.same(read('\uFEFFAnidb\tKitsu\n"7"\t""\n'), [['7', '']])
  t.throws(() => read('anidb\ttitle\n1\t2\n'), { code: 'INVALID_DATA' })
  t.throws(() => read(''), { code: 'INVALID_DATA' })
  t.throws(() => read('<!doctype html>\n<html>\n'), { code: 'INVALID_DATA' })
})

t.test('malicious mapping sets build an index or are refused', async (t) => {
  const counts = async (mappings: unknown) => {
    const index = await buildIndex({ mappings: JSON.stringify(mappings) })
    index.close()
    return index.counts
  }
  t.match(await counts({}), { source_count: 0, edge_count: 0 })
  t.match(await counts({ 'new_base:1': { 'anilist:1': {} }, $meta: { version: 3 }, 'mal:1': { 'mal:1': {} } }), {
    source_count: 0,
    edge_count: 0,
    skipped_count: 2,
  })
  t.match(await counts({ 'tvdb_show:1:s1': { 'anilist:1': { '0-1': '1', '1-': 5, '2': 'x', '3-4': '1-2' } } }), {
    edge_count: 2,
    skipped_count: 3,
  })
  t.match(
    await counts({ 'tvdb_show:1:s1': { 'anilist:1': { x: '1' } } }),
    { edge_count: 0 },
    'no identity of unreadable ranges',
  )
  await t.rejects(counts({ 'tvdb_show:1:s1': null }), { code: 'INVALID_DATA' })
  await t.rejects(counts({ 'tvdb_show:1:s1': [] }), { code: 'INVALID_DATA' })
  const twice = await buildIndex({
    mappings: '{"tvdb_show:1:s1":{"mal:1":{"1":"1"}},"tvdb_show:1:s1":{"mal:1":{"1":"1"},"mal:2":{"1":"1"}}}',
  })
  t.match(twice.counts, { edge_count: 4 }, 'repeated keys count together, and equal edges once')
  twice.close()
  const many = Object.fromEntries(Array.from({ length: 5_100 }, (_, at) => [`anilist:${at + 1}`, {}]))
  const index = await buildIndex({ mappings: JSON.stringify({ 'tvdb_show:1:s1': many }) })
  t.equal(index.edges({ scheme: 'tvdb', kind: 'show', id: '1' }).isTooMany, true)
  index.close()
})

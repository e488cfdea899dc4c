import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { createItemReader } from '../../../sdk/upstream/json-items.ts'

const LIMIT = 1_000_000

function read(pieces: readonly string[], path: string): unknown[] {
  const reader = createItemReader(path, LIMIT)
  const items = pieces.flatMap((piece) => reader.write(piece))
  reader.end()
  return items
}

// Cuts a text at any positions, also between the halves of a surrogate pair and inside escapes.
const splits = fc.array(fc.nat(), { maxLength: 30 })
function split(text: string, at: readonly number[]): string[] {
  const places = [...new Set(at.map((place) => place % (text.length + 1)))].sort((a, b) => a - b)
  return [0, ...places].map((from, index) => text.slice(from, places[index] ?? text.length))
}

const document = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, fc.jsonValue({ maxDepth: 2, stringUnit: 'binary' }), tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 6 }),
  object: fc.dictionary(
    fc.oneof(fc.constantFrom('data', 'rows', 'Items', '__proto__', ''), fc.string({ unit: 'binary' })),
    tie('value'),
    { maxKeys: 6 },
  ),
})).value

const paths = fc.constantFrom('', 'data', 'rows', 'data.rows', 'Items')

function listAt(value: unknown, path: string): unknown {
  return path === ''
    ? value
    : path
        .split('.')
        .reduce<unknown>((inner, key) => (isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined), value)
}
function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

t.test('gives the same items as a parser that holds the whole document, however it is cut', async () => {
  fc.assert(
    fc.property(document, paths, splits, fc.constantFrom(undefined, 1, '\t'), (value, path, at, indent) => {
      const text = JSON.stringify(value, null, indent)
      const list = listAt(JSON.parse(text), path)
      if (Array.isArray(list)) assert.deepEqual(read(split(text, at), path), list)
      else assert.throws(() => read(split(text, at), path), { code: 'PLH_UPSTREAM_INVALID' })
    }),
    { numRuns: 2_000 },
  )
})

t.test('accepts exactly what a parser accepts when a document is damaged', async () => {
  const damage = fc.record({
    at: fc.nat(),
    remove: fc.nat({ max: 3 }),
    insert: fc.constantFrom(
      '',
      ',',
      ':',
      '"',
      '\\',
      '[',
      ']',
      '{',
      '}',
      '0',
      '-',
      '.',
      'e',
      'null',
      ' ',
      '\u0001',
      'x',
    ),
  })
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('rows', 'a', 'b'), document, { maxKeys: 3 }),
      damage,
      splits,
      (value, { at, remove, insert }, cuts) => {
        const whole = JSON.stringify({ rows: [1, 'two', { three: [3] }], ...value })
        const place = at % (whole.length + 1)
        const text = whole.slice(0, place) + insert + whole.slice(place + remove)
        let parsed: unknown
        let isJson = true
        try {
          parsed = JSON.parse(text)
        } catch {
          isJson = false
        }
        const list = isJson ? listAt(parsed, 'rows') : undefined
        if (!Array.isArray(list))
          return assert.throws(() => read(split(text, cuts), 'rows'), { code: 'PLH_UPSTREAM_INVALID' })
        // A damaged key can make two of one name, which a parser takes the last of and a reader of streams cannot.
        if ((whole.match(/"rows":/g) ?? []).length !== (text.match(/"rows"\s*:/g) ?? []).length) return
        assert.deepEqual(read(split(text, cuts), 'rows'), list)
      },
    ),
    { numRuns: 3_000 },
  )
})

t.test('every document that breaks off is an error, wherever it does', async (t) => {
  const text = '{"total":2,"data":{"rows":[{"id":1},{"id":2}],"next":null}}'
  for (let length = 0; length < text.length; length += 1) {
    t.throws(
      () => read([text.slice(0, length)], 'data.rows'),
      { code: 'PLH_UPSTREAM_INVALID' },
      `after ${length} characters`,
    )
  }
  t.strictSame(read([text], 'data.rows'), [{ id: 1 }, { id: 2 }])
})

for (const [name, text, path] of [
  ['null instead of the list', '{"rows":null}', 'rows'],
  ['an object instead of the list', '{"rows":{}}', 'rows'],
  ['no such key', '{"other":[]}', 'rows'],
  ['the key only in a deeper object', '{"x":{"rows":[1]}}', 'rows'],
  ['the key only inside a list', '[{"rows":[1]}]', 'rows'],
  ['the list twice', '{"rows":[1],"rows":[2]}', 'rows'],
  ['a second document behind the first', '[1] [2]', ''],
  ['nothing but space', ' \n', ''],
  ['deep nesting beside the list', `{"x":${'['.repeat(600)}${']'.repeat(600)},"rows":[]}`, 'rows'],
] as const) {
  t.test(`${name} is an error, not an empty list`, async (t) => {
    t.throws(() => read([text], path), { code: 'PLH_UPSTREAM_INVALID' })
  })
}

t.test('an item beyond the limit is refused while it arrives', async (t) => {
  const reader = createItemReader('', 100)
  t.strictSame(reader.write('["short", "'), ['short'])
  t.throws(
    () => {
      for (let round = 0; round < 10; round += 1) reader.write('x'.repeat(20))
    },
    { code: 'PLH_UPSTREAM_INVALID' },
  )
})

t.test('an error never quotes the document', async (t) => {
  try {
    read(['{"rows":[{"token":"s3cret-value",}]}'], 'rows')
    t.fail('must throw')
  } catch (error) {
    t.notMatch(String(error), 's3cret')
  }
})

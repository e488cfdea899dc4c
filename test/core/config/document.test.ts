import fc from '../../fast-check.ts'
import t from 'tap'
import {
  addressOf,
  changedPaths,
  copy,
  equal,
  formatPath,
  freeze,
  mapStrings,
  putAt,
  valueAt,
} from '../../../core/config/document/document.ts'

const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown)

t.test('a copy is equal, shares no object, and its objects have no prototype', async () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.string().filter((key) => !['__proto__', 'constructor', 'prototype'].includes(key)),
        json,
      ),
      (document) => {
        if (JSON.stringify(document).match(/"(__proto__|constructor|prototype)":/)) return true
        const made = copy(document)
        return equal(made, document) && made !== document && Object.getPrototypeOf(made) === null
      },
    ),
  )
})

t.test('keys that reach into prototypes are refused at any depth, and no prototype changes', async (t) => {
  for (const key of ['__proto__', 'constructor', 'prototype']) {
    for (const text of [`{"${key}":{"polluted":true}}`, `{"a":[{"b":{"${key}":1}}]}`]) {
      t.throws(() => copy(JSON.parse(text)), { code: 'PLH_INVALID', wire: 'invalid_key', status: 400 }, text)
    }
  }
  t.notOk('polluted' in {})
})

t.test('documents that are too deep, too large or no JSON are refused', async (t) => {
  const deep: Record<string, unknown> = {}
  let at = deep
  for (let level = 0; level < 40; level += 1) at = at['a'] = {}
  const circle: Record<string, unknown> = {}
  circle['self'] = circle

  t.throws(() => copy(deep), { code: 'PLH_INVALID', wire: 'document_too_deep' })
  t.throws(() => copy(circle), { code: 'PLH_INVALID', wire: 'document_too_deep' })
  t.throws(() => copy({ list: Array.from({ length: 20 }, () => 0) }, 20), {
    code: 'PLH_INVALID',
    wire: 'document_too_large',
  })
  for (const value of [() => 0, Symbol('x'), 1n, Number.NaN, new Date(), new Map(), [undefined]])
    t.throws(() => copy({ value }), TypeError)
  t.strictSame(Object.keys(copy({ a: undefined, b: 1 })), ['b'])
})

t.test('changed paths are empty for equal documents and name every difference otherwise', async (t) => {
  fc.assert(
    fc.property(
      json,
      json,
      (a, b) => (changedPaths(a, b).length === 0) === (JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))),
    ),
  )

  t.strictSame(
    changedPaths({ a: 1, b: { c: [1, { d: 2 }] }, e: [1] }, { b: { c: [1, { d: 3 }] }, e: [1, 2], f: null }).map(
      formatPath,
    ),
    ['a', 'b.c[1].d', 'e', 'f'],
  )
})

t.test('values are read and set by path, and inherited keys are not found', async (t) => {
  const document = copy<Record<string, unknown>>({ a: { b: [{ c: 1 }] }, x: 3 })

  putAt(document, ['x', 'y'], 2)

  t.equal(valueAt(document, ['a', 'b', 0, 'c']), 1)
  t.equal(valueAt(document, ['a', 'b', 1, 'c']), undefined)
  t.equal(valueAt({}, ['toString']), undefined)
  t.equal(valueAt(document, ['x', 'y']), 2)
})

t.test('an address names elements by id, so it survives reordering, and never confuses two places', async (t) => {
  const document = { routes: [{ id: 'a', token: '1' }, { token: '2' }], 'x/y': { '*a': '3' } }

  t.equal(addressOf(document, ['routes', 0, 'token']), '/routes/*a/token')
  t.equal(addressOf(document, ['routes', 1, 'token']), '/routes/*/token')
  t.equal(addressOf({ routes: document.routes.toReversed() }, ['routes', 1, 'token']), '/routes/*a/token')
  t.equal(addressOf(document, ['x/y', '*a']), '/x~1y/~2a')
})

t.test('strings are replaced everywhere, and a frozen document cannot change', async (t) => {
  const document = freeze(
    mapStrings(copy({ a: 'x', b: [{ c: 'y', d: 1 }] }), (text, path) => `${text}@${formatPath(path)}`),
  )

  t.match(document, { a: 'x@a', b: [{ c: 'y@b[0].c', d: 1 }] })
  t.throws(() => {
    document.a = 'z'
  }, TypeError)
  t.throws(() => document.b.push({ c: '', d: 0 }), TypeError)
})

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : value
  return {
    of: Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  }
}

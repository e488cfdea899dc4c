import fc from '../../fast-check.ts'
import t from 'tap'
import { changedPaths, copy, equal, isObject, valueAt } from '../../../core/config/document/document.ts'
import { mergeInto, withoutProtected } from '../../../core/config/document/merge.ts'
import type { ConfigDocument } from '../../../core/config/contract.ts'

const key = fc.constantFrom('a', 'b', 'c', 'd')
const documents = fc
  .letrec<{ value: unknown; document: ConfigDocument }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, 1, 'text', true),
      fc.array(fc.integer(), { maxLength: 3 }),
      tie('document'),
    ),
    document: fc.dictionary(key, tie('value'), { maxKeys: 4 }) as fc.Arbitrary<ConfigDocument>,
  }))
  .document.map((document) => copy(document))

function merged(document: ConfigDocument, input: ConfigDocument): ConfigDocument {
  const result = copy(document)
  mergeInto(result, copy(input))
  return result
}

t.test('merging the same input twice changes nothing more', async () => {
  fc.assert(
    fc.property(documents, documents, (document, input) =>
      equal(merged(merged(document, input), input), merged(document, input)),
    ),
  )
})

t.test('merging nothing changes nothing, and neither does merging a document without null into itself', async () => {
  fc.assert(
    fc.property(
      documents,
      (document) =>
        equal(merged(document, copy({})), document) &&
        (hasNull(document) || equal(merged(document, document), document)),
    ),
  )
})

t.test('omitted fields stay unchanged', async () => {
  fc.assert(
    fc.property(documents, documents, (document, input) => {
      const result = merged(document, input)
      return changedPaths(document, result).every((path) => touches(input, path))
    }),
  )
})

t.test('input values are stored as given, and null stores nothing', async () => {
  fc.assert(fc.property(documents, documents, (document, input) => says(merged(document, input), input)))
})

t.test('the input is not changed and is never shared by two documents', async (t) => {
  const input = copy({ a: { b: { c: 1 } } })
  const document = copy<ConfigDocument>({})

  mergeInto(document, copy(input))
  ;(valueAt(document, ['a', 'b']) as ConfigDocument)['c'] = 2

  t.same(input, { a: { b: { c: 1 } } })
})

t.test('the rules by example', async (t) => {
  for (const [what, document, input, expected] of [
    ['objects merge key by key', { a: { x: 1, y: 2 } }, { a: { y: 3 } }, { a: { x: 1, y: 3 } }],
    ['lists replace', { a: [1, 2] }, { a: [3] }, { a: [3] }],
    ['an object replaces a scalar', { a: 1 }, { a: { b: 1 } }, { a: { b: 1 } }],
    ['a scalar replaces an object', { a: { b: 1 } }, { a: 1 }, { a: 1 }],
    ['null takes a setting back', { a: { b: 1, c: 2 } }, { a: { b: null } }, { a: { c: 2 } }],
    ['null in a list is a value', { a: [] }, { a: [{ b: null }] }, { a: [{ b: null }] }],
    ['unknown keys are kept', {}, { whatever: { deep: [1] } }, { whatever: { deep: [1] } }],
  ] as const) {
    t.strictSame(
      JSON.parse(JSON.stringify(merged(copy(document as ConfigDocument), copy(input as ConfigDocument)))),
      expected,
      what,
    )
  }
})

t.test('read-only fields are ignored and named, at any depth', async (t) => {
  const { input, ignored } = withoutProtected(
    copy({
      app_auth: { enabled: false },
      provider_instance_ids: {},
      version: '9',
      security: { webhook_ids: { a: 'b' }, strict_origin: true },
      scrobble: { webhook_ids: { a: 'b' }, enabled: true },
      ui: { _autogen: false, theme: 'original' },
      pairs: [{ id: 'a', _state: 1 }],
      mediaB: { app_auth: 'not the same' },
    }),
  )

  t.strictSame(JSON.parse(JSON.stringify(input)), {
    security: { strict_origin: true },
    scrobble: { enabled: true },
    ui: { theme: 'original' },
    pairs: [{ id: 'a' }],
    mediaB: { app_auth: 'not the same' },
  })
  t.strictSame(ignored, [
    'app_auth',
    'provider_instance_ids',
    'version',
    'security.webhook_ids',
    'scrobble.webhook_ids',
    'ui._autogen',
    'pairs[0]._state',
  ])
})

function hasNull(value: unknown): boolean {
  return value === null || (isObject(value) && Object.values(value).some(hasNull))
}

function touches(input: unknown, path: readonly (string | number)[]): boolean {
  if (path.length === 0 || !isObject(input)) return true
  const [name, ...rest] = path
  return Object.hasOwn(input, name as string) && touches(input[name as string], rest)
}

function says(result: unknown, input: unknown): boolean {
  if (!isObject(input)) return equal(result, input)
  return (
    isObject(result) &&
    Object.entries(input).every(([name, value]) =>
      value === null ? !Object.hasOwn(result, name) : says(result[name], value),
    )
  )
}

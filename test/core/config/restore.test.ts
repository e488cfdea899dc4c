import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import { MASK, maskSecrets } from '@playhead/sdk'
import type { ConfigDocument } from '../../../core/config/contract.ts'
import { copy, equal, isObject, valueAt, type Path } from '../../../core/config/document/document.ts'
import { mergeInto } from '../../../core/config/document/merge.ts'
import { restoreSecrets } from '../../../core/config/secrets/restore.ts'
import { createSecretRule } from '../../../core/config/secrets/secret-rule.ts'
import { ValidationProblem } from '../../../core/http/validation.ts'

const isSecret = createSecretRule([], new Set())
const mask = <T>(document: T): T => maskSecrets(document, isSecret)

function send(stored: unknown, input: unknown): ConfigDocument {
  const document = copy(stored) as ConfigDocument
  mergeInto(
    document,
    restoreSecrets(
      copy(input) as ConfigDocument,
      copy(stored) as ConfigDocument,
      copy(stored) as ConfigDocument,
      isSecret,
    ),
  )
  return document
}

function refusals(stored: unknown, input: unknown): readonly string[] {
  try {
    send(stored, input)
    return []
  } catch (error) {
    if (!(error instanceof ValidationProblem)) throw error
    return error.detail.map(({ loc, type }) => `${loc.join('.')} ${type}`)
  }
}

// Documents with secrets in every kind of place; ids may be missing or repeated.
const leaf = fc.constantFrom('', 'one', 'two', 'http://user:pw@host/x', 'http://user:other@host/x')
const element = fc.record(
  {
    id: fc.constantFrom('a', 'b', 'c', 'd'),
    token: fc.constantFrom('', 's1', 's2', 's3', 's4'),
    label: fc.constantFrom('x', 'y'),
    list: fc.array(leaf, { maxLength: 2 }),
  },
  { requiredKeys: [] },
)
const documents = fc.record({
  server: leaf,
  token: fc.constantFrom('', 'main'),
  nested: fc.record({
    password: fc.constantFrom('', 'p1', 'p2'),
    plain: leaf,
    inner: fc.array(element, { maxLength: 3 }),
  }),
  routes: fc.array(element, { maxLength: 5 }),
  tokens: fc.record({ secret: fc.array(fc.constantFrom('t1', 't2', 't3'), { maxLength: 3 }) }),
}) as fc.Arbitrary<Record<string, unknown>>

t.test('sending back the masked settings changes nothing', async () => {
  fc.assert(
    fc.property(documents, (stored) => equal(send(stored, mask(stored)), stored)),
    { numRuns: runsOf(500) },
  )
})

t.test('reordering and deleting elements never gives an element the secret of another one, or is refused', async () => {
  const ided = fc.uniqueArray(
    fc.record({
      id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      token: fc.string({ minLength: 1 }),
      label: fc.constantFrom('x', 'y'),
    }),
    { selector: ({ id }) => id, maxLength: 5 },
  )
  fc.assert(
    fc.property(ided, fc.array(fc.nat()), (routes, order) => {
      const sent = pick(routes, order)
      return equal(send({ routes }, { routes: mask({ routes: sent }).routes }).routes, sent)
    }),
    { numRuns: runsOf(300) },
  )

  const unnamed = fc.array(
    fc.record({ token: fc.constantFrom('s1', 's2', 's3'), label: fc.constantFrom('x', 'y', 'z') }),
    { maxLength: 5 },
  )
  fc.assert(
    fc.property(unnamed, fc.array(fc.nat()), (hooks, order) => {
      const sent = pick(hooks, order)
      const input = mask({ hooks: sent })
      if (refusals({ hooks }, input).length > 0) return true
      const saved = send({ hooks }, input)['hooks'] as typeof hooks
      // Indistinguishable elements may replace each other only if nothing was moved.
      return equal(saved, sent) || (equal(mask({ hooks }), input) && equal(saved, hooks))
    }),
    { numRuns: runsOf(500) },
  )
})

t.test('a secret in the result was stored at the same place, or was sent', async () => {
  fc.assert(
    fc.property(documents, documents, fc.boolean(), (stored, other, isMasked) => {
      const input = isMasked ? mask(other) : other
      if (refusals(stored, input).length > 0) return true
      const known = secretsOf(stored)
      return [...secretsOf(send(stored, input))].every((one) => known.has(one) || secretsOf(input).has(one))
    }),
    { numRuns: runsOf(500) },
  )
})

t.test('each form of "unchanged" keeps a stored secret, and every other value replaces it', async (t) => {
  for (const unchanged of ['', '   ', null, MASK, '********', '**********', '***', '•••', '*•*•']) {
    t.match(
      send({ a: { token: 'kept', b: 1 } }, { a: { token: unchanged } }),
      { a: { token: 'kept', b: 1 } },
      JSON.stringify(unchanged),
    )
  }
  for (const other of ['new', '**', '••', 'x***', 5])
    t.match(send({ a: { token: 'old' } }, { a: { token: other } }), { a: { token: other } }, JSON.stringify(other))
  t.match(
    send({}, { a: { token: MASK, password: '' } }),
    { a: { token: '', password: '' } },
    'nothing stored becomes empty',
  )
  t.match(send({ plain: 'x' }, { plain: '********' }), { plain: '********' }, 'only secrets have masks')
})

t.test('an element is found by its id at any position, and keeps its transient state', async (t) => {
  const stored = {
    routes: [
      { id: 'a', token: 'sa', n: 1, _state: 1 },
      { id: 'b', token: 'sb', n: 2 },
    ],
  }

  t.same(
    send(stored, {
      routes: [
        { id: 'b', token: MASK, n: 3 },
        { id: 'a', token: MASK, n: 1 },
      ],
    }),
    {
      routes: [
        { id: 'b', token: 'sb', n: 3 },
        { id: 'a', token: 'sa', n: 1, _state: 1 },
      ],
    },
  )
})

t.test('a mask that could stand for several secrets, or none, is refused with its place', async (t) => {
  const alike = {
    hooks: [
      { url: 'u', token: '1' },
      { url: 'u', token: '2' },
    ],
  }

  t.same(
    refusals(
      { routes: [{ id: 'a', token: 's' }] },
      {
        routes: [
          { id: 'a', token: MASK },
          { id: 'new', token: MASK },
        ],
      },
    ),
    ['body.routes.1.token masked_secret'],
  )
  t.same(
    refusals(
      { routes: [{ id: 'a', token: 's' }] },
      {
        routes: [
          { id: 'a', token: MASK },
          { id: 'a', token: MASK },
        ],
      },
    ),
    ['body.routes.0.token masked_secret', 'body.routes.1.token masked_secret'],
  )
  t.same(refusals(alike, { hooks: [{ url: 'u', token: MASK }] }), ['body.hooks.0.token masked_secret'])
  t.same(
    refusals(alike, {
      hooks: [
        { url: 'u', token: MASK },
        { url: 'v', token: 'x' },
        { url: 'u', token: MASK },
      ],
    }).length,
    2,
  )
  t.same(refusals({ a: { secret: ['1', '2'] } }, { a: { secret: [MASK] } }), ['body.a.secret.0 masked_secret'])
  t.same(refusals({ a: { secret: ['1', '1'] } }, { a: { secret: [MASK] } }), [], 'all candidates are the same secret')
  t.same(
    refusals({ hooks: [] }, { hooks: [{ token: '' }, { token: null }, { token: 'x' }] }),
    [],
    'blank and new secrets need no counterpart',
  )
})

t.test('the password in an address is restored only for the same address', async (t) => {
  const stored = { url: 'http://user:pw@host/x', list: ['http://u:1@a', 'http://u:2@b'] }
  const masked = `http://user:${MASK}@host/x`

  t.equal(send(stored, { url: masked })['url'], stored.url)
  t.same(refusals(stored, { url: `http://user:${MASK}@elsewhere/x` }), ['body.url masked_secret'])
  t.same(refusals({}, { url: masked }), ['body.url masked_secret'])
  t.same(send(stored, { list: [`http://u:${MASK}@b`] })['list'], ['http://u:2@b'])
  t.equal(send(stored, { url: 'http://user:new@elsewhere' })['url'], 'http://user:new@elsewhere')
})

t.test('an object with secrets cannot be replaced by another value, and null resets only its settings', async (t) => {
  const stored = {
    mediaB: { server: 'http://x', token: 's', deep: { password: 'p', n: 1 }, list: [1] },
    plain: { a: 1 },
  }

  t.same(refusals(stored, { mediaB: 5 }), ['body.mediaB dict_type'])
  t.same(refusals(stored, { mediaB: [] }), ['body.mediaB dict_type'])
  t.strictSame(JSON.parse(JSON.stringify(send(stored, { mediaB: null, plain: null }))), {
    mediaB: { token: 's', deep: { password: 'p' } },
  })
})

function pick<Item>(items: readonly Item[], order: readonly number[]): Item[] {
  return [...new Set(order.map((one) => one % Math.max(items.length, 1)))]
    .filter((index) => index < items.length)
    .map((index) => items[index] as Item)
}

/** Every secret with its place: elements by id, those without id by their visible fields. */
function secretsOf(document: unknown): Set<string> {
  const found = new Set<string>()
  walk(document, [], '')
  return found

  function walk(value: unknown, path: Path, place: string): void {
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries())
        walk(item, [...path, index], `${place}/${String(valueAt(item, ['id']) ?? JSON.stringify(mask(item)))}`)
    } else if (isObject(value)) {
      for (const [name, item] of Object.entries(value)) walk(item, [...path, name], `${place}/${name}`)
    } else if (typeof value === 'string' && value !== '' && value !== MASK && isSecret(path)) {
      found.add(`${place} ${value}`)
    }
  }
}

// Events that cross to the archive's thread are complete and contain no secret.
import { deepStrictEqual } from 'node:assert/strict'
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import { createRedactor } from '../../../core/events/redaction.ts'
import { encodeBatch, type RecordedFact, decodeBatch } from '../../../plugins/services/events/store/event-batch.ts'

const SECRETS = ['hunter2-is-no-key', 'with "quotes" and \\', 'line\nbreak-secret', '271828182', 'geheim-schlüssel-ß']
const { redact } = createRedactor({ secretValues: () => new Set(SECRETS) })

const fragment = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom(...SECRETS),
  fc.constantFrom('Heat', '"', '\\', '\n', ' ', ':', '=', ',', '[', '{', '@', 'é', '🎬', '\ud800', '\u0000'),
  fc.constantFrom(
    'token=abcdef',
    'password: ',
    'password:\n',
    'Bearer abcdefgh',
    'Authorization: Basic YWRhOmxvdmVsYWNl',
    'https://ada:lovelace@host/',
    '?code=abc',
    'api_key',
    '"api_key":"x1y2z3"',
    '%26token%3Dabc',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx.abc',
  ),
)
const text = fc.array(fragment, { maxLength: 4 }).map((fragments) => fragments.join(''))
const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const record = fc.record({
  type: fc.constantFrom('write_succeeded', 'write_failed'),
  atMs: some(fc.nat()),
  run_id: some(text),
  reason_code: some(text),
  match_basis: some(text),
  source: some(fc.record({ provider: text, instance: text })),
  item: some(fc.record({ key: text, title: some(text), year: some(fc.nat(3_000)) }, { requiredKeys: ['key'] })),
  change: some(fc.record({ old: some(text), new: some(text), kind: fc.constant('rating') })),
  detail: some(
    fc.dictionary(
      fc.constantFrom('count', 'message', 'token', 'url', 'api_key', 'api key', '2fa_token'),
      fc.oneof(text, fc.nat(), fc.array(text, { maxLength: 2 })),
      { minKeys: 1 },
    ),
  ),
})
const facts = fc.array(
  fc.record({ record, imported: some(fc.record({ dedupe: fc.constant('00ff'), source_file: some(text) })) }),
  { minLength: 1, maxLength: 6 },
) as fc.Arbitrary<readonly RecordedFact[]>

/** Converts to JSON, which drops absent fields. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, below]) => below != null)
      .map(([name, below]) => [name, plain(below)]),
  )
}

function clean(value: unknown, name = ''): unknown {
  if (name === 'dedupe') return value
  if (typeof value === 'string') return redact(value)
  if (name === 'detail') return JSON.parse(redact(JSON.stringify(value)))
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([below, each]) => [below, clean(each, below)]))
    : value
}

t.test('an encoded batch is decoded unchanged', async (t) => {
  fc.assert(
    fc.property(facts, (given) => {
      deepStrictEqual(
        [...decodeBatch({ text: encodeBatch(given, (text) => text), count: given.length })],
        given.map(plain),
      )
    }),
    { numRuns: runsOf(300) },
  )
  t.pass()
})

t.test('an encoded batch contains no secret that scanning each value finds', async (t) => {
  fc.assert(
    fc.property(facts, (given) => {
      const text = encodeBatch(given, redact)
      deepStrictEqual(
        [...decodeBatch({ text, count: given.length })],
        given.map((fact) => plain(clean(plain(fact)))),
      )
    }),
    { numRuns: runsOf(1_000) },
  )
  t.pass()
})

t.test('a secret is removed by the name of its field, also by one that text patterns do not recognise', async (t) => {
  for (const name of ['api key', '2fa_token', 'é_token', `${'x'.repeat(70)}_token`]) {
    const given = [{ record: { type: 'write_failed', detail: { [name]: 'hunter-three' } } }] as const
    t.notMatch(encodeBatch(given, redact), /hunter-three/, name)
  }
})

import { Type, type TSchema } from '@sinclair/typebox'
import { buildView } from '../../../core/config/view.ts'
import { createAdditions } from '../../../core/config/additions.ts'
import type { ConfigContribution } from '../../../core/config/contract.ts'
import t from 'tap'
import { formatPath } from '../../../core/config/document/document.ts'
import { createSectionChecks } from '../../../core/config/document/resolve-section.ts'
import { CORE_CONTRIBUTION } from '../../../core/config/sections.ts'
import { PROVIDER } from './support.ts'

const checks = createSectionChecks()

function resolve(schema: TSchema, stored: unknown) {
  const { value, problems, unknown, valid } = checks.resolve(schema as never, stored)
  return {
    value: JSON.parse(JSON.stringify(value)) as unknown,
    problems: problems.map(({ path, type }) => `${formatPath(path)} ${type}`),
    unknown: unknown.map(formatPath),
    valid,
  }
}

const Section = Type.Object({
  name: Type.String({ default: 'none' }),
  size: Type.Integer({ default: 10, minimum: 1, maximum: 99 }),
  mode: Type.Optional(Type.String()),
  at: Type.Union([Type.String(), Type.Null()], { default: null }),
  deep: Type.Object({ flag: Type.Boolean({ default: true }), more: Type.Object({ n: Type.Number({ default: 1.5 }) }) }),
  ids: Type.Array(Type.String(), { default: [] }),
  jobs: Type.Array(Type.Object({ id: Type.String(), every: Type.Integer({ default: 5 }) }), { default: [] }),
  profiles: Type.Record(Type.String(), Type.Object({ on: Type.Boolean({ default: false }) }), { default: {} }),
})

const DEFAULTS = {
  name: 'none',
  size: 10,
  at: null,
  deep: { flag: true, more: { n: 1.5 } },
  ids: [],
  jobs: [],
  profiles: {},
}

t.test('an empty document gives the defaults, also of nested objects', async (t) => {
  t.strictSame(resolve(Section, undefined), { value: DEFAULTS, problems: [], unknown: [], valid: true })
})

t.test('stored values win, and elements of lists and maps get their defaults', async (t) => {
  const { value, problems } = resolve(Section, {
    size: 20,
    jobs: [{ id: 'a' }, { id: 'b', every: 9 }],
    profiles: { one: {}, two: { on: true } },
    deep: { flag: false },
  })

  t.match(value, {
    size: 20,
    jobs: [
      { id: 'a', every: 5 },
      { id: 'b', every: 9 },
    ],
    profiles: { one: { on: false }, two: { on: true } },
    deep: { flag: false, more: { n: 1.5 } },
  })
  t.same(problems, [])
})

t.test('a wrong value is replaced by the default of its field and reported; valid values stay', async (t) => {
  for (const [stored, expected, problem] of [
    [{ size: '20', name: 'x' }, { size: 10, name: 'x' }, 'size int_parsing'],
    [{ size: 100 }, { size: 10 }, 'size less_than_equal'],
    [{ size: null }, { size: 10 }, 'size int_parsing'],
    [{ deep: { flag: 'yes', more: { n: 2 } } }, { deep: { flag: true, more: { n: 2 } } }, 'deep.flag bool_parsing'],
    [{ deep: 'no object' }, { deep: { flag: true, more: { n: 1.5 } } }, 'deep dict_type'],
    [{ ids: ['a', 1] }, { ids: [] }, 'ids[1] string_type'],
    [{ jobs: 'none' }, { jobs: [] }, 'jobs list_type'],
    [
      { profiles: { one: { on: 1 }, two: { on: true } } },
      { profiles: { one: { on: false }, two: { on: true } } },
      'profiles.one.on bool_parsing',
    ],
  ] as const) {
    const { value, problems, valid } = resolve(Section, stored)
    t.match(value, expected, problem)
    t.same(problems, [problem])
    t.ok(valid)
  }
  t.notOk('mode' in (resolve(Section, { mode: 5 }).value as object), 'an optional field without a default is left out')
  t.match(resolve(Section, 'no object'), { value: DEFAULTS, problems: [' dict_type'], valid: true })
})

t.test('only the invalid record is dropped', async (t) => {
  const { value, problems, valid } = resolve(Section, {
    jobs: [{ id: 'a' }, { every: 1 }, 'text', { id: 'b', every: 'often' }],
  })

  t.match(value, {
    jobs: [
      { id: 'a', every: 5 },
      { id: 'b', every: 5 },
    ],
  })
  t.same(problems.toSorted(), ['jobs[1].id missing', 'jobs[2] dict_type', 'jobs[3].every int_parsing'])
  t.ok(valid)
})

t.test('a missing or wrong field without a default makes the section invalid and spares the rest', async (t) => {
  const schema = Type.Object({ server: Type.String({ minLength: 1 }), every: Type.Integer({ default: 5 }) })

  t.strictSame(resolve(schema, { every: 7 }), {
    value: { every: 7 },
    problems: ['server missing'],
    unknown: [],
    valid: false,
  })
  t.strictSame(resolve(schema, { server: '', every: 'x' }), {
    value: { server: '', every: 5 },
    problems: ['server string_too_short', 'every int_parsing'],
    unknown: [],
    valid: false,
  })
  t.match(resolve(schema, { server: 'x' }), { value: { server: 'x', every: 5 }, valid: true })
})

t.test('unknown keys are kept and named, except in maps; a closed schema does not see them', async (t) => {
  const { value, unknown } = resolve(Section, {
    extra: 1,
    deep: { other: {} },
    jobs: [{ id: 'a', odd: 1 }],
    profiles: { any: { odd: 2 } },
    _flow: 1,
  })

  t.match(value, { extra: 1, deep: { other: {} }, jobs: [{ odd: 1 }] })
  t.same(unknown.toSorted(), ['deep.other', 'extra', 'jobs[0].odd', 'profiles.any.odd'])
  t.strictSame(
    resolve(Type.Object({ a: Type.Integer({ default: 1 }) }, { additionalProperties: false }), { a: 2, b: 3 }),
    { value: { a: 2 }, problems: [], unknown: ['b'], valid: true },
  )
})

t.test('keys that look like indexes are keys', async (t) => {
  const schema = Type.Object({ map: Type.Record(Type.String(), Type.Integer({ default: 1 })) })

  t.match(resolve(schema, { map: { 7: 'x', 8: 2 } }), {
    value: { map: { 7: 1, 8: 2 } },
    problems: ['map.7 int_parsing'],
  })
})

t.test('problems are found without repairs and without unknown keys', async (t) => {
  const schema = PROVIDER.sections[0]?.schema as never

  t.same(
    checks
      .problems(schema, { server: 'http://x', extra: 1, instances: { P: { page_size: 0 } } })
      .map(({ path }) => formatPath(path)),
    ['instances.P.page_size'],
  )
})

t.test('the stored value is never changed', async (t) => {
  const stored = Object.freeze({ size: 'x', deep: Object.freeze({}), jobs: Object.freeze([Object.freeze({})]) })

  t.doesNotThrow(() => resolve(Section, stored))
})

t.test('the defaults of the core are valid, so that a start need not check them', (t) => {
  for (const { path, schema, hasCheckedDefaults } of CORE_CONTRIBUTION.sections) {
    t.equal(hasCheckedDefaults, true, path)
    t.match(resolve(schema, undefined), { problems: [], unknown: [], valid: true }, path)
  }
  t.end()
})

t.test('a section with nothing but temporary state has its defaults, and its schema is not compiled', (t) => {
  const checked: string[] = []
  const checks = createSectionChecks()
  const spy: typeof checks = {
    ...checks,
    resolve(schema, stored) {
      checked.push(Object.keys(schema.properties)[0] as string)
      return checks.resolve(schema, stored)
    },
  }
  const card = { path: 'ui', schema: Type.Object({ card: Type.Boolean({ default: true }) }), hasCheckedDefaults: true }
  const plugin = { owner: 'card', sections: [], additions: [card] }
  const view = (ui: object, from: readonly ConfigContribution[]) =>
    buildView({ ui }, new Set(), createAdditions()(from), spy).effective['ui']

  t.match(view({ _autogen: true }, [CORE_CONTRIBUTION, plugin]), { _autogen: true, theme: 'flat-dark', card: true })
  t.same(checked, [])
  t.match(view({ theme: 'none' }, [CORE_CONTRIBUTION, plugin]), { theme: 'flat-dark', card: true })
  t.same(checked, ['theme'], 'what is stored is checked')
  const unknown = { ...plugin, additions: [{ path: card.path, schema: card.schema }] }
  t.match(view({}, [CORE_CONTRIBUTION, unknown]), { card: true })
  t.same(checked, ['theme', 'theme'], 'as are defaults of a plugin that were not')
  t.end()
})

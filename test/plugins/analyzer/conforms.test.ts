// The shipped rules satisfy the rule contract, and rules that do not are detected.
import { join } from 'node:path'
import t from 'tap'
import { PlayheadError } from '@playhead/sdk'
import { type DefinedAnalyzer, defineAnalyzer } from '@playhead/sdk/analyzer'
import { checkAnalyzer } from '@playhead/sdk/testing'
import { manifests } from './world.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..', 'plugins/analyzers')
const failed = (rule: Parameters<typeof defineAnalyzer>[0]) =>
  checkAnalyzer(defineAnalyzer(rule))
    .filter(({ ok }) => !ok)
    .map(({ id }) => id)

t.test('every shipped rule passes all checks, and no two report one type', async (t) => {
  const types = new Map<string, string>()
  for (const { folder, provides, id } of manifests()) {
    const { default: plugin } = (await import(join(ROOT, folder, 'index.ts'))) as { default: DefinedAnalyzer }
    t.same(
      checkAnalyzer(plugin).filter(({ ok }) => !ok),
      [],
      folder,
    )
    t.same([provides, id], [[`analyzer:${folder}`], `analyzer-${folder}`])
    for (const { type } of plugin.rule.problems) {
      t.notOk(types.has(type), `${type} of ${folder}`)
      types.set(type, folder)
    }
  }
  t.equal(manifests().length, 18)
})

t.test('a rule that breaks a promise gets the name of that promise', async (t) => {
  const problems = [{ type: 'odd', severity: 'warn', category: 'ids', meaning: 'Odd.' }] as const
  const base = { label: 'Odd', problems, needs: { features: ['watchlist'] } } as const
  let calls = 0
  const cases: readonly (readonly [string, Parameters<typeof defineAnalyzer>[0]])[] = [
    ['analyzer.describes', { ...base, problems: [] }],
    ['analyzer.describes', { ...base, problems: [{ ...problems[0], type: 'Odd One' }], inspect: () => [] }],
    ['analyzer.describes', { ...base, problems: [{ ...problems[0], fix: 'It is fixed.' }], inspect: () => [] }],
    ['analyzer.findings', { ...base, inspect: ({ rows }) => rows.map(({ key }) => ({ type: 'other', key })) }],
    ['analyzer.findings', { ...base, inspect: () => [{ type: 'odd', key: 'nowhere' }] }],
    [
      'analyzer.findings',
      { ...base, inspect: ({ rows }) => [{ type: 'odd', key: rows[0]?.key ?? '', fields: { at: () => 1 } }] },
    ],
    [
      'analyzer.passes',
      { ...base, inspect: ({ rows }) => (rows.length > 0 && (calls += 1) % 2 === 0 ? [{ type: 'odd' }] : []) },
    ],
    [
      'analyzer.rows',
      {
        ...base,
        inspect: ({ rows }) => rows.flatMap(({ item }) => ((item as { title: string }).title = 'mine') && []),
      },
    ],
    ['analyzer.empty', { ...base, inspect: ({ rows }) => [{ type: 'odd', key: rows[0]!.key }] }],
    [
      'analyzer.fixes',
      {
        ...base,
        problems: [{ ...problems[0], fix: 'It is fixed.' }],
        inspect: () => [],
        fix: () => {
          throw new Error('no')
        },
      },
    ],
  ]
  for (const [id, rule] of cases) t.ok(failed(rule).includes(id), `${id}: ${failed(rule).join()}`)
  t.same(
    failed({
      ...base,
      problems: [{ ...problems[0], fix: 'It is fixed.' }],
      inspect: () => [],
      fix: () => {
        throw new PlayheadError('PLH_INVALID', 'There is nothing to do.')
      },
    }),
    [],
  )
})

// slow: the whole service, or very many cases
// Rules that throw, hang, or return invalid or too many results: they end, and nothing else does.
import { join } from 'node:path'
import t from 'tap'
import { runRules } from '../../../plugins/services/analyzer/pass/rules.ts'
import { NONSENSE, nonsense } from './bad/nonsense.ts'
import { film, openWorld, pair } from './world.ts'

const bad = (name: string) => ({ [name]: join(import.meta.dirname, 'bad', `${name}.ts`) })
const rows = { 'A@default watchlist': [film(1), film(2)], 'B@default watchlist': [film(1)] }
const pairs = [pair('A', 'B', { features: ['watchlist'] })]

t.test('a rule that throws is left out with all its findings, and the others continue', async (t) => {
  await using world = await openWorld({ rows, pairs, rules: ['missing-peer'], more: bad('throws') })
  const { status, body } = await world.get('/api/analyzer/problems')
  t.equal(status, 200)
  t.match(body.failed_rules, [{ rule: 'throws', reason: 'threw', message: 'no such thing' }])
  t.same(
    body.problems.map(({ type }: any) => type),
    ['missing_peer'],
  )
  t.same(body.summary.by_type, { missing_peer: 1 }, 'what it found before is not counted')
  t.ok(world.host.logs.some(({ text }) => /a rule failed/.test(text)))
})

t.test('a rule that does not return is ended with its thread, once, and a slow one is stopped', async (t) => {
  await using world = await openWorld({
    rows,
    pairs,
    rules: ['missing-peer'],
    more: { ...bad('endless'), ...bad('slow') },
    config: { rule_seconds: 1 },
  })
  const { body } = await world.get('/api/analyzer/problems')
  t.same(
    body.problems.map(({ type }: any) => type),
    ['missing_peer'],
  )
  t.match(
    body.failed_rules.toSorted((a: any, b: any) => (a.rule < b.rule ? -1 : 1)),
    [
      { rule: 'endless', reason: 'too_slow' },
      { rule: 'slow', reason: 'too_slow' },
    ],
  )
  const startedMs = Date.now()
  t.equal((await world.get('/api/analyzer/problems')).body.timings_ms.cache_hit, true)
  t.ok(Date.now() - startedMs < 1_000, 'it is not tried again')
})

t.test('a rule with a million findings is counted, and listed up to a limit', async (t) => {
  await using world = await openWorld({ rows, pairs, rules: [], more: bad('many') })
  const { body } = await world.get('/api/analyzer/problems?limit=1')
  t.equal(body.summary.total, 2_000_000)
  t.equal(body.total, 100_000)
  t.same(body.failed_rules, [])
})

t.test('an invalid finding ends the rule', async (t) => {
  for (const name of NONSENSE) {
    const rule = nonsense(name).rule
    const running = runRules(
      [
        {
          ref: { name, plugin: name, module: { plugin: name, file: '' } },
          rule,
          needs: rule.needs ?? {},
          kinds: new Map(rule.problems.map((kind) => [kind.type, { ...kind, rule: name, hasFix: false }])),
        },
      ],
      {} as never,
      { beacon: { enter() {}, leave() {} }, ruleMs: 60_000 },
    )
    running.page(
      running.rules[0]!,
      { account: {} as never, feature: 'watchlist', rows: [] },
      { account: null, feature: null, rowOf: () => -1 },
    )
    t.match(running.failures, [{ reason: 'invalid_findings' }], name)
    t.same(running.findings.all, [], name)
  }
})

t.test('of two rules with one type of problem the second is left out', async (t) => {
  await using world = await openWorld({
    rows,
    pairs,
    rules: ['missing-peer'],
    more: { zzz: join(import.meta.dirname, '../../../plugins/analyzers/missing-peer/index.ts') },
  })
  t.match((await world.get('/api/analyzer/problems')).body.failed_rules, [{ rule: 'zzz', reason: 'type_taken' }])
})

t.test('a module that is no rule, or does not load, is reported', async (t) => {
  const none = join(import.meta.dirname, 'world.ts')
  await using world = await openWorld({
    rows,
    pairs,
    rules: ['missing-peer'],
    capabilities: {
      'analyzer:none': {
        describe: () => ({ label: '', problems: [], needs: {}, fixes: [] }),
        module: async () => ({ plugin: 'none', file: none }),
      },
      'analyzer:gone': {
        describe: () => ({ label: '', problems: [], needs: {}, fixes: [] }),
        module: async () => ({ plugin: 'gone', file: '/nowhere.ts' }),
      },
      'analyzer:dumb': {
        describe: () => {
          throw new Error('no')
        },
        module: async () => ({ plugin: 'dumb', file: none }),
      },
    },
  })
  const { body } = await world.get('/api/analyzer/problems')
  t.same(body.failed_rules.map(({ rule, reason }: any) => `${rule} ${reason}`).toSorted(), [
    'gone threw',
    'none not_a_rule',
  ])
  t.equal(body.summary.total, 1)
})

// Routes that list problems of items and of the service.
import { defined, oneOf, type PluginApp, skipSerializer, Type } from '@playhead/sdk'
import { type Parts, readPairs } from '../parts.ts'
import { isOfName, type Summary } from '../pass/findings.ts'
import { ProblemsAnswer, RulesAnswer, SystemAnswer } from './answers.ts'

export const Pairs = Type.Optional(
  Type.String({ maxLength: 4_000, description: 'Ids of pairs, separated by commas. Absent: all of them.' }),
)
const Name = Type.String({ minLength: 1, maxLength: 200 })

const Query = Type.Object({
  pairs: Pairs,
  include_system: Type.Boolean({ default: false, description: 'Also problems of the service.' }),
  include_hints: Type.Boolean({ default: false, description: 'Why the items of this page are missing.' }),
  include_excluded: Type.Boolean({ default: false, description: 'Also problems that a person hid.' }),
  type: Type.Optional(Name),
  severity: Type.Optional(oneOf(['error', 'warn', 'info'])),
  category: Type.Optional(Name),
  provider: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: '`TRACKA`, or `TRACKA@TRACKA-P01`.' }),
  ),
  feature: Type.Optional(Name),
  key: Type.Optional(Type.String({ minLength: 1, maxLength: 600, description: 'Of the row.' })),
  offset: Type.Integer({ default: 0, minimum: 0, maximum: 10_000_000 }),
  limit: Type.Integer({ default: 250, minimum: 0, maximum: 1_000 }),
  attention_offset: Type.Integer({ default: 0, minimum: 0, maximum: 10_000_000 }),
  attention_limit: Type.Integer({ default: 100, minimum: 0, maximum: 500 }),
})

interface ProblemsQuery {
  readonly pairs?: string
  readonly include_system: boolean
  readonly include_hints: boolean
  readonly include_excluded: boolean
  readonly type?: string
  readonly severity?: 'error' | 'warn' | 'info'
  readonly category?: string
  readonly provider?: string
  readonly feature?: string
  readonly key?: string
  readonly offset: number
  readonly limit: number
  readonly attention_offset: number
  readonly attention_limit: number
}

export function registerProblemRoutes(app: PluginApp, parts: Parts): void {
  const { runner } = parts
  app.get<{ Querystring: ProblemsQuery }>(
    '/api/analyzer/problems',
    {
      ...skipSerializer,
      schema: { summary: 'Problems in the rows of accounts', querystring: Query, response: { 200: ProblemsAnswer } },
    },
    async ({ query }) => {
      const startedMs = performance.now()
      const { type, severity, category, provider, feature, key, offset, limit } = query
      const filters = { type, severity, category, provider, feature, key }
      const exclusions = query.include_excluded ? [] : await parts.exclusions.list()
      const system = query.include_system ? await runner.system() : null
      const isHidden = (problem: Problem) => exclusions.some((one) => isWanted(problem, one))
      const hidden = (system?.problems ?? []).filter(isHidden)
      const ofSystem = (system?.problems ?? []).filter((problem) => !isHidden(problem) && isWanted(problem, filters))
      const { pass, answer } = await runner.ask(readPairs(query.pairs), ({ key: passKey }) =>
        runner.thread.problems(
          passKey,
          {
            ...defined(filters),
            // Problems of the service come first.
            offset: Math.max(0, offset - ofSystem.length),
            limit: Math.max(0, Math.min(limit, offset + limit - ofSystem.length)),
            hints: query.include_hints,
            exclusions,
          },
          { offset: query.attention_offset, limit: query.attention_limit },
        ),
      )
      const { problems, total, summary, excluded, timings: ofPage, ...rest } = answer
      if (readPairs(query.pairs) === null && !query.include_excluded) {
        await parts.attention.note(summary)
        await parts.problems.count()
      }
      const all = total + ofSystem.length
      const { timings, cacheHit, failures } = pass.answer
      return {
        ok: true,
        problems: [...ofSystem.slice(offset, offset + limit), ...problems],
        total: all,
        offset,
        limit,
        has_more: offset + limit < all,
        summary: system === null ? summary : addSummaries(summary, without(system.summary, hidden)),
        excluded: excluded + hidden.length,
        ...rest,
        timings_ms: {
          ...timings,
          ...ofPage,
          system_diagnostics: system?.ms ?? 0,
          total: Math.round(performance.now() - startedMs),
          cache_hit: cacheHit,
        },
        failed_rules: [...failures, ...(system?.failures ?? [])],
      }
    },
  )

  app.get(
    '/api/analyzer/rules',
    { ...skipSerializer, schema: { summary: 'The rules of all running plugins', response: { 200: RulesAnswer } } },
    async () => ({
      ok: true,
      rules: (await runner.rules()).map(({ name, description: { label, problems, fixes } }) => ({
        rule: name,
        label,
        problems: problems.map(({ type, label: called, severity, category, meaning, fix }) => ({
          ...{ type, severity, category, meaning },
          ...defined({ label: called }),
          fix: fix ?? null,
          fixable: fixes.includes(type),
        })),
      })),
    }),
  )

  app.get(
    '/api/analyzer/system',
    {
      ...skipSerializer,
      schema: {
        summary: 'Problems of the service',
        querystring: Type.Object({ pairs: Pairs }),
        response: { 200: SystemAnswer },
      },
    },
    async () => {
      const { problems, summary, failures, ms } = await runner.system()
      return {
        ok: true,
        problems,
        summary,
        timings_ms: { system_diagnostics: ms, total: ms, cache_hit: false },
        failed_rules: failures,
      }
    },
  )
}

type Problem = Readonly<Record<string, unknown>>
type Filters = Partial<Record<'type' | 'severity' | 'category' | 'provider' | 'feature' | 'key', string | undefined>>

function isWanted(problem: Problem, { provider, ...filters }: Filters): boolean {
  if (provider !== undefined && !isOfName(problem['provider'], provider)) return false
  return Object.entries(filters).every(([name, value]) => value === undefined || problem[name] === value)
}

type Counts = Readonly<Record<string, number>>

function without(all: Summary, hidden: readonly Problem[]): Summary {
  const less = (counts: Counts, name: 'severity' | 'category' | 'type') => {
    const left: Record<string, number> = { ...counts }
    for (const problem of hidden) left[String(problem[name])]! -= 1
    return left
  }
  return {
    total: all.total - hidden.length,
    by_severity: less(all.by_severity, 'severity') as Summary['by_severity'],
    by_category: less(all.by_category, 'category'),
    by_type: less(all.by_type, 'type'),
  }
}

function addSummaries(a: Summary, b: Summary): Summary {
  const sum = (one: Counts, other: Counts) => {
    const all: Record<string, number> = { ...one }
    for (const [name, count] of Object.entries(other)) all[name] = (all[name] ?? 0) + count
    return all
  }
  return {
    total: a.total + b.total,
    by_severity: sum(a.by_severity, b.by_severity) as Summary['by_severity'],
    by_category: sum(a.by_category, b.by_category),
    by_type: sum(a.by_type, b.by_type),
  }
}

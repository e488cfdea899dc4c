// The analyzer's part of `GET /api/problems`: rows of accounts that are wrong or doubtful. Its counts are those of the last pass,
// which runs every six hours and when a person looks at the analyzer; the rows of a cause are of the moment.
import {
  type AccountName,
  defined,
  type Feature,
  invalidProblem,
  type KeyValueStore,
  type Problem,
  type ProblemCause,
  type ProblemFilter,
  problemId,
  problemParts,
  type ProblemSource,
} from '@playhead/sdk'
import { episodeCode } from '@playhead/sdk/items'
import type { Exclusions } from './exclusions.ts'
import { type Filters, isOf } from './pass/findings.ts'
import type { Exclusion, TypeCount } from './pass/view.ts'
import { accountText } from './pass/wire.ts'
import type { Runner } from './runner.ts'

export interface AnalyzerProblems extends ProblemSource {
  /** Counts the problems of the current rows. */
  count(): Promise<void>
}

interface ProblemSourceDependencies {
  readonly runner: Runner
  readonly exclusions: Exclusions
  readonly store: KeyValueStore
}

type Words = Pick<ProblemCause, 'title' | 'text'>

const KEY = 'problem-counts'
const SEVERITY = { error: 'error', warn: 'warning', info: 'info' } as const

export function createProblemSource({ runner, exclusions, store }: ProblemSourceDependencies): AnalyzerProblems {
  const counted = async () => (await store.get<readonly TypeCount[]>(KEY)) ?? []

  async function count(): Promise<void> {
    const [before, hidden] = [await counted(), await exclusions.list()]
    const { answer } = await runner.ask(null, ({ key }) => runner.thread.types(key, { isDoubtful: true }, hidden))
    if (JSON.stringify(before) !== JSON.stringify(answer)) await store.set(KEY, answer)
  }

  async function hiddenBy(filter: ProblemFilter): Promise<readonly Exclusion[]> {
    const account = accountOf(filter)
    return (await exclusions.list()).filter(
      ({ provider, feature }) =>
        (account === undefined || provider === account) && (filter.feature === undefined || feature === filter.feature),
    )
  }

  /** By type. */
  async function kinds(): Promise<ReadonlyMap<string, Words>> {
    const rules = await runner.rules()
    return new Map(
      rules.flatMap(({ description: { label, problems } }) =>
        problems.map(({ type, label: own, meaning }) => {
          const title = own ?? (problems.length === 1 ? label : wordsOf(type))
          return [type, { title, text: meaning }] as const
        }),
      ),
    )
  }

  return {
    count,
    async revision() {
      return JSON.stringify([await counted(), await exclusions.list()])
    },
    async causes(filter) {
      // A row belongs to an account. Pairs and runs have what could not be synced, which the sync lists.
      if (filter.pair_id !== undefined || filter.run_id !== undefined) return []
      const name = accountOf(filter)
      const found: readonly Pick<TypeCount, 'type' | 'severity' | 'count'>[] = filter.ignored
        ? (await hiddenBy(filter)).map(({ type }) => ({ type, severity: 'info' as const, count: 1 }))
        : (await counted()).filter(
            ({ account, feature }) =>
              (name === undefined || isOf(account, name)) &&
              (filter.feature === undefined || feature === filter.feature),
          )
      // Their words are known to the rules, which a service without findings need not load.
      const known = found.length === 0 ? new Map<string, Words>() : await kinds()
      return [...Map.groupBy(found, ({ type }) => type)]
        .map(([type, own]): ProblemCause => {
          const { title, text } = known.get(type) ?? { title: wordsOf(type), text: '' }
          const severity = SEVERITY[own.some((one) => one.severity === 'error') ? 'error' : own[0]!.severity]
          const counts = { rows: own.reduce((sum, one) => sum + one.count, 0), need_you: 0 }
          return { code: type, severity, title, text, ...counts, action: 'open', can_ignore: true, can_retry: false }
        })
        .sort((a, b) => RANK.indexOf(a.severity) - RANK.indexOf(b.severity) || b.rows - a.rows)
    },
    async list(code, filter, { offset, limit }) {
      if (filter.pair_id !== undefined || filter.run_id !== undefined) return []
      if (filter.ignored) {
        const hidden = (await hiddenBy(filter)).filter(({ type }) => type === code)
        return hidden.slice(offset, offset + limit).map(hiddenProblem)
      }
      const hidden = await exclusions.list()
      const query = { ...filtersOf(filter), type: code, offset, limit, hints: false, exclusions: hidden }
      const { answer } = await runner.ask(null, ({ key }) =>
        runner.thread.problems(key, query, { offset: 0, limit: 0 }),
      )
      return answer.problems.map(problemOf)
    },
    async ignore(selection) {
      const added: Exclusion[] =
        'ids' in selection
          ? selection.ids.map(readId)
          : [
              {
                type: selection.code,
                ...defined({ provider: accountOf(selection.filter), feature: selection.filter.feature }),
              },
            ]
      const before = await sum()
      for (const one of added) await exclusions.add(one)
      await count()
      return { count: before - (await sum()), undo: JSON.stringify(added.map(idOf)) }
    },
    async restore(which) {
      let restored = 0
      for (const id of 'ids' in which ? which.ids : readUndo(which.undo))
        if (await exclusions.remove(readId(id))) restored += 1
      await count()
      return restored
    },
    // A correction is a person's decision, so nothing here can be tried again.
    retry: () => Promise.reject(invalidProblem()),
  }

  async function sum(): Promise<number> {
    return (await counted()).reduce((all, one) => all + one.count, 0)
  }
}

const RANK = ['error', 'warning', 'info']

function filtersOf(filter: ProblemFilter): Filters {
  return { isDoubtful: true, ...defined({ provider: accountOf(filter), feature: filter.feature }) }
}

function accountOf({ provider, instance }: ProblemFilter): string | undefined {
  if (provider === undefined || instance === undefined) return provider
  return accountText({ provider, instance })
}

function problemOf(found: Readonly<Record<string, unknown>>): Problem {
  const { type, message, provider, feature, key, title, year, item_type: itemType, series_title: series } = found
  const { season, episode, fixable, choices } = found
  const shown = String(series ?? title ?? key)
  const code = typeof season === 'number' && typeof episode === 'number' ? ` - ${episodeCode({ season, episode })}` : ''
  const open = { kind: 'open', label: 'Open title', path: `/library/${encodeURIComponent(String(key))}` } as const
  const id = idOf({ type, provider, feature, key } as Exclusion)
  const page = new URLSearchParams({ cause: `analyzer:${String(type)}`, finding: `analyzer:${id}` }).toString()
  const fix = {
    kind: 'open',
    label: Array.isArray(choices) ? 'Choose' : fixable === true ? 'Correct it' : 'Details',
    path: `/problems?${page}`,
  } as const
  return {
    id,
    title: `${shown}${code}`,
    text: String(message),
    need_you: 0,
    key: String(key),
    ...defined({
      type: typeof itemType === 'string' ? itemType : undefined,
      year: typeof year === 'number' ? year : undefined,
      feature: (feature as Feature | null) ?? undefined,
    }),
    accounts: namesOf(provider),
    actions: fixable === true ? [fix, open] : [open, fix],
  }
}

function hiddenProblem(hidden: Exclusion): Problem {
  const { type, provider, feature, key } = hidden
  return {
    id: idOf(hidden),
    title: key ?? wordsOf(type),
    text: key === undefined ? 'All problems of this kind are ignored.' : wordsOf(type),
    need_you: 0,
    ...defined({ key, feature: feature as Feature | undefined }),
    accounts: namesOf(provider),
    actions: [],
  }
}

function namesOf(account: unknown): readonly AccountName[] {
  if (typeof account !== 'string') return []
  const [provider = '', instance = 'default'] = account.split('@')
  return [{ provider, instance }]
}

/** `missing_ids` becomes 'Missing ids'. */
function wordsOf(type: string): string {
  const words = type.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function idOf({ type, provider = '', feature = '', key = '' }: Exclusion): string {
  return problemId([type, provider, feature, key])
}

function readId(id: string): Exclusion {
  const [type = '', provider, feature, key] = problemParts(id, 4)
  if (type === '') throw invalidProblem()
  return { type, ...defined({ provider: provider || undefined, feature: feature || undefined, key: key || undefined }) }
}

function readUndo(undo: string): readonly string[] {
  try {
    const ids = JSON.parse(undo) as unknown
    if (Array.isArray(ids) && ids.every((id) => typeof id === 'string')) return ids
  } catch {
    // Not JSON.
  }
  throw invalidProblem()
}

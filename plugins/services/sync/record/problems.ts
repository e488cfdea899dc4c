// The sync's part of `GET /api/problems`: unresolved items of pairs, held changes, and why accounts and pairs are not in sync.
// Its numbers add up to the count of the status.
import {
  type AccountName,
  defined,
  type Feature,
  invalidProblem,
  type Problem,
  type ProblemAction,
  type ProblemCause,
  type ProblemFilter,
  problemId,
  problemParts,
  type ProblemSelection,
  type ProblemSource,
  reasonLabel,
  type RunRequest,
  type RunStart,
  type SyncCause,
  type Tables,
} from '@playhead/sdk'
import { formatKey, parseKey } from '@playhead/sdk/items'
import type { Pair } from '../pairs/pair.ts'
import { nameOf } from '../pairs/pairs.ts'
import type { IgnoredItem } from '../store/ignored.ts'
import { countByReason, type ProblemRowQuery, problemRows } from '../store/problem-rows.ts'
import { toUnresolved, type UnresolvedId, type UnresolvedRow } from '../store/unresolved.ts'
import type { History } from './history.ts'
import { CAUSE_CODES, type CauseCode, causeOf, CAUSES } from './problem-causes.ts'
import type { Labels } from './reason-text.ts'
import { originOfUnresolved, toSeconds } from './records.ts'
import { capital } from './status.ts'
import { displayTitle } from './summary.ts'

interface ProblemDependencies {
  readonly db: Tables
  readonly pairs: () => readonly Pair[]
  readonly providers: () => Promise<Labels>
  readonly history: Pick<History, 'held' | 'leftBy' | 'overview'>
  readonly revision: () => Promise<string>
  readonly start: (request: RunRequest) => Promise<RunStart>
  /** Throws `PLH_CONFLICT` (`already_running`). */
  readonly assertIdle: () => void
  readonly unresolved: {
    clearRows(rows: readonly UnresolvedId[]): Promise<number>
    ignore(items: readonly PairItem[], atMs: number): Promise<void>
    restore(which: number | readonly PairItem[]): Promise<number>
  }
  readonly now: () => number
}

type PairItem = IgnoredItem & { readonly pair_id: string }
interface Found {
  readonly code: CauseCode
  readonly problem: Problem
}

const PAGE = 500
/** More are left to another request. */
const MAX_SELECTED = 50_000
const MAX_TITLES = 50

export function createProblems(deps: ProblemDependencies): ProblemSource {
  const { db, pairs, providers, history, unresolved } = deps
  let lastMs = 0

  async function queryOf({ pair_id, run_id, feature, provider, instance, ignored }: ProblemFilter) {
    const left = run_id === undefined ? undefined : await history.leftBy(run_id)
    const of = pairs()
      .filter(({ id, enabled }) => enabled && (pair_id === undefined || id === pair_id))
      .flatMap(({ id, features }) =>
        (Object.entries(features) as [Feature, { readonly enabled: boolean }][]).flatMap(([name, options]) =>
          options.enabled && (feature === undefined || name === feature) ? [{ pair_id: id, feature: name }] : [],
        ),
      )
      .filter((one) => left === undefined || left.of.some((ran) => isSame(ran, one)))
    return { of, provider, instance, untilMs: left?.untilMs, ignored } satisfies ProblemRowQuery
  }

  /** Everything but single items, which may be many. */
  async function findings(filter: ProblemFilter, query: ProblemRowQuery, known: Labels): Promise<readonly Found[]> {
    if (filter.ignored) return []
    const { provider, instance } = filter
    const isWanted = (account: Partial<AccountName>) =>
      (provider === undefined || account.provider === provider) &&
      (instance === undefined || account.instance === instance)
    const { held } = await history.held()
    const waiting = held
      .filter((one) => query.of.some((of) => isSame(of, one)) && isWanted(one))
      .map((one) => ({ code: 'approval' as const, problem: heldProblem(one, known) }))
    if (filter.run_id !== undefined) return waiting
    const overview = await history.overview()
    const shown =
      filter.pair_id === undefined ? overview.status : overview.pairs.find(({ id }) => id === filter.pair_id)?.status
    const causes = (shown?.causes ?? []).filter(
      (cause) => (filter.feature === undefined || cause.feature === filter.feature) && isWanted(cause),
    )
    return [...waiting, ...causes.flatMap((cause) => causeProblem(cause, pairs()))]
  }

  async function list(
    code: string,
    filter: ProblemFilter,
    { offset, limit }: Parameters<ProblemSource['list']>[2],
  ): Promise<readonly Problem[]> {
    const [query, known] = [await queryOf(filter), await providers()]
    const own = (await findings(filter, query, known)).filter((one) => one.code === code)
    if (own.length > 0) return own.slice(offset, offset + limit).map(({ problem }) => problem)
    const rows = await rowsOf(code, query, offset, limit)
    const byId = new Map(pairs().map((pair) => [pair.id, pair]))
    return rows.map((row) => itemProblem(row, byId.get(row.pair_id), known))
  }

  async function rowsOf(code: string, query: ProblemRowQuery, offset: number, limit: number) {
    const reasons = (await countByReason(db, query)).filter((one) => causeOf(one) === code)
    const rows: UnresolvedRow[] = []
    while (rows.length < limit) {
      const size = Math.min(PAGE, limit - rows.length)
      const page = await problemRows(db, query, reasons, { offset: offset + rows.length, limit: size })
      rows.push(...page)
      if (page.length < size) break
    }
    return rows
  }

  async function selected(selection: ProblemSelection): Promise<readonly (PairItem & UnresolvedId)[]> {
    if ('ids' in selection) return Promise.all(selection.ids.map(readId).map(rowOf)).then((rows) => rows.flat())
    return rowsOf(selection.code, await queryOf(selection.filter), 0, MAX_SELECTED) as Promise<
      readonly (PairItem & UnresolvedId)[]
    >
  }

  async function rowOf({ op, ...item }: PairItem & { readonly op: string }) {
    return (await db
      .selectFrom('sync__unresolved')
      .select(['pair_id', 'feature', 'uid', 'op', 'key', 'provider', 'instance'])
      .where(({ and }) => and({ ...item, op }))
      .execute()) as unknown as readonly (PairItem & UnresolvedId)[]
  }

  return {
    revision: deps.revision,
    async causes(filter) {
      const [query, known] = [await queryOf(filter), await providers()]
      const [counts, found] = [await countByReason(db, query), await findings(filter, query, known)]
      const causes = CAUSE_CODES.flatMap((code): readonly (ProblemCause & { readonly code: CauseCode })[] => {
        const items = counts.reduce((sum, one) => (causeOf(one) === code ? sum + one.count : sum), 0)
        const own = found.filter((one) => one.code === code)
        const rows = items + own.length
        const needYou = own.reduce((sum, { problem }) => sum + problem.need_you, filter.ignored ? 0 : items)
        return rows === 0 ? [] : [{ code, ...CAUSES[code], rows, need_you: needYou }]
      })
      return Promise.all(
        causes.map(async (cause) => {
          if (cause.rows > 1) return cause
          const [only] = await list(cause.code, filter, { offset: 0, limit: 1 })
          return { ...cause, ...defined({ only }) }
        }),
      )
    },
    list,
    async ignore(selection) {
      const rows = await selected(selection)
      // The time names this act, so that exactly it can be undone.
      lastMs = Math.max(deps.now(), lastMs + 1)
      await unresolved.ignore(rows, lastMs)
      return { count: rows.length, undo: String(lastMs) }
    },
    async restore(which) {
      if ('ids' in which) return unresolved.restore(which.ids.map(readId))
      if (!/^\d{1,15}$/.test(which.undo)) throw invalidProblem()
      return unresolved.restore(Number(which.undo))
    },
    async retry(selection) {
      deps.assertIdle()
      const rows = await selected(selection)
      if (rows.length === 0) return { count: 0, run_id: null }
      const count = await unresolved.clearRows(rows)
      const pairIds = [...new Set(rows.map(({ pair_id: id }) => id))]
      const titles = namesOf(rows)
      const started = await deps.start({
        source: 'ui',
        ...(pairIds.length === 1 ? { pair_id: pairIds[0]! } : { pair_ids: pairIds }),
        ...(titles === undefined ? {} : { titles }),
      })
      return { count, run_id: started.status === 'accepted' ? started.run_id : null }
    },
  }
}

/** The names of few titles; undefined if the run is better of everything, or if a title has no id. */
function namesOf(rows: readonly { readonly key: string }[]): readonly string[] | undefined {
  const names = new Set<string>()
  for (const { key } of rows) {
    const at = key.lastIndexOf('@')
    const parsed = parseKey(at === -1 ? key : key.slice(0, at))
    if (!parsed.ok || parsed.value.base.by === 'title') return undefined
    // Of an episode, its show.
    names.add(formatKey({ base: parsed.value.base }))
    if (names.size > MAX_TITLES) return undefined
  }
  return [...names]
}

function heldProblem(one: Awaited<ReturnType<History['held']>>['held'][number], known: Labels): Problem {
  const { pair_id, pair_name, feature, side, provider, instance, count, since, plan_id, approve } = one
  const at = nameOf(provider, instance, known)
  const [doing, items] = [one.reason === 'mass_update' ? 'Changing' : 'Removing', count === 1 ? 'item' : 'items']
  const call: ProblemAction = { kind: 'approve', label: 'Approve', call: approve }
  const review: ProblemAction = {
    kind: 'open',
    label: 'Review',
    path: plan_id === null ? `/pairs/${pair_id}` : `/plans/${plan_id}`,
  }
  return {
    id: problemId(['held', pair_id, feature, side]),
    title: pair_name,
    text: `${doing} ${count} ${items} of ${feature} at ${at} needs your approval.`,
    need_you: count,
    ...{ feature, pair_id, since },
    accounts: [{ provider, instance }],
    actions: [call, review],
  }
}

function causeProblem(cause: SyncCause, all: readonly Pair[]): readonly Found[] {
  const { kind, count, text, pair_id, feature, provider, instance, service } = cause
  const pair = all.find(({ id }) => id === pair_id)
  const found = (code: CauseCode, title: string, action: ProblemAction): readonly Found[] => [
    {
      code,
      problem: {
        id: problemId(['status', kind, pair_id, feature, provider, instance].map((part) => part ?? '')),
        ...{ title, text, need_you: count },
        ...defined({ pair_id, feature }),
        accounts: provider === undefined || instance === undefined ? [] : [{ provider, instance }],
        actions: [action],
      },
    },
  ]
  const connection = `/connections/${provider ?? ''}`
  if (kind === 'sign_in')
    return found('sign_in', service ?? pair?.name ?? '', {
      kind: 'sign_in',
      label: 'Sign in',
      path: provider === undefined ? `/pairs/${pair_id}` : connection,
    })
  if (kind === 'unreachable')
    return found('unreachable', service ?? '', { kind: 'open', label: 'Open connection', path: connection })
  if (kind === 'failed')
    return found('failed', pair?.name ?? '', {
      kind: 'try_again',
      label: 'Try again',
      call: { method: 'POST', path: '/api/run', body: { source: 'ui', ...defined({ pair_id }) } },
    })
  if (kind === 'setting')
    return found('setting', pair?.name ?? '', {
      kind: 'open',
      label: 'Open settings',
      path: `/pairs/${pair_id}?tab=settings`,
    })
  // The counts of other features are their single items.
  if (feature === 'playlists' && count > 0)
    return found('playlists', pair?.name ?? '', { kind: 'open', label: 'Open pair', path: `/pairs/${pair_id}` })
  return []
}

const DONE: Readonly<Record<string, string>> = {
  add: 'Not added to',
  update: 'Not changed in',
  remove: 'Not removed from',
}

function itemProblem(row: UnresolvedRow, pair: Pair | undefined, known: Labels): Problem {
  const { pair_id, provider, instance, op, key, reason, attempts, first_at: firstAt } = row
  const open = toUnresolved(row)
  const { item, feature } = open
  const at = `${capital(feature)} at ${nameOf(provider, instance, known)}`
  const { origin, origin_carrier: carrier } = originOfUnresolved({ ...open, reason_code: reason }, pair, known)
  const code = causeOf({ reason, quarantined: row.quarantined_at !== null })
  const page = `/library/${encodeURIComponent(key)}`
  const actions: Readonly<Partial<Record<ProblemAction['kind'], ProblemAction>>> = {
    match: { kind: 'match', label: 'Match', path: `${page}?do=match` },
    try_again: { kind: 'try_again', label: 'Try again' },
    open: { kind: 'open', label: 'Open title', path: page },
  }
  const main = CAUSES[code].action as 'match' | 'try_again' | 'open'
  return {
    id: idOf(row),
    title: displayTitle(item as Parameters<typeof displayTitle>[0]),
    text: `${DONE[op] ?? 'Not synced in'} ${at}: ${reasonLabel(reason)}.`,
    need_you: 1,
    ...{ key, type: item.type, feature, pair_id },
    ...defined({ year: item.year ?? undefined }),
    accounts: [{ provider, instance }],
    since: toSeconds(firstAt),
    attempts,
    ...defined({ origin: origin ?? undefined, origin_carrier: carrier ?? undefined }),
    actions: [...new Set([main, 'try_again', 'open'] as const)].flatMap((kind) => actions[kind] ?? []),
  }
}

function idOf({ pair_id, feature, provider, instance, op, key }: UnresolvedRow): string {
  return problemId(['item', pair_id, feature, provider, instance, op, key])
}

function readId(id: string): PairItem & { readonly op: string } {
  const [kind, pair_id, feature, provider, instance, op, key] = problemParts(id, 7)
  if (kind !== 'item') throw invalidProblem()
  return { pair_id, feature, provider, instance, op, key } as PairItem & { readonly op: string }
}

function isSame(a: { readonly pair_id: string; readonly feature: string }, b: typeof a): boolean {
  return a.pair_id === b.pair_id && a.feature === b.feature
}

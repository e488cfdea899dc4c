// Verdicts of plugins on operations: skip, defer, or change the value. If a tap fails, its operations are held.
import {
  type AnyHook,
  type ChangePlan,
  type Feature,
  FILTER_PLAN,
  type HookOperation,
  type HookScope,
  type OperationChange,
  type Side,
} from '@playhead/sdk'
import { Item } from '@playhead/sdk/items'
import { Value } from '@sinclair/typebox/value'
import { type FeatureRun, SIDES } from '../feature-run.ts'
import { shapedFor } from '../library/read-side.ts'
import { type NewPlanItem, NO_PAIR, type PlanItem } from '../store/plans.ts'
import type { PlanOp } from './planned.ts'

/** A plugin removed the operation. */
export const VETOED = 'vetoed'
/** A plugin failed to judge the operation. */
export const VETO_FAILED = 'veto_failed'

/** The result of judging an operation. */
type Judged =
  | { readonly reason: typeof VETOED | typeof VETO_FAILED; readonly note: string }
  | { readonly item: Item; readonly note: string }

interface Judging {
  readonly run: Pick<FeatureRun, 'engine' | 'feature' | 'order' | 'pair' | 'dryRun' | 'plays' | 'nowMs'>
  readonly hook: AnyHook
  readonly planId: string
  readonly operations: readonly HookOperation[]
}

/** Verdicts by `n`. Operations without an entry are applied. */
export async function judge({ run, hook, planId, operations }: Judging): Promise<ReadonlyMap<number, Judged>> {
  const judged = new Map<number, Judged>()
  if (operations.length === 0) return judged
  const reviews = await run.engine.taps.review<unknown>(hook, { ...scopeOf(run), planId, operations })
  const vetoes = new Map<number, string>()
  const failed = new Map<number, string>()
  const changes = new Map<number, { change: Record<string, unknown>; notes: string[] }>()
  const known = new Map(operations.map((operation) => [operation.n, operation]))
  for (const review of reviews) {
    const { plugin } = review
    const answer = 'failed' in review ? undefined : (review.answer ?? [])
    if (!Array.isArray(answer) || !answer.every((one) => known.has((one as { n?: number } | null)?.n as number))) {
      const why = 'failed' in review ? review.failed : 'answered with something else'
      run.engine.log.warn({ plugin, hook: hook.name, why }, 'a plugin did not judge operations; they are held')
      for (const { n } of operations) failed.set(n, plugin)
      continue
    }
    for (const one of answer as readonly Record<string, unknown>[]) {
      const n = one['n'] as number
      if (isText(one['veto']) && hasOnly(one, ['n', 'veto'])) vetoes.set(n, `${plugin}: ${one['veto']}`)
      else if (hook.name === 'filterPlan' && isText(one['reason']) && hasOnly(one, ['n', 'change', 'reason'])) {
        const before = changes.get(n) ?? { change: {}, notes: [] }
        if (isChange(run, known.get(n)!, one['change']) && !contradicts(before.change, one['change'])) {
          Object.assign(before.change, one['change'])
          before.notes.push(`${plugin}: ${one['reason']}`)
          changes.set(n, before)
        } else failed.set(n, plugin)
      } else failed.set(n, plugin)
    }
  }
  for (const [n, { change, notes }] of changes)
    judged.set(n, { item: { ...known.get(n)!.item, ...change }, note: notes.join(' ') })
  for (const [n, note] of failed) judged.set(n, { reason: VETO_FAILED, note })
  for (const [n, note] of vetoes) judged.set(n, { reason: VETOED, note })
  return judged
}

export function scopeOf(run: Pick<FeatureRun, 'order' | 'pair' | 'feature' | 'dryRun'>): HookScope {
  const { order, pair, feature, dryRun } = run
  return { runId: order.runId, pairId: pair.id === NO_PAIR ? null : pair.id, feature, dryRun }
}

/** A stored operation as taps see it. */
export function operationOf(
  { sides }: Pick<FeatureRun, 'sides'>,
  planned: Pick<PlanItem, 'n' | 'op' | 'key' | 'item' | 'current' | 'cause'> & { readonly side: Side },
): HookOperation {
  const { provider, instance } = sides[planned.side]
  const { n, op, key, item, current, cause } = planned
  return { n, account: { provider, instance }, op, key, item, current, cause }
}

const MAX_TEXT = 300
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= MAX_TEXT
const hasOnly = (value: object, names: readonly string[]) => Object.keys(value).every((name) => names.includes(name))

const CHANGEABLE: Readonly<Record<Feature, readonly (keyof OperationChange)[]>> = {
  watchlist: [],
  history: ['watched_at'],
  ratings: ['rating', 'rated_at'],
  progress: ['progress_ms', 'progress_percent', 'progress_at'],
  playlists: [],
}
const TIMES: readonly string[] = ['watched_at', 'rated_at', 'progress_at']

function isChange(
  { feature, plays, nowMs }: Judging['run'],
  { op, item }: HookOperation,
  change: unknown,
): change is OperationChange {
  if (op === 'remove' || plays || typeof change !== 'object' || change === null) return false
  if (Object.keys(change).length === 0 || !hasOnly(change, CHANGEABLE[feature])) return false
  if (!Value.Check(Item, { ...item, ...change })) return false
  return Object.entries(change).every(([name, value]) => !TIMES.includes(name) || Date.parse(String(value)) <= nowMs)
}

function contradicts(one: Readonly<Record<string, unknown>>, other: OperationChange): boolean {
  return Object.entries(other).some(([name, value]) => name in one && one[name] !== value)
}

export interface PlannedRow {
  readonly planned: Pick<PlanOp, 'value' | 'evidenceMs' | 'state' | 'reason'>
  readonly row: NewPlanItem
}

/**
 * @param rows stored rows; their operations are updated in place
 * @param reviewed operations of a reviewed plan, as `side op key`, with their values
 */
export async function judgeRows(
  run: FeatureRun,
  planId: string,
  rows: readonly PlannedRow[],
  reviewed: ReadonlyMap<string, string> | null,
): Promise<readonly NewPlanItem[]> {
  const ready = rows.filter(({ planned }) => planned.state === 'ready')
  const operations = ready.map(({ row }) => {
    const current = row.current === null ? null : (JSON.parse(row.current) as Item)
    return operationOf(run, { ...row, item: JSON.parse(row.item) as Item, current })
  })
  const judged = await judge({ run, hook: FILTER_PLAN, planId, operations })
  const noted = new Map<number, { readonly note: string; readonly item?: string }>()
  const reject = ({ planned, row }: PlannedRow, reason: string, note: string) => {
    Object.assign(planned, { state: reason === VETOED ? 'filtered' : 'deferred', reason })
    noted.set(row.n, { note })
  }
  const changed: (PlannedRow & { readonly item: Item; readonly note: string })[] = []
  for (const each of ready) {
    const verdict = judged.get(each.row.n)
    if (verdict === undefined) continue
    if ('item' in verdict) changed.push({ ...each, ...verdict })
    else reject(each, verdict.reason, verdict.note)
  }
  for (const side of SIDES) {
    const own = changed.filter(({ row }) => row.side === side)
    const items = own.map(({ item }) => item)
    const shapes = await shapedFor(run, run.sides[side], items)
    for (const [index, each] of own.entries()) {
      const { planned, row, item, note } = each
      const shape = shapes[index]!
      if ('skip' in shape) reject(each, VETO_FAILED, note)
      // No operation remains to be written.
      else if (shape.value === row.before) reject(each, VETOED, note)
      else {
        planned.value = shape.value
        planned.evidenceMs = shape.evidenceMs ?? planned.evidenceMs
        noted.set(row.n, { note, item: JSON.stringify(item) })
      }
    }
  }
  return rows.map(({ planned, row }) => {
    const agreed = reviewed?.get(`${row.side} ${row.op} ${row.key}`)
    if (planned.state === 'ready' && reviewed !== null && agreed !== planned.value)
      Object.assign(planned, { state: 'deferred', reason: 'changed_since_plan' })
    const { value, state, reason } = planned
    return { ...row, value, state, reason, note: null, ...noted.get(row.n) }
  })
}

const JUDGED_AT_ONCE = 300

/** Judges the rows of a plan of changes to one account, in place. */
export async function judgePlan(run: FeatureRun, planId: string, rows: NewPlanItem[]): Promise<void> {
  if (!run.engine.taps.has(FILTER_PLAN)) return
  for (let start = 0; start < rows.length; start += JUDGED_AT_ONCE) {
    const asked = rows
      .slice(start, start + JUDGED_AT_ONCE)
      .map((row) => ({ planned: { ...row, evidenceMs: undefined }, row }))
    rows.splice(start, asked.length, ...(await judgeRows(run, planId, asked, null)))
  }
}

/** The operations that plugins removed from a plan. */
export function vetoedIn(rows: readonly NewPlanItem[]): ChangePlan['leftOut'] {
  return rows.flatMap(({ op, key, state, reason, note }) =>
    state === 'filtered' && reason === VETOED ? [{ key, op, reason, ...(note == null ? {} : { note }) }] : [],
  )
}

// The record of a run, reduced from the reports of the engine. Pure. The summary, the archive, the log and the stream are
// derived from it. Bounded: items are counted, and only the newest changes and the first items that are not synced are kept.
import type { Feature, RunResult } from '@playhead/sdk'
import { NO_PROGRESS, type ProgressEvent, reduceProgress, type RunProgress } from '@playhead/sdk/sync'
import {
  type EngineFact,
  type FeatureReport,
  isDryRun,
  type ItemOutcome,
  type PairReport,
  type RunOrder,
  type RunReport,
} from '../contract.ts'
import { type EngineEvent, toWire, type WireEvent } from '../events.ts'
import { BLOCKED } from '../plan/filters.ts'
import { statusOf } from '../run/run.ts'
import { FAILED } from './outcome.ts'

const MAX_SPOTLIGHTS = 25
const MAX_UNRESOLVED = 500

/** Why a run has not started yet. */
export interface OnHold {
  /** `busy`, `disk_low`, … */
  readonly reason: string
  readonly detail: string
  /** Epoch seconds. */
  readonly since: number
}

export type RowCounts = Readonly<Record<string, number>>

/** The items of a feature of a pair, by kind of operation and account. */
interface ItemCounts extends Required<Pick<ItemOutcome, 'pair_id' | 'feature' | 'op' | 'side'>> {
  /** By outcome; also `blocked` by a manual block, and `quarantined`. */
  readonly counts: RowCounts
}

export interface RunRecord {
  readonly order: RunOrder
  readonly version: string
  /** Watchlist rows by provider. */
  readonly rows: { readonly before: RowCounts; readonly after?: RowCounts }
  readonly onHold: OnHold | null
  readonly cancelRequestedAtMs: number | null
  readonly progress: RunProgress
  /** Operations that a manual block or the guard stopped. */
  readonly blocked: number
  readonly items: readonly ItemCounts[]
  /** By feature and operation: the newest applied items. */
  readonly spotlights: Readonly<Record<string, readonly ItemOutcome[]>>
  readonly unresolved: readonly ItemOutcome[]
  readonly pairs: readonly PairReport[]
  /** Reports of playlists that were written. Their service writes the items in its own plans, so they have no outcomes here. */
  readonly lists: readonly FeatureReport[]
  readonly end?: RunEnd
}

type RunEnd = { readonly finishedAtMs: number } & (
  | { readonly result: RunResult; readonly report: RunReport }
  | { readonly result: 'failed'; readonly reason: string; readonly report?: never }
)

/** Events and facts that change the record of a run. */
export type RunFact =
  | EngineFact
  | { readonly type: 'begin' }
  | { readonly type: 'hold'; readonly onHold: OnHold | null }
  | { readonly type: 'cancel'; readonly atMs: number }
  | { readonly type: 'rows'; readonly after: RowCounts }
  | ({ readonly type: 'end' } & RunEnd)

/** Facts that the stream does not send. */
const UNSENT: ReadonlySet<RunFact['type']> = new Set([
  ...(['begin', 'hold', 'cancel', 'rows', 'end'] as const),
  ...(['item', 'item:skipped', 'item:unresolved', 'report'] as const),
])
const NONE = {
  ...{ onHold: null, cancelRequestedAtMs: null, progress: NO_PROGRESS, blocked: 0, items: [] },
  ...{ spotlights: {}, unresolved: [], pairs: [], lists: [] },
}

/** @param before watchlist rows by provider before the run */
export function createRecord(order: RunOrder, version: string, before: RowCounts): RunRecord {
  return { order, version, rows: { before }, ...NONE }
}

/** The events of the stream. */
export function sentOf(fact: RunFact): readonly WireEvent[] {
  return UNSENT.has(fact.type) ? [] : toWire(fact as EngineEvent)
}

/** @param sent the events of the fact */
export function reduceRun(before: RunRecord, fact: RunFact, sent = sentOf(fact)): RunRecord {
  const progress = (sent as readonly ProgressEvent[]).reduce(reduceProgress, before.progress)
  const record = progress === before.progress ? before : { ...before, progress }
  switch (fact.type) {
    case 'hold':
      return { ...record, onHold: fact.onHold }
    case 'cancel':
      return { ...record, cancelRequestedAtMs: record.cancelRequestedAtMs ?? fact.atMs }
    case 'plan:held':
      return { ...record, blocked: record.blocked + fact.count }
    case 'debug':
      if (fact.msg !== 'blocked.counts') return record
      return { ...record, blocked: record.blocked + ((fact['counts'] as RowCounts)[BLOCKED] ?? 0) }
    case 'item':
      return withItem(record, fact.item)
    case 'report':
      return withReport(record, fact)
    case 'rows':
      return { ...record, rows: { ...record.rows, after: fact.after } }
    case 'end': {
      const { type: _, ...end } = fact
      return { ...record, pairs: end.report?.pairs ?? record.pairs, end }
    }
    default:
      return record
  }
}

function withItem(record: RunRecord, item: ItemOutcome): RunRecord {
  const { feature, op, outcome, reason } = item
  const isBlocked = outcome === 'filtered' && reason === BLOCKED
  const name = isBlocked ? 'blocked' : isQuarantined(item) ? 'quarantined' : outcome
  const items = counted(record.items, item, name)
  if (outcome === 'applied') {
    const of = `${feature} ${op}`
    const newest = [...(record.spotlights[of] ?? []), item].slice(-MAX_SPOTLIGHTS)
    return { ...record, items, spotlights: { ...record.spotlights, [of]: newest } }
  }
  if ((outcome !== 'held' && !FAILED.has(outcome)) || record.unresolved.length === MAX_UNRESOLVED)
    return { ...record, items }
  return { ...record, items, unresolved: [...record.unresolved, item] }
}

function counted(
  items: RunRecord['items'],
  { pair_id, feature, op, side = 'b' }: ItemOutcome,
  outcome: string,
): RunRecord['items'] {
  const at = items.findIndex(
    (one) => one.pair_id === pair_id && one.feature === feature && one.op === op && one.side === side,
  )
  const counts: RowCounts = items[at]?.counts ?? {}
  const one = { pair_id, feature, op, side, counts: { ...counts, [outcome]: (counts[outcome] ?? 0) + 1 } }
  return at === -1 ? [...items, one] : items.with(at, one)
}

// Reports of finished features are kept if the run fails later.
function withReport(record: RunRecord, { pair_id, mode, report }: Extract<EngineFact, { type: 'report' }>): RunRecord {
  const isList = report.feature === 'playlists' && !isDryRun(record.order)
  const features = [...(record.pairs.find((pair) => pair.pair_id === pair_id)?.features ?? []), report]
  const pair = { pair_id, mode, status: statusOf(features.map(({ status }) => status)), features }
  return {
    ...record,
    pairs: [...record.pairs.filter((one) => one.pair_id !== pair_id), pair],
    lists: isList ? [...record.lists, report] : record.lists,
  }
}

export function isQuarantined({ outcome, reason }: Pick<ItemOutcome, 'outcome' | 'reason'>): boolean {
  return outcome === 'deferred' && reason === 'quarantined'
}

/** Items with one of the outcomes, of one feature and operation or of all. */
export function countItems(
  { items }: RunRecord,
  outcomes: readonly string[],
  { feature, op }: { readonly feature?: Feature; readonly op?: ItemOutcome['op'] | undefined } = {},
): number {
  return items
    .filter((one) => (feature ?? one.feature) === one.feature && (op ?? one.op) === one.op)
    .reduce((sum, { counts }) => outcomes.reduce((all, outcome) => all + (counts[outcome] ?? 0), sum), 0)
}

// The summary of a run, made of its record; each outcome is counted once.
import { accountName, defined, type Feature, itemsThatNeedYou, type RunResult, type RunSummary } from '@playhead/sdk'
import { episodeCode } from '@playhead/sdk/items'
import { writeOutcomes } from '@playhead/sdk/provider'
import { type FeatureReport, isDryRun, type ItemOutcome } from '../contract.ts'
import { DONE } from '../events.ts'
import { FAILED, outcomeOf } from './outcome.ts'
import { countItems, type RowCounts, type RunRecord } from './run-record.ts'

const EXIT: Readonly<Record<RunResult, number>> = { ok: 0, skipped: 0, failed: 1, cancelled: 1, partial: 2 }

export function summaryOf(record: RunRecord): RunSummary {
  const { order, end, pairs } = record
  const { runId, request, startedAtMs } = order
  const wanted = order.pairs.flatMap(({ features }) =>
    (Object.keys(features) as Feature[]).filter((feature) => features[feature]?.enabled === true),
  )
  const shown = new Set([...wanted, ...[...record.items, ...record.lists].map(({ feature }) => feature)])
  const lanes = Object.fromEntries([...shown].map((feature) => [feature, laneOf(record, feature)]))
  const sum = (field: 'added' | 'removed' | 'updated') =>
    Object.values(lanes).reduce((total, lane) => total + lane[field], 0)
  const totals = totalsOf(record)
  const { before, after } = record.rows
  const isOver = end !== undefined
  const { left_to_undo, not_undone, undone_run_id } = end?.report ?? {}
  const result = end?.result ?? ''
  return {
    run_id: runId,
    running: !isOver,
    started_at: toIso(startedAtMs),
    finished_at: isOver ? toIso(end.finishedAtMs) : null,
    raw_started_ts: startedAtMs / 1_000,
    duration_sec: isOver ? Math.round((end.finishedAtMs - startedAtMs) / 10) / 100 : null,
    cmd: 'sync',
    version: record.version,
    result,
    exit_code: isOver ? EXIT[end.result] : null,
    ...(isOver ? { outcome: outcomeOf(end.result, itemsThatNeedYou(totals)), open: itemsThatNeedYou(totals) } : {}),
    ...(isOver && end.report === undefined ? { reason: end.reason } : {}),
    ...defined({ on_hold: record.onHold ?? undefined }),
    cancel_requested: record.cancelRequestedAtMs !== null,
    cancelled: result === 'cancelled',
    dry_run: isDryRun(order),
    source: request.source ?? 'api',
    plan_id: request.plan_id ?? null,
    pair_scope_ids: request.pair_ids ?? (request.pair_id === undefined ? [] : [request.pair_id]),
    timeline: { start: true, pre: isOver || record.progress.planned !== null, post: isOver, done: isOver },
    features: lanes,
    enabled: Object.fromEntries(wanted.map((feature) => [feature, true])),
    provider_counts: after ?? before,
    provider_counts_pre: before,
    ...named(before, 'pre'),
    ...(after === undefined ? {} : { provider_counts_post: after, ...named(after, 'post') }),
    added_last: sum('added'),
    removed_last: sum('removed'),
    updated_last: sum('updated'),
    ...totals,
    ...(left_to_undo === undefined || not_undone === undefined
      ? {}
      : defined({ left_to_undo, not_undone, undone_run_id })),
    unresolved_items: record.unresolved.map(unresolvedOf),
    _phase: phasesOf(record),
    pairs,
  }
}

function laneOf(record: RunRecord, feature: Feature) {
  const lists = feature === 'playlists' ? record.lists : []
  const count = (op: keyof typeof DONE) =>
    lists.reduce((sum, list) => sum + list[DONE[op]], countItems(record, ['applied'], { feature, op }))
  const newest = (op: keyof typeof DONE) => (record.spotlights[`${feature} ${op}`] ?? []).map(spotlightOf)
  return {
    ...{ added: count('add'), removed: count('remove'), updated: count('update') },
    ...{ spotlight_add: newest('add'), spotlight_remove: newest('remove'), spotlight_update: newest('update') },
  }
}

function totalsOf(record: RunRecord) {
  const { end, blocked, order, lists } = record
  const count = (...outcomes: readonly string[]) => countItems(record, outcomes)
  // Rows that stay unresolved have no outcome in this run, and a feature that failed as a whole has no items to count.
  const reports = end?.report?.pairs.flatMap(({ features }) => features)
  const sum = (of: (report: FeatureReport) => number) => reports?.reduce((all, report) => all + of(report), 0)
  return {
    skipped: lists.reduce((all, { already }) => all + already, count('already')),
    unresolved:
      sum(({ feature, unresolved, held }) =>
        // Dry runs and playlists report held items apart.
        Math.max(0, isDryRun(order) || feature === 'playlists' ? unresolved : unresolved - held),
      ) ?? count(...FAILED),
    not_in_library: sum(({ not_in_library: missing = 0 }) => missing) ?? 0,
    errors:
      count('failed', 'unknown') + (sum(({ status }) => Number(status === 'failed')) ?? Number(end !== undefined)),
    blocked,
    held: sum(({ held }) => held) ?? count('held'),
    deferred: count('deferred', 'quarantined', 'filtered'),
  }
}

function phasesOf(record: RunRecord) {
  const isOver = record.end !== undefined
  const read = { done: 0, total: 0 }
  // An account that several pairs read counts once.
  const reads = new Map(
    record.progress.reads.map((one) => [`${accountName(one.provider, one.instance)} ${one.feature}`, one]),
  )
  for (const { done, total } of reads.values()) {
    read.done += done
    read.total += Math.max(total ?? 0, done)
  }
  const done = countItems(record, [...writeOutcomes('done'), ...FAILED])
  return {
    snapshot: { ...read, final: isOver || record.progress.planned !== null },
    apply: { total: record.progress.planned ?? 0, done, final: isOver },
  }
}

function named(counts: RowCounts, when: 'pre' | 'post'): RowCounts {
  return Object.fromEntries(
    Object.entries(counts).map(([provider, count]) => [`${provider.toLowerCase()}_${when}`, count]),
  )
}

function spotlightOf({ key, item, provider }: ItemOutcome) {
  return {
    key,
    ...item,
    ...defined({ show_title: item.series_title ?? undefined }),
    display_title: displayTitle(item),
    source: provider,
  }
}

function unresolvedOf(item: ItemOutcome) {
  const { provider, instance, feature, op, outcome, reason = outcome } = item
  return { ...spotlightOf(item), provider, provider_instance: instance, feature, op, reason }
}

/** `Show - S01E02`, `Show - Season 2`, or the title. */
export function displayTitle({ type, title, series_title: series, season, episode }: ItemOutcome['item']): string {
  const show = series ?? title ?? 'Unknown'
  if (type === 'episode' && season !== undefined && episode !== undefined)
    return `${show} - ${episodeCode({ season, episode })}`
  if (type === 'season' && season !== undefined) return `${show} - Season ${season}`
  return title ?? series ?? 'Unknown'
}

function toIso(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}Z`
}

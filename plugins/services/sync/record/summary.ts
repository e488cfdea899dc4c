// Builds the summary of a run from the engine's reports; each outcome is counted once.
import { accountName, defined, type Feature, type RunResult, type RunSummary } from '@playhead/sdk'
import {
  type FeatureReport,
  isDryRun,
  type ItemOutcome,
  type PairReport,
  type RunOrder,
  type RunReport,
} from '../contract.ts'
import { DONE, type EngineEvent } from '../events.ts'
import type { Pair } from '../pairs/pair.ts'
import { BLOCKED } from '../plan/filters.ts'
import { statusOf } from '../run/run.ts'
import { openOf, outcomeOf } from './outcome.ts'

const MAX_SPOTLIGHTS = 25
const MAX_UNRESOLVED = 500

interface Lane {
  added: number
  removed: number
  updated: number
  readonly spotlight_add: Spotlight[]
  readonly spotlight_remove: Spotlight[]
  readonly spotlight_update: Spotlight[]
}

type Spotlight = Readonly<Record<string, unknown>>
type Counts = Readonly<Record<string, number>>

/** Why a run has not started yet. */
export interface OnHold {
  /** `busy`, `disk_low`, … */
  readonly reason: string
  readonly detail: string
  /** Epoch seconds. */
  readonly since: number
}

export type SummaryBuilder = ReturnType<typeof createSummary>

const EXIT: Readonly<Record<RunResult, number>> = { ok: 0, skipped: 0, failed: 1, cancelled: 1, partial: 2 }

/** @param before watchlist rows by provider before the run */
export function createSummary(order: RunOrder, version: string, before: Counts) {
  const { runId, request, startedAtMs } = order
  const wanted = order.pairs.flatMap((pair) =>
    (Object.keys(pair.features) as Feature[]).filter((feature) => pair.features[feature]?.enabled === true),
  )
  const enabled = Object.fromEntries(wanted.map((feature) => [feature, true]))
  const lanes: Record<string, Lane> = Object.fromEntries(wanted.map((feature) => [feature, emptyLane()]))
  const isDry = isDryRun(order)
  const totals = { skipped: 0, unresolved: 0, not_in_library: 0, errors: 0, blocked: 0, held: 0, deferred: 0 }
  const unresolved: unknown[] = []
  const reading = new Map<string, { readonly done: number; readonly total?: number }>()
  const apply = { total: 0, done: 0 }
  const timeline = { start: true, pre: false, post: false, done: false }
  /** Features with outcomes. */
  const counted = new Set<Feature>()
  let cancelRequested = false
  let onHold: OnHold | null = null
  let after: Counts | undefined
  let pairs: readonly PairReport[] = []
  let undo: Pick<RunReport, 'left_to_undo' | 'not_undone' | 'undone_run_id'> = {}
  let end: { readonly result: RunResult; readonly finishedAtMs: number; readonly reason?: string } | undefined

  /** The summary so far. */
  function current(): RunSummary {
    const sum = (field: 'added' | 'removed' | 'updated') =>
      Object.values(lanes).reduce((total, lane) => total + lane[field], 0)
    const read = { done: 0, total: 0 }
    for (const { done, total = 0 } of reading.values()) {
      read.done += done
      read.total += Math.max(total, done)
    }
    return {
      run_id: runId,
      running: end === undefined,
      started_at: toIso(startedAtMs),
      finished_at: end === undefined ? null : toIso(end.finishedAtMs),
      raw_started_ts: startedAtMs / 1_000,
      duration_sec: end === undefined ? null : Math.round((end.finishedAtMs - startedAtMs) / 10) / 100,
      cmd: 'sync',
      version,
      result: end?.result ?? '',
      exit_code: end === undefined ? null : EXIT[end.result],
      ...(end === undefined ? {} : { outcome: outcomeOf(end.result, openOf(totals)), open: openOf(totals) }),
      ...defined({ reason: end?.reason }),
      ...(onHold === null ? {} : { on_hold: onHold }),
      cancel_requested: cancelRequested,
      cancelled: end?.result === 'cancelled',
      dry_run: isDry,
      source: request.source ?? 'api',
      plan_id: request.plan_id ?? null,
      pair_scope_ids: request.pair_id === undefined ? [] : [request.pair_id],
      timeline: { ...timeline },
      features: structuredClone(lanes),
      enabled,
      provider_counts: after ?? before,
      provider_counts_pre: before,
      ...named(before, 'pre'),
      ...(after === undefined ? {} : { provider_counts_post: after, ...named(after, 'post') }),
      added_last: sum('added'),
      removed_last: sum('removed'),
      updated_last: sum('updated'),
      ...totals,
      ...undo,
      unresolved_items: [...unresolved],
      _phase: { snapshot: { ...read, final: timeline.pre }, apply: { ...apply, final: timeline.post } },
      pairs,
    }
  }

  function laneOf(feature: Feature): Lane {
    return (lanes[feature] ??= emptyLane())
  }

  function close(result: RunResult, finishedAtMs: number, reason?: string): RunSummary {
    Object.assign(timeline, { pre: true, post: true, done: true })
    end = { result, finishedAtMs, ...defined({ reason }) }
    return current()
  }

  return {
    current,
    requestCancel() {
      cancelRequested = true
    },
    /** Null while the run is active. */
    onHold(why: OnHold | null) {
      onHold = why
    },
    heldBy: () => onHold,
    /** Watchlist rows by provider after the run. */
    counted(counts: Counts) {
      after = counts
    },
    event(event: EngineEvent) {
      if (event.type === 'snapshot:progress') {
        reading.set(`${accountName(event.dst, event.instance)} ${event.feature}`, event)
      } else if (event.type === 'plan') {
        timeline.pre = true
        for (const { add, update, remove } of [event.ops.a, event.ops.b]) apply.total += add + update + remove
      } else if (event.type === 'plan:held') {
        totals.blocked += event.count
      } else if (event.type === 'debug' && event.msg === 'blocked.counts') {
        totals.blocked += (event.counts as Counts)[BLOCKED] ?? 0
      }
    },
    outcome(entry: ItemOutcome) {
      const { feature, op, outcome, reason } = entry
      const lane = laneOf(feature)
      counted.add(feature)
      if (outcome === 'filtered' && reason === BLOCKED) return
      if (outcome === 'deferred' || outcome === 'filtered') {
        totals.deferred += 1
        return
      }
      if (outcome === 'held') totals.held += 1
      else {
        apply.done += 1
        if (outcome === 'already') totals.skipped += 1
        else if (outcome === 'applied') {
          lane[DONE[op]] += 1
          push(lane[`spotlight_${op}`], spotlightOf(entry))
        } else totals.unresolved += 1
        if (outcome === 'failed' || outcome === 'unknown') totals.errors += 1
        if (outcome === 'already' || outcome === 'applied') return
      }
      if (unresolved.length === MAX_UNRESOLVED) return
      const { provider, instance } = entry
      const more = { provider, provider_instance: instance, feature, op, reason: reason ?? outcome }
      unresolved.push({ ...spotlightOf(entry), ...more })
    },
    // Reports of finished features are kept if the run fails later.
    reported({ id, mode }: Pair, report: FeatureReport) {
      // The playlists service writes its items in its own plans, so this feature has no outcomes to count.
      if (report.feature === 'playlists' && !isDry && !counted.has(report.feature)) {
        const lane = laneOf(report.feature)
        for (const field of Object.values(DONE)) lane[field] += report[field]
        totals.skipped += report.already
      }
      const before = pairs.find(({ pair_id: of }) => of === id)?.features ?? []
      const features = [...before, report]
      const one: PairReport = { pair_id: id, mode, status: statusOf(features.map(({ status }) => status)), features }
      pairs = [...pairs.filter(({ pair_id: of }) => of !== id), one]
    },
    /** Closes the summary with the engine's report. */
    finish(report: RunReport, finishedAtMs: number): RunSummary {
      pairs = report.pairs
      const { left_to_undo, not_undone, undone_run_id } = report
      if (left_to_undo !== undefined && not_undone !== undefined)
        undo = defined({ left_to_undo, not_undone, undone_run_id })
      const features = pairs.flatMap((pair) => pair.features)
      const sum = (of: (report: FeatureReport) => number) => features.reduce((all, one) => all + of(one), 0)
      // Rows that stay unresolved have no outcome in this run.
      totals.held = sum(({ held }) => held)
      totals.unresolved = sum(({ unresolved: open, held }) => Math.max(0, isDry ? open : open - held))
      totals.not_in_library = sum(({ not_in_library: missing = 0 }) => missing)
      // A feature that failed as a whole has no items to count.
      totals.errors += features.filter(({ status }) => status === 'failed').length
      return close(report.result, finishedAtMs)
    },
    /** Closes the summary after an internal error. */
    fail(reason: string, finishedAtMs: number): RunSummary {
      totals.errors += 1
      return close('failed', finishedAtMs, reason)
    },
  }
}

function named(counts: Counts, when: 'pre' | 'post'): Counts {
  return Object.fromEntries(
    Object.entries(counts).map(([provider, count]) => [`${provider.toLowerCase()}_${when}`, count]),
  )
}

function emptyLane(): Lane {
  return { added: 0, removed: 0, updated: 0, spotlight_add: [], spotlight_remove: [], spotlight_update: [] }
}

// Keeps the newest.
function push(list: Spotlight[], spotlight: Spotlight): void {
  list.push(spotlight)
  if (list.length > MAX_SPOTLIGHTS) list.shift()
}

function spotlightOf({ key, item, provider }: ItemOutcome): Spotlight {
  return {
    key,
    ...item,
    ...defined({ show_title: item.series_title ?? undefined }),
    display_title: displayTitle(item),
    source: provider,
  }
}

/** `Show - S01E02`, `Show - Season 2`, or the title. */
export function displayTitle({ type, title, series_title: series, season, episode }: ItemOutcome['item']): string {
  const show = series ?? title ?? 'Unknown'
  if (type === 'episode' && season !== undefined && episode !== undefined)
    return `${show} - ${episodeCode(season, episode)}`
  if (type === 'season' && season !== undefined) return `${show} - Season ${season}`
  return title ?? series ?? 'Unknown'
}

export function episodeCode(season: number, episode: number): string {
  return `S${String(season).padStart(2, '0')}E${String(episode).padStart(2, '0')}`
}

function toIso(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}Z`
}

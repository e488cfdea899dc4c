// Records a run in the event archive. The listener only queues; events are built and sent in batches where the run may wait.
// Without an archive the listener queues no events.
import {
  accountName,
  defined,
  type EventArchive,
  type EventParty,
  type EventRecord,
  type Feature,
  isNotInLibrary,
  type Logger,
  type Remote,
  type RunSummary,
} from '@playhead/sdk'
import { fingerprint } from '@playhead/sdk/items'
import type { ItemOutcome, UnresolvedChange, RunListener, RunOrder } from '../contract.ts'
import type { Pair } from '../pairs/pair.ts'
import { NO_PAIR, type PlanHeader, type PlanItem } from '../store/plans.ts'
import { openOf, outcomeOf } from './outcome.ts'
import type { ApplyEvent, EngineEvent, PlanEvent } from '../events.ts'

interface RunRecording extends Required<Omit<RunListener, 'reported'>> {
  begin(): void
  /** Resolves when the archive has stored all events. */
  finish(summary: RunSummary): Promise<void>
}

export interface Recorder {
  run(order: RunOrder): RunRecording
}

interface RecorderDependencies {
  readonly archive: Remote<Pick<EventArchive, 'record'>>
  readonly hasArchive: () => boolean
  readonly log: Logger
  readonly now: () => number
}

type Route = Pick<EventRecord, 'pair_key' | 'direction' | 'source' | 'destination'>

/** The report and its time. */
interface QueuedRecord {
  readonly of: EventRecord | ItemOutcome | UnresolvedChange
  readonly atMs: number
}

const BATCH = 500
const HEALTH_EVERY_MS = 3_600_000
const FAILED = new Set(['failed', 'unknown', 'rate_limited', 'not_found', 'unsupported', 'rejected'])
/** Reasons for which run after run skips an operation that is not unresolved. */
const LASTING = new Set([
  'absence_not_proven',
  'add_disabled',
  'changed_since_plan',
  'consumed',
  'manual_add',
  'manual_block',
  'never_linked',
  'remove_disabled',
  'settled',
  'tombstone',
])
/** Reasons that end without action and may apply to every item. */
const TRANSIENT = new Set(['first_run', 'presence_unknown', 'write_not_visible_yet'])
/** Per pair and feature: a pair without permission to add skips everything. */
const MAX_SKIPPED = 1_000
const ASKED = [
  'plan_id',
  'allow_mass_delete',
  'confirm_mirror',
  'scheduler_mode',
  'job_id',
  'workflow_id',
  'workflow_step_id',
  'trigger_event',
] as const
const VALUES: Readonly<Record<string, string>> = { ratings: 'rating', progress: 'progress' }
const ID_ORDER = ['imdb', 'tmdb', 'tvdb', 'mal', 'anilist', 'slug']
const COUNTS = [
  ['added', 'added_last'],
  ['removed', 'removed_last'],
  ['updated', 'updated_last'],
  ['unresolved', 'unresolved'],
  ['not_in_library', 'not_in_library'],
  ['errors', 'errors'],
  ['skipped', 'skipped'],
  ['held', 'held'],
  ['blocked', 'blocked'],
] as const

export function createRecorder({ archive, hasArchive, log, now }: RecorderDependencies): Recorder {
  const health = new Map<string, { readonly status: string; readonly atMs: number }>()
  // By pair and feature: the last recorded reason of each operation.
  const skipReasons = new Map<string, Map<number, string>>()

  /** Records a reason once per operation, until it changes. */
  function isNewReason({ pair_id: pairId, feature, side, op, key }: ItemOutcome, reason: string): boolean {
    const place = `${pairId} ${feature}`
    const name = fingerprint(`${side} ${op} ${key}`)
    const own = skipReasons.get(place) ?? new Map<number, string>()
    skipReasons.set(place, own)
    if (own.get(name) === reason || (own.size >= MAX_SKIPPED && !own.has(name))) return false
    own.set(name, reason)
    return true
  }

  function forget({ pair_id: pairId, feature, side, op, key }: ItemOutcome): void {
    if (skipReasons.size > 0) skipReasons.get(`${pairId} ${feature}`)?.delete(fingerprint(`${side} ${op} ${key}`))
  }

  return {
    run(order) {
      const pairs = new Map(order.pairs.map((pair) => [pair.id, pair]))
      const isDry = order.request.dry_run === true || order.settings.dry_run
      const dry = isDry ? { dry_run: true } : {}
      const common = { run_id: order.runId, source_kind: 'runtime' } as const
      const queue: QueuedRecord[] = []
      const routes = new Map<string, Route>()
      const blocked = new Map<string, { readonly of: EventRecord; count: number }>()
      let current: Pair | undefined
      let sending: Promise<void> | undefined
      let hasFailed = false

      // Stamped at the time of the report, not of the sending.
      const enqueue = (of: QueuedRecord['of']) => {
        if (hasArchive()) queue.push({ of, atMs: now() })
      }

      async function send(): Promise<void> {
        while (queue.length > 0) {
          const batch = queue.splice(0, BATCH)
          try {
            await archive.record(batch.map(recordOf))
          } catch (error) {
            // A missing record must not fail a run.
            if (!hasFailed) log.warn({ run: order.runId, err: error }, 'events of a run could not be recorded')
            hasFailed = true
          }
        }
      }

      const flush = () =>
        (sending ??= send().finally(() => {
          sending = undefined
        }))

      return {
        begin() {
          enqueue({
            ...common,
            type: 'sync_run_started',
            operation: 'run',
            detail: {
              ...dry,
              mode: order.request.source ?? 'api',
              pairs: order.pairs.map(({ id }) => id),
              ...defined({ features: order.request.features }),
              ...Object.fromEntries(
                ASKED.flatMap((name) => (order.request[name] === undefined ? [] : [[name, order.request[name]]])),
              ),
            },
          })
        },
        event(event) {
          if (event.type === 'run:pair') current = order.pairs[event.i - 1]
          const made = fromEvent(event)
          if (made !== undefined) enqueue(made)
        },
        outcome(outcome) {
          const reason = lastingReason(outcome)
          if (reason !== undefined) {
            if (hasArchive() && isNewReason(outcome, reason)) enqueue(outcome)
            return
          }
          forget(outcome)
          if (isRecorded(outcome)) enqueue(outcome)
          if (isBlocked(outcome)) countBlocked(outcome)
        },
        skipped(item) {
          const { reason = '' } = item
          if (hasArchive() && !TRANSIENT.has(reason) && isNewReason(item, reason)) enqueue(item)
        },
        unresolved(change) {
          enqueue(change)
        },
        flush: () => (queue.length < BATCH && sending === undefined ? undefined : flush()),
        async finish(summary) {
          const detail: Record<string, unknown> = {
            ...dry,
            result: summary.result,
            outcome: outcomeOf(
              summary.result,
              openOf({
                unresolved: Number(summary['unresolved'] ?? 0),
                held: Number(summary['held'] ?? 0),
                not_in_library: Number(summary['not_in_library'] ?? 0),
              }),
            ),
            cancelled: summary.result === 'cancelled',
            pairs: order.pairs.length,
            duration_sec: summary['duration_sec'],
            ...defined({ not_undone: summary.not_undone }),
          }
          for (const [name, field] of COUNTS) detail[name] = Number(summary[field] ?? 0)
          for (const { of, count } of blocked.values()) enqueue({ ...of, detail: { ...dry, blocked: count } })
          enqueue({
            ...common,
            type: 'sync_run_finished',
            operation: 'run',
            severity:
              summary.result === 'failed'
                ? 'error'
                : summary.result === 'ok' || summary.result === 'skipped'
                  ? 'info'
                  : 'warn',
            detail,
          })
          while (queue.length > 0 || sending !== undefined) await flush()
        },
      }

      function recordOf({ of, atMs }: QueuedRecord): EventRecord {
        return { ...('type' in of ? of : 'outcome' in of ? fromOutcome(of) : fromChange(of)), atMs }
      }

      function countBlocked({ pair_id: pairId, feature, op, side = 'b' }: ItemOutcome): void {
        const name = `${pairId} ${feature} ${op} ${side}`
        const known = blocked.get(name)
        if (known !== undefined) known.count += 1
        else blocked.set(name, { count: 1, of: { ...common, ...routeIn(pairId, side), ...blockedAs(op), feature } })
      }

      /** @param at the account that was written to, for changes to one account */
      function routeIn(pairId: string, side: 'a' | 'b', at?: EventParty): Route {
        if (at !== undefined && pairId === NO_PAIR) return { destination: at }
        const name = `${side} ${pairId}`
        let route = routes.get(name)
        if (route === undefined) routes.set(name, (route = routeOf(pairs.get(pairId), side)))
        return route
      }

      function fromEvent(event: EngineEvent): EventRecord | undefined {
        const of = (feature: Feature) => ({ ...common, ...routeOf(current, 'b'), feature })
        switch (event.type) {
          case 'health':
            return fromHealth(event)
          case 'plan':
            return fromPlan(event)
          case 'apply':
            return event.step === 'done' ? fromBatch(event) : undefined
          case 'feature:skipped':
            return {
              ...of(event.feature),
              reason_code: event.reason,
              type: 'feature_skipped',
              operation: 'run',
              severity: 'warn',
              detail: dry,
            }
          case 'feature:unsupported':
            return {
              ...of(event.feature),
              type: 'feature_skipped',
              operation: 'run',
              severity: 'warn',
              reason_code: 'unsupported',
              detail: dry,
            }
          case 'feature:error':
            return {
              ...of(event.feature),
              reason_code: event.error,
              type: 'feature_failed',
              operation: 'run',
              severity: 'error',
              detail: dry,
            }
          case 'read:incomplete':
            return {
              ...common,
              reason_code: event.reason,
              feature: event.feature,
              source: partyOf(event),
              type: 'read_incomplete',
              operation: 'run',
              severity: 'warn',
              detail: dry,
            }
          case 'plan:held':
            return {
              ...common,
              ...routeOf(current, event.side),
              feature: event.feature,
              ...(event.reason === null ? {} : { reason_code: event.reason }),
              type: 'removals_held',
              operation: 'hold',
              severity: 'warn',
              detail: { ...dry, count: event.count },
            }
          case 'rate:slow':
            return {
              ...common,
              type: 'api_rate_limit',
              severity: 'warn',
              reason_code: 'rate_limited',
              source: partyOf(event),
              detail: { wait_ms: event.extra_ms },
            }
          default:
            return undefined
        }
      }

      function fromPlan({ pair, feature, ops: { a, b }, read }: PlanEvent): EventRecord {
        const all = (of: typeof a) => of.add + of.remove + of.update
        return {
          ...common,
          ...routeOf(current, 'b'),
          feature,
          type: 'plan_created',
          operation: 'plan',
          detail: {
            ...dry,
            adds: a.add + b.add,
            removes: a.remove + b.remove,
            updates: a.update + b.update,
            src_count: read.a,
            dst_count: read.b,
            ...(pair.mode === 'two_way' ? { to_a: all(a), to_b: all(b) } : {}),
          },
        }
      }

      function fromHealth(event: Extract<EngineEvent, { type: 'health' }>): EventRecord | undefined {
        const { status, ok, latency_ms: latency = null, features } = event
        const source = partyOf(event)
        const name = accountName(event.provider, event.instance)
        const last = health.get(name)
        const atMs = now()
        if (last !== undefined && last.status === status && atMs - last.atMs < HEALTH_EVERY_MS) return undefined
        health.set(name, { status, atMs })
        return {
          ...common,
          type: 'provider_health',
          source,
          reason_code: status,
          severity: ok ? 'info' : 'warn',
          detail: { status, ok, latency_ms: latency, features },
        }
      }

      function fromBatch(event: Extract<ApplyEvent, { step: 'done' }>): EventRecord {
        const { op, side, feature, attempted, applied, already, unresolved, errors } = event
        const of = (kind: ApplyEvent['op']) => (op === kind ? applied : 0)
        const hasErrors = attempted > 0 && errors > 0
        return {
          ...common,
          ...routeOf(current, side),
          type: hasErrors ? 'write_failed' : 'write_attempted',
          operation: op,
          feature,
          ...(hasErrors ? { severity: 'error', reason_code: 'errors' } : {}),
          detail: {
            ...dry,
            attempted,
            count: applied,
            added: of('add'),
            removed: of('remove'),
            updated: of('update'),
            skipped: already,
            unresolved,
            errors,
          },
        }
      }

      function fromOutcome(entry: ItemOutcome): EventRecord {
        const {
          pair_id: pairId,
          feature,
          op,
          key,
          outcome,
          reason,
          side = 'b',
          cause,
          before,
          value,
          item,
          origin,
        } = entry
        const more = { ...dry, ...defined({ origin }) }
        const base = {
          ...common,
          ...routeIn(pairId, side, { provider: entry.provider, instance: entry.instance }),
          feature,
          operation: op,
          item: itemOf(key, item),
          ...matchOf(item),
          ...(isDry || origin !== undefined ? { detail: more } : {}),
        }
        if (isBlocked(entry)) return { ...base, ...blockedAs(op) }
        if (outcome === 'filtered' || outcome === 'deferred')
          return {
            ...base,
            type: 'write_withheld',
            reason_code: reason ?? outcome,
            ...(cause === undefined ? {} : { detail: { ...more, cause } }),
          }
        if (FAILED.has(outcome)) {
          return {
            ...base,
            type: 'write_failed',
            severity: 'error',
            reason_code: reason ?? outcome,
            detail: { ...more, outcome, ...defined({ cause }) },
          }
        }
        const kind = VALUES[feature]
        const changed =
          kind === undefined || (before ?? null) === (value ?? null)
            ? {}
            : { change: { old: before ?? null, new: value === '' ? null : (value ?? null), kind } }
        return {
          ...base,
          type: 'write_succeeded',
          reason_code: outcome === 'already' ? 'already' : (cause ?? 'unknown'),
          ...changed,
        }
      }

      function fromChange({
        pair_id: pairId,
        feature,
        provider,
        instance,
        op,
        key,
        change,
        reason,
        attempts,
        item,
        origin,
      }: UnresolvedChange): EventRecord {
        const pair = pairs.get(pairId)
        const side = pair !== undefined && pair.source === provider && pair.source_instance === instance ? 'a' : 'b'
        const base = { ...common, ...routeIn(pairId, side), feature, item: itemOf(key, item), ...matchOf(item) }
        const operation = reason === 'held_mass_delete' ? 'hold' : op
        if (change === 'quarantined')
          return {
            ...base,
            type: 'blackbox_promoted',
            operation: op === 'add' ? 'quarantine' : op,
            severity: 'warn',
            reason_code: reason,
            detail: { attempts },
          }
        if (change === 'closed')
          return {
            ...base,
            type: 'unresolved_cleared',
            operation,
            reason_code: 'unresolved_cleared',
            detail: { was: reason },
          }
        return {
          ...base,
          type: 'unresolved_recorded',
          operation,
          severity: isNotInLibrary(reason) ? 'info' : 'warn',
          reason_code: reason,
          detail: { attempts, ...defined({ origin }) },
        }
      }
    },
  }
}

/** Deferred operations are recorded when they become unresolved; quarantined ones are recorded each time. */
function isRecorded(item: ItemOutcome): boolean {
  const { outcome } = item
  return (outcome !== 'held' && outcome !== 'deferred' && outcome !== 'filtered') || isBlocked(item)
}

/** Undefined for operations that were applied, were tried, or are recorded elsewhere. */
function lastingReason({ outcome, reason }: ItemOutcome): string | undefined {
  return (outcome === 'filtered' || outcome === 'deferred') && reason !== undefined && LASTING.has(reason)
    ? reason
    : undefined
}

function isBlocked({ outcome, reason }: ItemOutcome): boolean {
  return outcome === 'deferred' && reason === 'quarantined'
}

function blockedAs(op: ItemOutcome['op']) {
  return {
    type: 'blackbox_blocked',
    operation: op === 'add' ? 'quarantine' : op,
    severity: 'warn',
    reason_code: 'blackbox',
  } as const
}

function routeOf(pair: Pair | undefined, side: 'a' | 'b'): Route {
  if (pair === undefined) return {}
  const a: EventParty = { provider: pair.source, instance: pair.source_instance }
  const b: EventParty = { provider: pair.target, instance: pair.target_instance }
  return {
    pair_key: [pair.source, pair.target].sort().join('-'),
    ...(side === 'b'
      ? { direction: 'a_to_b', source: a, destination: b }
      : { direction: 'b_to_a', source: b, destination: a }),
  }
}

function partyOf({ provider, instance }: EventParty): EventParty {
  return { provider, instance }
}

function itemOf(
  key: string,
  { type, title, series_title: series, year, season, episode }: ItemOutcome['item'],
): NonNullable<EventRecord['item']> {
  return {
    key,
    title: series ?? title ?? null,
    year: year ?? null,
    season: season ?? null,
    episode: episode ?? null,
    media_type: type,
  }
}

function matchOf({ type, ids, show_ids: show }: ItemOutcome['item']): Pick<EventRecord, 'match_basis'> {
  const known = (type === 'season' || type === 'episode') && Object.keys(ids).length === 0 ? (show ?? {}) : ids
  const scheme = ID_ORDER.find((name) => name in known) ?? Object.keys(known)[0]
  return scheme === undefined
    ? {}
    : { match_basis: `${scheme}:${String((known as Readonly<Record<string, unknown>>)[scheme])}` }
}

/** Records of changes to one account outside a run. */
export function changeRecords(
  { feature, sides: { b } }: PlanHeader,
  items: readonly PlanItem[],
): readonly EventRecord[] {
  const destination: EventParty = { provider: b.provider, instance: b.instance }
  return items.flatMap(
    ({ op, key, item, state, reason, cause, origin, sent_at_ms: sentAtMs }): readonly EventRecord[] => {
      if (sentAtMs === null) return []
      const of = {
        feature,
        operation: op,
        destination,
        item: itemOf(key, item),
        ...matchOf(item),
        source_kind: 'app',
      } as const
      const detail = defined({ origin: origin ?? undefined })
      return [
        FAILED.has(state)
          ? {
              ...of,
              type: 'write_failed',
              severity: 'error',
              reason_code: reason ?? state,
              detail: { ...detail, cause },
            }
          : {
              ...of,
              type: 'write_succeeded',
              reason_code: state === 'already' ? 'already' : cause,
              ...(origin === null ? {} : { detail }),
            },
      ]
    },
  )
}

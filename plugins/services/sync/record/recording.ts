// Records a run in the event archive. The listener only queues; events are sent in batches where the run may wait.
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
  type Side,
} from '@playhead/sdk'
import { fingerprint } from '@playhead/sdk/items'
import { isDryRun, type ItemOutcome, type RunOrder, type UnresolvedChange } from '../contract.ts'
import { accountOf, endsOf, type Pair, sideOf } from '../pairs/pair.ts'
import { NO_PAIR, type PlanHeader, type PlanItem } from '../store/plans.ts'
import { HELD } from '../store/unresolved.ts'
import { totalsOf } from './brief.ts'
import { FAILED, openOf, outcomeOf } from './outcome.ts'
import type { ApplyEvent, EngineEvent, PlanEvent } from '../events.ts'

export type Recorder = ReturnType<typeof createRecorder>

interface RecorderDependencies {
  readonly archive: Remote<Pick<EventArchive, 'record'>>
  readonly hasArchive: () => boolean
  readonly log: Logger
  readonly now: () => number
}

type Operation = Pick<UnresolvedChange, 'feature' | 'op' | 'key' | 'item'>
type Route = Pick<EventRecord, 'pair_key' | 'direction' | 'source' | 'destination'>

/** Marks the records of a dry run. */
type Dry = { readonly dry_run?: true }

/** What the records of a run share. */
interface Recorded {
  readonly dry: Dry
  readonly pairs: ReadonlyMap<string, Pair>
  /** By side and pair. */
  readonly routes: Map<string, Route>
  /** The pair that runs. */
  current?: Pair | undefined
}

const BATCH = 500
const HEALTH_EVERY_MS = 3_600_000
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

export function createRecorder({ archive, hasArchive, log, now }: RecorderDependencies) {
  const health = new Map<string, { readonly status: string; readonly atMs: number }>()
  // By pair and feature: the last recorded reason of each operation.
  const skipReasons = new Map<string, Map<number, string>>()

  /** Records a reason once per operation, until it changes. */
  function isNewReason({ pair_id: pairId, feature, side, op, key, reason = '' }: ItemOutcome): boolean {
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
    run(order: RunOrder) {
      const dry: Dry = isDryRun(order) ? { dry_run: true } : {}
      const run: Recorded = { dry, pairs: new Map(order.pairs.map((pair) => [pair.id, pair])), routes: new Map() }
      const queue: EventRecord[] = []
      const blocked = new Map<string, { readonly of: EventRecord; count: number }>()
      let sending: Promise<void> | undefined
      let hasFailed = false

      // Stamped at the time of the report, not of the sending.
      const enqueue = (make: () => EventRecord | undefined) => {
        const record = hasArchive() ? make() : undefined
        if (record !== undefined) queue.push({ run_id: order.runId, source_kind: 'runtime', ...record, atMs: now() })
      }

      async function send(): Promise<void> {
        while (queue.length > 0) {
          try {
            await archive.record(queue.splice(0, BATCH))
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
          const { source = 'api', features } = order.request
          const asked = ASKED.map((name) => [name, order.request[name]])
          const detail = { ...dry, mode: source, pairs: [...run.pairs.keys()], features, ...Object.fromEntries(asked) }
          enqueue(() => ({ type: 'sync_run_started', operation: 'run', detail: defined(detail) }))
        },
        event(event: EngineEvent) {
          if (event.type === 'run:pair') run.current = order.pairs[event.i - 1]
          enqueue(() => (event.type === 'health' ? fromHealth(event) : fromEvent(event, run)))
        },
        outcome(entry: ItemOutcome) {
          const { outcome, reason = '' } = entry
          const isLeft = outcome === 'filtered' || outcome === 'deferred'
          if (isLeft && LASTING.has(reason)) {
            recordOnce(entry)
            return
          }
          forget(entry)
          // Deferred operations are recorded when they become unresolved; quarantined ones are recorded each time.
          if (isBlocked(entry)) countBlocked(entry)
          else if (isLeft || outcome === 'held') return
          enqueue(() => fromOutcome(entry, run))
        },
        skipped(item: ItemOutcome) {
          if (!TRANSIENT.has(item.reason ?? '')) recordOnce(item)
        },
        unresolved: (change: UnresolvedChange) => enqueue(() => fromChange(change, run)),
        flush: () => (queue.length < BATCH && sending === undefined ? undefined : flush()),
        /** Resolves when the archive has stored all events. */
        async finish(summary: RunSummary): Promise<void> {
          const { result, not_undone: notUndone } = summary
          const totals = totalsOf(summary)
          const detail = {
            ...dry,
            result,
            outcome: outcomeOf(result, openOf(totals)),
            cancelled: result === 'cancelled',
            pairs: order.pairs.length,
            duration_sec: summary['duration_sec'],
            ...defined({ not_undone: notUndone }),
            ...totals,
            blocked: Number(summary['blocked'] ?? 0),
          }
          const severity = result === 'failed' ? 'error' : result === 'ok' || result === 'skipped' ? 'info' : 'warn'
          for (const { of, count } of blocked.values()) enqueue(() => ({ ...of, detail: { ...dry, blocked: count } }))
          enqueue(() => ({ type: 'sync_run_finished', operation: 'run', severity, detail }))
          while (queue.length > 0 || sending !== undefined) await flush()
        },
      }

      function recordOnce(entry: ItemOutcome): void {
        enqueue(() => (isNewReason(entry) ? fromOutcome(entry, run) : undefined))
      }

      function countBlocked({ pair_id: pairId, feature, op, side = 'b' }: ItemOutcome): void {
        const name = `${pairId} ${feature} ${op} ${side}`
        const known = blocked.get(name)
        if (known !== undefined) known.count += 1
        else blocked.set(name, { count: 1, of: { ...routeIn(run, pairId, side), ...blockedAs(op), feature } })
      }

      function fromHealth(event: Extract<EngineEvent, { type: 'health' }>): EventRecord | undefined {
        const { provider, instance, status, ok, latency_ms: latency = null, features } = event
        const name = accountName(provider, instance)
        const last = health.get(name)
        const atMs = now()
        if (last !== undefined && last.status === status && atMs - last.atMs < HEALTH_EVERY_MS) return undefined
        health.set(name, { status, atMs })
        return {
          type: 'provider_health',
          source: { provider, instance },
          reason_code: status,
          severity: ok ? 'info' : 'warn',
          detail: { status, ok, latency_ms: latency, features },
        }
      }
    },
  }
}

/** Undefined for events that are not recorded. */
function fromEvent(event: EngineEvent, { dry, current }: Recorded): EventRecord | undefined {
  const warning = (type: string, reason: string | undefined) =>
    ({ type, operation: 'run', severity: 'warn', ...defined({ reason_code: reason }), detail: dry }) as const
  const at = ({ feature, side = 'b' }: { readonly feature: Feature; readonly side?: Side }) => ({
    ...routeOf(current, side),
    feature,
  })
  switch (event.type) {
    case 'plan':
      return { ...at(event), ...fromPlan(event, dry) }
    case 'apply':
      return event.step === 'done' ? { ...at(event), ...fromBatch(event, dry) } : undefined
    case 'feature:skipped':
      return { ...warning('feature_skipped', event.reason), ...at(event) }
    case 'feature:unsupported':
      return { ...warning('feature_skipped', 'unsupported'), ...at(event) }
    case 'feature:error':
      return { ...warning('feature_failed', event.error), ...at(event), severity: 'error' }
    case 'read:incomplete':
      return { ...warning('read_incomplete', event.reason), feature: event.feature, source: accountOf(event) }
    case 'plan:held':
      return {
        ...warning('removals_held', event.reason ?? undefined),
        ...at(event),
        operation: 'hold',
        detail: { ...dry, count: event.count },
      }
    case 'rate:slow':
      return {
        ...{ type: 'api_rate_limit', severity: 'warn', reason_code: 'rate_limited' },
        source: accountOf(event),
        detail: { wait_ms: event.extra_ms },
      }
    default:
      return undefined
  }
}

function fromPlan({ pair, ops: { a, b }, read }: PlanEvent, dry: Dry): EventRecord {
  const all = (of: typeof a) => of.add + of.remove + of.update
  return {
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

function fromBatch(event: Extract<ApplyEvent, { step: 'done' }>, dry: Dry): EventRecord {
  const { op, attempted, applied, already, unresolved, errors } = event
  const of = (kind: ApplyEvent['op']) => (op === kind ? applied : 0)
  return {
    operation: op,
    ...(attempted > 0 && errors > 0
      ? { type: 'write_failed', severity: 'error', reason_code: 'errors' }
      : { type: 'write_attempted' }),
    detail: {
      ...{ ...dry, attempted, count: applied, added: of('add'), removed: of('remove'), updated: of('update') },
      ...{ skipped: already, unresolved, errors },
    },
  }
}

function fromOutcome(entry: ItemOutcome, run: Recorded): EventRecord {
  const { feature, op, outcome, reason, side = 'b', cause, before = null, value, origin } = entry
  const detail = { ...run.dry, ...defined({ origin }) }
  const base = {
    ...routeIn(run, entry.pair_id, side, accountOf(entry)),
    ...operationOf(entry),
    ...(run.dry.dry_run === true || origin !== undefined ? { detail } : {}),
  }
  if (isBlocked(entry)) return { ...base, ...blockedAs(op) }
  if (outcome === 'filtered' || outcome === 'deferred')
    return {
      ...base,
      type: 'write_withheld',
      reason_code: reason ?? outcome,
      ...(cause === undefined ? {} : { detail: { ...detail, cause } }),
    }
  if (FAILED.has(outcome))
    return { ...base, ...failed(reason ?? outcome), detail: { ...detail, outcome, ...defined({ cause }) } }
  const kind = VALUES[feature]
  const isChanged = kind !== undefined && before !== (value ?? null)
  return {
    ...base,
    ...succeeded(outcome, cause),
    ...(isChanged ? { change: { old: before, new: value === '' ? null : (value ?? null), kind } } : {}),
  }
}

function fromChange(row: UnresolvedChange, run: Recorded): EventRecord {
  const { pair_id: pairId, op, change, reason, attempts, origin } = row
  const pair = run.pairs.get(pairId)
  const side = pair === undefined ? 'b' : sideOf(pair, row)
  const base = { ...routeIn(run, pairId, side), ...operationOf(row), reason_code: reason }
  if (change === 'quarantined')
    return { ...base, ...blockedAs(op), type: 'blackbox_promoted', reason_code: reason, detail: { attempts } }
  const operation = reason === HELD ? 'hold' : op
  if (change === 'closed') {
    const type = 'unresolved_cleared'
    return { ...base, type, operation, reason_code: type, detail: { was: reason } }
  }
  return {
    ...base,
    type: 'unresolved_recorded',
    operation,
    severity: isNotInLibrary(reason) ? 'info' : 'warn',
    detail: { attempts, ...defined({ origin }) },
  }
}

function isBlocked({ outcome, reason }: ItemOutcome): boolean {
  return outcome === 'deferred' && reason === 'quarantined'
}

function blockedAs(op: UnresolvedChange['op']) {
  return {
    type: 'blackbox_blocked',
    operation: op === 'add' ? 'quarantine' : op,
    severity: 'warn',
    reason_code: 'blackbox',
  } as const
}

/** @param at the account that was written to, for changes to one account */
function routeIn({ routes, pairs }: Recorded, pairId: string, side: Side, at?: EventParty): Route {
  if (at !== undefined && pairId === NO_PAIR) return { destination: at }
  const name = `${side} ${pairId}`
  let route = routes.get(name)
  if (route === undefined) routes.set(name, (route = routeOf(pairs.get(pairId), side)))
  return route
}

function routeOf(pair: Pair | undefined, side: Side): Route {
  if (pair === undefined) return {}
  const { a, b } = endsOf(pair)
  return {
    pair_key: [pair.source, pair.target].sort().join('-'),
    ...(side === 'b'
      ? { direction: 'a_to_b', source: a, destination: b }
      : { direction: 'b_to_a', source: b, destination: a }),
  }
}

/** The operation of a record, and its item. */
function operationOf({ feature, op, key, item }: Operation) {
  return { feature, operation: op, item: itemOf(key, item), ...matchOf(item) }
}

function failed(reason: string) {
  return { type: 'write_failed', severity: 'error', reason_code: reason } as const
}

function succeeded(outcome: string, cause = 'unknown') {
  return { type: 'write_succeeded', reason_code: outcome === 'already' ? 'already' : cause }
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
  return (
    items
      // The service may refuse an operation that was sent, because the row changed since; that wrote nothing.
      .filter(({ sent_at_ms: sentAtMs, state }) => sentAtMs !== null && state !== 'deferred')
      .map(({ op, key, item, state, reason, cause, origin }) => {
        const of = { ...operationOf({ feature, op, key, item }), destination: accountOf(b), source_kind: 'app' }
        const detail = origin === null ? {} : { origin }
        if (FAILED.has(state)) return { ...of, ...failed(reason ?? state), detail: { ...detail, cause } }
        return { ...of, ...succeeded(state, cause), ...(origin === null ? {} : { detail }) }
      })
  )
}

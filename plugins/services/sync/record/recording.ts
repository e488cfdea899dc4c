// Records a run in the event archive. Taking a fact only queues; events are sent in batches where the run may wait.
// Without an archive no events are queued.
import {
  type AccountName,
  accountName,
  defined,
  type EventArchive,
  type EventRecord,
  type Feature,
  isNotInLibrary,
  type Logger,
  type Remote,
  type Side,
} from '@playhead/sdk'
import { fingerprint } from '@playhead/sdk/items'
import { isDryRun, type ItemOutcome, type RunOrder, TRIGGERS, type UnresolvedChange } from '../contract.ts'
import { accountOf, endsOf, type Pair, sideOf } from '../pairs/pair.ts'
import { NO_PAIR, type PlanHeader, type PlanItem } from '../store/plans.ts'
import { HELD } from '../store/unresolved.ts'
import type { ApplyEvent, PlanEvent } from '../events.ts'
import { totalsOf } from './brief.ts'
import { FAILED } from './outcome.ts'
import { isQuarantined, type RunFact, type RunRecord } from './run-record.ts'
import { summaryOf } from './summary.ts'

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

const BATCH = 500
const HEALTH_EVERY_MS = 3_600_000
/** Reasons that last from run to run, for operations that are not listed as unresolved. */
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
const ASKED = ['plan_id', 'allow_mass_delete', 'confirm_mirror', ...TRIGGERS] as const
const VALUES: Readonly<Record<string, string>> = { ratings: 'rating', progress: 'progress' }
const ID_ORDER = ['imdb', 'tmdb', 'tvdb', 'mal', 'anilist', 'slug']

export function createRecorder({ archive, hasArchive, log, now }: RecorderDependencies) {
  const health = new Map<string, { readonly status: string; readonly atMs: number }>()
  // By pair and feature: the last recorded reason of each operation.
  const skipReasons = new Map<string, Map<number, string>>()
  const queue: EventRecord[] = []
  let sending: Promise<void> | undefined
  let hasFailed = false

  /** False for facts that earlier runs recorded, or that add no information. */
  function isNews(fact: RunFact): boolean {
    if (fact.type === 'health') return isNewHealth(fact)
    if (fact.type === 'item:skipped') return !TRANSIENT.has(fact.item.reason ?? '') && isNewReason(fact.item)
    if (fact.type !== 'item') return true
    const { pair_id: pairId, feature, side, op, key, outcome, reason = '' } = fact.item
    const isLeft = outcome === 'filtered' || outcome === 'deferred'
    if (isLeft && LASTING.has(reason)) return isNewReason(fact.item)
    skipReasons.get(`${pairId} ${feature}`)?.delete(fingerprint(`${side} ${op} ${key}`))
    // Deferred operations are recorded when they become unresolved; quarantined ones are recorded each time.
    return isQuarantined(fact.item) || (!isLeft && outcome !== 'held')
  }

  function isNewHealth({ provider, instance, status }: AccountName & { readonly status: string }): boolean {
    const name = accountName(provider, instance)
    const last = health.get(name)
    const atMs = now()
    if (last !== undefined && last.status === status && atMs - last.atMs < HEALTH_EVERY_MS) return false
    health.set(name, { status, atMs })
    return true
  }

  /** A reason is recorded once per operation, until it changes. */
  function isNewReason({ pair_id: pairId, feature, side, op, key, reason = '' }: ItemOutcome): boolean {
    const place = `${pairId} ${feature}`
    const name = fingerprint(`${side} ${op} ${key}`)
    const own = skipReasons.get(place) ?? new Map<number, string>()
    skipReasons.set(place, own)
    if (own.get(name) === reason || (own.size >= MAX_SKIPPED && !own.has(name))) return false
    own.set(name, reason)
    return true
  }

  async function send(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.splice(0, BATCH)
      try {
        await archive.record(batch)
      } catch (error) {
        // A missing record must not fail a run.
        if (!hasFailed) log.warn({ run: batch[0]?.run_id, err: error }, 'events of a run could not be recorded')
        hasFailed = true
      }
    }
  }

  const flush = () =>
    (sending ??= send().finally(() => {
      sending = undefined
    }))

  return {
    /** @param record the record of the run, with the fact */
    take(record: RunRecord, fact: RunFact): void {
      if (fact.type === 'begin') hasFailed = false
      if (!hasArchive() || !isNews(fact)) return
      const dry: Dry = isDryRun(record.order) ? { dry_run: true } : {}
      // Dated when reported, not when sent.
      for (const one of recordsOf(record, fact, dry))
        queue.push({ run_id: record.order.runId, source_kind: 'runtime', ...one, atMs: now() })
    },
    flush: () => (queue.length < BATCH && sending === undefined ? undefined : flush()),
    /** Resolves when the archive has stored all events. */
    async finish(): Promise<void> {
      while (queue.length > 0 || sending !== undefined) await flush()
    },
  }
}

/** The events of a fact; none for those that are not recorded. */
function recordsOf(record: RunRecord, fact: RunFact, dry: Dry): readonly EventRecord[] {
  if (fact.type !== 'end') {
    const one = recordOf(record, fact, dry)
    return one === undefined ? [] : [one]
  }
  const blocked = record.items.flatMap(({ pair_id: id, feature, op, side, counts: { quarantined: count } }) =>
    count === undefined
      ? []
      : { ...routeOf(pairIn(record.order, id), side), ...blockedAs(op), feature, detail: { ...dry, blocked: count } },
  )
  return [...blocked, ended(record, dry)]
}

function begun({ pairs, request }: RunOrder, dry: Dry): EventRecord {
  const { source = 'api', features } = request
  const asked = Object.fromEntries(ASKED.map((name) => [name, request[name]]))
  const detail = defined({ ...dry, mode: source, pairs: pairs.map(({ id }) => id), features, ...asked })
  return { type: 'sync_run_started', operation: 'run', detail }
}

function ended(record: RunRecord, dry: Dry): EventRecord {
  const summary = summaryOf(record)
  const { result, not_undone: notUndone } = summary
  const totals = totalsOf(summary)
  return {
    type: 'sync_run_finished',
    operation: 'run',
    severity: result === 'failed' ? 'error' : result === 'ok' || result === 'skipped' ? 'info' : 'warn',
    detail: {
      ...dry,
      result,
      outcome: summary['outcome'],
      cancelled: result === 'cancelled',
      pairs: record.order.pairs.length,
      duration_sec: summary['duration_sec'],
      ...defined({ not_undone: notUndone }),
      ...totals,
      blocked: record.blocked,
    },
  }
}

function recordOf({ order, progress }: RunRecord, fact: RunFact, dry: Dry): EventRecord | undefined {
  const warning = (type: string, reason: string | undefined) =>
    ({ type, operation: 'run', severity: 'warn', ...defined({ reason_code: reason }), detail: dry }) as const
  const at = ({ feature, side = 'b' }: { readonly feature: Feature; readonly side?: Side }) => ({
    ...routeOf(pairIn(order, progress.pairs.at(-1)?.pairId), side),
    feature,
  })
  switch (fact.type) {
    case 'begin':
      return begun(order, dry)
    case 'item':
    case 'item:skipped':
      return fromOutcome(fact.item, order, dry)
    case 'item:unresolved':
      return fromChange(fact.change, order)
    case 'health': {
      const { status, ok, latency_ms: latency = null, features } = fact
      return {
        ...{ type: 'provider_health', source: accountOf(fact), reason_code: status, severity: ok ? 'info' : 'warn' },
        detail: { status, ok, latency_ms: latency, features },
      }
    }
    case 'plan':
      return { ...at(fact), ...fromPlan(fact, dry) }
    case 'apply':
      return fact.step === 'done' ? { ...at(fact), ...fromBatch(fact, dry) } : undefined
    case 'feature:skipped':
      return { ...warning('feature_skipped', fact.reason), ...at(fact) }
    case 'feature:unsupported':
      return { ...warning('feature_skipped', 'unsupported'), ...at(fact) }
    case 'feature:error':
      return { ...warning('feature_failed', fact.error), ...at(fact), severity: 'error' }
    case 'read:incomplete':
      return { ...warning('read_incomplete', fact.reason), feature: fact.feature, source: accountOf(fact) }
    case 'plan:held':
      return {
        ...warning('removals_held', fact.reason ?? undefined),
        ...at(fact),
        operation: 'hold',
        detail: { ...dry, count: fact.count },
      }
    case 'rate:slow':
      return {
        ...{ type: 'api_rate_limit', severity: 'warn', reason_code: 'rate_limited' },
        source: accountOf(fact),
        detail: { wait_ms: fact.extra_ms },
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

function fromOutcome(entry: ItemOutcome, order: RunOrder, dry: Dry): EventRecord {
  const { pair_id: pairId, feature, op, outcome, reason, side = 'b', cause, before = null, value, origin } = entry
  const detail = { ...dry, ...defined({ origin }) }
  const base = {
    // Changes to one account have no pair.
    ...(pairId === NO_PAIR ? { destination: accountOf(entry) } : routeOf(pairIn(order, pairId), side)),
    ...operationOf(entry),
    ...(Object.keys(detail).length > 0 ? { detail } : {}),
  }
  if (isQuarantined(entry)) return { ...base, ...blockedAs(op) }
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

function fromChange(row: UnresolvedChange, order: RunOrder): EventRecord {
  const { pair_id: pairId, op, change, reason, attempts, origin } = row
  const pair = pairIn(order, pairId)
  const base = {
    ...(pair === undefined ? {} : routeOf(pair, sideOf(pair, row))),
    ...operationOf(row),
    reason_code: reason,
  }
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

function blockedAs(op: UnresolvedChange['op']) {
  return {
    type: 'blackbox_blocked',
    operation: op === 'add' ? 'quarantine' : op,
    severity: 'warn',
    reason_code: 'blackbox',
  } as const
}

function pairIn({ pairs }: RunOrder, pairId: string | undefined): Pair | undefined {
  return pairs.find(({ id }) => id === pairId)
}

/** Made once for each pair, as every item of a run has one. */
const ROUTES = new WeakMap<Pair, Readonly<Record<Side, Route>>>()

function routeOf(pair: Pair | undefined, side: Side): Route {
  return pair === undefined ? {} : ROUTES.getOrInsertComputed(pair, routesOf)[side]
}

function routesOf(pair: Pair): Readonly<Record<Side, Route>> {
  const { a, b } = endsOf(pair)
  const pairKey = [pair.source, pair.target].sort().join('-')
  return {
    a: { pair_key: pairKey, direction: 'b_to_a', source: b, destination: a },
    b: { pair_key: pairKey, direction: 'a_to_b', source: a, destination: b },
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

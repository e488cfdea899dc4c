// What a run did, item by item, for the event archive. The listener only collects: what was told is turned into events
// where the run can wait, in batches. Without an archive nothing is collected, and nothing fails.
import {
  type EventArchive,
  type EventParty,
  type EventRecord,
  fingerprint,
  type Logger,
  type Remote,
  type RunSummary,
} from '@playhead/sdk'
import type { EngineEvent, ItemOutcome, OpenChange, Pair, RunListener, RunOrder } from './contract.ts'

export interface RunRecording extends Required<Omit<RunListener, 'reported'>> {
  begin(): void
  /** Resolves when everything is with the archive. */
  finish(summary: RunSummary): Promise<void>
}

export interface Recorder {
  run(order: RunOrder): RunRecording
}

export interface RecorderDependencies {
  readonly archive: Remote<Pick<EventArchive, 'record'>>
  readonly isThere: () => boolean
  readonly log: Logger
  readonly now: () => number
}

type Route = Pick<EventRecord, 'pair_key' | 'direction' | 'source' | 'destination'>

/** What was told, and when. */
interface Told {
  readonly of: EventRecord | ItemOutcome | OpenChange
  readonly atMs: number
}

const BATCH = 500
const HEALTH_EVERY_MS = 3_600_000
const FAILED = new Set(['failed', 'unknown', 'rate_limited', 'not_found', 'unsupported', 'rejected'])
/** Why an operation is left undone, run after run, without being open. */
const LEFT = new Set([
  'absence_not_proven',
  'add_disabled',
  'changed_since_plan',
  'consumed',
  'manual_block',
  'never_linked',
  'remove_disabled',
  'settled',
  'tombstone',
])
/** These end by themselves, and may be of everything that there is. */
const PASSING = new Set(['first_run', 'presence_unknown', 'write_not_visible_yet'])
/** Of each pair and feature. A pair that may not add leaves everything. */
const MOST_LEFT = 1_000
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
  ['errors', 'errors'],
  ['skipped', 'skipped'],
  ['held', 'held'],
  ['blocked', 'blocked'],
] as const

export function createRecorder({ archive, isThere, log, now }: RecorderDependencies): Recorder {
  const health = new Map<string, { readonly status: string; readonly atMs: number }>()
  // By pair and feature: reasons by what they are told of.
  const left = new Map<string, Map<number, string>>()

  /** The same reason is told once, another one anew. */
  function isNews({ pair_id: pairId, feature, side, op, key }: ItemOutcome, reason: string): boolean {
    const place = `${pairId} ${feature}`
    const name = fingerprint(`${side} ${op} ${key}`)
    const own = left.get(place) ?? new Map<number, string>()
    left.set(place, own)
    if (own.get(name) === reason || (own.size >= MOST_LEFT && !own.has(name))) return false
    own.set(name, reason)
    return true
  }

  function forget({ pair_id: pairId, feature, side, op, key }: ItemOutcome): void {
    if (left.size > 0) left.get(`${pairId} ${feature}`)?.delete(fingerprint(`${side} ${op} ${key}`))
  }

  return {
    run(order) {
      const pairs = new Map(order.pairs.map((pair) => [pair.id, pair]))
      const isDry = order.request.dry_run === true || order.settings.dry_run
      const dry = isDry ? { dry_run: true } : {}
      const common = { run_id: order.runId, source_kind: 'runtime' } as const
      const told: Told[] = []
      const routes = new Map<string, Route>()
      const blocked = new Map<string, { readonly of: EventRecord; count: number }>()
      let current: Pair | undefined
      let sending: Promise<void> | undefined
      let hasFailed = false

      // The time is that of the telling, not of the passing on.
      const keep = (of: Told['of']) => {
        if (isThere()) told.push({ of, atMs: now() })
      }

      async function send(): Promise<void> {
        while (told.length > 0) {
          const batch = told.splice(0, BATCH)
          try {
            await archive.record(batch.map(recordOf))
          } catch (error) {
            // A record that is missing is no reason for a run to fail.
            if (!hasFailed) log.warn({ run: order.runId, err: error }, 'what a run did could not be recorded')
            hasFailed = true
          }
        }
      }

      const passOn = () =>
        (sending ??= send().finally(() => {
          sending = undefined
        }))

      return {
        begin() {
          keep({
            ...common,
            type: 'sync_run_started',
            operation: 'run',
            detail: {
              ...dry,
              mode: order.request.source ?? 'api',
              pairs: order.pairs.map(({ id }) => id),
              ...(order.request.features === undefined ? {} : { features: order.request.features }),
              ...Object.fromEntries(
                ASKED.flatMap((name) => (order.request[name] === undefined ? [] : [[name, order.request[name]]])),
              ),
            },
          })
        },
        event(event) {
          if (event.event === 'run:pair') current = order.pairs[Number(event['i']) - 1]
          const made = fromEvent(event)
          if (made !== undefined) keep(made)
        },
        outcome(outcome) {
          const reason = leftBecause(outcome)
          if (reason !== undefined) {
            if (isThere() && isNews(outcome, reason)) keep(outcome)
            return
          }
          forget(outcome)
          if (isTold(outcome)) keep(outcome)
          if (isBlocked(outcome)) countBlocked(outcome)
        },
        left(told) {
          const { reason = '' } = told
          if (isThere() && !PASSING.has(reason) && isNews(told, reason)) keep(told)
        },
        open(change) {
          keep(change)
        },
        rest: () => (told.length < BATCH && sending === undefined ? undefined : passOn()),
        async finish(summary) {
          const detail: Record<string, unknown> = {
            ...dry,
            result: summary.result,
            cancelled: summary.result === 'cancelled',
            pairs: order.pairs.length,
            duration_sec: summary['duration_sec'],
          }
          for (const [name, field] of COUNTS) detail[name] = Number(summary[field] ?? 0)
          for (const { of, count } of blocked.values()) keep({ ...of, detail: { ...dry, blocked: count } })
          keep({
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
          while (told.length > 0 || sending !== undefined) await passOn()
        },
      }

      function recordOf({ of, atMs }: Told): EventRecord {
        return { ...('type' in of ? of : 'outcome' in of ? fromOutcome(of) : fromChange(of)), atMs }
      }

      function countBlocked({ pair_id: pairId, feature, op, side = 'b' }: ItemOutcome): void {
        const name = `${pairId} ${feature} ${op} ${side}`
        const known = blocked.get(name)
        if (known !== undefined) known.count += 1
        else blocked.set(name, { count: 1, of: { ...common, ...routeIn(pairId, side), ...blockedAs(op), feature } })
      }

      function routeIn(pairId: string, side: 'a' | 'b'): Route {
        const name = `${side} ${pairId}`
        let route = routes.get(name)
        if (route === undefined) routes.set(name, (route = routeOf(pairs.get(pairId), side)))
        return route
      }

      function fromEvent(event: EngineEvent): EventRecord | undefined {
        const { event: name, feature } = event
        const of = {
          ...common,
          ...routeOf(current, 'b'),
          ...(typeof feature === 'string' ? { feature: feature as NonNullable<EventRecord['feature']> } : {}),
        }
        const number = (field: string) => Number(event[field] ?? 0)
        const sum = (...fields: readonly string[]) => fields.reduce((total, field) => total + number(field), 0)
        if (name === 'health') return fromHealth(event)
        if (name === 'one:plan' || name === 'two:plan') {
          return {
            ...of,
            type: 'plan_created',
            operation: 'plan',
            detail: {
              ...dry,
              adds: sum('adds', 'add_to_A', 'add_to_B'),
              removes: sum('removes', 'rem_from_A', 'rem_from_B'),
              updates: sum('updates', 'upd_to_A', 'upd_to_B'),
              src_count: number('src_count'),
              dst_count: number('dst_count'),
              ...(name === 'two:plan'
                ? { to_a: sum('add_to_A', 'rem_from_A', 'upd_to_A'), to_b: sum('add_to_B', 'rem_from_B', 'upd_to_B') }
                : {}),
            },
          }
        }
        const done = /^(?:two:)?apply:(add|update|remove)(?::([AB]))?:done$/.exec(name)
        if (done !== null) return fromBatch(event, done[1] as ItemOutcome['op'], done[2] === 'A' ? 'a' : 'b')
        const reason =
          typeof event['reason'] === 'string'
            ? event['reason']
            : typeof event['error'] === 'string'
              ? event['error']
              : undefined
        const why = reason === undefined ? {} : { reason_code: reason }
        if (name === 'feature:skipped')
          return { ...of, ...why, type: 'feature_skipped', operation: 'run', severity: 'warn', detail: dry }
        if (name === 'feature:unsupported')
          return {
            ...of,
            type: 'feature_skipped',
            operation: 'run',
            severity: 'warn',
            reason_code: 'unsupported',
            detail: dry,
          }
        if (name === 'feature:error')
          return { ...of, ...why, type: 'feature_failed', operation: 'run', severity: 'error', detail: dry }
        if (name === 'read:incomplete')
          return {
            ...common,
            ...why,
            feature: of.feature as never,
            source: partyOf(event),
            type: 'read_incomplete',
            operation: 'run',
            severity: 'warn',
            detail: dry,
          }
        if (name === 'plan:held')
          return {
            ...of,
            ...why,
            ...routeOf(current, event['side'] === 'a' ? 'a' : 'b'),
            type: 'removals_held',
            operation: 'hold',
            severity: 'warn',
            detail: { ...dry, count: number('count') },
          }
        if (name === 'rate:slow')
          return {
            ...common,
            type: 'api_rate_limit',
            severity: 'warn',
            reason_code: 'rate_limited',
            source: partyOf(event),
            detail: { wait_ms: number('extra_ms') },
          }
        return undefined
      }

      function fromHealth(event: EngineEvent): EventRecord | undefined {
        const source = partyOf(event)
        const name = `${source.provider}@${source.instance}`
        const status = String(event['status'])
        const last = health.get(name)
        const atMs = now()
        if (last?.status === status && atMs - last.atMs < HEALTH_EVERY_MS) return undefined
        health.set(name, { status, atMs })
        return {
          ...common,
          type: 'provider_health',
          source,
          reason_code: status,
          severity: event['ok'] === true ? 'info' : 'warn',
          detail: {
            status,
            ok: event['ok'] === true,
            latency_ms: event['latency_ms'] ?? null,
            features: event['features'] ?? {},
          },
        }
      }

      function fromBatch(event: EngineEvent, op: ItemOutcome['op'], side: 'a' | 'b'): EventRecord {
        const fields = ['attempted', 'count', 'added', 'removed', 'updated', 'skipped', 'unresolved', 'errors']
        const detail = { ...dry, ...Object.fromEntries(fields.map((field) => [field, Number(event[field] ?? 0)])) }
        const hasErrors = Number(event['attempted'] ?? 0) > 0 && Number(event['errors'] ?? 0) > 0
        return {
          ...common,
          ...routeOf(current, side),
          type: hasErrors ? 'write_failed' : 'write_attempted',
          operation: op,
          feature: event['feature'] as never,
          ...(hasErrors ? { severity: 'error', reason_code: 'errors' } : {}),
          detail,
        }
      }

      function fromOutcome(told: ItemOutcome): EventRecord {
        const { pair_id: pairId, feature, op, key, outcome, reason, side = 'b', cause, before, value, item } = told
        const base = {
          ...common,
          ...routeIn(pairId, side),
          feature,
          operation: op,
          item: itemOf(key, item),
          ...matchOf(item),
          ...(isDry ? { detail: dry } : {}),
        }
        if (isBlocked(told)) return { ...base, ...blockedAs(op) }
        if (outcome === 'filtered' || outcome === 'deferred')
          return {
            ...base,
            type: 'write_withheld',
            reason_code: reason ?? outcome,
            ...(cause === undefined ? {} : { detail: { ...dry, cause } }),
          }
        if (FAILED.has(outcome)) {
          return {
            ...base,
            type: 'write_failed',
            severity: 'error',
            reason_code: reason ?? outcome,
            detail: { ...dry, outcome, ...(cause === undefined ? {} : { cause }) },
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
      }: OpenChange): EventRecord {
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
          severity: 'warn',
          reason_code: reason,
          detail: { attempts },
        }
      }
    },
  }
}

/** What waits for another run says so when it becomes open; what is in quarantine is told each time. */
function isTold(told: ItemOutcome): boolean {
  const { outcome } = told
  return (outcome !== 'held' && outcome !== 'deferred' && outcome !== 'filtered') || isBlocked(told)
}

/** Undefined for what is done, or tried, or told otherwise. */
function leftBecause({ outcome, reason }: ItemOutcome): string | undefined {
  return (outcome === 'filtered' || outcome === 'deferred') && reason !== undefined && LEFT.has(reason)
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

function partyOf(event: EngineEvent): EventParty {
  return { provider: String(event['provider'] ?? ''), instance: String(event['instance'] ?? 'default') }
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

/** What was written outside a run, by whoever asked for it. */
export function directRecords(
  {
    provider,
    instance,
    feature,
    op,
    items,
    cause,
  }: {
    readonly provider: string
    readonly instance: string
    readonly feature: ItemOutcome['feature']
    readonly op: ItemOutcome['op']
    readonly items: readonly { readonly key: string; readonly item: ItemOutcome['item'] }[]
    readonly cause: string
  },
  outcomes: readonly { readonly key: string; readonly outcome: string; readonly reason?: string }[],
): readonly EventRecord[] {
  const byKey = new Map(items.map(({ key, item }) => [key, item]))
  return outcomes.flatMap(({ key, outcome, reason }): readonly EventRecord[] => {
    const item = byKey.get(key)
    if (item === undefined) return []
    const of = {
      feature,
      operation: op,
      destination: { provider, instance },
      item: itemOf(key, item),
      ...matchOf(item),
      source_kind: 'app',
    } as const
    return [
      FAILED.has(outcome)
        ? { ...of, type: 'write_failed', severity: 'error', reason_code: reason ?? outcome, detail: { cause } }
        : { ...of, type: 'write_succeeded', reason_code: outcome === 'already' ? 'already' : cause },
    ]
  })
}

// Log lines of a run: one per step that people search for, none for progress.
import { type AccountName, accountName, DEFAULT_PROFILE, type Logger, type PairMode } from '@playhead/sdk'
import type { Pair } from '../pairs/pair.ts'
import { type ApplyEvent, DONE, type PlanEvent } from '../events.ts'
import type { RunFact } from './run-record.ts'

type Level = 'debug' | 'info' | 'warn'
type Line = readonly [level: Level, text: string, fields?: Readonly<Record<string, unknown>>]

export function logRunEvent(log: Logger, event: RunFact): void {
  const line = lineOf(event)
  if (line === undefined) return
  const [level, text, fields = {}] = line
  log[level](fields, text)
}

function lineOf(event: RunFact): Line | undefined {
  switch (event.type) {
    case 'run:start':
      return ['info', `run ${event.run_id} begins${event.dry_run ? ', dry: nothing is written' : ''}`]
    case 'run:pair':
      return ['info', `pair ${event.i} of ${event.n}: ${between(event)}`, { features: event.features }]
    case 'run:pair:skip':
      return ['info', `${between(event)} has nothing to sync`, { reason: event.reason }]
    case 'pair:skip': {
      const { pair, reason, statuses } = event
      return ['warn', `${between(routeOf(pair))} is skipped`, { reason, statuses }]
    }
    case 'health':
      return event.ok ? undefined : ['warn', `${nameOf(event)} cannot be used: ${event.status}`, event.details ?? {}]
    case 'read:incomplete':
      return [
        'warn',
        `${event.feature} of ${nameOf(event)} was not read completely; nothing is removed because of it`,
        { reason: event.reason },
      ]
    case 'snapshot:suspect':
      return [
        'warn',
        `${event.feature} of ${event.provider} has fewer items than before; nothing is removed because of it yet`,
        { reason: event.reason, before: event.prev_count, now: event.cur_count },
      ]
    case 'plan':
      return planned(event)
    case 'plan:held':
      return [
        'warn',
        `${event.count} removals of ${event.feature} wait for approval`,
        { reason: event.reason, pair: event.pair_id },
      ]
    case 'apply':
      return event.step === 'done' ? applied(event) : undefined
    case 'writes:skipped':
      return [
        'warn',
        `${event.count} writes of ${event.feature} to ${event.dst} are deferred to the next run`,
        { reason: event.reason },
      ]
    case 'rate:slow':
      return ['info', `${nameOf(event)} asks for a pause`, { ms: event.extra_ms }]
    case 'feature:unsupported':
      return ['info', `${event.feature} cannot be synced in ${between(event)}`]
    case 'feature:skipped':
      return ['warn', `${event.feature} of ${between(event)} is skipped`, { reason: event.reason }]
    case 'feature:error':
      return ['warn', `${event.feature} of ${between(event)} failed`, { reason: event.error }]
    case 'feature:cancelled':
      return ['info', `${event.feature} of ${between(event)} was cancelled`]
    case 'run:done': {
      const { result, added, updated, removed, unresolved, errors } = event
      const level = result === 'failed' || result === 'partial' ? 'warn' : 'info'
      return [level, `run ended: ${result}`, { added, updated, removed, unresolved, errors }]
    }
    default:
      return undefined
  }
}

function applied({ op, dst, feature, ...counts }: Extract<ApplyEvent, { step: 'done' }>): Line {
  const { applied: count, attempted, unresolved, errors } = counts
  const isAll = count === attempted
  return [
    isAll ? 'info' : 'warn',
    `${feature}: ${count} ${DONE[op]} at ${dst}`,
    isAll ? {} : { attempted, unresolved, errors },
  ]
}

function planned({ pair, feature, ops, read }: PlanEvent): Line {
  const parts = (['a', 'b'] as const).flatMap((side) =>
    (['add', 'update', 'remove'] as const).flatMap((op) =>
      ops[side][op] === 0 ? [] : [`${ops[side][op]} to ${op} at ${side === 'a' ? pair.source : pair.target}`],
    ),
  )
  return [
    parts.length === 0 ? 'debug' : 'info',
    `${feature}: ${parts.length === 0 ? 'nothing to do' : parts.join(', ')}`,
    { read: [read.a, read.b] },
  ]
}

function nameOf({ provider, instance }: AccountName): string {
  return accountName(provider, instance)
}

interface PairRoute {
  readonly src: string
  readonly dst: string
  readonly src_instance?: string
  readonly dst_instance?: string
  readonly mode?: PairMode
}

function routeOf({ source, source_instance, target, target_instance, mode }: Pair): PairRoute {
  return { src: source, dst: target, src_instance: source_instance, dst_instance: target_instance, mode }
}

function between({ src, dst, src_instance: from, dst_instance: to, mode }: PairRoute): string {
  const at = (instance = DEFAULT_PROFILE) => (instance === DEFAULT_PROFILE ? '' : `@${instance}`)
  return `${src}${at(from)} ${mode === 'two_way' ? '↔' : '→'} ${dst}${at(to)}`
}

// What a run does, as lines of the log: one for each step that people ask about, and none for those that only move a
// progress bar.
import type { Logger } from '@playhead/sdk'
import type { EngineEvent } from './contract.ts'

type Level = 'debug' | 'info' | 'warn'
type Line = readonly [level: Level, text: string, fields?: Readonly<Record<string, unknown>>]

const DONE = { add: 'added', update: 'updated', remove: 'removed' } as const
const APPLY = /^(?:two:)?apply:(add|update|remove):(?:([AB]):)?done$/

export function logRunEvent(log: Logger, event: EngineEvent): void {
  const line = lineOf(event)
  if (line === undefined) return
  const [level, text, fields = {}] = line
  log[level](fields, text)
}

function lineOf(event: EngineEvent): Line | undefined {
  const { feature, reason } = event
  const because = reason === undefined ? {} : { reason }
  switch (event.event) {
    case 'run:start':
      return ['info', `run ${event['run_id']} begins${event['dry_run'] === true ? ', dry: nothing is written' : ''}`]
    case 'run:pair':
      return ['info', `pair ${event['i']} of ${event['n']}: ${between(event)}`, { features: event['features'] }]
    case 'run:pair:skip':
      return ['info', `${between(event)} has nothing to sync`, because]
    case 'pair:skip':
      return ['warn', `${between(event)} is skipped`, { ...because, statuses: event['statuses'] }]
    case 'health':
      return event['ok'] === true
        ? undefined
        : [
            'warn',
            `${accountOf(event)} cannot be used: ${event['status']}`,
            (event['details'] as Record<string, unknown> | null) ?? {},
          ]
    case 'read:incomplete':
      return [
        'warn',
        `${feature} of ${accountOf(event)} was not read completely; nothing is removed because of it`,
        because,
      ]
    case 'snapshot:suspect':
      return [
        'warn',
        `${feature} of ${event['provider']} has fewer items than before; nothing is removed because of it yet`,
        { ...because, before: event['prev_count'], now: event['cur_count'] },
      ]
    case 'one:plan':
      return planned(event, [[event['dst'], 'adds', 'updates', 'removes']])
    case 'two:plan':
      return planned(event, [
        [event['a'], 'add_to_A', 'upd_to_A', 'rem_from_A'],
        [event['b'], 'add_to_B', 'upd_to_B', 'rem_from_B'],
      ])
    case 'plan:held':
      return [
        'warn',
        `${event['count']} removals of ${feature} wait for a person`,
        { ...because, pair: event['pair_id'] },
      ]
    case 'writes:skipped':
      return ['warn', `${event['count']} writes of ${feature} to ${event['dst']} are left for the next run`, because]
    case 'rate:slow':
      return ['info', `${accountOf(event)} asks for a pause`, { ms: event['extra_ms'] }]
    case 'feature:unsupported':
      return ['info', `${feature} cannot be synced in ${between(event)}`]
    case 'feature:skipped':
      return ['warn', `${feature} of ${between(event)} is skipped`, because]
    case 'feature:error':
      return ['warn', `${feature} of ${between(event)} failed`, { reason: event['error'] }]
    case 'feature:cancelled':
      return ['info', `${feature} of ${between(event)} was cancelled`]
    case 'run:done':
      return [
        event['result'] === 'failed' || event['result'] === 'partial' ? 'warn' : 'info',
        `run ended: ${event['result']}`,
        {
          added: event['added'],
          updated: event['updated'],
          removed: event['removed'],
          unresolved: event['unresolved'],
          errors: event['errors'],
        },
      ]
    default:
      return applied(event)
  }
}

function applied(event: EngineEvent): Line | undefined {
  const [, op] = APPLY.exec(event.event) ?? []
  if (op === undefined) return undefined
  const { dst, feature, count, attempted, errors, unresolved } = event
  const isAll = count === attempted
  return [
    isAll ? 'info' : 'warn',
    `${feature}: ${count} ${DONE[op as keyof typeof DONE]} at ${dst}`,
    isAll ? {} : { attempted, unresolved, errors },
  ]
}

function planned(event: EngineEvent, sides: readonly (readonly [unknown, ...string[]])[]): Line {
  const parts = sides.flatMap(([at, ...counts]) =>
    ['add', 'update', 'remove'].flatMap((op, index) => {
      const count = Number(event[counts[index] as string] ?? 0)
      return count === 0 ? [] : [`${count} to ${op} at ${at}`]
    }),
  )
  return [
    parts.length === 0 ? 'debug' : 'info',
    `${event['feature']}: ${parts.length === 0 ? 'nothing to do' : parts.join(', ')}`,
    { read: [event['src_count'], event['dst_count']] },
  ]
}

function accountOf({ provider, instance }: EngineEvent): string {
  return `${provider}@${instance}`
}

function between(event: EngineEvent): string {
  const name = (side: 'src' | 'dst', other: 'a' | 'b') => {
    const instance = event[`${side}_instance`]
    return `${event[side] ?? event[other]}${instance === undefined || instance === 'default' ? '' : `@${instance}`}`
  }
  return `${name('src', 'a')} ${event['mode'] === 'two_way' || event['a'] !== undefined ? '↔' : '→'} ${name('dst', 'b')}`
}

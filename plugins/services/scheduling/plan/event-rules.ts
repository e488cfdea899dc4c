// Rules that start syncs after playback events. Data of the bus events `playback.start`, `playback.pause` and
// `playback.stop`: `source` (`watcher` or `webhook`), `route_id`, `provider` (`MEDIAA`), `provider_instance`
// (`default`), `account` (user name at the server), `media_type` (`movie` or `episode`), `progress` (0 to 100), and
// `key` or `session_id`. A missing field matches no filter.
import { isRecent } from '@playhead/sdk'
import type { EventRule } from '../settings.ts'
import type { RuleHistory } from '../run/state.ts'

export interface PlaybackEvent {
  readonly source?: string
  readonly route_id?: string
  readonly provider?: string
  readonly provider_instance?: string
  readonly account?: string
  readonly media_type?: string
  readonly progress?: number
  readonly key?: string
  readonly session_id?: string
}

const TEXTS = [
  'source',
  'route_id',
  'provider',
  'provider_instance',
  'account',
  'media_type',
  'key',
  'session_id',
] as const

/** Parses the event data; fields of a wrong type count as missing. */
export function readEvent(data: Readonly<Record<string, unknown>>): PlaybackEvent {
  const texts = Object.fromEntries(
    TEXTS.flatMap((name) => (typeof data[name] === 'string' ? [[name, data[name]]] : [])),
  )
  return typeof data['progress'] === 'number' ? { ...texts, progress: data['progress'] } : texts
}

export type SkipReason = 'cooldown' | 'dedupe' | 'rate_limit' | 'busy' | 'missing_pair'

const HOUR_MS = 3_600_000
const HISTORY_MS = 24 * HOUR_MS

/** Whether the rule applies to this event. A rule without a route applies to none. */
export function matches(rule: EventRule, name: string, event: PlaybackEvent): boolean {
  const { filters, source, event: wanted, active } = rule
  return (
    active &&
    wanted === name &&
    source === event.source &&
    filters.route_id !== '' &&
    filters.route_id === event.route_id &&
    (filters.provider === '' || filters.provider === event.provider?.toUpperCase()) &&
    (filters.provider_instance === '' || filters.provider_instance === event.provider_instance) &&
    (filters.account === '' || filters.account.toLowerCase() === event.account?.toLowerCase()) &&
    (filters.media_type === '' || filters.media_type === event.media_type) &&
    (filters.min_progress === 0 || (event.progress ?? -1) >= filters.min_progress)
  )
}

/** Why a matching rule does not start now; undefined when it does. */
export function whySkipped(
  rule: EventRule,
  event: PlaybackEvent,
  history: RuleHistory | undefined,
  nowMs: number,
): SkipReason | undefined {
  const { cooldown_minutes: cooldown, dedupe_window_seconds: window, max_runs_per_hour: limit } = rule.guardrails
  if (history === undefined) return undefined
  const lastMs = history.startsMs.at(-1)
  if (lastMs !== undefined && isRecent(lastMs, nowMs, cooldown * 60_000)) return 'cooldown'
  const seenMs = history.seen[sameness(event)]
  if (seenMs !== undefined && isRecent(seenMs, nowMs, window * 1_000)) return 'dedupe'
  if (limit > 0 && history.startsMs.filter((startMs) => isRecent(startMs, nowMs, HOUR_MS)).length >= limit)
    return 'rate_limit'
  return undefined
}

/** Adds a start to the history and drops starts that no guard needs any more. */
export function afterStart(history: RuleHistory | undefined, event: PlaybackEvent, nowMs: number): RuleHistory {
  const recent = (atMs: number) => isRecent(atMs, nowMs, HISTORY_MS)
  const seen = Object.entries(history?.seen ?? {})
    .filter(([, atMs]) => recent(atMs))
    .slice(-1_000)
  return {
    startsMs: [...(history?.startsMs ?? []).filter(recent), nowMs].slice(-1_000),
    seen: { ...Object.fromEntries(seen), [sameness(event)]: nowMs },
  }
}

function sameness({ route_id: route, account, key, session_id: session }: PlaybackEvent): string {
  return JSON.stringify([
    route ?? '',
    account?.toLowerCase() ?? '',
    key ?? '',
    key === undefined ? (session ?? '') : '',
  ])
}

// Syncs that start when something is watched. The events `playback.start`, `playback.pause` and `playback.stop` of the
// bus carry, in their data: `source` (`watcher` or `webhook`), `route_id` (the route that saw it), `provider`
// (`MEDIAA`), `provider_instance` (`default`), `account` (name of the person at the server), `media_type` (`movie` or
// `episode`), `progress` (0 to 100), and `key` or `session_id`, which tell what was watched and in which session.
// Whatever is missing matches no filter.
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

/** The event in the data of the bus; fields of another kind than stated are as if they were missing. */
export function readEvent(data: Readonly<Record<string, unknown>>): PlaybackEvent {
  const texts = Object.fromEntries(
    TEXTS.flatMap((name) => (typeof data[name] === 'string' ? [[name, data[name]]] : [])),
  )
  return typeof data['progress'] === 'number' ? { ...texts, progress: data['progress'] } : texts
}

export type SkipReason = 'cooldown' | 'dedupe' | 'rate_limit' | 'busy' | 'missing_pair'

const HOUR_MS = 3_600_000
const KEPT_MS = 24 * HOUR_MS

/** Whether the rule is about this event. A rule without a route is about none. */
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

/** Why a rule that matches does not start anything now; undefined when it does. */
export function whySkipped(
  rule: EventRule,
  event: PlaybackEvent,
  history: RuleHistory | undefined,
  nowMs: number,
): SkipReason | undefined {
  const { cooldown_minutes: cooldown, dedupe_window_seconds: window, max_runs_per_hour: limit } = rule.guardrails
  if (history === undefined) return undefined
  const lastMs = history.startsMs.at(-1)
  if (lastMs !== undefined && nowMs - lastMs < cooldown * 60_000) return 'cooldown'
  const seenMs = history.seen[sameness(event)]
  if (seenMs !== undefined && nowMs - seenMs < window * 1_000) return 'dedupe'
  if (limit > 0 && history.startsMs.filter((startMs) => nowMs - startMs < HOUR_MS).length >= limit) return 'rate_limit'
  return undefined
}

/** The history with this start in it, and without what no guard looks at any more. */
export function afterStart(history: RuleHistory | undefined, event: PlaybackEvent, nowMs: number): RuleHistory {
  const recent = (atMs: number) => nowMs - atMs < KEPT_MS
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

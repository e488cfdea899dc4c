// Texts for events and event groups.
import { episodeCode, seasonCode } from './episode.ts'
import { readable } from './readable.ts'
import { serviceText } from '../../texts/service-text.ts'
import type { Answer } from '../../api/client.ts'
import type { Tone } from './status-badge.tsx'
import { events } from '../../texts/en/events.ts'
import { runs } from '../../texts/en/runs.ts'
import { say } from '../../texts/say.ts'

export type EventGroup = Answer<'GET /api/events/groups'>['items'][number]
export type EventRow = Answer<'GET /api/events/item/{item_key}'>['items'][number]
export type NameOf = (provider: string, instance?: string) => string

const TONES: Readonly<Record<string, Tone>> = {
  failed: 'bad',
  warning: 'warn',
  unresolved: 'warn',
  blackboxed: 'warn',
  resolved: 'good',
  completed: 'good',
  rated: 'good',
  running: 'busy',
  pending: 'busy',
}
const SEVERITY_TONES: Readonly<Record<string, Tone>> = {
  error: 'bad',
  warn: 'warn',
  warning: 'warn',
  info: 'idle',
  success: 'good',
}
const GOOD_TYPES: ReadonlySet<string> = new Set([
  'write_succeeded',
  'unresolved_cleared',
  'scrobble_completed',
  'rating_applied',
])
// Aliases: providers use different codes for the same failure.
const FAILURES: readonly (readonly [pattern: RegExp, name: keyof typeof events.failures])[] = [
  [/^not_in_library$/, 'not_in_library'],
  [/episode_missing|^target_not_found:episode/, 'episode_missing'],
  [/^(?:target_)?not_found\b|^not_in_catalog$/, 'not_found'],
  [/^ambiguous(?!_response)/, 'ambiguous'],
  [/missing_ids?$|^ids_unknown$|^no_(?:external_)?ids?$|^id_mismatch$/, 'missing_ids'],
  [/^missing_watched_at$/, 'missing_watched_at'],
  [/^day_unsupported$/, 'day_unsupported'],
  [/^shared_file$/, 'shared_file'],
  [/^missing_rating$/, 'missing_rating'],
  [/^(?:missing_duration|duration_missing)$/, 'missing_duration'],
  [/^exact_play_unknown$/, 'exact_play_unknown'],
  [/_in_future$/, 'in_future'],
  [/unmapped/, 'unmapped'],
  [/^unsupported/, 'unsupported'],
  [/^(?:provider|target)_limit/, 'limit'],
  [/^rate_limited/, 'rate_limited'],
  [/^timeout$/, 'timeout'],
  [/^connection_lost$/, 'connection_lost'],
  [/^provider_down\b|unavailable|unreachable/, 'unreachable'],
  [/^(?:auth_failed|missing_auth|token_rejected|unauthorized)/, 'sign_in'],
  [/^(?:forbidden|vip_only)$/, 'forbidden'],
  [/^refused_by_service$/, 'refused'],
  [/^malformed_response|^invalid_(?:json|response)|^ambiguous_response/, 'not_understood'],
  [/unconfirmed|^not_(?:verified|confirmed)$|^(?:unknown|no_outcome)$|^verify_failed/, 'unconfirmed'],
  [/^out_of_scope$/, 'out_of_scope'],
  [/^list_limit$/, 'list_limit'],
  [/^left_library$/, 'left_library'],
  [/^write_not_visible$/, 'write_not_visible'],
  [/^(?:changed_since_read|conflict)$/, 'changed_meanwhile'],
  [/^(?:quarantined|flapper|blackbox|phantom)/, 'quarantined'],
  [/^(?:held|mass_delete)/, 'held'],
  [/^(?:removals_off|remove_disabled)$/, 'removals_off'],
  [/^interrupted$/, 'interrupted'],
  [/^cancelled$/, 'cancelled'],
]
const SENTENCES: Readonly<Record<string, unknown>> = events.sentences

export function toneOf(status: string): Tone {
  return TONES[status] ?? 'idle'
}

// The states of runs, as on their pages.
const RUN_STATES = { completed: 'in_sync', warning: 'need_you', failed: 'failed', informational: 'paused' } as const

/** The result of a run, in its note. */
const NEEDED = /(\d+) (?:unresolved|held)/g

export function statusText({
  status,
  domain,
  summary_parts: { kind, note },
}: Pick<EventGroup, 'status' | 'domain' | 'summary_parts'>): string {
  if (kind === 'run' && status in RUN_STATES) {
    if (/^Dry run/.test(String(note))) return runs.dryRun
    if (/was cancelled/.test(String(note))) return runs.status.paused
    const state = RUN_STATES[status as keyof typeof RUN_STATES]
    const n = [...String(note).matchAll(NEEDED)].reduce((sum, [, count]) => sum + Number(count), 0)
    return state === 'need_you' && n === 0 ? runs.status.failed : say(runs.status[state], { n })
  }
  const ofPlay = domain === 'scrobble' ? events.playStatuses[status as keyof typeof events.playStatuses] : undefined
  if (ofPlay !== undefined) return ofPlay
  return events.statuses[status as keyof typeof events.statuses] ?? status
}

export function eventTone({ event_type: type, severity }: Pick<EventRow, 'event_type' | 'severity'>): Tone {
  return GOOD_TYPES.has(type) ? 'good' : (SEVERITY_TONES[severity] ?? 'idle')
}

export function typeText(type: string): string {
  return events.types[type as keyof typeof events.types] ?? serviceText(readable(type.replace(/^audit_/, '')))
}

type Named = Pick<EventGroup, 'title' | 'item_key' | 'season' | 'episode'>

export function itemName({ title, item_key: key, season, episode }: Named): string | null {
  const name = title ?? key
  if (name === null || season === null) return name
  return `${name} ${episode === null ? seasonCode(season) : episodeCode(season, episode)}`
}

/** The title of a group. */
export function groupTitle(group: EventGroup, nameOf: NameOf): string {
  const { kind, note, steps } = group.summary_parts as {
    readonly kind?: string
    readonly note?: string | null
    readonly steps?: readonly string[]
  }
  if (kind === 'run') return note ?? events.runName
  const name = itemName(group)
  if (name !== null) return name
  if (steps === undefined && group.source_provider !== null)
    return say(events.healthName, { provider: nameOf(group.source_provider, group.source_instance ?? undefined) })
  return serviceText(note) ?? capitalize(serviceText((steps?.[0] ?? group.summary).replace(/^audit /, '')))
}

/** The steps of a group in order; `reasonSentence` gives the reason. */
export function groupSteps({ summary_parts: parts }: EventGroup): string {
  const steps = parts['steps'] as readonly string[] | undefined
  return parts['kind'] !== 'item' || steps === undefined
    ? ''
    : capitalize([...new Set(steps.map((step) => serviceText(step.replace(/ \(.*\)$/, ''))))].join(' → '))
}

/** For lists: the problem, otherwise what happened. */
export function groupText(group: EventGroup, nameOf: NameOf): string {
  const isOver = group.summary_parts['kind'] === 'item' && ['good', 'busy'].includes(toneOf(group.status))
  const reason = isOver ? null : reasonSentence(group, nameOf)
  return reason ?? groupSteps(group)
}

/** "Could not add to Trakt" */
export function eventSentence(event: EventRow, nameOf: NameOf): string {
  const {
    event_type: type,
    destination_provider: to,
    destination_instance: instance,
    operation,
    reason_code: reason,
  } = event
  const known = SENTENCES[type]
  if (to === null || typeof known !== 'object' || known === null) return typeText(type)
  const forms = known as Readonly<Record<string, string>>
  const text =
    reason?.startsWith('held') === true
      ? events.sentences.held
      : ((reason === 'already' ? forms['already'] : undefined) ?? forms[operation ?? 'other'] ?? forms['other'] ?? '')
  return text.replaceAll('{to}', nameOf(to, instance ?? undefined))
}

/** The reason as a sentence with names if the code is known, otherwise the text of the service. */
export function reasonSentence(
  event: Pick<
    EventRow,
    | 'reason_code'
    | 'reason_label'
    | 'source_provider'
    | 'source_instance'
    | 'destination_provider'
    | 'destination_instance'
  >,
  nameOf: NameOf,
): string | null {
  const {
    reason_code: code,
    reason_label: label,
    source_provider: from,
    source_instance: fromInstance,
    destination_provider: to,
    destination_instance: toInstance,
  } = event
  if (code === null || code === '' || code === 'ok') return null
  const text = (events.causes as Readonly<Record<string, string>>)[code.replace(/_[ab]$/, '')] ?? failureText(code)
  if (text === undefined || (text.includes('{from}') && from === null))
    return serviceText(label == null || label === code ? readable(code) : capitalize(label))
  return capitalize(
    text
      .replaceAll('{from}', from === null ? '' : nameOf(from, fromInstance ?? undefined))
      .replaceAll('{to}', to === null ? events.someService : nameOf(to, toInstance ?? undefined)),
  )
}

/** The event without the service name. */
export function reasonText(code: string, label = code): string {
  const nowhere = {
    source_provider: null,
    source_instance: null,
    destination_provider: null,
    destination_instance: null,
  }
  return reasonSentence({ ...nowhere, reason_code: code, reason_label: label }, String) ?? label
}

function failureText(code: string): string | undefined {
  const status = /^(?:http|write_failed)[:_](\d{3})$/.exec(code)?.[1]
  if (status !== undefined)
    return say(events.failures[status < '500' ? 'refused_with' : 'broken_with'], { to: '{to}', status })
  const name = FAILURES.find(([pattern]) => pattern.test(code))?.[1]
  return name === undefined ? undefined : events.failures[name]
}

/** "95% · by sam", for a playback event. */
export function playText({ domain, detail }: Pick<EventRow, 'domain' | 'detail'>): string {
  if (domain !== 'scrobble' || typeof detail !== 'object' || detail === null) return ''
  const { progress, account, rating } = detail as { progress?: unknown; account?: unknown; rating?: unknown }
  return [
    typeof progress === 'number' ? say(events.play.progress, { n: Math.round(progress) }) : '',
    typeof rating === 'number' ? say(events.play.rating, { n: rating }) : '',
    typeof account === 'string' && account !== '' ? say(events.play.by, { account }) : '',
  ]
    .filter((part) => part !== '')
    .join(' · ')
}

export function valueText(value: unknown): string {
  return value === null || value === undefined || value === ''
    ? events.nothing
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value)
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

// Events and threads in words.
import type { Answer } from '../../api/client.ts'
import type { Tone } from '../../parts/status-badge.tsx'
import { events } from '../../texts/en/events.ts'
import { say } from '../../texts/say.ts'

export type EventGroup = Answer<'GET /api/events/groups'>['items'][number]
export type EventRow = Answer<'GET /api/events/item/{item_key}'>['items'][number]
export type NameOf = (provider: string, instance?: string) => string

const TONES: Readonly<Record<string, Tone>> = {
  failed: 'bad', warning: 'warn', unresolved: 'warn', blackboxed: 'warn', resolved: 'good', completed: 'good', rated: 'good', running: 'busy', pending: 'busy',
}
const SEVERITY_TONES: Readonly<Record<string, Tone>> = { error: 'bad', warn: 'warn', warning: 'warn', info: 'idle', success: 'good' }
const SENTENCES: Readonly<Record<string, unknown>> = events.sentences

export function toneOf(status: string): Tone {
  return TONES[status] ?? 'idle'
}

export function statusText(status: string): string {
  return events.statuses[status as keyof typeof events.statuses] ?? status
}

export function eventTone({ event_type: type, severity }: Pick<EventRow, 'event_type' | 'severity'>): Tone {
  return type === 'write_succeeded' || type === 'unresolved_cleared' ? 'good' : SEVERITY_TONES[severity] ?? 'idle'
}

export function typeText(type: string): string {
  return events.types[type as keyof typeof events.types] ?? capital(type.replace(/^audit_/, '').replaceAll('_', ' '))
}

type Named = Pick<EventGroup, 'title' | 'item_key' | 'season' | 'episode'>

export function itemName({ title, item_key: key, season, episode }: Named): string | null {
  const name = title ?? key
  if (name === null || season === null) return name
  const two = (n: number) => String(n).padStart(2, '0')
  return `${name} S${two(season)}${episode === null ? '' : `E${two(episode)}`}`
}

/** What a thread is about. */
export function groupTitle(group: EventGroup, nameOf: NameOf): string {
  const { kind, note, steps } = group.summary_parts as { readonly kind?: string; readonly note?: string | null; readonly steps?: readonly string[] }
  if (kind === 'run') return note ?? events.runName
  const name = itemName(group)
  if (name !== null) return name
  if (steps === undefined && group.source_provider !== null) return say(events.healthName, { provider: nameOf(group.source_provider, group.source_instance ?? undefined) })
  return note ?? capital((steps?.[0] ?? group.summary).replace(/^audit /, ''))
}

/** What happened in it, in the order in which it happened. */
export function groupSteps({ summary_parts: parts, reason_label: reason }: EventGroup): string {
  const steps = parts['steps'] as readonly string[] | undefined
  if (parts['kind'] === 'item' && steps !== undefined) return capital(steps.join(' → '))
  return reason ?? ''
}

/** "Could not be added to Trakt" */
export function eventSentence(event: EventRow, nameOf: NameOf): string {
  const { event_type: type, destination_provider: to, destination_instance: instance, operation, reason_code: reason } = event
  const known = SENTENCES[type]
  if (to === null || typeof known !== 'object' || known === null) return typeText(type)
  const forms = known as Readonly<Record<string, string>>
  const text = reason?.startsWith('held') === true ? events.sentences.held : (reason === 'already' ? forms['already'] : undefined) ?? forms[operation ?? 'other'] ?? forms['other'] ?? ''
  return text.replaceAll('{to}', nameOf(to, instance ?? undefined))
}

/** Why: in a sentence with names where the cause is known, else as the service says it. */
export function reasonSentence(event: Pick<EventRow, 'reason_code' | 'reason_label' | 'source_provider' | 'source_instance' | 'destination_provider' | 'destination_instance'>, nameOf: NameOf): string | null {
  const { reason_code: code, reason_label: label, source_provider: from, source_instance: fromInstance, destination_provider: to, destination_instance: toInstance } = event
  if (code === null || code === '') return null
  const cause = events.causes[code.replace(/_[ab]$/, '') as keyof typeof events.causes] as string | undefined
  if (cause === undefined || (cause.includes('{from}') && from === null)) return label ?? code
  return cause.replaceAll('{from}', from === null ? '' : nameOf(from, fromInstance ?? undefined)).replaceAll('{to}', to === null ? '' : nameOf(to, toInstance ?? undefined))
}

export function valueText(value: unknown): string {
  return value === null || value === undefined || value === '' ? events.nothing : typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Without the moment of one play, so that all plays are found. */
export function wholeKey(key: string): string {
  return key.split('@')[0] as string
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

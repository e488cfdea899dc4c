// A one-line summary of a group, and its parts for clients in other languages.
import { reasonLabel } from '@playhead/sdk'
import type { Facet } from './facets.ts'
import { KIND } from './flags.ts'
import { type GroupStatus, kindOf } from './vocabulary.ts'

interface SummaryInput {
  readonly kind: number
  readonly status: GroupStatus
  readonly note: string | null
  readonly item: {
    readonly title: string | null
    readonly item_key: string | null
    readonly season: number | null
    readonly episode: number | null
  }
  readonly facet: Facet
  readonly reason: string | null
  readonly change: { readonly old: unknown; readonly new: unknown; readonly type: unknown }
  /** Kinds of the events, each once, in order. */
  readonly steps: readonly Facet[]
}

interface Summary {
  readonly summary: string
  readonly summary_parts: Readonly<Record<string, unknown>>
}

export function summaryOf(input: SummaryInput): Summary {
  const { kind, note, item, facet, status, reason, change } = input
  const route = routeOf(facet)
  const parts = {
    kind: KIND_NAMES[kind] ?? 'other',
    status,
    item: nameOf(item),
    route,
    reason_code: reason,
    change: change.type === null ? null : change,
    note,
  }
  if (note !== null) return { summary: note, summary_parts: parts }
  if (kind === KIND.scrobble) return { summary: scrobbleText(input, route), summary_parts: parts }
  if (kind === KIND.run) return { summary: 'Run', summary_parts: parts }
  if (kind === KIND.other && facet.event_type === 'provider_health') {
    return {
      summary: `${facet.source_provider ?? 'Provider'} health check ${facet.severity === 'info' ? 'OK' : 'issue'}`,
      summary_parts: parts,
    }
  }
  const steps = [...new Set(input.steps.map(stepText))].filter((step) => step !== '')
  const what =
    change.type !== null && change.old !== change.new && status === 'resolved'
      ? `${String(change.type)} changed from ${String(change.old ?? 'nothing')} to ${String(change.new ?? 'nothing')}`
      : steps.length < 2
        ? steps.join('')
        : `${steps.slice(0, -1).join(', ')}, then ${steps.at(-1)}`
  const subject = nameOf(item) ?? facet.feature ?? ''
  return {
    summary: [subject, route, what].filter((part) => part !== null && part !== '').join(': '),
    summary_parts: { ...parts, steps },
  }
}

const KIND_NAMES = ['item', 'run', 'audit', 'scrobble', 'other']
const DONE: Readonly<Record<string, string>> = { add: 'added', remove: 'removed', update: 'updated' }

const REASONED = new Set(['write_failed', 'unresolved_recorded', 'write_withheld', 'scrobble_failed', 'rating_failed'])

function stepText({ event_type: type, operation, reason_code: reason }: Facet): string {
  if (type === 'write_succeeded') return reason === 'already' ? 'was so already' : (DONE[operation ?? ''] ?? 'written')
  const phrase = kindOf(type)?.phrase ?? type.replaceAll('_', ' ')
  const isReasoned = reason !== null && REASONED.has(type)
  return isReasoned ? `${phrase} (${reasonLabel(reason)})` : phrase
}

function scrobbleText({ item, facet, status, reason, change }: SummaryInput, route: string | null): string {
  const verb =
    status === 'rated' ? 'Rated' : status === 'running' ? 'Watching' : status === 'failed' ? 'Failed' : 'Watched'
  const rated = status === 'rated' && change.new !== null ? `, ${String(change.new)}/10` : ''
  const why = status === 'failed' && reason !== null ? `: ${reasonLabel(reason)}` : ''
  return `${verb} ${nameOf(item) ?? 'something'}${route === null ? '' : ` -> ${facet.destination_provider ?? route}`}${rated}${why}`
}

function routeOf({ source_provider: source, destination_provider: destination }: Facet): string | null {
  if (source !== null && destination !== null) return `${source} -> ${destination}`
  return source ?? destination
}

function nameOf({ title, item_key: key, season, episode }: SummaryInput['item']): string | null {
  const name = title ?? key
  if (name === null || season === null) return name
  return `${name} S${String(season).padStart(2, '0')}${episode === null ? '' : `E${String(episode).padStart(2, '0')}`}`
}

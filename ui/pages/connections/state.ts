// Status labels of an account.
import type { Tone } from '../../parts/values/status-badge.tsx'
import { connections } from '../../texts/en/connections.ts'
import { say } from '../../texts/say.ts'
import type { Profile } from './use-connections.ts'

const TONES: Readonly<Record<Profile['status'], Tone>> = {
  ok: 'good',
  degraded: 'warn',
  down: 'bad',
  auth_failed: 'bad',
  not_configured: 'idle',
  unknown: 'idle',
}
const REASONS: Readonly<Record<string, string>> = connections.reasons
const HELD: Readonly<Record<string, string>> = connections.people.held

export function stateOf({ status }: Profile): { readonly tone: Tone; readonly label: string } {
  return { tone: TONES[status], label: connections.status[status] }
}

/** null if there is no problem. */
export function problemOf({ status, reason, reason_code: code, acts_as: actsAs }: Profile): string | null {
  if (status === 'ok' || status === 'not_configured' || status === 'unknown') return null
  const held = HELD[code ?? '']
  if (held !== undefined && actsAs !== null) return say(held, { name: actsAs.name })
  return REASONS[code ?? ''] ?? (reason === null || reason === '' ? connections.status[status] : toSentence(reason))
}

function toSentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1).replaceAll('_', ' ')}${/[.!?]$/.test(text) ? '' : '.'}`
}

export function featureLabel(feature: string): string {
  return (connections.features as Readonly<Record<string, string>>)[feature] ?? feature
}

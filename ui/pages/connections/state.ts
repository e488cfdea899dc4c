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

export function stateOf(profile: Profile): { readonly tone: Tone; readonly label: string } {
  const { status } = profile
  if (isHeld(profile)) return { tone: 'warn', label: connections.people.onHold }
  return { tone: TONES[status], label: connections.status[status] }
}

/** The account acts as a user who may be another one now, so that it neither reads nor writes. */
export function isHeld({ acts_as: actsAs, reason_code: code }: Profile): boolean {
  return actsAs !== null && code !== null && HELD[code] !== undefined
}

/** null if there is no problem. */
export function problemOf(profile: Profile): string | null {
  const { status, reason, reason_code: code, acts_as: actsAs, user } = profile
  if (status === 'ok' || status === 'not_configured' || status === 'unknown') return null
  if (actsAs !== null && isHeld(profile)) {
    const text = code === 'user_changed' && user !== null ? 'user_renamed' : (code ?? '')
    return say(HELD[text] ?? '', { name: actsAs.name, now: user?.name ?? '' })
  }
  return REASONS[code ?? ''] ?? (reason === null || reason === '' ? connections.status[status] : toSentence(reason))
}

function toSentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1).replaceAll('_', ' ')}${/[.!?]$/.test(text) ? '' : '.'}`
}

export function featureLabel(feature: string): string {
  return (connections.features as Readonly<Record<string, string>>)[feature] ?? feature
}

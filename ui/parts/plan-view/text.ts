// Texts for the items of a plan.
import { readable } from '../values/readable.ts'
import { serviceText } from '../../texts/service-text.ts'
import { plan as texts } from '../../texts/en/plan.ts'
import { say } from '../../texts/say.ts'
import type { Plan, PlanEntry, Side } from './kinds.ts'
import { locale } from '../../texts/language.ts'

export type SideNameOf = (side: Side) => string

const HISTORY_TIME = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
const HISTORY_DAY = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })

/** A cause ends in its side: "new_on_a". */
export function causeText(
  { cause, cause_label: label }: Pick<PlanEntry, 'cause' | 'cause_label'>,
  nameOf: SideNameOf,
): string {
  const [, stem = cause, side] = /^(.*)_([ab])$/.exec(cause) ?? []
  const text = (texts.causes as Readonly<Record<string, string>>)[stem]
  return text === undefined ? serviceText(label) : say(text, { from: side === undefined ? '' : nameOf(side as Side) })
}

export function reasonText({ reason, reason_label: label }: Pick<PlanEntry, 'reason' | 'reason_label'>): string | null {
  if (reason === null) return null
  return (texts.reasons as Readonly<Record<string, string>>)[reason] ?? serviceText(label ?? readable(reason))
}

/** The written value: a rating, a time or a position. A watchlist item has no value. */
export function valueText({ feature }: Pick<Plan, 'feature'>, { value, before, op }: PlanEntry): string {
  const after = op === 'remove' ? '' : oneValue(feature, value)
  const was = before === null ? '' : oneValue(feature, before)
  if (was !== '' && after !== '' && was !== after) return say(texts.value.change, { before: was, after })
  const shown = after === '' ? was : after
  if (shown === '') return texts.value.none
  if (feature === 'ratings') return say(texts.value.rated, { value: shown })
  if (feature === 'history') return say(texts.value.watched, { when: shown })
  return feature === 'progress' ? say(texts.value.at, { position: shown }) : texts.value.none
}

function oneValue(feature: string, value: string): string {
  if (value === '' || value === 'none') return ''
  if (feature === 'history') return moment(value)
  if (feature === 'progress') return value.endsWith('%') ? value : position(Number(value))
  return feature === 'ratings' ? value : ''
}

function moment(value: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return HISTORY_DAY.format(Date.parse(value))
  const atMs = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value)
  return Number.isFinite(atMs) && atMs > 0 ? HISTORY_TIME.format(atMs) : ''
}

function position(ms: number): string {
  if (!Number.isFinite(ms)) return ''
  const seconds = Math.floor(ms / 1_000)
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60]
  const two = (n: number) => String(n).padStart(2, '0')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`
}

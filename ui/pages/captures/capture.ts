// A capture as the service lists it, and its display name.
import type { Answer, Input } from '../../api/client.ts'
import { featureName } from '../../parts/values/names.ts'
import type { Tone } from '../../parts/values/status-badge.tsx'
import { captures as texts } from '../../texts/en/captures.ts'
import { locale } from '../../texts/language.ts'
import { say } from '../../texts/say.ts'

export type Capture = Answer<'GET /api/snapshots/list'>['snapshots'][number]
export type Opened = Answer<'GET /api/snapshots/read'>['snapshot']
export type ListQuery = NonNullable<Input<'GET /api/snapshots/list'>['query']>
export type Job = Answer<'GET /api/snapshots/capture-progress/{progress_id}'>['progress']

export const ALL = 'all'
export const FEATURES = ['watchlist', 'history', 'ratings', 'progress'] as const

/** Labels that the service gives to captures without a name. */
const UNNAMED: readonly string[] = ['capture', 'pre-clear', 'pre-restore']

/** Shown on the page of a capture that does not exist. */
export const ABSENT = { ...texts.absent, href: '/captures', codes: ['invalid_capture_path'] }

export const viewAddress = (path: string) => `/captures/view?path=${encodeURIComponent(path)}`
export const restoreAddress = (path: string) => `/captures/restore?path=${encodeURIComponent(path)}`
export const compareAddress = (a: string, b: string) =>
  `/captures/compare?a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}`

const DAY = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })

export function whatOf(feature: string): string {
  return feature === ALL ? texts.everything : featureName(feature)
}

/** Its label, or its content and time. */
export function nameOf({ label, feature, created_at: at }: Pick<Capture, 'label' | 'feature' | 'created_at'>): string {
  if (label !== '' && !UNNAMED.includes(label)) return label.replaceAll('_', ' ')
  const made = Date.parse(at)
  return Number.isFinite(made) ? `${whatOf(feature)}, ${DAY.format(made)}` : texts.untitled
}

interface Checked {
  readonly valid?: unknown
  readonly complete?: unknown
  readonly doubt?: unknown
  readonly schema_version?: unknown
  readonly feature: string
}

/** The reliability of a capture. */
export function stateOf({ valid, complete, doubt, schema_version: format }: Checked): {
  readonly tone: Tone
  readonly label: string
  readonly text: string
} {
  const { state, stateText } = texts
  if (valid === false) return { tone: 'bad', label: state.damaged, text: stateText.damaged }
  if (typeof doubt === 'string')
    return {
      tone: 'warn',
      label: state.doubt,
      text: (stateText as Readonly<Record<string, string>>)[doubt] ?? stateText.doubt,
    }
  if (complete === false) return { tone: 'warn', label: state.partial, text: stateText.partial }
  if (complete === null || format === 1) return { tone: 'idle', label: state.old, text: stateText.old }
  return { tone: 'good', label: state.good, text: stateText.good }
}

/** "12 films, 40 episodes". */
export function kindsText(byType: Readonly<Record<string, number>> | undefined): string {
  const forms: Readonly<Record<string, string>> = texts.kinds
  return Object.entries(byType ?? {})
    .filter(([, n]) => n > 0)
    .map(([kind, n]) => say((forms[kind] ?? `{n} ${kind}`) as '{n}', { n }))
    .join(', ')
}

export function triggerName(trigger: string): string {
  return (texts.triggers as Readonly<Record<string, string>>)[trigger] ?? trigger
}

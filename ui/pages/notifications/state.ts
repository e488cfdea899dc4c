// Response types, reason texts, and the form schema of a notifier.
import type { Answer } from '../../api/client.ts'
import { toApiError, type ApiError } from '../../api/error.ts'
import { notifications as texts } from '../../texts/en/notifications.ts'

export type Overview = Answer<'GET /api/notifications'>
export type Notifier = Overview['notifiers'][number]
export type Target = Overview['targets'][number]
export type Rule = Overview['rules'][number]
export type Entry = Answer<'GET /api/notifications/log'>['items'][number]
export type State = Entry['state']

export const KEY = ['notifications']

/** A new rule, with the defaults of the service: it sends what fails and what waits for a person. */
const FAILURES: Omit<Rule, 'id'> = {
  name: '',
  enabled: true,
  events: [
    'run_failed',
    'sign_in_lost',
    'held_removals',
    'service_down',
    'plugin_stopped',
    'backup_failed',
    'database_damaged',
    'disk_low',
  ],
  targets: [],
  down_minutes: 15,
  group_minutes: 0,
  max_per_hour: 20,
  time_zone: '',
  quiet: { enabled: false, from: '22:00', to: '07:00', days: [], except_errors: false },
  digest: { weekday: 1, at: '09:00' },
}

/** As far as the service knows the events. */
export function failureRule(events: Overview['events']): Omit<Rule, 'id'> {
  const known = new Set(events.map(({ id }) => id))
  return { ...FAILURES, events: FAILURES.events.filter((event) => known.has(event)) }
}

/** `unauthorized_401` and similar values are codes; known codes have a sentence. */
export function reasonText(code: string): string {
  return (texts.reasons as Readonly<Record<string, string>>)[code] ?? code.replaceAll('_', ' ')
}

interface Field {
  readonly title?: string
  readonly secret?: boolean
  readonly default?: unknown
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly [keyword: string]: unknown
}

const MAX_NAME = 60

/**
 * Name and switch come first, then the settings of the notifier. Fields with a default are optional. The service checks the
 * limits of a secret, because a stored secret is shown as a mask that does not meet them.
 */
export function formSchema(schema: Notifier['settings']): object {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Field>>
  const required = (schema['required'] ?? []) as readonly string[]
  return {
    ...schema,
    properties: {
      name: { type: 'string', title: texts.name, description: texts.targets.nameText, maxLength: MAX_NAME },
      enabled: { type: 'boolean', title: texts.enabled, description: texts.targets.enabledText, default: true },
      ...Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, formField(name, field)])),
    },
    required: ['name', ...required.filter((name) => properties[name]?.default === undefined)],
  }
}

function formField(name: string, field: Field): Field {
  if (field.secret !== true) return { title: labelOf(name), ...field }
  const { pattern: _pattern, minLength: _min, maxLength: _max, ...rest } = field
  return { title: labelOf(name), ...rest }
}

function labelOf(name: string): string {
  if (name === 'url') return 'URL'
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')
}

/** Renames the field errors to the names in the form. */
export function formError(error: ApiError | null): ApiError | null {
  if (error === null) return null
  const detail = Object.entries(error.fields).map(([field, msg]) => ({
    loc: ['body', ...field.replace(/^settings\./, '').split('.')],
    msg,
  }))
  return detail.length === 0 ? null : toApiError({ status: error.status, body: { detail } })
}

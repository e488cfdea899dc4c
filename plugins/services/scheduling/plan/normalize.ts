// Normalizes settings to their schema: numbers out of range, aliases, missing ids. The result always fits the schema.
import { isTimeZone, type TObject, type TSchema } from '@playhead/sdk'
import { DEFAULT_TIME, type PLAYBACK, SchedulingConfig } from '../settings.ts'

type Raw = Readonly<Record<string, unknown>>

const EVENTS: ReadonlyMap<string, (typeof PLAYBACK)[number]> = new Map([
  ['start', 'start'],
  ['play', 'start'],
  ['playing', 'start'],
  ['resume', 'start'],
  ['pause', 'pause'],
  ['paused', 'pause'],
  ['stop', 'stop'],
  ['stopped', 'stop'],
  ['scrobble', 'stop'],
  ['finished', 'stop'],
])

/** What the schema does not say of a member, by its name. */
const READERS: Readonly<Record<string, (value: unknown, schema: TSchema) => unknown>> = {
  at: (value) => readTime(value) ?? null,
  daily_time: (value) => readTime(value) ?? DEFAULT_TIME,
  event: (value) => readPlayback(value) ?? 'stop',
  label_template: (value) => text(value).slice(0, 200),
  mode: (value, schema) => word(text(value).toLowerCase() === 'custom' ? 'custom_interval' : value, schema),
  name: (value) => text(value).slice(0, 200),
  notifiarr_channel_id: (value) => text(value).replaceAll(/\D/g, '').slice(0, 40),
  provider: (value) => text(value).toUpperCase(),
  timezone: (value) => (isTimeZone(text(value)) ? text(value) : ''),
}

/** Prefixes of the ids of rows without one. */
const PREFIXES: Readonly<Record<string, string>> = {
  jobs: 'job',
  workflows: 'workflow',
  event_rules: 'rule',
  capture_jobs: 'capture',
  backup_jobs: 'backup',
  steps: 'step',
}

export function normalizeScheduling(value: unknown): SchedulingConfig {
  return readObject(SchedulingConfig, value) as SchedulingConfig
}

/** The playback event that a word stands for. */
export function readPlayback(value: unknown): (typeof PLAYBACK)[number] | undefined {
  return EVENTS.get(text(value).toLowerCase())
}

function readObject({ properties }: TObject, value: unknown): Raw {
  const raw = object(value)
  const read = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, readMember(name, schema, raw[name])] as const),
  )
  // "Every 1 hours" means hourly, at full hours.
  const isHourly = read['mode'] === 'every_n_hours' && Number(read['every_n_hours']) <= 1
  return isHourly ? { ...read, mode: 'hourly' } : read
}

function readMember(name: string, schema: TSchema, value: unknown): unknown {
  const fallback: unknown = schema['default']
  const reader = READERS[name]
  if (reader !== undefined) return reader(value, schema)
  if ('enum' in schema) return word(value, schema)
  if ('anyOf' in schema) return text(value) || null
  if (schema['secret'] === true) return readUrl(value)
  switch (schema['type']) {
    case 'object':
      return readObject(schema as TObject, value)
    case 'array':
      return readList(name, schema['items'] as TSchema, value)
    case 'boolean':
      return typeof value === 'boolean' ? value : fallback
    case 'integer':
    case 'number':
      return readNumber(schema, value)
    default:
      return text(value) || fallback
  }
}

function readList(name: string, items: TSchema, value: unknown): readonly unknown[] {
  const rows: readonly unknown[] = Array.isArray(value) ? value : []
  if (items['type'] === 'object') return numbered(PREFIXES[name] ?? name, items as TObject, rows.slice(0, 500))
  const { minimum = -Infinity, maximum = Infinity } = items as { readonly minimum?: number; readonly maximum?: number }
  const numbers = rows.map(Number).filter((one) => Number.isInteger(one) && one >= minimum && one <= maximum)
  return [...new Set(numbers)].sort((a, b) => a - b)
}

// Ids come from the position, so that the same input gives the same ids.
function numbered(prefix: string, schema: TObject, rows: readonly unknown[]): readonly Raw[] {
  const idOf = (row: unknown) => text(object(row)['id']).slice(0, 80)
  const given = new Set(rows.map(idOf))
  const used = new Set<string>()
  return rows.map((row) => {
    let id = idOf(row)
    for (let n = 1; id === '' || used.has(id); n++) {
      const free = `${prefix}_${n}`
      id = given.has(free) || used.has(free) ? '' : free
    }
    used.add(id)
    return { ...readObject(schema, row), id }
  })
}

function readNumber(schema: TSchema, value: unknown): unknown {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isFinite(number)) return schema['default']
  const { minimum = -Infinity, maximum = Infinity } = schema as { readonly minimum?: number; readonly maximum?: number }
  return Math.min(maximum, Math.max(minimum, schema['type'] === 'integer' ? Math.trunc(number) : number))
}

function readTime(value: unknown): string | undefined {
  const match = /^(\d{1,2}):(\d{2})$/.exec(text(value))
  if (match === null || Number(match[1]) > 23 || Number(match[2]) > 59) return undefined
  return `${String(match[1]).padStart(2, '0')}:${match[2]}`
}

function readUrl(value: unknown): string {
  const url = text(value)
  return url.length <= 2_000 && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) ? url : ''
}

function word(value: unknown, schema: TSchema): unknown {
  const name = text(value).toLowerCase()
  return (schema['enum'] as readonly string[]).includes(name) ? name : schema['default']
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
}

function object(value: unknown): Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Raw) : {}
}

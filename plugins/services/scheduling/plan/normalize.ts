// Normalizes settings to their schema: values that do not fit become the default. The result always fits the schema.
import { readBySchema, readNumber, readText, type TSchema } from '@playhead/sdk'
import { SchedulingConfig } from '../settings.ts'

export function normalizeScheduling(value: unknown): SchedulingConfig {
  const config = readBySchema(SchedulingConfig, value, fit)
  const workflows = config.advanced.workflows.map(withHourly)
  return { ...withHourly(config), advanced: { ...config.advanced, workflows } }
}

// "Every 1 hours" means hourly, at full hours.
function withHourly<Times extends { mode: string; every_n_hours: number }>(times: Times): Times {
  return times.mode === 'every_n_hours' && times.every_n_hours <= 1 ? { ...times, mode: 'hourly' } : times
}

function fit(value: unknown, schema: TSchema): unknown {
  const { type, enum: words, anyOf, minimum = -Infinity, maximum = Infinity, default: fallback } = schema
  if (words !== undefined)
    return words.includes(readText(value).toLowerCase()) ? readText(value).toLowerCase() : fallback
  if (anyOf !== undefined) return readText(value) || null
  if (type === 'array') return []
  if (type === 'boolean') return typeof value === 'boolean' ? value : fallback
  if (type !== 'integer' && type !== 'number') return readText(value) || fallback
  const number = readNumber(value)
  if (number === undefined) return fallback
  return Math.min(maximum, Math.max(minimum, type === 'integer' ? Math.trunc(number) : number))
}

// A plugin's settings as the host would give them: defaults filled in, brought into shape, checked, frozen.
import type { TSchema } from '@sinclair/typebox'
import { Ajv, type ValidateFunction } from 'ajv'
import ajvFormats from 'ajv-formats'
import type { DefinedPlugin } from '../define.ts'
import { PlayheadError } from '../errors.ts'

export type Settings = Readonly<Record<string, unknown>>

/** Throws `PLH_CONFIG_INVALID` and says where. */
export function resolveSettings(plugin: DefinedPlugin, stored: Settings): Settings {
  const { config: schema, normalizeConfig } = plugin
  if (schema === undefined) return Object.freeze({})
  const completed = complete(schema, structuredClone(stored)) as never
  const value: unknown = normalizeConfig === undefined ? completed : normalizeConfig(completed)
  const validate = checkOf(schema)
  if (!validate(value)) {
    const problems = (validate.errors ?? []).map(
      ({ instancePath, message }) => `${instancePath || '/'} ${message ?? 'is invalid'}`,
    )
    throw new PlayheadError(
      'PLH_CONFIG_INVALID',
      `The settings do not fit the plugin's schema: ${problems.join('; ')}.`,
      { details: { problems } },
    )
  }
  return deepFreeze(value as Settings)
}

// A check takes far longer to make than to run, and settings are saved again and again.
const checks = new WeakMap<TSchema, ValidateFunction>()

function checkOf(schema: TSchema): ValidateFunction {
  const known = checks.get(schema)
  if (known !== undefined) return known
  const ajv = new Ajv({ allErrors: true, strict: false })
  ajvFormats.default(ajv)
  const check = ajv.compile(schema)
  checks.set(schema, check)
  return check
}

/** Objects go into objects, anything else replaces; undefined takes a value away. */
export function mergeSettings(into: Settings, change: Settings): Settings {
  const result: Record<string, unknown> = { ...into }
  for (const [key, value] of Object.entries(change)) {
    if (value === undefined) delete result[key]
    else result[key] = isObject(value) && isObject(result[key]) ? mergeSettings(result[key], value) : value
  }
  return result
}

function complete(schema: TSchema, value: unknown): unknown {
  const completed =
    value === undefined && schema['default'] !== undefined ? structuredClone(schema['default'] as unknown) : value
  if (Array.isArray(completed)) return completed.map((item) => complete((schema['items'] ?? {}) as TSchema, item))
  if (!isObject(completed)) return completed
  const required = (schema['required'] ?? []) as readonly string[]
  for (const [name, below] of Object.entries((schema['properties'] ?? {}) as Record<string, TSchema>)) {
    const isMissing = completed[name] === undefined && required.includes(name)
    const done = complete(
      below,
      isMissing && below['type'] === 'object' && below['default'] === undefined ? {} : completed[name],
    )
    if (done !== undefined) completed[name] = done
  }
  for (const [pattern, below] of Object.entries((schema['patternProperties'] ?? {}) as Record<string, TSchema>)) {
    for (const name of Object.keys(completed))
      if (new RegExp(pattern, 'u').test(name)) completed[name] = complete(below, completed[name])
  }
  return completed
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Forbids changes in the whole value, in place. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const item of Object.values(Object.freeze(value))) deepFreeze(item)
  return value
}

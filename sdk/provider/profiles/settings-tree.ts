// Immutable reads and changes of settings by dotted path.
import { isRecord } from '../../items/result.ts'
export type Settings = Readonly<Record<string, unknown>>

/** The value at a dotted path, or undefined. */
export function valueAt(settings: unknown, path: string): unknown {
  let at = settings
  for (const name of path.split('.')) {
    if (!isRecord(at) || !Object.hasOwn(at, name)) return undefined
    at = at[name]
  }
  return at
}

/** A copy with the value at a dotted path; undefined deletes it. */
export function withValue(settings: Settings, path: string, value: unknown): Settings {
  const [name, ...rest] = path.split('.') as [string, ...string[]]
  const copied: Record<string, unknown> = { ...settings }
  const below = settings[name]
  if (rest.length > 0 && (value !== undefined || isRecord(below)))
    copied[name] = withValue(isRecord(below) ? below : {}, rest.join('.'), value)
  else if (rest.length === 0 && value === undefined) delete copied[name]
  else if (rest.length === 0) copied[name] = value
  return copied
}

/** Deep merge of objects; other values replace; undefined deletes. */
export function merged(into: Settings, change: Settings): Settings {
  const result: Record<string, unknown> = { ...into }
  for (const [name, value] of Object.entries(change)) {
    const known = result[name]
    if (value === undefined) delete result[name]
    else result[name] = isRecord(value) ? merged(isRecord(known) ? known : {}, value) : value
  }
  return result
}

/** The change that turns `stored` into `wanted` when merged. */
export function replacing(stored: unknown, wanted: Settings): Settings {
  const change: Record<string, unknown> = {}
  if (isRecord(stored))
    for (const name of Object.keys(stored)) if (!Object.hasOwn(wanted, name)) change[name] = undefined
  for (const [name, value] of Object.entries(wanted)) {
    change[name] = isRecord(value) && isRecord(stored) ? replacing(stored[name], value) : value
  }
  return change
}

/** Dotted paths of all leaves; arrays are leaves. */
export function leavesOf(settings: Settings, prefix = ''): readonly (readonly [path: string, value: unknown])[] {
  return Object.entries(settings).flatMap(([name, value]) =>
    isRecord(value) ? leavesOf(value, `${prefix}${name}.`) : [[`${prefix}${name}`, value] as const],
  )
}

/** Scheme, host and port of an address; `''` if invalid. */
export function originOf(address: unknown): string {
  const text = typeof address === 'string' ? address.trim() : ''
  if (text === '') return ''
  const url = URL.parse(text.includes('://') ? text : `http://${text}`)
  return url === null || url.origin === 'null' ? text : url.origin
}

/** Freezes a value with everything in it, and returns it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const item of Object.values(Object.freeze(value))) deepFreeze(item)
  return value
}

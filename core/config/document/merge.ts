// Merges a client's partial document into the stored one. Absent keys are unchanged; null resets a setting to its
// default.
import type { ConfigDocument } from '../contract.ts'
import { formatPath, isObject, type Path } from './document.ts'

// These have their own routes with stricter checks.
const PROTECTED_PATHS = ['app_auth', 'provider_instance_ids', 'version']
/** Tokens of webhook addresses, in any section. */
const WEBHOOK_TOKENS = /^[^.]+\.webhook_ids$/

/** Merges objects in place; other values replace. Pass `input` through `copy` first. */
export function mergeInto(document: ConfigDocument, input: Readonly<ConfigDocument>): void {
  for (const [key, value] of Object.entries(input)) {
    if (value === null) {
      delete document[key]
    } else if (isObject(value)) {
      const below = isObject(document[key]) ? document[key] : (Object.create(null) as ConfigDocument)
      mergeInto(below, value)
      document[key] = below
    } else {
      document[key] = value
    }
  }
}

/** The input without protected paths, and those paths. */
export function withoutProtected(input: Readonly<ConfigDocument>): {
  readonly input: ConfigDocument
  readonly ignored: readonly string[]
} {
  const ignored: string[] = []
  return { input: take(input, []) as ConfigDocument, ignored }

  function take(value: unknown, path: Path): unknown {
    if (Array.isArray(value)) return value.map((item, index) => take(item, [...path, index]))
    if (!isObject(value)) return value
    const taken = Object.create(null) as ConfigDocument
    for (const [key, item] of Object.entries(value)) {
      const name = formatPath([...path, key])
      if (key.startsWith('_') || PROTECTED_PATHS.includes(name) || WEBHOOK_TOKENS.test(name)) ignored.push(name)
      else taken[key] = take(item, [...path, key])
    }
    return taken
  }
}

// How a client's partial document goes into the stored one. Absent keys stay as they are; null takes a setting back to
// its default.
import type { ConfigDocument } from './contract.ts'
import { formatPath, isObject, type Path } from './document.ts'

// Each has routes of its own, which check more than a general save could.
const KEPT_FROM_CLIENTS = ['app_auth', 'provider_instance_ids', 'version', 'security.webhook_ids']

/** Merges in place: objects key by key, everything else replaces what was there. Take `input` through `copy` before. */
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

/** The input without what clients cannot change here, and what that was. */
export function withoutKept(input: Readonly<ConfigDocument>): {
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
      if (key.startsWith('_') || KEPT_FROM_CLIENTS.includes(name)) ignored.push(name)
      else taken[key] = take(item, [...path, key])
    }
    return taken
  }
}

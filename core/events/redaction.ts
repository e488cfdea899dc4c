// Removes secrets from log lines, events and stream messages: known stored values, and text with the syntax of a
// secret.
import { createLiteralRedaction } from './secret-literals.ts'
import { REDACTED, isSecretName, redactPatterns } from './secret-patterns.ts'

export interface Redactor {
  /** The text without secrets. JSON stays valid. Never throws. */
  redact(text: string): string
  /** A deep copy of plain data without secrets; other values are described. Never throws. */
  redactValue(value: unknown): unknown
}

interface RedactorDependencies {
  /** All stored secret values; called for each text, so it must be fast. */
  readonly secretValues: () => ReadonlySet<string>
  /**
   * Names that are never secret: plugins, topics, routes. Called for each text; returns the same set until it changes.
   */
  readonly publicNames?: () => ReadonlySet<string>
}

const MAX_DEPTH = 64
const IDENTIFIER = /^[A-Za-z_][A-Za-z_]{0,31}$/
const MAX_JSON_NESTING = 4

export function createRedactor({ secretValues, publicNames }: RedactorDependencies): Redactor {
  let lastValues: ReadonlySet<string> = new Set()
  const replaceLiterals = createLiteralRedaction(() => {
    try {
      lastValues = secretValues()
    } catch {
      // The configuration is unreadable at the moment; known secrets stay redacted.
    }
    return lastValues
  }, publicNames)

  function redactText(text: string, nesting: number): string {
    if (text.length < 3) return text
    return redactJson(text, nesting) ?? redactPatterns(replaceLiterals(text))
  }

  // JSON is redacted by field, because text patterns would break its syntax.
  function redactJson(text: string, nesting: number): string | undefined {
    const first = text.charCodeAt(0)
    if ((first !== 0x7b && first !== 0x5b) || nesting >= MAX_JSON_NESTING) return undefined
    let parsed: unknown
    try {
      parsed = JSON.parse(text)
    } catch {
      return undefined
    }
    const copy = createCopier(nesting + 1)
    const redacted = copy.of(parsed)
    // Unchanged text is returned verbatim, with its number precision and spacing.
    return copy.changed() ? JSON.stringify(redacted) : text
  }

  function createCopier(nesting: number) {
    const above = new Set<object>()
    let changed = false

    function text(value: string): string {
      const redacted = redactText(value, nesting)
      if (redacted !== value) changed = true
      return redacted
    }

    // A secret of digits may occur as a number; inside other numbers it is a coincidence.
    function number(value: number): unknown {
      if (replaceLiterals(String(value)) !== REDACTED) return value
      changed = true
      return REDACTED
    }

    function of(value: unknown, name?: string): unknown {
      if (value === null || value === undefined || typeof value === 'boolean' || value === '') return value
      if (name !== undefined && isSecretName(name) && typeof value !== 'function') {
        changed = true
        return REDACTED
      }
      if (typeof value === 'string') return text(value)
      if (typeof value === 'number') return number(value)
      if (typeof value !== 'object') return typeof value === 'bigint' ? text(String(value)) : undefined
      if (above.has(value)) return '[circular]'
      if (above.size >= MAX_DEPTH) return '[too deep]'
      above.add(value)
      const copied = ofObject(value)
      above.delete(value)
      return copied
    }

    function ofObject(value: object): unknown {
      if (Array.isArray(value)) return value.map((item) => of(item))
      if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
      if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`
      if (value instanceof Map) return of(Object.fromEntries([...value].map(([key, item]) => [String(key), item])))
      if (value instanceof Set) return [...value].map((item) => of(item))
      if (value instanceof URL) return text(value.href)
      const fields: [string, unknown][] =
        value instanceof Error
          ? [
              ['name', value.name],
              ['message', value.message],
              ['stack', value.stack],
              ['cause', value.cause],
              ...Object.entries(value),
            ]
          : Object.entries(value)
      const entries: [string, unknown][] = []
      for (const [key, item] of fields) {
        const copied = of(item, key)
        // Keys may be addresses or tokens; field names are identifiers.
        if (copied !== undefined) entries.push([IDENTIFIER.test(key) ? key : text(key), copied])
      }
      return Object.fromEntries(entries)
    }

    return { of, changed: () => changed }
  }

  return {
    redact(text) {
      try {
        return redactText(text, 0)
      } catch {
        // A text that cannot be searched is hidden. Do not log this: the logger itself redacts here.
        return REDACTED
      }
    },
    redactValue(value) {
      try {
        return createCopier(0).of(value)
      } catch {
        // A getter of the value threw.
        return REDACTED
      }
    },
  }
}

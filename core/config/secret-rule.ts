// Decides which places of the configuration are secret: by name, by a live plugin's schema, or because the file has
// them encrypted.
import { isSecretPath } from '@playhead/sdk'
import { isPrefix, type Path } from './document.ts'
import { isMarkedSecret, type JsonSchema } from './schema-walk.ts'

export interface DescribedSection {
  readonly path: readonly string[]
  readonly schema: JsonSchema
}

export type SecretRule = (path: Path) => boolean

/**
 * @param encrypted patterns (see `patternOf`) of what the file holds encrypted. They keep the secrets of a plugin that
 * is switched off, or
 *   that no longer knows one of its fields, from being shown; a schema that knows the place has the last word.
 */
export function createSecretRule(sections: readonly DescribedSection[], encrypted: ReadonlySet<string>): SecretRule {
  return (path) => {
    if (isSecretPath(path)) return true
    let described = false
    for (const section of sections) {
      if (!isPrefix(section.path, path)) continue
      const marked = isMarkedSecret(section.schema, path.slice(section.path.length))
      if (marked === true) return true
      described ||= marked === false
    }
    return !described && encrypted.has(patternOf(path))
  }
}

/** A path without positions: what holds for one element of a list holds for all. */
export function patternOf(path: Path): string {
  return JSON.stringify(path.map((part) => (typeof part === 'number' ? 0 : part)))
}

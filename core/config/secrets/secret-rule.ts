// Decides which paths of the configuration are secret: by name, by an active plugin's schema, or because the file has
// them encrypted.
import { isSecretPath } from '@playhead/sdk'
import { isPrefix, type Path } from '../document/document.ts'
import { isMarkedSecret, type JsonSchema } from '../document/schema-walk.ts'

interface DescribedSection {
  readonly path: readonly string[]
  readonly schema: JsonSchema
}

export type SecretRule = (path: Path) => boolean

/**
 * @param encrypted patterns (see `patternOf`) of encrypted values. They protect secrets of disabled plugins and of
 * removed fields; a schema that knows the path takes precedence
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

/** A path without positions: all elements of a list are alike. */
export function patternOf(path: Path): string {
  return JSON.stringify(path.map((part) => (typeof part === 'number' ? 0 : part)))
}

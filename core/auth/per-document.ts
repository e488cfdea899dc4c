// Values derived from the configuration, computed once per document.
import type { ConfigDocument, ConfigService } from '../config/contract.ts'
import { isObject } from '../config/document/document.ts'

/** @param document the current one, for callers that already have it */
type PerDocument<T> = (document?: Readonly<ConfigDocument>) => T

/**
 * Caches by the identity of the immutable document. Throws what `current()` throws, on every call: an unreadable
 * configuration is never replaced by an earlier one.
 */
export function perDocument<T>(
  config: Pick<ConfigService, 'current'>,
  derive: (document: Readonly<ConfigDocument>) => T,
): PerDocument<T> {
  let document: Readonly<ConfigDocument> | undefined
  let value: T
  return (latest = config.current()) => {
    if (latest !== document) {
      value = derive(latest)
      document = latest
    }
    return value
  }
}

/** The object at a key of a document; empty if something else is stored. */
export function sectionOf(document: Readonly<ConfigDocument>, key: string): Readonly<ConfigDocument> {
  const value = document[key]
  return isObject(value) ? value : {}
}

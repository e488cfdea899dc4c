// Values derived from the configuration, computed once per document instead of once per request.
import type { ConfigDocument, ConfigService } from '../config/contract.ts'
import { isObject } from '../config/document.ts'

/** @param document the one in force now, for callers who need several values of it and have asked once */
export type PerDocument<T> = (document?: Readonly<ConfigDocument>) => T

/**
 * The document never changes in place, so its identity says whether a derived value is still right. Throws what
 * `current()` throws, on every call: nobody keeps working with rules of a configuration that can no longer be read.
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

/** The object at a key of a document; an empty one when something else is stored there. */
export function sectionOf(document: Readonly<ConfigDocument>, key: string): Readonly<ConfigDocument> {
  const value = document[key]
  return isObject(value) ? value : {}
}

// Collects all ids of a provider's row: its own fields, then its `ids` object, then its guid strings. Later sources
// take precedence.
import { defined } from '../defined.ts'
import { isRecord } from './result.ts'
import { parseGuid } from './guid.ts'
import { type IdScheme, type Ids, normaliseId, schemeOf } from './id-schemes.ts'

const GUID_FIELDS = ['guid', 'guids', 'Guid'] as const

export interface CollectedIds {
  readonly ids: Ids
  /** From guids of episodes and seasons that contain the id of the show. */
  readonly showIds: Ids
  readonly season?: number
  readonly episode?: number
  /** Invalid values in id fields, for diagnostics. */
  readonly rejected: readonly { readonly scheme: IdScheme; readonly value: unknown }[]
  /** Values that a later source replaced. */
  readonly replaced: readonly { readonly scheme: IdScheme; readonly value: string; readonly by: string }[]
}

/**
 * @example collectIds({ tmdb_id: 603, ids: { imdb: 'tt0133093' }, Guid: [{ id: 'tvdb://169' }] }).ids // { tmdb: '603',
 * imdb: 'tt0133093', tvdb: '169' }
 */
export function collectIds(row: Readonly<Record<string, unknown>>): CollectedIds {
  const ids: { [scheme in IdScheme]?: string } = {}
  const showIds: { [scheme in IdScheme]?: string } = {}
  const rejected: { scheme: IdScheme; value: unknown }[] = []
  const replaced: { scheme: IdScheme; value: string; by: string }[] = []
  let coordinates: { season?: number; episode?: number } = {}

  function put(into: typeof ids, scheme: IdScheme, id: string): void {
    const before = into[scheme]
    if (before !== undefined && before !== id) replaced.push({ scheme, value: before, by: id })
    into[scheme] = id
  }

  function takeFields(fields: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(fields)) {
      const scheme = schemeOf(name)
      // Guids are read last; objects and lists are not ids.
      if (scheme === undefined || scheme === 'guid' || typeof value === 'object') continue
      const id = normaliseId(scheme, value)
      if (id !== undefined) put(ids, scheme, id)
      else if (!isEmpty(value)) rejected.push({ scheme, value })
    }
  }

  const nested = isRecord(row['ids']) ? row['ids'] : {}
  takeFields(row)
  takeFields(nested)
  for (const text of [...guidsOf(row), ...guidsOf(nested)]) {
    const found = parseGuid(text)
    if (found === undefined) {
      if (!isEmpty(text)) rejected.push({ scheme: 'guid', value: text })
      continue
    }
    put(found.of === 'show' ? showIds : ids, found.scheme, found.id)
    if (found.of === 'show') coordinates = pickCoordinates(found)
  }
  return { ids, showIds, ...coordinates, rejected, replaced }
}

/**
 * The normalized ids of a plain object of ids.
 * @param names only these fields; others may have another meaning
 */
export function readIds(value: unknown, names?: readonly string[]): Ids {
  if (!isRecord(value)) return {}
  return collectIds({ ids: names === undefined ? value : Object.fromEntries(names.map((name) => [name, value[name]])) })
    .ids
}

function guidsOf(row: Readonly<Record<string, unknown>>): unknown[] {
  const guids: unknown[] = []
  for (const name of GUID_FIELDS) {
    const value = row[name]
    if (value == null) continue
    for (const entry of Array.isArray(value) ? (value as unknown[]) : [value])
      guids.push(isRecord(entry) ? entry['id'] : entry)
  }
  return guids
}

function pickCoordinates({
  season,
  episode,
}: Pick<CollectedIds, 'season' | 'episode'>): Pick<CollectedIds, 'season' | 'episode'> {
  return defined({ season, episode })
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || typeof value === 'boolean') return true
  return /^(?:|0|none|null|nan|undefined|unknown)$/i.test(String(value).trim())
}

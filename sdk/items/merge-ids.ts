// Merges the ids of two rows of one work. Contradictory rows are two works and are not merged.
import { type IdScheme, type Ids, reaches, SCHEMES, STRONG_SCHEMES } from './id-schemes.ts'

export interface IdConflict {
  readonly scheme: IdScheme
  readonly kept: string
  readonly other: string
}

export interface MergedIds {
  /** The first set with its gaps filled, best key first; on conflicts, the first set unchanged. */
  readonly ids: Ids
  readonly conflicts: readonly IdConflict[]
}

/**
 * Fills the gaps of `ids` from `more`. Account-specific ids are ignored unless both rows belong to one account.
 *
 * @example mergeIds({ tmdb: '603' }, { imdb: 'tt0133093' }).ids // { tmdb: '603', imdb: 'tt0133093' }
 * @example mergeIds({ tmdb: '603' }, { tmdb: '604' }).conflicts // [{ scheme: 'tmdb', kept: '603', other: '604' }]
 */
export function mergeIds(
  ids: Ids,
  more: Ids,
  { sameAccount = false }: { readonly sameAccount?: boolean } = {},
): MergedIds {
  const compared = sameAccount ? SCHEMES : SHARED
  const conflicts = conflictsOf(ids, more, compared)
  if (conflicts.length > 0) return { ids, conflicts }
  const merged: { [scheme in IdScheme]?: string } = {}
  for (const scheme of SCHEMES) {
    const id = ids[scheme] ?? (sameAccount || SHARED.includes(scheme) ? more[scheme] : undefined)
    if (id !== undefined) merged[scheme] = id
  }
  return { ids: merged, conflicts }
}

/** Schemes valid beyond one account. */
const SHARED: readonly IdScheme[] = SCHEMES.filter((scheme) => reaches(scheme, 'provider'))

/** The strong schemes in which two sets of ids differ. */
export function strongConflicts(ids: Ids | undefined, others: Ids | undefined): readonly IdConflict[] {
  return conflictsOf(ids ?? {}, others ?? {}, STRONG_SCHEMES)
}

function conflictsOf(ids: Ids, others: Ids, schemes: readonly IdScheme[]): IdConflict[] {
  const conflicts: IdConflict[] = []
  for (const scheme of schemes) {
    const kept = ids[scheme]
    const other = others[scheme]
    if (kept !== undefined && other !== undefined && kept !== other) conflicts.push({ scheme, kept, other })
  }
  return conflicts
}

// Fixes of ids: takes ids for an item from other rows of the same work, in other accounts of its pairs or with the same
// title, year and type. If anything contradicts, no id is taken.
import { PlayheadError } from '../errors.ts'
import { type Ids, type IdScheme, normaliseId, reaches, SCHEMES, schemeOf } from '../items/id-schemes.ts'
import type { Item } from '../items/item.ts'
import { parseKey } from '../items/key.ts'
import { ownIds } from '../items/key-of.ts'
import { strongConflicts } from '../items/merge-ids.ts'
import type { FixPlan, FixRequest } from './contract.ts'

export interface PeerIds {
  readonly item: Item
  /** `ids.tmdb=603`. */
  readonly changes: readonly string[]
  /** Schemes in which the other rows disagree; no id was taken for these. */
  readonly conflicts: readonly IdScheme[]
}

/** The item with ids from other rows of the work. */
export function withPeerIds({ row, peers, namesakes }: Pick<FixRequest, 'row' | 'peers' | 'namesakes'>): PeerIds {
  const isPart = row.item.type === 'season' || row.item.type === 'episode'
  const field = isPart ? 'show_ids' : 'ids'
  const own: Ids = isPart ? (row.item.show_ids ?? {}) : ownIds(row.item)
  const others = [...peers.flatMap((one) => one.row?.item ?? []), ...namesakes.map(({ item }) => item)]
    .filter(({ type }) => type === row.item.type)
    .map((item): Ids => (isPart ? (item.show_ids ?? {}) : ownIds(item)))
    // A row of another work is excluded, even with the same title.
    .filter((ids) => strongConflicts(own, ids).length === 0)
  const found: { [scheme in IdScheme]?: string } = {}
  const conflicts = new Set<IdScheme>()
  const key = parseKey(row.key.replace(/@.*$/s, '').replace(/~\d+$/, ''))
  if (key.ok && key.value.base.by === 'id' && (key.value.part !== undefined) === isPart)
    found[key.value.base.scheme] = key.value.base.id
  for (const ids of others)
    for (const scheme of SCHEMES) {
      const id = ids[scheme]
      if (id === undefined || !reaches(scheme, 'provider')) continue
      if ((found[scheme] ?? id) !== id) conflicts.add(scheme)
      found[scheme] = id
    }
  const added = SCHEMES.filter(
    (scheme) => own[scheme] === undefined && found[scheme] !== undefined && !conflicts.has(scheme),
  )
  // Any disagreement means that two works have this name.
  if (conflicts.size > 0) return { item: row.item, changes: [], conflicts: [...conflicts] }
  if (added.length === 0) return { item: row.item, changes: [], conflicts: [] }
  const ids = { ...row.item[field], ...Object.fromEntries(added.map((scheme) => [scheme, found[scheme]])) }
  return {
    item: { ...row.item, [field]: ids },
    changes: added.map((scheme) => `${field}.${scheme}=${found[scheme]}`),
    conflicts: [],
  }
}

/** Returns the row with the id that the request names in `id_name` and `expected`; for parts of a show the show's. */
export function withExpectedId({ row, fields }: Pick<FixRequest, 'row' | 'fields'>): FixPlan {
  const { id_name: name, expected } = fields
  const scheme = typeof name === 'string' ? schemeOf(name) : undefined
  const id = scheme === undefined ? undefined : normaliseId(scheme, expected)
  if (scheme === undefined || id === undefined)
    throw new PlayheadError('PLH_INVALID', 'Send "id_name" and "expected", the right id.', {
      wire: 'validation_failed',
    })
  const field = row.item.type === 'season' || row.item.type === 'episode' ? 'show_ids' : 'ids'
  return {
    changes: [`${field}.${scheme}=${id}`],
    correct: { ...row.item, [field]: { ...row.item[field], [scheme]: id } },
  }
}

// Contradiction: two items that cannot be one work, because a strong scheme names a different id in each. Rows that
// contradict each other are never merged, written or removed for each other, also if another id is shared.
//
// Ids are compared by slot: the item's own ids by kind and scheme, and those of its show apart from them. Two numbers of
// one show's episodes are not a contradiction: services number episodes differently. Ids of one provider or account (a
// slug, a key of a server) never contradict, because a provider may change them.
import { addFacts, factsOf } from './facts.ts'
import { type Reach, reaches, SCHEMES } from './id-schemes.ts'
import type { Item } from './item.ts'
import { ownIds } from './key-of.ts'
import { strongConflicts } from './merge-ids.ts'

/** True if a strong scheme names two different works, or shows. */
export function contradicts(a: Item, b: Item): boolean {
  return strongConflicts(ownIds(a), ownIds(b)).length > 0 || strongConflicts(a.show_ids, b.show_ids).length > 0
}

/** True if any two of the items contradict each other; in linear time. */
export function anyContradict(items: readonly Item[]): boolean {
  const [first, ...others] = items
  if (first === undefined || others.length === 0) return false
  const facts = factsOf(first)
  return others.some((item) => !addFacts(facts, factsOf(item)))
}

/** Strong ids by slot: `movie:tmdb`, and `show:tvdb#` for the show of a part. */
export type IdSlots = ReadonlyMap<string, string>

/**
 * The slot and the id of a token; undefined for a scheme whose ids do not name works within this scope. Only slots of
 * strong schemes (the default) contradict.
 *
 * @example idSlotOf('show:tvdb:121361#s01e01') // ['show:tvdb#', '121361']
 */
export function idSlotOf(token: string, within: Reach = 'anywhere'): readonly [slot: string, id: string] | undefined {
  const first = token.indexOf(':')
  const second = token.indexOf(':', first + 1)
  if (second === -1 || !REACHING[within].has(token.slice(first + 1, second))) return undefined
  const part = token.indexOf('#', second)
  return part === -1
    ? [token.slice(0, second), token.slice(second + 1)]
    : [`${token.slice(0, second)}#`, token.slice(second + 1, part)]
}

/** For items of which only the tokens are known. */
export function idSlotsOf(tokens: Iterable<string>): Map<string, string> {
  const slots = new Map<string, string>()
  for (const token of tokens) {
    const found = idSlotOf(token)
    if (found !== undefined) slots.set(...found)
  }
  return slots
}

/** As `contradicts`, for items of one kind. */
export function slotsContradict(a: IdSlots, b: IdSlots): boolean {
  for (const [slot, id] of a) if (b.has(slot) && b.get(slot) !== id) return true
  return false
}

/** Whether both have ids of a common scheme: without a common token they are then different items. */
export function slotsShareScheme(a: IdSlots, b: IdSlots): boolean {
  for (const slot of a.keys()) if (b.has(slot)) return true
  return false
}

/** As `anyContradict`, for the tokens of each item. */
export function anyTokensContradict(sets: Iterable<Iterable<string>>): boolean {
  const known = new Map<string, string>()
  for (const tokens of sets) {
    const slots = idSlotsOf(tokens)
    if (slotsContradict(known, slots)) return true
    for (const [slot, id] of slots) known.set(slot, id)
  }
  return false
}

const schemesOf = (within: Reach): ReadonlySet<string> => new Set(SCHEMES.filter((scheme) => reaches(scheme, within)))
const REACHING: Readonly<Record<Reach, ReadonlySet<string>>> = {
  anywhere: schemesOf('anywhere'),
  provider: schemesOf('provider'),
  account: schemesOf('account'),
}

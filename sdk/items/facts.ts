// The strong ids of an item as an array with one position per scheme, for fast comparison.
import { STRONG_SCHEMES } from './id-schemes.ts'
import type { Item } from './item.ts'
import { ownIds } from './key-of.ts'

/** The item's ids by scheme, then those of its show; undefined if absent. */
export type Facts = (string | undefined)[]

export const FACT_PLACES = STRONG_SCHEMES.length * 2

export function factsOf(item: Pick<Item, 'ids' | 'show_ids'>): Facts {
  const own = ownIds(item)
  const facts: Facts = []
  for (const scheme of STRONG_SCHEMES) facts.push(own[scheme])
  for (const scheme of STRONG_SCHEMES) facts.push(item.show_ids?.[scheme])
  return facts
}

/** Merges the ids of another item; false on a contradiction. */
export function addFacts(facts: Facts, more: Readonly<Facts>): boolean {
  let agrees = true
  for (let place = 0; place < FACT_PLACES; place += 1) {
    const id = more[place]
    if (id === undefined) continue
    if ((facts[place] ?? id) !== id) agrees = false
    facts[place] = id
  }
  return agrees
}

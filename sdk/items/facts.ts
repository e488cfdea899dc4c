// What an item says by its strong ids, in a form that is quickly compared: a list with one place for each thing that
// can be said.
import { STRONG_SCHEMES } from './id-schemes.ts'
import type { Item } from './item.ts'
import { ownIds } from './key-of.ts'

/** The ids of the item itself by scheme, then those of its show; undefined where it says nothing. */
export type Facts = (string | undefined)[]

export const FACT_PLACES = STRONG_SCHEMES.length * 2

export function factsOf(item: Pick<Item, 'ids' | 'show_ids'>): Facts {
  const own = ownIds(item)
  const facts: Facts = []
  for (const scheme of STRONG_SCHEMES) facts.push(own[scheme])
  for (const scheme of STRONG_SCHEMES) facts.push(item.show_ids?.[scheme])
  return facts
}

/** Adds what another says; false when it contradicts. */
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

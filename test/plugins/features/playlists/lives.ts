// Random lives: edits of lists between runs, and how services show the items.
import fc from '../../../fast-check.ts'
import type { Membership } from '@playhead/sdk'
import { type FakeList, setOf, shelf } from './world.ts'

export const FILMS = 10
export const film = fc.nat({ max: FILMS - 1 })
export const films = fc.array(film, { maxLength: 12 })
export const distinct = fc.uniqueArray(film, { maxLength: 10 })
export const membership = fc.constantFrom<Membership>('add_only', 'managed_only', 'mirror')
export const order = fc.constantFrom<'ignore' | 'preserve'>('ignore', 'preserve')
/** Ids that each account shows for each film: they share one, but may not share the best one. */
export const shown = fc.array(fc.constantFrom([7, 7], [1, 3], [2, 3], [3, 6], [6, 2], [5, 4], [7, 2]), {
  minLength: FILMS,
  maxLength: FILMS,
})

/** An edit of a list between two runs. */
export type Act = readonly ['add' | 'remove' | 'to_front' | 'twice' | 'clear', number]
export const act: fc.Arbitrary<Act> = fc.tuple(
  fc.constantFrom('add', 'remove', 'to_front', 'twice', 'add', 'remove', 'clear'),
  fc.nat({ max: 30 }),
)

export function live(list: FakeList, [what, n]: Act): void {
  const { shelves, duplicates } = list
  const at = shelves.length === 0 ? 0 : n % shelves.length
  const chosen = shelves[at]
  if (what === 'add' && (duplicates || !setOf(list).has(n % FILMS))) list.shelves = [...shelves, shelf(n % FILMS)]
  if (chosen === undefined) return
  if (what === 'remove') list.shelves = shelves.filter((one) => one !== chosen)
  if (what === 'to_front') list.shelves = [chosen, ...shelves.filter((one) => one !== chosen)]
  if (what === 'twice' && duplicates) list.shelves = [...shelves, shelf(chosen.film)]
  if (what === 'clear' && n === 0) list.shelves = []
}

export interface Step {
  readonly here: readonly Act[]
  readonly there: readonly Act[]
}
export const lives: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({ here: fc.array(act, { maxLength: 4 }), there: fc.array(act, { maxLength: 3 }) }),
  { minLength: 1, maxLength: 6 },
)

export function must(condition: boolean, what: string, seen?: unknown): void {
  if (!condition) throw new Error(`${what}: ${JSON.stringify(seen)}`)
}

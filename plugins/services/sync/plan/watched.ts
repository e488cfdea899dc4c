// Watched items leave watchlists and lose their progress. Looks up missing items in the stored history of the account.
import type { Side } from '@playhead/sdk'
import { type Item, parseTime, tokensOf } from '@playhead/sdk/items'
import type { SeenState } from '../store/base.ts'
import { findNewest, inventoryPages } from '../store/inventory.ts'
import { type Groups, lostGroups, lostRows } from '../library/groups.ts'
import { isOwned } from '../library/read-side.ts'
import type { SideRows } from '../library/rows.ts'
import { type FeatureRun, reachOf, SIDES } from '../feature-run.ts'
import { seenAt } from './view.ts'

const PAGE = 250

export type Watched = ReadonlyMap<number, { readonly a?: boolean; readonly b?: boolean }>

export async function findWatched(run: FeatureRun, groups: Groups): Promise<Watched> {
  const found = new Map<number, { a?: boolean; b?: boolean }>()
  if (run.feature !== 'watchlist' && run.feature !== 'progress') return found
  for (const side of SIDES)
    await findOnSide(run, groups, side, (group, is) => void found.set(group, { ...found.get(group), [side]: is }))
  return found
}

async function findOnSide(
  run: FeatureRun,
  groups: Groups,
  side: Side,
  note: (group: number, isWatched: boolean) => void,
): Promise<void> {
  const history = await historyOf(run, run.sides[side].uid)
  if (history === undefined) return
  const options = { within: reachOf(run) }
  const waiting = new Map<string, { group: number; sinceMs: number }>()
  for (const [group, { item, state }] of await lostRows(run, groups, lostGroups(groups, side))) {
    note(group, false)
    const sinceMs = sinceOf(run, side, state[side]!)
    for (const token of tokensOf(item, options)) waiting.set(token, { group, sinceMs })
  }
  if (waiting.size === 0) return
  for await (const page of history) {
    for (const item of page) {
      const atMs = parseTime(item.watched_at)?.atMs
      for (const token of tokensOf(item, options)) {
        const meant = waiting.get(token)
        if (meant !== undefined && (atMs === undefined ? run.feature === 'progress' : atMs > meant.sinceMs))
          note(meant.group, true)
      }
    }
  }
}

/** The stored history, in pages. */
async function historyOf({ engine: { db }, histories }: FeatureRun, uid: string) {
  const read = histories?.get(uid)
  if (read !== undefined) return pagesOf(read)
  const head = await findNewest(db, uid, 'history')
  return head === undefined ? undefined : storedPages(inventoryPages(db, head))
}

async function* storedPages(pages: ReturnType<typeof inventoryPages>): AsyncGenerator<readonly Item[]> {
  for await (const page of pages) yield page.map(({ item }) => JSON.parse(item) as Item)
}

async function* pagesOf(rows: SideRows): AsyncGenerator<readonly Item[]> {
  for (let start = 0; start < rows.size; start += PAGE) {
    const page: Item[] = []
    for (let index = start; index < Math.min(start + PAGE, rows.size); index += 1)
      if (isOwned(rows, index)) page.push(rows.item(index))
    yield page
  }
}

/** A play counts if it is later than the progress, or later than the last read with the title on the list. */
function sinceOf(run: FeatureRun, side: Side, seen: SeenState): number {
  return run.feature === 'progress' && seen.e !== undefined ? seen.e - 1 : seenAt(run, side, seen)
}

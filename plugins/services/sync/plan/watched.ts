// Watched items leave watchlists and lose their progress. Looks up missing items in the stored history of the account.
import { type Item, parseTime, tokensOf } from '@playhead/sdk/items'
import { isPlayheadError, type Side } from '@playhead/sdk'
import type { BaseRow, SeenState } from '../store/base.ts'
import { findNewest, inventoryPages } from '../store/inventory.ts'
import { type Groups, lostGroups, lostRows } from '../library/groups.ts'
import { isOwned, type SideRead } from '../library/read-side.ts'
import type { SideRows } from '../library/rows.ts'
import { isWithoutHistory, type FeatureRun, reachOf, SIDES } from '../feature-run.ts'
import { type IsWatched, seenAt, type Watched } from './view.ts'

const PAGE = 250
/** `SeenState.d` of a row whose title was finished there. */
export const FINISHED = 3
/** How often a whole history is read for one lost position: a play may be recorded long after the position disappeared. */
export const ASKED = 2

/**
 * @param readHistory reads the history of an account, which the pair does not sync. Undefined if the account has none;
 * throws what the provider throws
 */
export async function findWatched(
  run: FeatureRun,
  groups: Groups,
  readHistory: (side: Side) => Promise<Pick<SideRead, 'rows' | 'complete' | 'account'> | undefined>,
): Promise<Watched> {
  const found = new Map<number, { a?: IsWatched; b?: IsWatched }>()
  if (run.feature !== 'watchlist' && run.feature !== 'progress') return found
  for (const side of SIDES)
    await findOnSide(side, (group, is) => void found.set(group, { ...found.get(group), [side]: is }))
  return found

  async function findOnSide(side: Side, note: (group: number, isWatched: IsWatched) => void): Promise<void> {
    const missing = lostGroups(groups, side)
    if (missing.length === 0) return
    const lost = new Map(await lostRows(run, groups, missing))
    for (const [group, { state }] of lost) {
      const { d, c = 0 } = state[side]!
      if (d !== FINISHED && c < ASKED) continue
      note(group, d === FINISHED)
      lost.delete(group)
    }
    if (lost.size === 0) return
    if (!isWithoutHistory(run)) return await findIn(await historyOf(run, run.sides[side].uid), run, side, lost, note)
    const read = await readHistory(side).catch((error: unknown) => {
      if (run.signal.aborted || !isPlayheadError(error)) throw error
      return null
    })
    if (read === undefined) return
    if (read?.complete === true && read.account === run.state?.account[side])
      await findIn(pagesOf(read.rows), run, side, lost, note)
    else for (const group of lost.keys()) note(group, 'unknown')
    read?.rows.release()
  }
}

async function findIn(
  history: AsyncIterable<readonly Item[]> | undefined,
  run: FeatureRun,
  side: Side,
  lost: ReadonlyMap<number, BaseRow>,
  note: (group: number, isWatched: boolean) => void,
): Promise<void> {
  if (history === undefined) return
  const options = { within: reachOf(run) }
  const waiting = new Map<string, { group: number; sinceMs: number }>()
  for (const [group, { item, state }] of lost) {
    note(group, false)
    const sinceMs = sinceOf(run, side, state[side]!)
    for (const token of tokensOf(item, options)) waiting.set(token, { group, sinceMs })
  }
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

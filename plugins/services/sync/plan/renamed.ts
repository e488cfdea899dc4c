// Rows that an account shows under another name since its last read: a service gave a work another number, season or kind, or a
// person corrected the time of a play. One such row vanishes and one appears in the same read. They are neither removals nor
// adds.
import type { Side } from '@playhead/sdk'
import { type Item, partOf, plainTitle } from '@playhead/sdk/items'
import { lostGroups, lostRows, rowIn } from '../library/groups.ts'
import { inventoryOf } from '../library/read-side.ts'
import { findInventory, knownEvents } from '../store/inventory.ts'
import { other, SIDES } from '../feature-run.ts'
import type { ViewInput } from './view.ts'

/** Reason of an operation that waits until the rows are told apart. */
export const RENAMED = 'renamed'

/** Groups that disappeared and groups that appeared with these names. */
export async function renamedGroups(input: ViewInput): Promise<ReadonlySet<number>> {
  const found = new Set<number>()
  if (input.run.state === null) return found
  for (const side of SIDES) {
    const { lost, fresh } = changesOf(input, side)
    if (lost.length === 0 || fresh.length === 0) continue
    const groups = await renamedItems(input, side, lost, fresh)
    for (const group of [...groups, ...(await movedPlays(input, side, fresh))]) found.add(group)
  }
  return found
}

/** Groups that this side has lost and the other one has, and groups with a new row that only this side has. */
function changesOf({ groups, reads }: ViewInput, side: Side) {
  const { rows } = reads[side]
  const isFresh = (group: number) => {
    const row = rowIn(groups, side, group)
    return groups.baseOf(group) < 0 && row >= 0 && row < rows.size && rows.skip(row) === undefined
  }
  return {
    lost: lostGroups(groups, side).filter((group) => rowIn(groups, other(side), group) >= 0),
    fresh: groups.changedGroups.filter((group) => isFresh(group) && rowIn(groups, other(side), group) < 0),
  }
}

async function renamedItems(
  input: ViewInput,
  side: Side,
  lost: readonly number[],
  fresh: readonly number[],
): Promise<readonly number[]> {
  const { run, reads, groups } = input
  const { rows } = reads[side]
  const byName = new Map<string, number[]>()
  for (const [group, { item, state }] of await lostRows(run, groups, lost))
    for (const name of namesOf(item, state[side]?.e, run.plays)) byName.set(name, [...(byName.get(name) ?? []), group])
  return fresh.flatMap((group) => {
    const index = rowIn(groups, side, group)
    const met = namesOf(rows.item(index), rows.evidence(index), run.plays).flatMap((name) => byName.get(name) ?? [])
    return met.length === 0 ? [] : [group, ...met]
  })
}

/**
 * A film or show by its title, regardless of its kind; an episode by its show and the time at which it was watched or rated, and
 * a play by its time too.
 */
function namesOf(item: Item, evidenceMs: number | undefined, plays: boolean): readonly string[] {
  if (partOf(item) === undefined) {
    const title = plainTitle(item.title)
    return title === '' ? [] : [`${title} (${item.year ?? ''})${plays ? `@${evidenceMs ?? ''}` : ''}`]
  }
  if (evidenceMs === undefined) return []
  const ids = Object.entries(item.show_ids ?? {}).map(([scheme, id]) => `${scheme}:${id}`)
  const title = plainTitle(item.series_title)
  return [...ids, ...(title === '' ? [] : [title])].map((show) => `${show} @${evidenceMs}`)
}

/** If the pair syncs removals, the old time is removed and the new one is added. */
async function movedPlays(input: ViewInput, side: Side, fresh: readonly number[]): Promise<readonly number[]> {
  const { run, reads } = input
  if (!run.plays || run.options.remove) return []
  const head = await findInventory(run.engine.db, inventoryOf(run, run.sides[side]))
  if (head === undefined || head.account !== reads[side].account) return []
  const events = new Map<string, number>()
  for (const group of fresh) {
    const event = reads[side].rows.item(rowIn(input.groups, side, group)).native?.event_id
    if (event !== undefined) events.set(event, group)
  }
  return (await knownEvents(run.engine.db, head, [...events.keys()])).map((event) => events.get(event)!)
}

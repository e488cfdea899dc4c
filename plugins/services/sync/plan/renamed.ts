// Rows that an account shows under another name since its last read: a service gave a work another number, season or kind, or a
// person corrected the time of a play. One such row vanishes and one appears in the same read. They are neither removals nor
// adds.
import type { Side } from '@playhead/sdk'
import { type Item, partOf, plainTitle, rowKey } from '@playhead/sdk/items'
import { lostGroups, lostRows, rowIn } from '../library/groups.ts'
import { inventoryOf } from '../library/read-side.ts'
import { findInventory, knownEvents, lackedRows } from '../store/inventory.ts'
import { other, SIDES } from '../feature-run.ts'
import { seenAt, type ViewInput } from './view.ts'

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
  const byName = new Map<string, Lost[]>()
  for (const [group, { item, state }] of await lostRows(run, groups, lost)) {
    const seen = state[side]
    const one = { group, seenAtMs: seen === undefined ? -Infinity : seenAt(run, side, seen) }
    for (const name of namesOf(item, seen?.e, run.plays)) byName.set(name, [...(byName.get(name) ?? []), one])
  }
  const met = fresh.flatMap((group) => {
    const index = rowIn(groups, side, group)
    const ofName = namesOf(rows.item(index), rows.evidence(index), run.plays).flatMap((name) => byName.get(name) ?? [])
    return ofName.length === 0 ? [] : [{ group, ofName, key: rowKey(rows.given(index), run.plays) }]
  })
  const wasBeside = await shownBeside(
    input,
    side,
    met.map(({ key }) => key),
  )
  return met.flatMap(({ group, ofName, key }) => {
    const replaced = ofName.filter(({ seenAtMs }) => !wasBeside(key, seenAtMs))
    return replaced.length === 0 ? [] : [group, ...replaced.map((one) => one.group)]
  })
}

interface Lost {
  readonly group: number
  readonly seenAtMs: number
}

/**
 * Whether the account showed a play already when another one was last seen. Plays of a season that was marked at once have one
 * time, and one without a match in the other account is never part of the base.
 */
async function shownBeside(
  { run, reads }: ViewInput,
  side: Side,
  keys: readonly string[],
): Promise<(key: string, seenAtMs: number) => boolean> {
  const never = () => false
  if (!run.plays || keys.length === 0) return never
  const head = await findInventory(run.engine.db, inventoryOf(run, run.sides[side]))
  if (head === undefined || head.account !== reads[side].account) return never
  const lacked = await lackedRows(run.engine.db, head, keys)
  return (key, seenAtMs) => lacked.has(key) && (lacked.get(key) ?? -Infinity) < seenAtMs
}

/**
 * A film or show by its title with its year or time, regardless of its kind; an episode by its show and the time at which it was
 * watched or rated, and a play by its time too.
 */
function namesOf(item: Item, evidenceMs: number | undefined, plays: boolean): readonly string[] {
  if (partOf(item) === undefined) {
    const title = plainTitle(item.title)
    if (title === '') return []
    // A service that corrects the year, too, leaves the time of the row as it was.
    const dated = evidenceMs === undefined ? [] : [`${title} @${evidenceMs}`]
    return plays && dated.length > 0 ? dated : [`${title} (${item.year ?? ''})`, ...dated]
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

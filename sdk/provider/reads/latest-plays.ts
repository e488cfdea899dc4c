// One row for each work of a log of plays: its latest play.
import type { Item } from '../../items/item.ts'
import { parseTime } from '../../items/time.ts'

export interface LatestPlays {
  add(play: Item): void
  /** In the order in which the works were added. The id of a play is left out: the row is of the work. */
  items(): readonly Item[]
}

/**
 * Keeps the latest play of each work, for reads without `plays` of a service that has each play. Works are the same if their ids
 * and numbers are.
 *
 * @example
 * const latest = createLatestPlays()
 * for (const play of plays) latest.add(play)
 * yield* rowParts(latest.items())
 */
export function createLatestPlays(): LatestPlays {
  const found = new Map<string, Item>()
  return {
    add({ native: _one, ...work }) {
      const key = JSON.stringify([work.type, work.ids, work.show_ids, work.season, work.episode])
      const before = found.get(key)
      if (before === undefined || timeOf(work) > timeOf(before)) found.set(key, work)
    },
    items: () => [...found.values()],
  }
}

function timeOf({ watched_at: at }: Item): number {
  return parseTime(at)?.atMs ?? -Infinity
}

// Merges rows of one viewing that Tautulli did not group: it counts a playback that continues in a new session, or near the end, as
// a separate one. An item cannot be watched to its end twice within less than its length, so such rows are one play: the first row,
// whose id stays when further rows follow.
import type { Item } from '@playhead/sdk'
import { numberOf, type Row, textOf } from './wire.ts'

interface Sittings {
  /** Rows arrive newest first. Returns the play that this row completes. */
  add(row: Row, item: Item): Item | undefined
  /** Completed plays that no row before this start (epoch seconds) can extend; without a start, all plays. */
  take(beforeS?: number): Item[]
}

interface Sitting {
  readonly item: Item
  readonly stoppedS: number
  readonly lengthS: number
}

/** Longer than any item. */
export const LONGEST_S = 12 * 3_600

export function createSittings(): Sittings {
  const open = new Map<string, Sitting>()

  return {
    add(row, item) {
      const stoppedS = numberOf(row.stopped) ?? 0
      const name = [row.user_id, row.rating_key, row.guid].map(textOf).join(' ')
      const later = open.get(name)
      const lengthS = Math.min(LONGEST_S, Math.max(lengthOf(row), later?.lengthS ?? 0))
      // If the play starts with this row, the length is that of the row.
      const isSame = later !== undefined && Math.abs(later.stoppedS - stoppedS) < lengthS
      open.set(name, { item, stoppedS, lengthS: isSame ? lengthS : lengthOf(row) })
      return isSame ? undefined : later?.item
    },
    take(beforeS = -Infinity) {
      const done = [...open].filter(([, { stoppedS }]) => stoppedS - LONGEST_S > beforeS)
      for (const [name] of done) open.delete(name)
      return done.map(([, { item }]) => item)
    },
  }
}

/** Maximum length of the item in seconds; 0 if the row does not contain it. A row that continues a playback gives less. */
function lengthOf(row: Row): number {
  const percent = numberOf(row.percent_complete) ?? 0
  const isGroup = (numberOf(row.group_count) ?? 1) > 1
  const played =
    numberOf(row.play_duration) ??
    numberOf(row.duration) ??
    // The span of several rows includes the pauses between them.
    (isGroup ? 0 : (numberOf(row.stopped) ?? 0) - (numberOf(row.date) ?? 0))
  return percent >= 1 && played > 0 ? Math.min(LONGEST_S, (100 * played) / Math.min(percent, 100)) : 0
}

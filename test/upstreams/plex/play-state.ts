// All changes of an account's state of an item: marking, rating, stopping. HTTP requests and people at a player both use these
// functions. Playing to the end adds a row to the play log, marking by hand does not.
import { type Account, changePlayState, type Item, leavesOf, type PlexState, takeId } from './state.ts'

/** From this fraction an item counts as watched. */
export const PLAYED_SHARE = 0.9
/** A playback that is stopped earlier leaves no trace. */
export const SHORTEST_OFFSET_MS = 60_000

/** Marks an item, or all of its children, as played. */
export function markPlayed(state: PlexState, account: Account, item: Item, atMs: number): void {
  for (const leaf of leavesOf(state, item)) {
    const played = changePlayState(state, account, leaf.ratingKey)
    played.viewCount += 1
    played.lastViewedAtMs = Math.max(atMs, played.lastViewedAtMs ?? 0)
    delete played.viewOffsetMs
  }
}

/** Clears the plays and positions of an item and its children. Its rating stays. */
export function markUnplayed(state: PlexState, account: Account, item: Item): void {
  for (const leaf of leavesOf(state, item)) {
    const played = changePlayState(state, account, leaf.ratingKey)
    played.viewCount = 0
    delete played.lastViewedAtMs
    delete played.viewOffsetMs
  }
}

/** A complete playback: one row in the log per film or episode. */
export function play(state: PlexState, account: Account, item: Item, atMs: number): void {
  markPlayed(state, account, item, atMs)
  for (const leaf of leavesOf(state, item)) {
    const season = state.items.get(leaf.parentKey ?? '')
    const show = state.items.get(season?.parentKey ?? '')
    state.plays.push({
      id: takeId(state),
      accountId: account.id,
      ratingKey: leaf.ratingKey,
      viewedAtMs: atMs,
      sectionKey: leaf.sectionKey,
      type: leaf.type,
      title: leaf.title,
      ...(show === undefined ? {} : { grandparentTitle: show.title }),
      ...(season?.index === undefined ? {} : { parentIndex: season.index }),
      ...(leaf.index === undefined ? {} : { index: leaf.index }),
      ...(leaf.premieredAtMs === undefined ? {} : { premieredAtMs: leaf.premieredAtMs }),
    })
  }
}

/** Stores the resume position. Zero clears it; a short start changes nothing. */
export function setOffset(state: PlexState, account: Account, item: Item, offsetMs: number, atMs: number): void {
  if (offsetMs > 0 && offsetMs < SHORTEST_OFFSET_MS) return
  const played = changePlayState(state, account, item.ratingKey)
  if (offsetMs === 0) {
    delete played.viewOffsetMs
    return
  }
  played.viewOffsetMs = offsetMs
  played.lastViewedAtMs = Math.max(atMs, played.lastViewedAtMs ?? 0)
}

/** Rates an item from 0 to 10; null removes the rating. */
export function rate(state: PlexState, account: Account, item: Item, rating: number | null, atMs: number): void {
  const played = changePlayState(state, account, item.ratingKey)
  if (rating === null) {
    delete played.userRating
    delete played.lastRatedAtMs
    return
  }
  played.userRating = rating
  played.lastRatedAtMs = atMs
}

// What changes an account's state of an item: marking it played or not, rating it, stopping somewhere in it. Clients do
// so over HTTP and people in front of a screen; both come through here. Playing to the end writes the play log, marking
// by hand does not.
import { type Account, changePlayState, type Item, leavesOf, type PlexState, takeId } from './state.ts'

/** From here on an item counts as seen. */
export const PLAYED_SHARE = 0.9
/** A start that was given up at once leaves no trace. */
export const SHORTEST_OFFSET_MS = 60_000

/** Marks an item, or everything under it, as played. */
export function markPlayed(state: PlexState, account: Account, item: Item, atMs: number): void {
  for (const leaf of leavesOf(state, item)) {
    const played = changePlayState(state, account, leaf.ratingKey)
    played.viewCount += 1
    played.lastViewedAtMs = Math.max(atMs, played.lastViewedAtMs ?? 0)
    delete played.viewOffsetMs
  }
}

/** Forgets that an item, or anything under it, was played or begun. Its rating stays. */
export function markUnplayed(state: PlexState, account: Account, item: Item): void {
  for (const leaf of leavesOf(state, item)) {
    const played = changePlayState(state, account, leaf.ratingKey)
    played.viewCount = 0
    delete played.lastViewedAtMs
    delete played.viewOffsetMs
  }
}

/** A play to the end: one row in the log for each film or episode. */
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

/** Remembers where somebody stopped. Zero forgets it; a short start changes nothing. */
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

/** Rates an item from 0 to 10; null takes the rating away. */
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

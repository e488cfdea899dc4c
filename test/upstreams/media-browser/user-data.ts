// How the server derives a user's state of an item: marks, counts, positions and likes.
import { formatDate } from './dates.ts'
import type { Item, User, UserData, World } from './world.ts'

/** Ratings from this value count as a like. */
const LIKED_FROM = 6.5

/** The user data of the item, created on first use. */
export function userDataOf(user: User, itemId: string): UserData {
  let data = user.data.get(itemId)
  if (data === undefined) user.data.set(itemId, (data = emptyUserData()))
  return data
}

export function emptyUserData(): UserData {
  return { played: false, playCount: 0, positionTicks: 0, favourite: false, savedAtMs: 0 }
}

/** Marks the item, or everything below it. Only an explicit date counts as another play. */
export function markPlayed(world: World, user: User, item: Item, atMs?: number): void {
  for (const { id } of playable(world, item)) {
    const data = userDataOf(user, id)
    data.playCount = atMs === undefined ? Math.max(1, data.playCount) : data.playCount + 1
    data.lastPlayedAtMs = atMs ?? data.lastPlayedAtMs ?? world.nowMs()
    Object.assign(data, { played: true, positionTicks: 0, savedAtMs: world.nowMs() })
  }
}

/** Range of positions that can be resumed, in percent of the length, and the minimum length. */
const RESUME = { fromPercent: 5, toPercent: 90, shortestTicks: 300 * 10_000_000 }

/** Jellyfin counts a play and clears the mark at the start; Emby counts at the end and keeps the mark. */
export function notePlaybackStart(world: World, user: User, item: Item, countsAtStart: boolean): void {
  const data = userDataOf(user, item.id)
  if (countsAtStart) Object.assign(data, { played: false, playCount: data.playCount + 1 })
  Object.assign(data, { lastPlayedAtMs: world.nowMs(), savedAtMs: world.nowMs() })
}

/** Applies a position report; returns true if the item counts as watched. A stop without a position does. */
export function notePosition(
  world: World,
  user: User,
  item: Item,
  positionTicks: number | undefined,
  countsAtStart: boolean,
): boolean {
  const data = userDataOf(user, item.id)
  const percent = positionTicks === undefined ? 100 : (100 * positionTicks) / (item.runtimeTicks ?? Infinity)
  const completed =
    percent > RESUME.toPercent ||
    (percent >= RESUME.fromPercent && item.runtimeTicks !== undefined && item.runtimeTicks < RESUME.shortestTicks)
  const resumed = !completed && percent >= RESUME.fromPercent
  data.positionTicks = resumed && positionTicks !== undefined ? positionTicks : 0
  data.savedAtMs = world.nowMs()
  if (!completed) return false
  if (!countsAtStart && !data.played) data.playCount += 1
  Object.assign(data, { played: true, lastPlayedAtMs: world.nowMs() })
  return true
}

export function markUnplayed(world: World, user: User, item: Item): void {
  for (const { id } of playable(world, item)) {
    const unplayed = {
      played: false,
      playCount: 0,
      positionTicks: 0,
      lastPlayedAtMs: undefined,
      savedAtMs: world.nowMs(),
    }
    Object.assign(userDataOf(user, id), unplayed)
  }
}

/** A container is played when everything in it is. */
export function isPlayed(world: World, user: User, item: Item): boolean {
  if (!isContainer(item)) return user.data.get(item.id)?.played ?? false
  const leaves = playable(world, item)
  return leaves.length > 0 && leaves.every(({ id }) => user.data.get(id)?.played === true)
}

export function likes(rating: number | undefined): boolean | undefined {
  return rating === undefined ? undefined : rating >= LIKED_FROM
}

/** The user data in responses. `withLikes` adds the like that is derived from the rating. */
export function userDataDto(world: World, user: User, item: Item, withLikes: boolean): Record<string, unknown> {
  const data = user.data.get(item.id) ?? emptyUserData()
  const container = isContainer(item)
  const leaves = container ? playable(world, item) : []
  const unplayed = leaves.filter(({ id }) => user.data.get(id)?.played !== true).length
  const started = item.runtimeTicks !== undefined && data.positionTicks > 0
  const percentage = started ? (100 * data.positionTicks) / item.runtimeTicks : undefined
  return {
    Rating: data.rating,
    PlayedPercentage: container && leaves.length > 0 ? (100 * (leaves.length - unplayed)) / leaves.length : percentage,
    UnplayedItemCount: container ? unplayed : undefined,
    PlaybackPositionTicks: data.positionTicks,
    PlayCount: data.playCount,
    IsFavorite: data.favourite,
    Likes: withLikes ? likes(data.rating) : undefined,
    LastPlayedDate: data.lastPlayedAtMs === undefined ? undefined : formatDate(data.lastPlayedAtMs),
    Played: isPlayed(world, user, item),
    Key: Object.values(item.providerIds).find((value) => value !== '') ?? item.id,
    ItemId: item.id,
  }
}

/** The item itself, or the existing films and episodes below it. */
export function playable(world: World, item: Item): Item[] {
  if (!isContainer(item)) return [item]
  const listed = (item.entries ?? [])
    .map(({ itemId }) => world.items.get(itemId))
    .filter((found) => found !== undefined)
  const below = [...world.childrenOf(item.id), ...listed].flatMap((child) => playable(world, child))
  return below.filter(({ virtual }) => virtual !== true)
}

export function isContainer({ type }: Item): boolean {
  return type !== 'Movie' && type !== 'Episode'
}

// Plays removed from the log. The item keeps the time of its last view, which would look like a manual mark, so removed
// times are remembered.
import type { KeyValueStore } from '@playhead/sdk'

const KEY = 'forgotten-plays'
/** Older entries are dropped. */
const MAX_PLAYS = 5_000

interface RemovedPlays {
  has(ratingKey: string, lastViewedAt: number | undefined): boolean
}

export async function removedPlays(store: KeyValueStore): Promise<RemovedPlays> {
  const removed = new Map((await store.get<[string, number][]>(KEY)) ?? [])
  return { has: (ratingKey, lastViewedAt) => lastViewedAt !== undefined && removed.get(ratingKey) === lastViewedAt }
}

export async function rememberRemovedPlays(
  store: KeyValueStore,
  plays: readonly (readonly [ratingKey: string, lastViewedAt: number])[],
): Promise<void> {
  if (plays.length === 0) return
  const removed = new Map((await store.get<[string, number][]>(KEY)) ?? [])
  for (const [ratingKey, at] of plays) {
    removed.delete(ratingKey)
    removed.set(ratingKey, at)
  }
  await store.set(KEY, [...removed].slice(-MAX_PLAYS))
}

// Plays removed from the log. The item keeps the time of its last view, which would look like a manual mark, so removed
// times are remembered.
import type { KeyValueStore } from '@playhead/sdk'

const KEY = 'forgotten-plays'
/** Older entries are dropped. */
const MOST = 5_000

export interface ForgottenPlays {
  has(ratingKey: string, lastViewedAt: number | undefined): boolean
}

export async function forgottenPlays(store: KeyValueStore): Promise<ForgottenPlays> {
  const kept = new Map((await store.get<[string, number][]>(KEY)) ?? [])
  return { has: (ratingKey, lastViewedAt) => lastViewedAt !== undefined && kept.get(ratingKey) === lastViewedAt }
}

export async function forgetPlays(
  store: KeyValueStore,
  plays: readonly (readonly [ratingKey: string, lastViewedAt: number])[],
): Promise<void> {
  if (plays.length === 0) return
  const kept = new Map((await store.get<[string, number][]>(KEY)) ?? [])
  for (const [ratingKey, at] of plays) {
    kept.delete(ratingKey)
    kept.set(ratingKey, at)
  }
  await store.set(KEY, [...kept].slice(-MOST))
}

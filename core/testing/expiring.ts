// Storage whose entries expire by the test's clock; Keyv only uses the system clock.
import type { KeyValueStore } from '@playhead/sdk'

/** @param endings expiry by key; lives as long as the data */
export function expiringBy(now: () => number, endings: Map<string, number>, store: KeyValueStore): KeyValueStore {
  const expire = async (key: string): Promise<void> => {
    if ((endings.get(key) ?? Infinity) > now()) return
    endings.delete(key)
    await store.delete(key)
  }
  const note = (key: string, ttlMs: number | undefined) => {
    if (ttlMs === undefined) endings.delete(key)
    else endings.set(key, now() + ttlMs)
  }
  const expireAll = async () => {
    for (const key of [...endings.keys()]) await expire(key)
  }
  return {
    async get(key) {
      await expire(key)
      return store.get(key)
    },
    async has(key) {
      await expire(key)
      return store.has(key)
    },
    delete: async (key) => {
      await expire(key)
      return store.delete(key)
    },
    clear: () => store.clear(),
    async set(key, value, ttlMs) {
      await expireAll()
      await store.set(key, value, ttlMs)
      note(key, ttlMs)
    },
    async setMany(values, ttlMs) {
      await expireAll()
      await store.setMany(values, ttlMs)
      for (const key of values.keys()) note(key, ttlMs)
    },
    async *entries<T>() {
      await expireAll()
      yield* store.entries<T>()
    },
  }
}

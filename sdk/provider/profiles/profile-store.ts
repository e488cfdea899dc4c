// Prefixed views of the plugin's key-value storage, for a profile or for the kit.
import type { KeyValueStore } from '../../context.ts'

export function storeBelow(store: KeyValueStore, prefix: string): KeyValueStore {
  return {
    get: (key) => store.get(prefix + key),
    set: (key, value, ttlMs) => store.set(prefix + key, value, ttlMs),
    setMany: (values, ttlMs) => store.setMany(new Map([...values].map(([key, value]) => [prefix + key, value])), ttlMs),
    delete: (key) => store.delete(prefix + key),
    has: (key) => store.has(prefix + key),
    async clear() {
      const keys: string[] = []
      for await (const [key] of store.entries()) if (key.startsWith(prefix)) keys.push(key)
      for (const key of keys) await store.delete(key)
    },
    async *entries<T>() {
      for await (const [key, value] of store.entries<T>())
        if (key.startsWith(prefix)) yield [key.slice(prefix.length), value] as const
    },
  }
}

/** Temporary storage for trials. */
export function storeInMemory(): KeyValueStore {
  const values = new Map<string, { readonly value: unknown; readonly untilMs: number }>()
  const find = (key: string) => {
    const kept = values.get(key)
    if (kept !== undefined && kept.untilMs > Date.now()) return kept
    values.delete(key)
    return undefined
  }
  const set = (key: string, value: unknown, ttlMs = Infinity) =>
    void values.set(key, { value: structuredClone(value), untilMs: Date.now() + ttlMs })
  return {
    get: async <T>(key: string) => structuredClone(find(key)?.value) as T | undefined,
    set: async (key, value, ttlMs) => set(key, value, ttlMs),
    setMany: async (all, ttlMs) => all.forEach((value, key) => set(key, value, ttlMs)),
    delete: async (key) => values.delete(key),
    has: async (key) => find(key) !== undefined,
    clear: async () => values.clear(),
    async *entries<T>() {
      for (const key of [...values.keys()]) {
        const kept = find(key)
        if (kept !== undefined) yield [key, structuredClone(kept.value) as T] as const
      }
    },
  }
}

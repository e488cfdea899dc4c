// Remembers recent actions, so that a double click has no second effect.

interface Recent<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
}

const MAX = 5_000

export function createRecent<Value>(keepMs: number, now: () => number): Recent<Value> {
  const kept = new Map<string, { readonly atMs: number; readonly value: Value }>()
  return {
    get(key) {
      const found = kept.get(key)
      if (found === undefined) return undefined
      const ageMs = now() - found.atMs
      return ageMs >= 0 && ageMs < keepMs ? found.value : undefined
    },
    set(key, value) {
      kept.delete(key)
      kept.set(key, { atMs: now(), value })
      if (kept.size > MAX) kept.delete(kept.keys().next().value as string)
    },
  }
}

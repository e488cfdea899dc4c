// A cache of values by key; missing keys are loaded in one request.
import { LRUCache } from 'lru-cache'
import { msUntil } from '../../moments.ts'

export interface KeyedCache<Fact> {
  /** Values of the keys that the service knows. Rejects with errors of `load`. */
  get(keys: Iterable<string>, signal?: AbortSignal): Promise<ReadonlyMap<string, Fact>>
}

export interface KeyedCacheOptions<Fact> {
  /** Called with keys that are not cached; omits unknown ones. */
  readonly load: (keys: readonly string[], signal?: AbortSignal) => Promise<ReadonlyMap<string, Fact>>
  /** Default 60 minutes. */
  readonly ttlMs?: number
  /** How long unknown keys are not requested again. Default one minute. */
  readonly missingTtlMs?: number
  /** Maximum entries; the least recently used are evicted. Default 500. */
  readonly most?: number
  /** Epoch milliseconds. */
  readonly now?: () => number
}

/**
 * @example
 * const details = createKeyedCache({ load: (keys, signal) => readItems(api, keys, signal) })
 * const known = await details.get(['5120', '4999'], signal)
 */
export function createKeyedCache<Fact>({
  load,
  ttlMs = 3_600_000,
  missingTtlMs = 60_000,
  most = 500,
  now = Date.now,
}: KeyedCacheOptions<Fact>): KeyedCache<Fact> {
  const kept = new LRUCache<string, { readonly fact: Fact | undefined; readonly untilMs: number }>({ max: most })

  return {
    async get(keys, signal) {
      const wanted = [...new Set(keys)]
      const found = new Map<string, Fact>()
      const unknown: string[] = []
      for (const key of wanted) {
        const known = kept.get(key)
        if (known === undefined || msUntil(known.untilMs, now(), Math.max(ttlMs, missingTtlMs)) === 0) unknown.push(key)
        else if (known.fact !== undefined) found.set(key, known.fact)
      }
      if (unknown.length === 0) return found
      const loaded = await load(unknown, signal)
      for (const key of unknown) {
        const fact = loaded.get(key)
        kept.set(key, { fact, untilMs: now() + (fact === undefined ? missingTtlMs : ttlMs) })
        if (fact !== undefined) found.set(key, fact)
      }
      return found
    },
  }
}

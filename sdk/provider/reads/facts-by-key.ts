// A cache of values by key; missing keys are loaded in one request.
export interface FactsByKey<Fact> {
  /** Values of the keys that the service knows. Rejects with what `load` throws. */
  get(keys: Iterable<string>, signal?: AbortSignal): Promise<ReadonlyMap<string, Fact>>
}

export interface FactsByKeyOptions<Fact> {
  /** Called with keys that are not cached; omits unknown ones. */
  readonly load: (keys: readonly string[], signal?: AbortSignal) => Promise<ReadonlyMap<string, Fact>>
  /** Default 60 minutes. */
  readonly keptMs?: number
  /** How long unknown keys are not requested again. Default one minute. */
  readonly missingMs?: number
  /** Maximum entries; the oldest are evicted. Default 500. */
  readonly most?: number
  /** Epoch milliseconds. */
  readonly now?: () => number
}

/**
 * @example
 * const details = createFactsByKey({ load: (keys, signal) => readItems(api, keys, signal) })
 * const known = await details.get(['5120', '4999'], signal)
 */
export function createFactsByKey<Fact>({
  load,
  keptMs = 3_600_000,
  missingMs = 60_000,
  most = 500,
  now = Date.now,
}: FactsByKeyOptions<Fact>): FactsByKey<Fact> {
  const kept = new Map<string, { readonly fact: Fact | undefined; readonly untilMs: number }>()

  function keep(key: string, fact: Fact | undefined): void {
    kept.delete(key)
    kept.set(key, { fact, untilMs: now() + (fact === undefined ? missingMs : keptMs) })
    if (kept.size > most) kept.delete(kept.keys().next().value as string)
  }

  return {
    async get(keys, signal) {
      const wanted = [...new Set(keys)]
      const found = new Map<string, Fact>()
      const unknown: string[] = []
      for (const key of wanted) {
        const known = kept.get(key)
        if (known === undefined || known.untilMs <= now()) unknown.push(key)
        else if (known.fact !== undefined) found.set(key, known.fact)
      }
      if (unknown.length === 0) return found
      const loaded = await load(unknown, signal)
      for (const key of unknown) {
        const fact = loaded.get(key)
        keep(key, fact)
        if (fact !== undefined) found.set(key, fact)
      }
      return found
    },
  }
}

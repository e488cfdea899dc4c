// An answer that is shared for a while by all who ask, as long as it is about the same account.
export interface Memo<Value> {
  get(): Promise<Value>
  /** As of now. */
  fresh(): Promise<Value>
  drop(): void
}

export interface MemoOptions<Value> {
  readonly load: () => Promise<Value>
  readonly keptMs: number
  readonly now: () => number
  /** Whose answer it is. */
  readonly owner: () => Promise<string>
}

export function createMemo<Value>({ load, keptMs, now, owner }: MemoOptions<Value>): Memo<Value> {
  let kept: { readonly atMs: number; readonly of: string; readonly value: Promise<Value> } | undefined

  function loadFor(of: string): Promise<Value> {
    const mine = { atMs: now(), of, value: load() }
    kept = mine
    mine.value.catch(() => {
      // Whoever waits for it is told; the next one asks anew.
      if (kept === mine) kept = undefined
    })
    return mine.value
  }

  return {
    async get() {
      const of = await owner()
      return kept !== undefined && kept.of === of && now() - kept.atMs < keptMs ? kept.value : loadFor(of)
    },
    fresh: async () => loadFor(await owner()),
    drop() {
      kept = undefined
    },
  }
}

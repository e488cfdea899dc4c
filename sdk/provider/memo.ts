// An answer that is shared for a while by all who ask, as long as it is about the same account.
export interface Memo<Value> {
  /** The answer that is kept, or one that is loaded now. Rejects with what `load` throws; the next one then asks anew. */
  get(): Promise<Value>
  /** As of now, and kept for those who ask next. */
  fresh(): Promise<Value>
  /** Forgets the answer: something was written that it does not know of. */
  drop(): void
}

export interface MemoOptions<Value> {
  readonly load: () => Promise<Value>
  /** How long an answer is shared, from when it was asked for. */
  readonly keptMs: number
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Whose answer it is, for example the `current` of a lineage. Absent: the account cannot become another while the memo lives. */
  readonly owner?: () => Promise<string>
}

/**
 * Facts, activities and collections that all features of a run ask for: loaded once, by all who ask at the same time together.
 *
 * @example
 * const facts = createMemo({ load: () => readFacts(api), keptMs: 600_000, now: Date.now, owner: lineage.current })
 * const { account } = await facts.get()
 */
export function createMemo<Value>({ load, keptMs, now, owner = nobody }: MemoOptions<Value>): Memo<Value> {
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

async function nobody(): Promise<string> {
  return ''
}

// An answer that is shared for a while by all who ask, as long as it is about the same account.
import { untilAborted } from '../../waiting.ts'

export interface Memo<Value> {
  /**
   * The answer that is kept, or one that is loaded now. Rejects with what `load` throws; the next one then asks anew.
   */
  get(signal?: AbortSignal): Promise<Value>
  /**
   * As of now, and kept for those who ask next. Rejects with the signal's reason; when all who wait have left, loading
   * ends.
   */
  fresh(signal?: AbortSignal): Promise<Value>
  /** Forgets the answer: something was written that it does not know of. */
  drop(): void
}

export interface MemoOptions<Value> {
  /** Its signal aborts when all who wait for the answer have left. */
  readonly load: (signal: AbortSignal) => Promise<Value>
  /** How long an answer is shared, from when it was asked for. */
  readonly keptMs: number
  /** Epoch milliseconds. */
  readonly now: () => number
  /**
   * Whose answer it is, for example the `current` of a lineage. Absent: the account cannot become another while the
   * memo lives.
   */
  readonly owner?: () => Promise<string>
}

/**
 * Facts, activities and collections that all features of a run ask for: loaded once, by all who ask at the same time
 * together.
 *
 * @example const facts = createMemo({ load: (signal) => readFacts(api, signal), keptMs: 600_000, now: Date.now, owner:
 * lineage.current }) const { account } = await facts.get()
 */
export function createMemo<Value>({ load, keptMs, now, owner = nobody }: MemoOptions<Value>): Memo<Value> {
  let kept: Loading<Value> | undefined

  function loadFor(of: string): Loading<Value> {
    const end = new AbortController()
    const mine = { atMs: now(), of, value: load(end.signal), waiting: 0, end }
    kept = mine
    mine.value.catch(() => {
      // Those who wait for it are told; the next one asks again.
      if (kept === mine) kept = undefined
    })
    return mine
  }

  async function waitFor(loading: Loading<Value>, signal: AbortSignal | undefined): Promise<Value> {
    loading.waiting += 1
    if (signal === undefined) return loading.value
    try {
      return await untilAborted(loading.value, signal)
    } catch (error) {
      loading.waiting -= 1
      if (signal.aborted && loading.waiting === 0) {
        if (kept === loading) kept = undefined
        loading.end.abort(signal.reason)
      }
      throw error
    }
  }

  return {
    async get(signal) {
      const of = await owner()
      return waitFor(kept !== undefined && kept.of === of && now() - kept.atMs < keptMs ? kept : loadFor(of), signal)
    },
    fresh: async (signal) => waitFor(loadFor(await owner()), signal),
    drop() {
      kept = undefined
    },
  }
}

interface Loading<Value> {
  readonly atMs: number
  readonly of: string
  readonly value: Promise<Value>
  /** Those who may still want it. One without a signal always does. */
  waiting: number
  readonly end: AbortController
}

async function nobody(): Promise<string> {
  return ''
}

// A cached value, shared by concurrent callers, for one account.
import { isRecent } from '../../moments.ts'
import { untilAborted } from '../../waiting.ts'

export interface Memo<Value> {
  /** The cached value, or a new one. Rejects with errors of `load`; failures are not cached. */
  get(signal?: AbortSignal): Promise<Value>
  /** Loads a new value and caches it. Rejects with the signal's reason; loading stops when all callers have aborted. */
  fresh(signal?: AbortSignal): Promise<Value>
  /** Drops the value, for example after a write. */
  drop(): void
}

export interface MemoOptions<Value> {
  /** The signal aborts when all callers have aborted. */
  readonly load: (signal: AbortSignal) => Promise<Value>
  /** Lifetime of the value in milliseconds, from the request. */
  readonly ttlMs: number
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Identifies the account, for example `current` of a lineage. Absent: the account cannot change. */
  readonly owner?: () => Promise<string>
}

/**
 * Caches a value that several features of a run request: loaded once, also for concurrent callers.
 *
 * @example
 * const facts = createMemo({ load: (signal) => readFacts(api, signal), ttlMs: 600_000, now: Date.now, owner:
 * lineage.current })
 * const { account } = await facts.get()
 */
export function createMemo<Value>({ load, ttlMs, now, owner = noOwner }: MemoOptions<Value>): Memo<Value> {
  let kept: Loading<Value> | undefined

  function loadFor(of: string): Loading<Value> {
    const end = new AbortController()
    const mine = { atMs: now(), of, value: load(end.signal), waiting: 0, end }
    kept = mine
    mine.value.catch(() => {
      // Waiting callers see the failure; the next one retries.
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
      return waitFor(
        kept !== undefined && kept.of === of && isRecent(kept.atMs, now(), ttlMs) ? kept : loadFor(of),
        signal,
      )
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
  /** Callers that have not aborted. One without a signal never does. */
  waiting: number
  readonly end: AbortController
}

async function noOwner(): Promise<string> {
  return ''
}

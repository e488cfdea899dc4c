// One result for all who ask: computed once at a time, kept for a while, and forgotten when what it was made of changed.
export interface Shared<Value> {
  /** `fresh` takes nothing that is older than two seconds. */
  get(fresh: boolean): Promise<Value>
  /** What was computed or is being computed now is for nobody who asks from now on. */
  forget(): void
}

export interface SharedOptions<Value> {
  /** The signal aborts when nobody wants the result any more; then it ends soon. */
  readonly compute: (fresh: boolean, outdated: AbortSignal) => Promise<Value>
  readonly keepMs: (value: Value) => number
  readonly now: () => number
}

interface Running<Value> {
  readonly epoch: number
  readonly result: Promise<Value>
  readonly stop: AbortController
}

const FRESH_EVERY_MS = 2_000

export function createShared<Value>({ compute, keepMs, now }: SharedOptions<Value>): Shared<Value> {
  let epoch = 0
  let kept: { readonly value: Value; readonly atMs: number } | undefined
  let running: Running<Value> | undefined

  function start(fresh: boolean): Running<Value> {
    const mine = epoch
    running?.stop.abort()
    const stop = new AbortController()
    const entry = { epoch: mine, result: compute(fresh, stop.signal), stop }
    running = entry
    entry.result.then((value) => {
      if (mine === epoch) kept = { value, atMs: now() }
    }, () => {}).finally(() => {
      if (running === entry) running = undefined
    })
    return entry
  }

  return {
    async get(fresh) {
      const ageMs = kept === undefined ? Infinity : now() - kept.atMs
      if (kept !== undefined && ageMs >= 0 && ageMs < (fresh ? FRESH_EVERY_MS : keepMs(kept.value))) return kept.value
      const asked = running?.epoch === epoch ? running : start(fresh)
      const value = await asked.result
      // Those who asked before it was outdated get what is true now.
      return asked.stop.signal.aborted ? this.get(false) : value
    },
    forget() {
      epoch += 1
      kept = undefined
      running?.stop.abort()
    },
  }
}

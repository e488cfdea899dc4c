// One result for all who ask: computed once at a time, kept for a while, and forgotten when what it was made of changed.
export interface Shared<Value> {
  /** `fresh` takes nothing that is older than two seconds. */
  get(fresh: boolean): Promise<Value>
  /** What was computed or is being computed now is for nobody who asks from now on. */
  forget(): void
}

export interface SharedOptions<Value> {
  readonly compute: (fresh: boolean) => Promise<Value>
  readonly keepMs: (value: Value) => number
  readonly now: () => number
}

const FRESH_EVERY_MS = 2_000

export function createShared<Value>({ compute, keepMs, now }: SharedOptions<Value>): Shared<Value> {
  let epoch = 0
  let kept: { readonly value: Value; readonly atMs: number } | undefined
  let running: { readonly epoch: number; readonly result: Promise<Value> } | undefined

  function start(fresh: boolean): Promise<Value> {
    const mine = epoch
    // An outdated computation ends first, so that there never are two.
    const result = (running?.result ?? Promise.resolve()).then(() => compute(fresh), () => compute(fresh))
    const entry = { epoch: mine, result }
    running = entry
    result.then((value) => {
      if (mine === epoch) kept = { value, atMs: now() }
    }, () => {}).finally(() => {
      if (running === entry) running = undefined
    })
    return result
  }

  return {
    async get(fresh) {
      const ageMs = kept === undefined ? Infinity : now() - kept.atMs
      if (kept !== undefined && ageMs >= 0 && ageMs < (fresh ? FRESH_EVERY_MS : keepMs(kept.value))) return kept.value
      return running?.epoch === epoch ? running.result : start(fresh)
    },
    forget() {
      epoch += 1
      kept = undefined
    },
  }
}

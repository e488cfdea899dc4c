// A shared cached computation: one run at a time for all callers. When its inputs change, the running computation is
// cancelled and restarted for its waiting callers, within the time limit of the first of them.
export interface Attempt {
  readonly fresh: boolean
  /** Time since the first waiting caller asked; counts towards the total limit. */
  readonly elapsedMs: number
  /** Aborts when its result is outdated. */
  readonly signal: AbortSignal
}

export interface Computed<Value> {
  /** `fresh` accepts results up to two seconds old. */
  get(fresh: boolean): Promise<Value>
  /** Drops the cached value. */
  forget(): void
}

interface ComputedOptions<Value> {
  /** Must end soon after its signal, and within its limit. */
  readonly compute: (attempt: Attempt) => Promise<Value>
  readonly keepMs: (value: Value) => number
  readonly now: () => number
}

interface Flight<Value> {
  readonly result: Promise<Value>
  restart(): void
}

const FRESH_EVERY_MS = 2_000

export function createComputed<Value>({ compute, keepMs, now }: ComputedOptions<Value>): Computed<Value> {
  let cached: { readonly value: Value; readonly atMs: number } | undefined
  let flight: Flight<Value> | undefined

  function begin(fresh: boolean): Flight<Value> {
    const { promise: result, resolve, reject } = Promise.withResolvers<Value>()
    const beganAt = performance.now()
    let current: AbortController | undefined

    function restart(): void {
      current?.abort()
      const mine = new AbortController()
      current = mine
      compute({ fresh, elapsedMs: performance.now() - beganAt, signal: mine.signal }).then(
        (value) => {
          if (current !== mine) return
          flight = undefined
          cached = { value, atMs: now() }
          resolve(value)
        },
        (error: unknown) => {
          if (current !== mine) return
          flight = undefined
          reject(error)
        },
      )
    }

    restart()
    return { result, restart }
  }

  return {
    async get(fresh) {
      const ageMs = cached === undefined ? Infinity : now() - cached.atMs
      if (cached !== undefined && ageMs >= 0 && ageMs < (fresh ? FRESH_EVERY_MS : keepMs(cached.value)))
        return cached.value
      flight ??= begin(fresh)
      return flight.result
    },
    forget() {
      cached = undefined
      flight?.restart()
    },
  }
}

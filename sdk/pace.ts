// Keeps long loops from holding the event loop: every few milliseconds they let others run.
const SLICE_MS = 8

export interface Pace {
  /** True when it is time to `rest`. Checked often, so it is cheap. */
  due(): boolean
  /** Resolves when others had their turn. */
  rest(): Promise<void>
}

/**
 * @param sliceMs how long a loop runs before a rest is due
 * @example
 * const pace = createPace()
 * for (const row of rows) {
 *   take(row)
 *   if (pace.due()) await pace.rest()
 * }
 */
export function createPace(sliceMs = SLICE_MS): Pace {
  let since = performance.now()
  return {
    due: () => performance.now() - since >= sliceMs,
    async rest() {
      await new Promise((resolve) => setImmediate(resolve))
      since = performance.now()
    },
  }
}

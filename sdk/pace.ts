// Keeps long loops from holding the event loop: every few milliseconds they let others run. All loops of the process
// share a turn: five that are under way together hold the event loop as long as one, and go on one after the other.
// What else may come in the same turn takes longer: a collection of garbage some 30 ms, a commit as long as the disk
// does.
const SLICE_MS = 5

export interface Pace {
  /** True when it is time to `rest`. Checked often, so it is cheap. */
  due(): boolean
  /** Resolves when others had their turn. */
  rest(): Promise<void>
  /** The two in one, for where a promise more does not matter. */
  restIfDue(): Promise<void>
}

let turnBeganAtMs = 0
let isCalled = false
const resting: (() => void)[] = []

/**
 * @param sliceMs how long loops run before a rest is due
 * @example
 * const pace = createPace()
 * for (const row of rows) {
 *   take(row)
 *   if (pace.due()) await pace.rest()
 * }
 */
export function createPace(sliceMs = SLICE_MS): Pace {
  const due = () => performance.now() - turnBeganAtMs >= sliceMs
  const rest = () =>
    new Promise<void>((resolve) => {
      resting.push(resolve)
      callNext()
    })
  return {
    due,
    rest,
    restIfDue: async () => {
      if (due()) await rest()
    },
  }
}

function callNext(): void {
  if (isCalled) return
  isCalled = true
  setImmediate(() => {
    isCalled = false
    turnBeganAtMs = performance.now()
    resting.shift()?.()
    // The others have turns of their own, after whatever came in meanwhile.
    if (resting.length > 0) callNext()
  })
}

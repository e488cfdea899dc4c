// Answers that many parts make together do not wait for the slowest of them longer than this.
export interface InTime<Value> {
  /** What was answered now, or before; undefined where nothing ever was. */
  readonly value: Value | undefined
  readonly isLate: boolean
}

/** What does not come in time is replaced by the last answer, and not asked again beside itself. */
export function inTime<Value>(ask: () => Promise<Value>, limitMs: number): () => Promise<InTime<Value>> {
  let last: Value | undefined
  let late: Promise<Value> | undefined
  return async () => {
    const asked = late ?? ask().then((value) => (last = value))
    const found = await withLimit(
      asked.then((value) => ({ value, isLate: false })),
      limitMs,
      null,
    )
    if (found !== null) return found
    late = asked
    const isOver = () => {
      if (late === asked) late = undefined
    }
    asked.then(isOver, isOver)
    return { value: last, isLate: true }
  }
}

/** The result, or something else when it is not there in time. What it throws is thrown, unless it is late. */
export async function withLimit<Value, Other>(
  result: Promise<Value>,
  limitMs: number,
  otherwise: Other,
): Promise<Value | Other> {
  const { promise: late, resolve } = Promise.withResolvers<Other>()
  const timer = setTimeout(() => resolve(otherwise), limitMs)
  result.catch(() => {})
  try {
    return await Promise.race([result, late])
  } finally {
    clearTimeout(timer)
  }
}

// Timeouts for responses with many parts.
import { orWhenAborted, usableLimit } from '@playhead/sdk'

interface InTime<Value> {
  /** The current or the previous result; undefined before the first one. */
  readonly value: Value | undefined
  readonly isLate: boolean
}

/** A late result is replaced by the previous one, and only one call runs at a time. */
export function inTime<Value>(ask: () => Promise<Value>, limitMs: number): () => Promise<InTime<Value>> {
  let last: Value | undefined
  let late: Promise<Value> | undefined
  return async () => {
    const running = late ?? ask().then((value) => (last = value))
    const found = await withLimit(
      running.then((value) => ({ value, isLate: false })),
      limitMs,
      null,
    )
    if (found !== null) return found
    late = running
    const isOver = () => {
      if (late === running) late = undefined
    }
    running.then(isOver, isOver)
    return { value: last, isLate: true }
  }
}

/** The result, or `otherwise` after the timeout. Rethrows errors unless they are late. */
export async function withLimit<Value, Other>(
  result: Promise<Value>,
  limitMs: number,
  otherwise: Other,
): Promise<Value | Other> {
  using limit = usableLimit(limitMs)
  return await orWhenAborted(result, limit.signal, otherwise)
}

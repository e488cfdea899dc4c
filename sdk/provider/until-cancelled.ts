// Cancellation for shared work: a caller that aborts returns at once, while the provider's request continues for other
// callers.
import { setTimeout as sleep } from 'node:timers/promises'
import { isPlayheadError, PlayheadError } from '../errors.ts'
import { untilAborted } from '../waiting.ts'
import type { WriteItem, WriteResult } from './writes/contract.ts'

const GRACE_MS = 1_000

/** The parts until the signal aborts; then `PLH_ABORTED`. */
export async function* partsUntilCancelled<Part>(
  parts: AsyncIterable<Part>,
  signal: AbortSignal,
): AsyncGenerator<Part> {
  const iterator = parts[Symbol.asyncIterator]()
  let isOver = false
  try {
    for (;;) {
      const next = await untilCancelled(iterator.next(), signal)
      isOver = next.done === true
      if (next.done === true) return
      yield next.value
    }
  } finally {
    // A cancelled reader does not wait for the source to close, and ignores its failure.
    const left = isOver ? undefined : Promise.resolve(iterator.return?.())
    if (signal.aborted) left?.catch(() => {})
    else await left
  }
}

/** The outcome of the work, or `PLH_ABORTED` if the signal aborts first. */
export async function untilCancelled<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  try {
    return await untilAborted(work, signal)
  } catch (error) {
    if (!signal.aborted || isPlayheadError(error)) throw error
    throw new PlayheadError('PLH_ABORTED', 'The request was called off.', { cause: error })
  }
}

/** An aborted write returns the outcomes known shortly afterwards; all others are unknown. */
export async function writeUntilCancelled(
  request: { readonly items: readonly WriteItem[] },
  work: Promise<WriteResult>,
  signal: AbortSignal,
): Promise<WriteResult> {
  const end = new AbortController()
  const late = async (): Promise<WriteResult> => {
    await untilAborted(new Promise<never>(() => {}), AbortSignal.any([signal, end.signal])).catch(() => {})
    if (!end.signal.aborted) await sleep(GRACE_MS)
    return { outcomes: request.items.map(({ key }) => ({ key, outcome: 'unknown', reason: 'cancelled' })) }
  }
  try {
    return await Promise.race([work, late()])
  } finally {
    end.abort()
  }
}

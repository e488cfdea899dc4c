// Requests with an idempotency key: each is executed once, and its response is stored for a day.
import { createHash, randomUUID } from 'node:crypto'
import { pause, PlayheadError } from '@playhead/sdk'
import type { WatchedAnswer } from './request/body.ts'
import type { Store } from './store/store.ts'

export interface Begun {
  readonly id: string
  /** An earlier process started the request. */
  readonly isResumed: boolean
  /** When the request started, epoch milliseconds: the "now" of the request. */
  readonly atMs: number
}

interface RequestsOptions {
  readonly store: Pick<Store, 'request' | 'putRequest' | 'answerRequest' | 'dropRequest'>
  /** Identifies this process. */
  readonly process: string
  readonly now: () => number
}

/** A replaced generation of the plugin may still be responding. */
const HANDOVER_MS = 45_000
const POLL_MS = 200

export function createRequests({ store, process, now }: RequestsOptions) {
  const running = new Map<string, { readonly body: string; readonly answer: Promise<WatchedAnswer> }>()

  async function begin(
    key: string,
    body: string,
    work: (begun: Begun) => Promise<WatchedAnswer>,
  ): Promise<WatchedAnswer> {
    let stored = await store.request(key)
    if (stored !== undefined && stored.body !== body) throw conflict()
    for (
      const endsMs = now() + HANDOVER_MS;
      stored?.answer === null && stored.process === process && now() < endsMs;
    ) {
      await pause(POLL_MS)
      stored = await store.request(key)
      if (stored !== undefined && stored.body !== body) throw conflict()
    }
    if (stored?.answer != null) return stored.answer
    const begun: Begun =
      stored === undefined
        ? { id: randomUUID(), isResumed: false, atMs: now() }
        : { id: stored.id, isResumed: true, atMs: stored.atMs }
    await store.putRequest(key, { id: begun.id, body, process, atMs: begun.atMs })
    try {
      const answer = await work(begun)
      await store.answerRequest(key, begun.id, answer)
      return answer
    } catch (error) {
      // No action was started, so a corrected request may use the same key.
      await store.dropRequest(key, begun.id)
      throw error
    }
  }

  /** Throws `PLH_CONFLICT` (`idempotency_conflict`) if the key belongs to another body. */
  return async (
    key: string | undefined,
    body: unknown,
    work: (begun: Begun) => Promise<WatchedAnswer>,
  ): Promise<WatchedAnswer> => {
    if (key === undefined) return work({ id: randomUUID(), isResumed: false, atMs: now() })
    const hash = createHash('sha256').update(canonical(body)).digest('base64url')
    const known = running.get(key)
    if (known !== undefined) {
      if (known.body !== hash) throw conflict()
      return known.answer
    }
    const answer = begin(key, hash, work).finally(() => running.delete(key))
    running.set(key, { body: hash, answer })
    return answer
  }
}

function conflict(): PlayheadError {
  return new PlayheadError('PLH_CONFLICT', 'This idempotency_key was used for another request.', {
    wire: 'idempotency_conflict',
  })
}

/** JSON with sorted members. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}

// Sends due deliveries: targets concurrently, messages of one target in turn, so that a hanging target does not delay others.
import {
  isPlayheadError,
  type Logger,
  type NotificationMessage,
  PlayheadError,
  untilAborted,
  usableLimit,
} from '@playhead/sdk'
import type { Rule } from '../settings.ts'
import { messageOf } from './message.ts'
import type { Begun, Delivery, Queue } from './store.ts'

type Send = (targetId: string, message: NotificationMessage, signal: AbortSignal) => Promise<void>

interface WorkerOptions {
  readonly queue: Queue
  readonly send: Send
  readonly rule: (id: string) => Rule | undefined
  readonly publicUrl: () => string
  readonly log: Logger
  readonly now: () => number
  readonly signal: AbortSignal
  /** When the next delivery is due; null if none is pending. */
  readonly wakeAt: (atMs: number | null) => void
  /** Time limit of one attempt, in milliseconds. */
  readonly limitMs?: number
}

export interface Worker {
  /** Starts sending all due deliveries. */
  run(): Promise<void>
  /** Resolves when no delivery is being sent. */
  settled(): Promise<void>
  /** Sends one delivery at once without retries; resolves to its result. */
  sendNow(id: string): Promise<Delivery | undefined>
}

const LIMIT_MS = 30_000
const MINUTE_MS = 60_000
const BACKOFF_MINUTES = [0.5, 1, 2, 5, 10, 30, 60, 120, 240, 480, 720]
/** Maximum wait; a longer one that a service requests is shortened to this. */
const MAX_WAIT_MS = 24 * 60 * MINUTE_MS
/** Client-error statuses that may be temporary. */
const TRANSIENT = new Set([408, 425, 429])
/** Errors that no retry resolves; a person has to act. */
const REFUSALS = new Set([
  'PLH_AUTH_FAILED',
  'PLH_INVALID',
  'PLH_CONFIG_INVALID',
  'PLH_NOT_FOUND',
  'PLH_FORBIDDEN',
  'PLH_HOST_DENIED',
  'PLH_UNSUPPORTED',
])
/** Errors of requests that did not reach the service. */
const NOT_SENT = new Set(['PLH_CAPABILITY_GONE', 'PLH_CAPABILITY_MISSING', 'PLH_PLUGIN_QUARANTINED', 'PLH_NOT_READY'])

export function createWorker(options: WorkerOptions): Worker {
  const { queue, log, now, signal } = options
  /** Targets with a send in progress. */
  const busy = new Map<string, Promise<void>>()
  /** Targets among those that received more deliveries meanwhile. */
  const again = new Set<string>()

  async function run(): Promise<void> {
    for (const { target } of await queue.due()) {
      if (signal.aborted) return
      if (busy.has(target)) {
        again.add(target)
        continue
      }
      const sending = sendAllTo(target)
        .catch((error: unknown) => log.error({ err: error, target }, 'the queue of the notifications failed'))
        .finally(async () => {
          busy.delete(target)
          // Deliveries that arrived while the worker was ending.
          await (again.delete(target) ? run() : wake())
        })
      busy.set(target, sending)
    }
    await wake()
  }

  async function wake(): Promise<void> {
    if (!signal.aborted) options.wakeAt(await queue.nextAt([...busy.keys()]))
  }

  async function sendAllTo(target: string): Promise<void> {
    while (!signal.aborted) {
      const next = (await queue.due()).find((one) => one.target === target)
      if (next === undefined) return
      await sendOne(next.id)
    }
  }

  async function sendOne(id: string, isOnce = false): Promise<void> {
    const known = await queue.get(id)
    if (known === undefined) return
    const rule = known.rule === null ? undefined : options.rule(known.rule)
    const begun = await queue.begin(id, rule?.max_per_hour ?? null, isOnce)
    if (begun === null) return
    const { delivery } = begun
    const facts = { delivery: id, target: delivery.target, rule: delivery.rule, messages: begun.total }
    try {
      const message = messageOf(begun.notices, {
        id,
        isRepeat: delivery.isRepeat,
        publicUrl: options.publicUrl(),
        total: begun.total,
      })
      await sendInTime(options.send, delivery.target, message, signal, options.limitMs)
      await queue.end(id, { state: 'sent', reason: null })
      log.info(facts, 'a notification was sent')
    } catch (error) {
      // Interrupted by a replacement or stop: the next worker continues and marks the message as a possible repeat.
      if (signal.aborted) return
      await failed(begun, error, facts, isOnce)
    }
  }

  async function failed({ delivery }: Begun, error: unknown, facts: object, isOnce: boolean): Promise<void> {
    const { id, attempts } = delivery
    const reason = reasonOf(error)
    const backoff = BACKOFF_MINUTES[attempts - 1]
    if (isOnce) {
      await queue.end(id, { state: 'failed', reason })
      log.warn({ ...facts, reason }, 'a test message could not be sent')
    } else if (isPlayheadError(error, 'PLH_RATE_LIMITED') && attempts <= BACKOFF_MINUTES.length) {
      const waitMs = Math.min(Math.max(error.retryAfterMs ?? (backoff ?? 60) * MINUTE_MS, 1_000), MAX_WAIT_MS)
      await queue.later(id, now() + waitMs, reason, false)
      log.warn({ ...facts, reason, waitMs }, 'a notification has to wait: the service asks for it')
    } else if (isRefused(error) || backoff === undefined) {
      await queue.end(id, { state: 'failed', reason })
      log.error({ ...facts, reason, attempts }, 'a notification could not be sent')
    } else {
      const isUncertain = !isPlayheadError(error) || !NOT_SENT.has(error.code)
      await queue.later(id, now() + backoff * MINUTE_MS, reason, isUncertain && mayHaveArrived(error))
      log.warn({ ...facts, reason, attempts }, 'a notification was not sent; it is tried again')
    }
  }

  return {
    run,
    async settled() {
      while (busy.size > 0) await Promise.all(busy.values())
    },
    async sendNow(id) {
      await sendOne(id, true)
      return await queue.get(id)
    },
  }
}

/** Sends once, with a time limit that also applies to notifiers that ignore the signal. */
async function sendInTime(
  send: Send,
  target: string,
  message: NotificationMessage,
  signal: AbortSignal,
  limitMs = LIMIT_MS,
): Promise<void> {
  using limit = usableLimit(limitMs, signal)
  try {
    await untilAborted(send(target, message, limit.signal), limit.signal)
  } catch (error) {
    if (!limit.signal.aborted || signal.aborted) throw error
    throw new PlayheadError('PLH_UPSTREAM_TIMEOUT', `The service did not answer within ${limitMs / 1_000} seconds.`)
  }
}

/** An error text for people and the log: short, without any text of a service. */
function reasonOf(error: unknown): string {
  if (!isPlayheadError(error)) return 'notifier_failed'
  const status = error.details?.['status']
  return typeof status === 'number' ? `${error.wire}_${status}` : error.wire
}

function isRefused(error: unknown): boolean {
  if (!isPlayheadError(error)) return false
  if (REFUSALS.has(error.code)) return true
  const status = error.details?.['status']
  return (
    error.code === 'PLH_UPSTREAM' &&
    typeof status === 'number' &&
    status >= 400 &&
    status < 500 &&
    !TRANSIENT.has(status)
  )
}

/** False if the service responded: then it rejected the message. */
function mayHaveArrived(error: unknown): boolean {
  return !isPlayheadError(error) || typeof error.details?.['status'] !== 'number'
}

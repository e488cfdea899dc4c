// The queue of each tracker account: in order, one at a time, durable. A newer start replaces a queued start of the same
// viewing; pauses and stops stay queued until they are delivered.
import { type Logger, msUntil, PlayheadError } from '@playhead/sdk'
import type { Delivery } from '../store/delivery.ts'
import { OPEN_STATES, sinkKey } from '../store/delivery.ts'
import type { Store } from '../store/store.ts'
import type { KnownPlays } from '../effects/known-plays.ts'
import type { Attempt } from './attempt.ts'

interface DeliveriesOptions {
  readonly store: Store
  readonly attempt: (delivery: Delivery, signal: AbortSignal) => Promise<Attempt>
  /** The sync must know a play before it is sent, and must know that it was recorded before the delivery ends. */
  readonly plays: Pick<KnownPlays, 'expect' | 'withdraw' | 'record'>
  /** Called once per finished delivery, after it was stored. */
  readonly ended: (delivery: Delivery) => void
  readonly log: Logger
  readonly signal: AbortSignal
  readonly now: () => number
}

export interface Deliveries {
  /** Loads open deliveries and starts sending. */
  start(): Promise<void>
  /** Adds stored deliveries to the queues. */
  add(deliveries: readonly Delivery[]): void
  /**
   * Retries due deliveries.
   *
   * @param eager keys of sinks whose deliveries are all retried now
   */
  wake(eager?: ReadonlySet<string>): Promise<void>
  /** Throws `PLH_NOT_FOUND`, or `PLH_CONFLICT` for a delivery that is being sent or was delivered. */
  retry(id: string): Promise<Delivery>
  drop(id: string): Promise<Delivery>
  /** Resolves when no delivery can be sent now. */
  idle(): Promise<void>
  /** Finishes the current sends and starts no more. */
  stop(): Promise<void>
}

/** A tracker account. Its queue holds the oldest of its open deliveries in the database. */
interface Sink {
  readonly queue: Delivery[]
  /** The database has more open deliveries than fit in the queue. */
  hasMore: boolean
  /** The queue must be reloaded, because it may lack deliveries of the database. */
  isStale: boolean
  working: Promise<void> | null
  /** Id of the delivery that is being sent. */
  sending: string | null
  /** Ids of deliveries that a person is currently retrying or dropping. */
  readonly held: Set<string>
  pausedUntilMs: number
  /** Length of the pause at its start. */
  pausedForMs: number
}

/** Per tracker account in memory; the rest stays in the database. */
const MAX_QUEUE = 500
const FIRST_RETRY_MS = 5_000
const MAX_RETRY_MS = 15 * 60_000
/** An older start or pause says nothing about the current playback. */
const STALE_START_MS = 10 * 60_000
const GIVE_UP_MS = 60 * 24 * 3_600_000
/** About a day of attempts. The age alone could come from a wrong clock. */
const GIVE_UP_ATTEMPTS = 100
const PLAN_CHECK_MS = 15_000
const IN_FLIGHT_MS = 5_000

export function createDeliveries({ store, attempt, plays, ended, log, signal, now }: DeliveriesOptions): Deliveries {
  const sinks = new Map<string, Sink>()
  const beganAtMs = now()
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true })

  function sinkOf(key: string): Sink {
    const known = sinks.get(key)
    if (known !== undefined) return known
    const made: Sink = {
      queue: [],
      hasMore: false,
      isStale: false,
      working: null,
      sending: null,
      held: new Set(),
      pausedUntilMs: 0,
      pausedForMs: 0,
    }
    sinks.set(key, made)
    return made
  }

  /** Called by the sink's worker only: otherwise a delivery that ends during the query would be sent again. */
  async function load(key: string, sink: Sink): Promise<void> {
    let open: readonly Delivery[]
    do {
      sink.isStale = false
      open = await store.open(key, MAX_QUEUE)
    } while (sink.isStale)
    const { queue } = sink
    const known = new Set(queue.map(({ id }) => id))
    for (const delivery of open) if (!known.has(delivery.id)) queue.push(afterRestart(delivery))
    queue.sort(inOrder)
    const last = open.at(-1)
    sink.hasMore = open.length === MAX_QUEUE
    // Deliveries added meanwhile come after those that are still only in the database.
    if (sink.hasMore && last !== undefined) while (queue.length > 0 && inOrder(queue.at(-1)!, last) > 0) queue.pop()
  }

  /** Deliveries that an earlier process sent may still arrive, so the tracker is searched for them. */
  function afterRestart(delivery: Delivery): Delivery {
    return delivery.state === 'sending' && !isWaiting(delivery, beganAtMs)
      ? { ...delivery, dueAtMs: now() + IN_FLIGHT_MS }
      : delivery
  }

  function run(key: string): void {
    const sink = sinkOf(key)
    if (sink.working !== null || signal.aborted || isStopped) return
    sink.working = work(key, sink)
      .catch((error: unknown) => {
        if (!signal.aborted) log.error({ err: error, sink: key }, 'deliveries to a tracker were interrupted')
        pauseFor(sink, FIRST_RETRY_MS)
      })
      .finally(() => {
        sink.working = null
        schedule()
      })
  }

  async function work(key: string, sink: Sink): Promise<void> {
    for (;;) {
      if (signal.aborted || isStopped || pauseOf(sink, now()) > 0) return
      if (sink.isStale || (sink.queue.length === 0 && sink.hasMore)) await load(key, sink)
      const delivery = nextOf(sink, now())
      if (delivery === undefined) return
      sink.sending = delivery.id
      try {
        await deliver(sink, delivery)
      } finally {
        sink.sending = null
      }
    }
  }

  async function deliver(sink: Sink, queued: Delivery): Promise<void> {
    let delivery = queued
    if (isOutdated(sink, delivery, now())) return await finish(sink, { ...delivery, state: 'done', reason: 'replaced' })
    if (delivery.completed && delivery.planId === null) {
      await plays.expect(delivery)
      if (delivery.state !== 'sending') {
        const marked: Delivery = { ...delivery, state: 'sending' }
        await store.commit({ deliveries: [marked] })
        replace(sink, marked)
        // The attempt sees the previous state, which shows whether an earlier attempt may have arrived.
        delivery = queued
      }
    }
    const result = await attempt(delivery, signal)
    if (signal.aborted) return
    const attempts = delivery.attempts + 1
    switch (result.end) {
      case 'done': {
        const done: Delivery = {
          ...delivery,
          state: 'done',
          attempts,
          reason: result.already ? 'already' : null,
          doneAtMs: now(),
          watchedAtMs: result.watchedAtMs,
        }
        if (done.completed) await plays.record(done)
        return await finish(sink, done)
      }
      case 'failed':
        log.warn({ ...factsOf(delivery), reason: result.reason }, 'a tracker does not accept this')
        if (delivery.completed) await plays.withdraw(delivery)
        return await finish(sink, { ...delivery, state: 'failed', attempts, reason: result.reason, doneAtMs: now() })
      case 'planned': {
        const isNew = delivery.planId === null
        const planned: Delivery = {
          ...delivery,
          state: 'planned',
          planId: result.planId,
          // A new plan is applied at once; one that waits for a run is checked again later.
          dueAtMs: isNew ? now() : now() + PLAN_CHECK_MS,
        }
        await store.commit({ deliveries: [planned] })
        return replace(sink, planned)
      }
      case 'again':
        return await later(sink, { ...delivery, attempts }, result)
    }
  }

  async function later(
    sink: Sink,
    delivery: Delivery,
    { reason, retryAfterMs, unknown, replan }: Extract<Attempt, { readonly end: 'again' }>,
  ): Promise<void> {
    const nowMs = now()
    if (nowMs - delivery.atMs > GIVE_UP_MS && delivery.attempts >= GIVE_UP_ATTEMPTS) {
      if (delivery.completed) await plays.withdraw(delivery)
      return await finish(sink, { ...delivery, state: 'failed', reason, doneAtMs: nowMs })
    }
    const waitMs = retryAfterMs ?? Math.min(FIRST_RETRY_MS * 2 ** Math.min(delivery.attempts - 1, 10), MAX_RETRY_MS)
    const waiting: Delivery = {
      ...delivery,
      state: unknown && delivery.completed ? 'sending' : 'waiting',
      reason,
      ...(replan === true ? { planId: null } : {}),
      dueAtMs: nowMs + waitMs,
    }
    log.info({ ...factsOf(delivery), reason, wait_s: Math.round(waitMs / 1_000) }, 'a tracker is tried again later')
    await store.commit({ deliveries: [waiting] })
    replace(sink, waiting)
    // The problem concerns the service, not the item, so later deliveries wait too and the order is kept.
    pauseFor(sink, waitMs)
  }

  async function finish(sink: Sink, delivery: Delivery): Promise<void> {
    await store.commit({ deliveries: [delivery] })
    remove(sink, delivery.id)
    ended(delivery)
  }

  function schedule(): void {
    clearTimeout(timer)
    if (signal.aborted || isStopped) return
    const nowMs = now()
    const waitsMs = [...sinks.values()].flatMap((sink) => {
      const { queue, isStale, working } = sink
      if (working !== null || (queue.length === 0 && !isStale)) return []
      const ofQueueMs = isStale ? 0 : Math.min(...queue.map(({ dueAtMs }) => msUntil(dueAtMs, nowMs, MAX_RETRY_MS)))
      return Math.max(pauseOf(sink, nowMs), ofQueueMs)
    })
    if (waitsMs.length === 0) return
    const waitMs = Math.min(...waitsMs, MAX_RETRY_MS)
    timer = setTimeout(() => {
      for (const key of sinks.keys()) run(key)
    }, waitMs)
    timer.unref()
  }

  function pauseFor(sink: Sink, ms: number): void {
    sink.pausedUntilMs = now() + ms
    sink.pausedForMs = ms
  }

  function replace(sink: Sink, delivery: Delivery): void {
    const at = sink.queue.findIndex(({ id }) => id === delivery.id)
    if (at !== -1) sink.queue[at] = delivery
  }

  function remove(sink: Sink, id: string): void {
    const at = sink.queue.findIndex((one) => one.id === id)
    if (at !== -1) sink.queue.splice(at, 1)
  }

  async function change(id: string, next: (delivery: Delivery) => Delivery): Promise<Delivery> {
    const { sink: account } = await stored(id)
    const key = sinkKey(account)
    const sink = sinkOf(key)
    if (sink.sending === id || sink.held.has(id)) throw hasEnded()
    sink.held.add(id)
    try {
      const delivery = await stored(id)
      if (delivery.state === 'done' || delivery.state === 'dropped') throw hasEnded()
      const changed = next(delivery)
      await store.commit({ deliveries: [changed] })
      remove(sink, id)
      if (OPEN_STATES.includes(changed.state)) sink.pausedUntilMs = 0
      return changed
    } finally {
      sink.held.delete(id)
      sink.isStale = true
      run(key)
    }
  }

  async function stored(id: string): Promise<Delivery> {
    const delivery = await store.get(id)
    if (delivery !== undefined) return delivery
    throw new PlayheadError('PLH_NOT_FOUND', 'This delivery does not exist.', { wire: 'delivery_not_found' })
  }

  async function wake(eager: ReadonlySet<string> = new Set()): Promise<void> {
    for (const key of new Set([...sinks.keys(), ...(await store.sinks())])) {
      const sink = sinkOf(key)
      sink.isStale = true
      if (eager.has(key)) {
        sink.pausedUntilMs = 0
        for (const [n, delivery] of sink.queue.entries()) sink.queue[n] = { ...delivery, dueAtMs: now() }
      }
      run(key)
    }
  }

  return {
    start: () => wake(),
    add(deliveries) {
      for (const delivery of deliveries) {
        const key = sinkKey(delivery.sink)
        const sink = sinkOf(key)
        // Beyond the limit they stay in the database, after those in memory.
        if (sink.hasMore || sink.queue.length >= MAX_QUEUE) sink.hasMore = true
        else sink.queue.push(delivery)
        run(key)
      }
    },
    wake,
    retry: (id) =>
      change(id, (delivery) => ({
        ...delivery,
        state: delivery.state === 'sending' || delivery.state === 'planned' ? delivery.state : 'waiting',
        // The plan of a failed delivery has ended without it.
        ...(delivery.state === 'failed' ? { planId: null, doneAtMs: null } : {}),
        dueAtMs: now(),
        reason: null,
      })),
    async drop(id) {
      const dropped = await change(id, (delivery) => {
        // The library writes the planned play when the account is free, even if the delivery is dropped.
        if (delivery.planId !== null && delivery.state !== 'failed') throw hasEnded()
        return { ...delivery, state: 'dropped', doneAtMs: now() }
      })
      if (dropped.completed) await plays.withdraw(dropped)
      return dropped
    },
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await Promise.all([...sinks.values()].map(({ working }) => working))
    },
    async idle() {
      for (;;) {
        const working = [...sinks.values()].flatMap((sink) => sink.working ?? [])
        if (working.length === 0) return
        await Promise.all(working)
      }
    },
  }
}

const pauseOf = ({ pausedUntilMs, pausedForMs }: Sink, nowMs: number) => msUntil(pausedUntilMs, nowMs, pausedForMs)

/** A longer wait that the tracker requested pauses its whole queue. */
const isWaiting = ({ dueAtMs }: Delivery, nowMs: number) => msUntil(dueAtMs, nowMs, MAX_RETRY_MS) > 0

/** The first due delivery. Later deliveries of a viewing wait for earlier ones. */
function nextOf({ queue, held }: Sink, nowMs: number): Delivery | undefined {
  const blocked = new Set<string>()
  for (const delivery of queue) {
    const name = `${delivery.destination} ${delivery.viewing}`
    if (!blocked.has(name) && !held.has(delivery.id) && !isWaiting(delivery, nowMs)) return delivery
    blocked.add(name)
  }
  return undefined
}

/** A start with a newer message of its viewing behind it, or an outdated start. */
function isOutdated({ queue }: Sink, delivery: Delivery, nowMs: number): boolean {
  if (delivery.action !== 'start') return false
  if (nowMs - delivery.atMs > STALE_START_MS) return true
  return queue.some(
    (other) =>
      other.id !== delivery.id &&
      other.viewing === delivery.viewing &&
      other.destination === delivery.destination &&
      inOrder(delivery, other) < 0,
  )
}

function inOrder(one: Delivery, other: Delivery): number {
  return one.atMs - other.atMs || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0)
}

function factsOf({ sink, action, item, attempts }: Delivery): Readonly<Record<string, unknown>> {
  return {
    tracker: sink.provider,
    instance: sink.instance,
    action,
    title: item.series_title ?? item.title ?? null,
    attempts: attempts + 1,
  }
}

function hasEnded(): PlayheadError {
  return new PlayheadError('PLH_CONFLICT', 'It was delivered or dropped, or is being sent right now.', {
    wire: 'delivery_ended',
  })
}

// The event bus. Emitting is synchronous and never fails because of a listener: each listener has its own queue,
// receives events in order, one at a time, and is skipped ahead when it takes too long.
import { AsyncLocalStorage } from 'node:async_hooks'
import { deepFreeze, type EventBus, type Logger, PlayheadError, type PlayheadEvent, withTimeLimit } from '@playhead/sdk'
import type { Clock } from '../clock.ts'

type EventListener = (event: PlayheadEvent) => void | Promise<void>

export interface PluginListener {
  readonly plugin: string
  /** An event's name, `area.*`, or `*`. */
  readonly name: string
  readonly listener: EventListener
}

export interface CoreEventBus {
  emit: EventBus['emit']
  /** Emits on behalf of a plugin. */
  emitAs(source: string, name: string, data: Readonly<Record<string, unknown>>): void
  on(name: string, listener: EventListener): () => void
  recent: EventBus['recent']
  /**
   * The listeners of all active plugins, set with each composition. An unchanged listener (same plugin, name and
   * position) keeps its queue, so that a reload neither loses nor repeats events.
   */
  setPluginListeners(listeners: readonly PluginListener[]): void
  /** Resolves when all emitted events are delivered, or after the limit; for a clean stop. */
  settled(limitMs?: number): Promise<void>
}

export interface EventBusDependencies {
  readonly clock: Clock
  readonly log: Logger
  readonly redactValue: (value: unknown) => unknown
  /** A plugin's listener failed or took too long. */
  readonly onListenerError?: (plugin: string, error: unknown) => void
  readonly limits?: Partial<EventBusLimits>
}

interface EventBusLimits {
  readonly recent: number
  readonly queued: number
  readonly listenerMs: number
  /** Maximum characters of an event's data as JSON. */
  readonly dataLength: number
}

const LIMITS: EventBusLimits = { recent: 1_000, queued: 1_000, listenerMs: 60_000, dataLength: 65_536 }
const CORE = 'core'
const EVENT_NAME = /^[a-z][\w-]*(?:\.[\w:-]+)+$/

interface Delivery {
  readonly owner: string
  readonly matches: (name: string) => boolean
  listener: EventListener
  queue: PlayheadEvent[]
  /** Events dropped since the last report. */
  dropped: number
  running: Promise<void> | null
  removed: boolean
}

export function createEventBus({
  clock,
  log,
  redactValue,
  onListenerError,
  limits: given,
}: EventBusDependencies): CoreEventBus {
  const limits = { ...LIMITS, ...given }
  const recent: PlayheadEvent[] = []
  const core = new Set<Delivery>()
  let plugins = new Map<string, Delivery>()
  // Ids increase across restarts: catching up with the clock would take more than 1000 events per second.
  let lastId = Math.floor(clock.now() / 1000) * 1000
  // Listeners must not inherit the async context of the emitter.
  const asHost = AsyncLocalStorage.snapshot()

  function emitAs(source: string, name: string, data: Readonly<Record<string, unknown>>): void {
    if (!EVENT_NAME.test(name)) {
      throw new PlayheadError(
        'PLH_INVALID',
        `"${name}" is not an event name; write <area>.<what happened>, for example run.finished`,
      )
    }
    const copy = withinLength(name, redactValue(data) as Record<string, unknown>)
    const event: PlayheadEvent = deepFreeze({ id: ++lastId, name, atMs: clock.now(), source, data: copy })
    recent.push(event)
    if (recent.length > limits.recent) recent.shift()
    for (const delivery of core) enqueue(delivery, event)
    for (const delivery of plugins.values()) enqueue(delivery, event)
  }

  /** Drops the largest fields; emitting never fails because of length. */
  function withinLength(name: string, data: Record<string, unknown>): Record<string, unknown> {
    const sizes = Object.entries(data)
      .map(([field, value]) => ({ field, size: JSON.stringify(value)?.length ?? 0 }))
      .sort((a, b) => b.size - a.size)
    let length = sizes.reduce((sum, { field, size }) => sum + field.length + size + 4, 2)
    if (length <= limits.dataLength) return data
    log.warn(
      { event: name, characters: length, limit: limits.dataLength },
      'the data of an event is too long; its largest fields are left out',
    )
    const kept = { ...data }
    const dropped: string[] = []
    for (const { field, size } of sizes) {
      if (length <= limits.dataLength) break
      delete kept[field]
      dropped.push(field.slice(0, 100))
      length -= size
    }
    return { ...kept, dropped: dropped.slice(0, 20) }
  }

  function enqueue(delivery: Delivery, event: PlayheadEvent): void {
    if (!delivery.matches(event.name)) return
    delivery.queue.push(event)
    if (delivery.queue.length > limits.queued) {
      delivery.queue.shift()
      if (delivery.dropped++ === 0) {
        log.warn(
          { listener: delivery.owner, queued: limits.queued },
          'a listener is too slow; events for it are dropped',
        )
      }
    }
    delivery.running ??= asHost(deliverAll, delivery)
  }

  async function deliverAll(delivery: Delivery): Promise<void> {
    // Starts after the emitter has returned to the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    for (let event = delivery.queue.shift(); event !== undefined && !delivery.removed; event = delivery.queue.shift()) {
      try {
        await withinLimit(delivery.listener, event)
      } catch (error) {
        log.error({ err: error, listener: delivery.owner, on: event.name }, 'an event listener failed')
        if (delivery.owner !== CORE) onListenerError?.(delivery.owner, error)
      }
    }
    delivery.dropped = 0
    delivery.running = null
  }

  function withinLimit(listener: EventListener, event: PlayheadEvent): Promise<void> {
    return withTimeLimit(
      (async () => listener(event))(),
      limits.listenerMs,
      () =>
        new PlayheadError('PLH_HOOK_TIMEOUT', `A listener of ${event.name} did not end within ${limits.listenerMs} ms`),
    )
  }

  return {
    emit: (name, data) => emitAs(CORE, name, data),
    emitAs,

    on(name, listener) {
      const delivery = createDelivery(CORE, name, listener)
      core.add(delivery)
      return () => {
        delivery.removed = true
        core.delete(delivery)
      }
    },

    recent({ name = '*', limit = limits.recent } = {}) {
      const matches = matcher(name)
      const matching = recent.filter((event) => matches(event.name))
      return matching.slice(Math.max(0, matching.length - limit))
    },

    setPluginListeners(listeners) {
      const next = new Map<string, Delivery>()
      for (const { plugin, name, listener } of listeners) {
        let place = 0
        while (next.has(`${plugin} ${name} ${place}`)) place++
        const key = `${plugin} ${name} ${place}`
        const kept = plugins.get(key)
        if (kept !== undefined) kept.listener = listener
        next.set(key, kept ?? createDelivery(plugin, name, listener))
      }
      for (const [key, delivery] of plugins) if (!next.has(key)) delivery.removed = true
      plugins = next
    },

    async settled(limitMs = 60_000) {
      const endMs = performance.now() + limitMs
      const running = () =>
        [...core, ...plugins.values()].map((delivery) => delivery.running).filter((work) => work !== null)
      for (let work = running(); work.length > 0 && performance.now() < endMs; work = running()) {
        await withTimeLimit(
          Promise.all(work),
          Math.max(1, endMs - performance.now()),
          () => new Error('not in time'),
        ).catch(() => {})
      }
    },
  }
}

function createDelivery(owner: string, name: string, listener: EventListener): Delivery {
  return { owner, matches: matcher(name), listener, queue: [], dropped: 0, running: null, removed: false }
}

function matcher(pattern: string): (name: string) => boolean {
  if (pattern === '*') return () => true
  if (pattern.endsWith('.*')) return (name) => name.startsWith(pattern.slice(0, -1))
  return (name) => name === pattern
}

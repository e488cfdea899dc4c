// The event bus, in memory. Listeners run after the emitter, each with its events in order.
import type { EventBus, PlayheadEvent } from '../context.ts'
import { PlayheadError } from '../errors.ts'

const KEPT = 1_000
const EVENT_NAME = /^[a-z][\w-]*(?:\.[\w:-]+)+$/

export type Listener = Parameters<EventBus['on']>[1]

export interface TestEvents {
  emitAs(source: string, name: string, data: Readonly<Record<string, unknown>>): void
  recent: EventBus['recent']
  /** @returns takes the listener away */
  listen(name: string, listener: Listener): () => void
  /** Resolves when every event so far was delivered. */
  settled(): Promise<void>
}

export function createEvents({
  now,
  onFailure,
}: {
  readonly now: () => number
  readonly onFailure: (name: string, error: unknown) => void
}): TestEvents {
  const recent: PlayheadEvent[] = []
  const listeners = new Set<{
    readonly matches: (name: string) => boolean
    readonly listener: Listener
    last: Promise<void>
  }>()
  let lastId = 0

  return {
    emitAs(source, name, data) {
      if (!EVENT_NAME.test(name)) {
        throw new PlayheadError(
          'PLH_INVALID',
          `"${name}" is not an event name; write <area>.<what happened>, for example run.finished.`,
        )
      }
      lastId += 1
      const event: PlayheadEvent = Object.freeze({
        id: lastId,
        name,
        atMs: now(),
        source,
        data: Object.freeze(structuredClone(data)),
      })
      recent.push(event)
      if (recent.length > KEPT) recent.shift()
      for (const entry of listeners) {
        if (!entry.matches(name)) continue
        entry.last = entry.last.then(() => entry.listener(event)).catch((error: unknown) => onFailure(name, error))
      }
    },
    recent({ name = '*', limit = KEPT } = {}) {
      const matching = recent.filter((event) => matcher(name)(event.name))
      return matching.slice(Math.max(0, matching.length - limit))
    },
    listen(name, listener) {
      const entry = { matches: matcher(name), listener, last: Promise.resolve() }
      listeners.add(entry)
      return () => void listeners.delete(entry)
    },
    async settled() {
      for (let before = -1; before !== lastId; ) {
        before = lastId
        await Promise.all([...listeners].map(({ last }) => last))
      }
    },
  }
}

function matcher(pattern: string): (name: string) => boolean {
  if (pattern === '*') return () => true
  return pattern.endsWith('.*') ? (name) => name.startsWith(pattern.slice(0, -1)) : (name) => name === pattern
}

// Retained messages of every topic, in memory. Ids increase within a topic and across restarts, so clients can resume
// after either.
import { PlayheadError, type StreamMessage } from '@playhead/sdk'
import type { Clock } from '../clock.ts'
import { defined } from '@playhead/sdk/host'

interface TopicMessage {
  readonly event?: string
  readonly data: string
}

interface ReadOptions {
  /** The last n messages. Default: all retained. */
  readonly tail?: number | undefined
  /** Only messages after this id; a larger id than the newest means the newest. */
  readonly since?: number | undefined
}

interface Backlog {
  readonly messages: readonly StreamMessage[]
  /** Messages after `since` that are no longer retained. */
  readonly lost: number
  /** The newest id, retained or not. */
  readonly lastId: number
}

type TopicListener = (topic: string, message: StreamMessage) => void

export interface Topics {
  /** Never fails because of a message: one that is too long becomes `{"dropped": <characters>}`. Returns its id. */
  publish(topic: string, message: TopicMessage): number
  read(topic: string, options?: ReadOptions): readonly StreamMessage[]
  backlog(topic: string, options?: ReadOptions): Backlog
  names(prefix: string): readonly string[]
  /** Calls the listener for each new message of these topics, also of topics that do not exist yet. */
  subscribe(topics: readonly string[], listener: TopicListener): () => void
}

export interface TopicLimits {
  readonly messages: number
  readonly topics: number
  /** Maximum characters per message, per topic, and in total. */
  readonly messageLength: number
  readonly topicLength: number
  readonly totalLength: number
}

const LIMITS: TopicLimits = {
  messages: 3_000,
  topics: 300,
  messageLength: 1 << 20,
  topicLength: 4 << 20,
  totalLength: 64 << 20,
}

// No comma: resume ids are lists of `name:id`.
const TOPIC_NAME = /^[\w.@:/-]{1,120}$/

interface Ring {
  messages: StreamMessage[]
  /** Id before the first message of this ring. */
  readonly floor: number
  lastId: number
  length: number
}

interface TopicsOptions {
  readonly clock: Clock
  readonly limits?: TopicLimits
  /** Called when a message is replaced because of its length. */
  readonly onTooLong?: (topic: string, length: number) => void
}

export function createTopics({ clock, limits = LIMITS, onTooLong = () => {} }: TopicsOptions): Topics {
  // Ordered by last write, so the first ring is evicted first.
  const rings = new Map<string, Ring>()
  const listeners = new Map<string, Set<TopicListener>>()
  let totalLength = 0
  let floor = Math.floor(clock.now() / 1000) * 1000

  function ringFor(topic: string): Ring {
    const ring = rings.get(topic) ?? { messages: [], floor, lastId: floor, length: 0 }
    rings.delete(topic)
    rings.set(topic, ring)
    if (rings.size > limits.topics) forgetTopic()
    return ring
  }

  function forgetTopic(): void {
    const [topic, ring] = rings.entries().next().value as [string, Ring]
    rings.delete(topic)
    totalLength -= ring.length
    // A recreated topic continues above the ids that clients have seen.
    floor = Math.max(floor, ring.lastId)
  }

  function dropOldest(ring: Ring): void {
    const dropped = ring.messages.shift()
    if (dropped === undefined) return
    ring.length -= dropped.data.length
    totalLength -= dropped.data.length
  }

  function largestRing(): Ring {
    let largest: Ring | undefined
    for (const ring of rings.values()) if (largest === undefined || ring.length > largest.length) largest = ring
    return largest as Ring
  }

  function backlog(topic: string, { tail, since }: ReadOptions = {}): Backlog {
    const ring = rings.get(topic)
    if (ring === undefined) return { messages: [], lost: 0, lastId: floor }
    const oldestId = ring.lastId - ring.messages.length + 1
    const after = since === undefined ? oldestId - 1 : Math.min(Math.max(since, ring.floor), ring.lastId)
    const kept = ring.messages.slice(Math.max(0, after - oldestId + 1))
    return {
      messages: tail === undefined ? kept : kept.slice(Math.max(0, kept.length - tail)),
      lost: Math.max(0, oldestId - 1 - after),
      lastId: ring.lastId,
    }
  }

  return {
    publish(topic, { event, data }) {
      if (!TOPIC_NAME.test(topic))
        throw new PlayheadError('PLH_INVALID', `"${topic}" is not a topic; write for example sync/summary`)
      const isTooLong = data.length > limits.messageLength
      if (isTooLong) onTooLong(topic, data.length)
      const text = isTooLong ? JSON.stringify({ dropped: data.length }) : data
      const ring = ringFor(topic)
      const id = ++ring.lastId
      const message: StreamMessage = Object.freeze({ id, ...defined({ event }), data: text, atMs: clock.now() })
      ring.messages.push(message)
      ring.length += text.length
      totalLength += text.length
      while (ring.messages.length > limits.messages || ring.length > limits.topicLength) dropOldest(ring)
      while (totalLength > limits.totalLength) dropOldest(largestRing())
      for (const listener of listeners.get(topic) ?? []) listener(topic, message)
      return id
    },

    read: (topic, options) => backlog(topic, options).messages,

    backlog,

    names: (prefix) => [...rings.keys()].filter((topic) => topic.startsWith(prefix)).sort(),

    subscribe(topics, listener) {
      for (const topic of topics) {
        const set = listeners.get(topic) ?? new Set()
        listeners.set(topic, set.add(listener))
      }
      return () => {
        for (const topic of topics) {
          const set = listeners.get(topic)
          set?.delete(listener)
          if (set?.size === 0) listeners.delete(topic)
        }
      }
    },
  }
}

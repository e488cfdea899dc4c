// Server-sent event streams. The host owns them: an open stream references its topics and connection, but nothing of
// the plugin that opened it, so it survives reloads.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { PlayheadError, type Logger, type OpenStreamOptions, type StreamMessage, type Streams } from '@playhead/sdk'
import type {} from '../http/access/access.ts'
import { createPositions, parseResumeId, type Positions } from './resume.ts'
import { SSE_LIMITS, createSseClient, formatEvent, type SseClient, type SseLimits } from './sse-client.ts'
import type { Topics } from './topics.ts'

export interface StreamHub extends Streams {
  /** Ends the streams of a session. */
  closeSession(sessionId: string): void
  /** Ends the streams of an API token. */
  closeToken(tokenId: string): void
  /** Ends all streams and refuses new ones. */
  closeAll(): void
  /** Number of open streams. */
  size(): number
}

export interface StreamDependencies {
  readonly topics: Topics
  readonly log: Logger
  /** Redacts messages of plugins before they are stored. */
  readonly redact: (text: string) => string
  readonly limits?: Partial<SseLimits> & { readonly perSession?: number; readonly total?: number }
}

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-cache, must-revalidate, proxy-revalidate',
  pragma: 'no-cache',
  expires: '0',
  'x-accel-buffering': 'no',
}
const PER_SESSION = 20
const TOTAL = 500

export function createStreams({ topics, log, redact, limits = {} }: StreamDependencies): StreamHub {
  const { perSession = PER_SESSION, total = TOTAL, ...given } = limits
  const sseLimits: SseLimits = { ...SSE_LIMITS, ...given }
  const clients = new Map<string, Set<SseClient>>()
  // Timers and listeners of a stream must not inherit the async context of the plugin.
  const asHost = AsyncLocalStorage.snapshot()
  let open = 0
  let accepting = true

  function assertRoom(holder: string): void {
    if (!accepting) throw new PlayheadError('PLH_ABORTED', 'The service is stopping and opens no more streams.')
    if (open >= total || (clients.get(holder)?.size ?? 0) >= perSession) {
      throw new PlayheadError(
        'PLH_TOO_MANY',
        'Too many streams are open. Close one, or use one stream for several channels.',
        { wire: 'too_many_streams', details: { limit: perSession } },
      )
    }
  }

  // Separate from `open`, so that no closure references the request, the reply or the plugin.
  function serve(res: ServerResponse, holder: string, options: OpenStreamOptions, resumeId: string | undefined): void {
    const labels = labelTopics(options)
    const backlog = collectBacklog(
      topics,
      options,
      resumeId === undefined ? new Map() : parseResumeId(resumeId, labels),
    )
    const positions = createPositions(labels, backlog.resumed)
    const livePositions = positions.copy()
    for (const { topic, message } of backlog.entries) livePositions.advance(topic, message.id)

    const format = (topic: string, message: StreamMessage, at: Positions): string =>
      formatEvent({
        id: at.advance(topic, message.id),
        event: options.nameByTopic === true ? lastPart(topic) : message.event,
        data: options.html === true ? escapeHtml(message.data) : message.data,
      })
    function* formatBacklog(): Generator<string> {
      if (backlog.lost > 0) yield formatEvent({ event: 'gap', data: JSON.stringify({ dropped: backlog.lost }) })
      for (const { topic, message } of backlog.entries) yield format(topic, message, positions)
    }

    const holders = clients.get(holder) ?? new Set()
    const client = createSseClient(res, {
      limits: sseLimits,
      backlog: formatBacklog(),
      onStalled: () => log.info({ topics: options.topics }, 'a stream was closed because its client stopped reading'),
      onClosed() {
        open--
        unsubscribe()
        holders.delete(client)
        if (holders.size === 0) clients.delete(holder)
      },
    })
    const unsubscribe = topics.subscribe(options.topics, (topic, message) =>
      client.send(format(topic, message, livePositions)),
    )
    clients.set(holder, holders.add(client))
    open++
  }

  function close(holder: string): void {
    for (const client of clients.get(holder) ?? []) client.end()
  }

  return {
    publish: (topic, message) => topics.publish(topic, { ...message, data: redact(message.data) }),
    read: topics.read,
    topics: topics.names,

    open(request, reply, options) {
      const { session, token, address } = request.caller
      const holder =
        session !== null ? `session:${session.id}` : token != null ? `token:${token.id}` : `address:${address}`
      assertRoom(holder)
      const header = request.headers['last-event-id']
      const resumeId = typeof header === 'string' && header !== '' ? header : undefined
      takeOver(request.raw, reply)
      if (request.method === 'HEAD') reply.raw.end()
      else if (!reply.raw.destroyed)
        asHost(serve, reply.raw, holder, { ...options, topics: [...new Set(options.topics)] }, resumeId)
      return reply
    },

    closeSession: (id) => close(`session:${id}`),
    closeToken: (id) => close(`token:${id}`),

    closeAll() {
      accepting = false
      for (const holders of clients.values()) for (const client of holders) client.end()
    },

    size: () => open,
  }
}

function takeOver(req: IncomingMessage, reply: FastifyReply): void {
  reply.hijack()
  const res = reply.raw
  // Fastify's completion listener keeps the reply, and with it the plugin's application, alive as long as the stream.
  // Its hooks belong to a plugin that may be gone by then.
  for (const event of ['finish', 'error'] as const) {
    for (const listener of res.listeners(event)) {
      if (listener.name === 'onResFinished') res.off(event, listener as () => void)
    }
  }
  req.socket.setTimeout(0)
  req.socket.setNoDelay(true)
  const given = reply.getHeaders() as OutgoingHttpHeaders
  res.writeHead(200, { ...given, ...HEADERS, ...(req.httpVersionMajor === 1 ? { connection: 'keep-alive' } : {}) })
  res.flushHeaders()
}

// Topic names in resume ids: short if events are named by topic, otherwise complete, so that they are unique.
function labelTopics({ topics, nameByTopic }: OpenStreamOptions): ReadonlyMap<string, string> {
  const labels = new Map(topics.map((topic) => [topic, lastPart(topic)]))
  const distinct = nameByTopic === true && new Set(labels.values()).size === labels.size
  return distinct ? labels : new Map(topics.map((topic) => [topic, topic]))
}

interface BacklogEntry {
  readonly topic: string
  readonly message: StreamMessage
}

// A resuming client gets everything it missed, whatever its `tail` parameter says.
function collectBacklog(
  topics: Topics,
  { topics: names, tail, since }: OpenStreamOptions,
  positions: ReadonlyMap<string, number>,
) {
  const entries: BacklogEntry[] = []
  const resumed = new Map<string, number>()
  let lost = 0
  for (const topic of names) {
    const position = positions.get(topic)
    const backlog = topics.backlog(topic, position === undefined ? { tail, since } : { since: position })
    if (position !== undefined) resumed.set(topic, Math.min(position, backlog.lastId))
    lost += backlog.lost
    for (const message of backlog.messages) entries.push({ topic, message })
  }
  if (names.length > 1) entries.sort((a, b) => a.message.atMs - b.message.atMs)
  return { entries, resumed, lost }
}

function lastPart(topic: string): string {
  return topic.slice(topic.lastIndexOf('/') + 1)
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char] as string)
}

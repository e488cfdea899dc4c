// Server-sent event streams. The host owns them: an open stream references its topics and connection, but nothing of
// the plugin that opened it, so it survives reloads.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { PlayheadError, type Logger, type OpenStreamOptions, type StreamMessage, type Streams } from '@playhead/sdk'
import type {} from '../http/access/access.ts'
import { createPositions, joinIds, parseResumeId, type Positions, splitIds } from './resume.ts'
import {
  SSE_LIMITS,
  createSseClient,
  type EventFields,
  formatEvent,
  type SseClient,
  type SseLimits,
} from './sse-client.ts'
import type { Topics } from './topics.ts'

/** A part of a stream of several routes. */
export interface StreamPart {
  /** Address of the route; events are named `<name> <event>`. */
  readonly name: string
  /** Position among the routes of the request; part of the stream's ids. */
  readonly place: number
  readonly options: OpenStreamOptions
  /** The part's own position, as in `Last-Event-ID` of the route itself. */
  readonly resumeId?: string | undefined
}

/** Gets a route's stream without opening it. */
interface StreamProbe {
  /** Header value for the request to the route. */
  readonly headers: Readonly<Record<string, string>>
  /** The stream that the route would have opened; undefined if it opened none. */
  opened(): OpenStreamOptions | undefined
  [Symbol.dispose](): void
}

export interface StreamHub extends Streams {
  probe(): StreamProbe
  /** Sends the streams of several routes as one. `first`: sent before all others, without an id. */
  openAll(
    request: FastifyRequest,
    reply: FastifyReply,
    parts: readonly StreamPart[],
    first: readonly EventFields[],
  ): FastifyReply
  /** Ends the streams of a session that ended. */
  closeSession(sessionId: string): void
  /** Ends the streams of an API token that was revoked or expired. */
  closeToken(tokenId: string): void
  /** Ends the streams of callers without a sign-in when authentication is enabled. */
  closeStrangers(): void
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
/** The value identifies a probe of this process; other values are ignored. */
const PROBE_HEADER = 'x-playhead-stream-probe'
const TOTAL = 500
const STRANGER = 'address:'
/** Recently ended sessions and tokens: an earlier request may open its stream only now. */
const MAX_ENDED = 1_000

export function createStreams({ topics, log, redact, limits = {} }: StreamDependencies): StreamHub {
  const { perSession = PER_SESSION, total = TOTAL, ...given } = limits
  const sseLimits: SseLimits = { ...SSE_LIMITS, ...given }
  const clients = new Map<string, Set<SseClient>>()
  const probes = new Map<string, { options?: OpenStreamOptions }>()
  // Their ids are never used again.
  const ended = new Set<string>()
  // Timers and listeners of a stream must not inherit the async context of the plugin.
  const asHost = AsyncLocalStorage.snapshot()
  let open = 0
  let accepting = true

  function assertRoom(holder: string): void {
    if (!accepting) throw new PlayheadError('PLH_ABORTED', 'Playhead is stopping and opens no more streams.')
    if (ended.has(holder))
      throw new PlayheadError('PLH_AUTH_FAILED', 'The session or token of this request has ended.', {
        wire: 'Unauthorized',
      })
    if (open >= total || (clients.get(holder)?.size ?? 0) >= perSession) {
      throw new PlayheadError(
        'PLH_TOO_MANY',
        'Too many streams are open. Close one, or use one stream for several channels.',
        { wire: 'too_many_streams', details: { limit: perSession } },
      )
    }
  }

  // Separate from `open`, so that no closure references the request, the reply or the plugin.
  function serve(
    res: ServerResponse,
    holder: string,
    parts: readonly (Omit<StreamPart, 'name'> & { readonly name: string | null })[],
    first: readonly EventFields[],
  ): void {
    const ids: string[] = []
    const liveIds: string[] = []
    const sources = parts.map(({ name, place, options, resumeId = '' }) => {
      const labels = labelTopics(options)
      const backlog = collectBacklog(topics, options, resumeId === '' ? new Map() : parseResumeId(resumeId, labels))
      const positions = createPositions(labels, backlog.resumed)
      const livePositions = positions.copy()
      ids[place] = liveIds[place] = resumeId
      for (const { topic, message } of backlog.entries) liveIds[place] = livePositions.advance(topic, message.id)
      return { place, name, options, backlog, positions, livePositions }
    })
    type Source = (typeof sources)[number]

    const nameOf = ({ name }: Source, event: string | undefined) =>
      name === null ? event : `${name} ${event ?? 'message'}`
    const format = (source: Source, topic: string, message: StreamMessage, at: Positions, all: string[]) => {
      const { options, place, name } = source
      const id = at.advance(topic, message.id)
      all[place] = id
      return formatEvent({
        id: name === null ? id : joinIds(all),
        event: nameOf(source, options.nameByTopic === true ? lastPart(topic) : message.event),
        data: options.html === true ? escapeHtml(message.data) : message.data,
      })
    }
    function* formatBacklog(): Generator<string> {
      for (const event of first) yield formatEvent(event)
      for (const source of sources)
        if (source.backlog.lost > 0)
          yield formatEvent({ event: nameOf(source, 'gap'), data: JSON.stringify({ dropped: source.backlog.lost }) })
      const entries = sources.flatMap((source) => source.backlog.entries.map((entry) => ({ source, ...entry })))
      if (sources.length > 1) entries.sort((a, b) => a.message.atMs - b.message.atMs)
      for (const { source, topic, message } of entries) yield format(source, topic, message, source.positions, ids)
    }

    const holders = clients.get(holder) ?? new Set()
    const client = createSseClient(res, {
      limits: sseLimits,
      backlog: formatBacklog(),
      onStalled: () =>
        log.info(
          { topics: parts.flatMap(({ options }) => options.topics) },
          'a stream was closed because its client stopped reading',
        ),
      onClosed() {
        open--
        for (const unsubscribe of subscriptions) unsubscribe()
        holders.delete(client)
        if (holders.size === 0) clients.delete(holder)
      },
    })
    const subscriptions = sources.map((source) =>
      topics.subscribe(source.options.topics, (topic, message) =>
        client.send(format(source, topic, message, source.livePositions, liveIds)),
      ),
    )
    clients.set(holder, holders.add(client))
    open++
  }

  function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    parts: Parameters<typeof serve>[2],
    first: readonly EventFields[],
  ): FastifyReply {
    const { session, token, address } = request.caller
    const holder =
      session !== null ? `session:${session.id}` : token != null ? `token:${token.id}` : `${STRANGER}${address}`
    assertRoom(holder)
    takeOver(request.raw, reply)
    const own = parts.map(({ options, ...part }) => ({
      ...part,
      options: { ...options, topics: [...new Set(options.topics)] },
    }))
    if (request.method === 'HEAD') reply.raw.end()
    else if (!reply.raw.destroyed) asHost(serve, reply.raw, holder, own, first)
    return reply
  }

  function close(holder: string): void {
    for (const client of clients.get(holder) ?? []) client.end()
  }

  function closeFor(holder: string): void {
    ended.add(holder)
    const [oldest] = ended
    if (ended.size > MAX_ENDED && oldest !== undefined) ended.delete(oldest)
    close(holder)
  }

  return {
    publish: (topic, message) => topics.publish(topic, { ...message, data: redact(message.data) }),
    read: topics.read,
    topics: topics.names,

    open(request, reply, options) {
      const probe = probes.get(String(request.headers[PROBE_HEADER] ?? ''))
      if (probe !== undefined) {
        probe.options = options
        return reply.code(204).send()
      }
      return answer(request, reply, [{ name: null, place: 0, options, resumeId: resumeIdOf(request) }], [])
    },

    probe() {
      const id = randomUUID()
      const own: { options?: OpenStreamOptions } = {}
      probes.set(id, own)
      return {
        headers: { [PROBE_HEADER]: id },
        opened: () => own.options,
        [Symbol.dispose]: () => void probes.delete(id),
      }
    },

    openAll(request, reply, parts, first) {
      const resumed = splitIds(resumeIdOf(request) ?? '')
      return answer(
        request,
        reply,
        parts.map((part) => ({ ...part, resumeId: resumed.get(part.place) ?? part.resumeId })),
        first,
      )
    },

    closeSession: (id) => closeFor(`session:${id}`),
    closeToken: (id) => closeFor(`token:${id}`),
    closeStrangers() {
      for (const holder of clients.keys()) if (holder.startsWith(STRANGER)) close(holder)
    },

    closeAll() {
      accepting = false
      for (const holders of clients.values()) for (const client of holders) client.end()
    },

    size: () => open,
  }
}

function resumeIdOf({ headers }: FastifyRequest): string | undefined {
  const header = headers['last-event-id']
  return typeof header === 'string' && header !== '' ? header : undefined
}

function takeOver(req: IncomingMessage, reply: FastifyReply): void {
  reply.hijack()
  const res = reply.raw
  // Fastify's completion listener keeps the reply, and with it the plugin's application, alive as long as the stream.
  // Its hooks belong to a plugin that may already be unloaded.
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

// A resuming client gets everything it missed, regardless of its `tail` parameter.
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

// A web server with one stream route, and clients that read it over real connections.
import { once } from 'node:events'
import { get, type ClientRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { Logger, OpenStreamOptions } from '@playhead/sdk'
import type { EventFields } from '../../../core/events/sse-client.ts'
import { createStreams, type StreamDependencies, type StreamPart } from '../../../core/events/streams.ts'
import { createTopics, type TopicLimits } from '../../../core/events/topics.ts'

export const BASE = 1_700_000_000_000

export interface StreamEvent {
  readonly id?: string
  readonly event?: string
  readonly data: string
}

export interface StreamClient {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** The next n events, without pings by default. */
  take(count: number, options?: { readonly pings: boolean }): Promise<StreamEvent[]>
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>
  close(): void
  /** Pauses and resumes reading from the socket. */
  pause(): void
  resume(): void
  body(): Promise<string>
}

export function createSilentLog(lines: unknown[] = []): Logger {
  const write = (fields: object | string, text?: string): void => void lines.push([fields, text])
  const log: Logger = { trace: write, debug: write, info: write, warn: write, error: write, channel: () => log }
  return log
}

export async function startStreamServer(
  t: Test,
  options: {
    readonly limits?: StreamDependencies['limits']
    readonly topicLimits?: TopicLimits
    readonly redact?: (text: string) => string
  } = {},
) {
  const clock = { nowMs: BASE, now: () => clock.nowMs }
  const lines: unknown[] = []
  const topics = createTopics({ clock, ...(options.topicLimits === undefined ? {} : { limits: options.topicLimits }) })
  const { redact = (text: string) => text, limits = {} } = options
  const streams = createStreams({ topics, log: createSilentLog(lines), redact, limits })
  const app: FastifyInstance = Fastify()
  app.decorateRequest('caller', null as never)
  app.addHook('onRequest', async (request) => {
    const session = request.headers['x-session']
    request.caller = {
      address: request.ip,
      secure: false,
      host: 'test',
      session: typeof session === 'string' ? { id: session, username: 'u' } : null,
    }
  })
  app.setErrorHandler((error: { status?: number; wire?: string }, _request, reply) => {
    return reply.code(error.status ?? 500).send({ error: error.wire })
  })
  let openOptions: OpenStreamOptions = { topics: ['a/x'] }
  app.get('/stream', (request, reply) => streams.open(request, reply, openOptions))
  let all: readonly [readonly StreamPart[], readonly EventFields[]] = [[], []]
  app.get('/all', (request, reply) => streams.openAll(request, reply, ...all))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const clients: StreamClient[] = []
  t.teardown(async () => {
    for (const client of clients) client.close()
    streams.closeAll()
    await app.close()
  })

  return {
    app,
    clock,
    topics,
    streams,
    lines,
    async open(stream: OpenStreamOptions, headers: Record<string, string> = {}, method = 'GET'): Promise<StreamClient> {
      openOptions = stream
      const { port } = app.server.address() as AddressInfo
      const client = await connect(get({ host: '127.0.0.1', port, path: '/stream', headers, method, agent: false }))
      clients.push(client)
      return client
    },
    async openAll(
      parts: readonly StreamPart[],
      first: readonly EventFields[],
      headers: Record<string, string> = {},
    ): Promise<StreamClient> {
      all = [parts, first]
      const { port } = app.server.address() as AddressInfo
      const client = await connect(get({ host: '127.0.0.1', port, path: '/all', headers, agent: false }))
      clients.push(client)
      return client
    },
  }
}

async function connect(request: ClientRequest): Promise<StreamClient> {
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.setEncoding('utf8')
  let text = ''
  const events: StreamEvent[] = []
  let wake: () => void = () => {}
  response.on('data', (chunk: string) => {
    text += chunk
    if (response.headers['content-type'] !== 'text/event-stream') return
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      events.push(parse(text.slice(0, end)))
      text = text.slice(end + 2)
    }
    wake()
  })
  const ended = new Promise<void>((resolve) => {
    response.on('close', resolve)
    response.on('error', () => {})
  })
  request.on('error', () => {})
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    ended,
    async take(count, { pings } = { pings: false }) {
      const taken: StreamEvent[] = []
      while (taken.length < count) {
        const next = events.shift()
        if (next === undefined)
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        else if (pings || next.event !== 'ping') taken.push(next)
      }
      return taken
    },
    close: () => void request.destroy(),
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    async body() {
      await ended
      return text
    },
  }
}

function parse(block: string): StreamEvent {
  const fields: { id?: string; event?: string; data: string[] } = { data: [] }
  for (const line of block.split('\n')) {
    const colon = line.indexOf(': ')
    const value = line.slice(colon + 2)
    const name = line.slice(0, colon)
    if (name === 'data') fields.data.push(value)
    else if (name === 'id' || name === 'event') fields[name] = value
  }
  return { ...fields, data: fields.data.join('\n') }
}

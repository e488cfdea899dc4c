// Shared parts of routes that stream one topic of the core.
import { type Streams, Type } from '@playhead/sdk'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { defined } from '@playhead/sdk/host'

export const EVENT_STREAM = {
  description: 'Server-sent events',
  content: { 'text/event-stream': { schema: Type.String() } },
}

/** The route's query and response schemas. */
export const TOPIC_SCHEMA = {
  querystring: Type.Object({
    tail: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 3000, description: 'Begin with this many of the last events.' }),
    ),
    since: Type.Optional(Type.Integer({ minimum: 1, description: 'Begin behind the event of this number.' })),
  }),
  response: { 200: EVENT_STREAM },
}

export function openTopic(
  streams: Streams,
  topic: string,
  request: FastifyRequest<{ Querystring: { readonly tail?: number; readonly since?: number } }>,
  reply: FastifyReply,
) {
  const { tail = 0, since } = request.query
  return streams.open(request, reply, { topics: [topic], tail, ...defined({ since }) })
}

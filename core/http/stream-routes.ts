// Combines the streams of several routes: browsers open at most six connections to a host. Each route is called with
// the caller's own credentials, so that its access rules and parameters hold; only the connection is shared.
import { PlayheadError, pause, Type } from '@playhead/sdk'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import type { StreamHub, StreamPart } from '../events/streams.ts'
import { EVENT_STREAM } from '../events/topic-route.ts'
import type { RequestHandler } from './server.ts'

interface StreamRoutesDependencies {
  readonly streams: Pick<StreamHub, 'probe' | 'openAll'>
  readonly dispatch: RequestHandler
}

const PATH = '/api/stream'
const MAX_PARTS = 12
const MAX_LENGTH = 500
/** A plugin may have to be loaded first. */
const PROBE_MS = 10_000
/** Headers of this connection, not of the caller. */
const OWN_HEADERS = ['connection', 'last-event-id', 'accept-encoding', 'if-none-match', 'content-length', 'upgrade']

const Several = (description: string) =>
  Type.Union([
    Type.String({ maxLength: MAX_LENGTH, description }),
    Type.Array(Type.String({ maxLength: MAX_LENGTH }), { maxItems: MAX_PARTS, description }),
  ])
const Query = Type.Object({
  of: Several('Path and query of a route that answers with a stream; several times for several routes.'),
  after: Type.Optional(Several('The last event id of each route, in the same order; empty for its whole backlog.')),
})

export async function streamRoutes(
  app: FastifyInstance,
  { streams, dispatch }: StreamRoutesDependencies,
): Promise<void> {
  const inner = Fastify({ routerOptions: { maxParamLength: MAX_LENGTH } })
  inner.get('/*', (request, reply) => {
    reply.hijack()
    dispatch(request.raw, reply.raw)
  })
  app.addHook('onClose', () => inner.close())

  /** The part, or the status that the route answered with. */
  async function ask(request: FastifyRequest, name: string): Promise<Pick<StreamPart, 'name' | 'options'> | number> {
    using probe = streams.probe()
    const headers = Object.fromEntries(
      Object.entries(request.raw.headers).filter(([header]) => !OWN_HEADERS.includes(header)),
    )
    const answered = inner
      .inject({
        method: 'GET',
        url: name,
        headers: { ...headers, ...probe.headers } as Record<string, string>,
        remoteAddress: request.raw.socket.remoteAddress ?? '127.0.0.1',
        payloadAsStream: true,
      })
      .then((response) => {
        // A response that is not a stream is not read.
        response.stream().destroy()
        return response.statusCode
      })
    const stop = new AbortController()
    const status = await Promise.race([answered, pause(PROBE_MS, stop.signal).then(() => 504)]).finally(() =>
      stop.abort(),
    )
    const options = probe.opened()
    return options === undefined ? (status < 400 ? 404 : status) : { name, options }
  }

  app.get<{ Querystring: { readonly of: string | readonly string[]; readonly after?: string | readonly string[] } }>(
    PATH,
    {
      config: { access: { auth: 'S' } },
      schema: {
        tags: ['Streams'],
        summary: 'The streams of several routes as one, as server-sent events',
        description:
          'An event is named after its route and its own name: `/api/watch/stream message`. `gap` after the name of a route says that messages of it were lost, without one that messages of any were. `refused` says that a route did not open its stream: `{"status": 503}`. `Last-Event-ID` resumes all of them where the same routes are named in the same order; otherwise send the ids with `after`.',
        querystring: Query,
        response: { 200: EVENT_STREAM },
      },
    },
    async (request, reply) => {
      const names = listOf(request.query.of)
      const after = listOf(request.query.after)
      if (names.length === 0 || names.some((name) => !isRoute(name)) || new Set(names).size !== names.length) {
        throw new PlayheadError(
          'PLH_INVALID',
          'Send each route once, with its path, for example of=/api/watch/stream.',
          { wire: 'invalid_stream' },
        )
      }
      const found = await Promise.all(names.map((name) => ask(request, name)))
      const parts = found.flatMap((part, index) =>
        typeof part === 'number' ? [] : [{ ...part, resumeId: after[index] || undefined, place: index }],
      )
      const refused = found.flatMap((status, index) =>
        typeof status === 'number' ? [{ event: `${names[index]} refused`, data: JSON.stringify({ status }) }] : [],
      )
      return streams.openAll(request, reply, parts, refused)
    },
  )
}

function listOf(given: string | readonly string[] | undefined): readonly string[] {
  return given === undefined ? [] : typeof given === 'string' ? [given] : given
}

function isRoute(name: string): boolean {
  if (!/^\/api\/[!-~]*$/.test(name)) return false
  const { pathname, origin } = new URL(name, 'http://service')
  return origin === 'http://service' && pathname.startsWith('/api/') && pathname !== PATH
}

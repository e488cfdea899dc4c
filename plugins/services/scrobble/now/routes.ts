// Routes and stream of the current sessions.
import { orNull, type PluginApp, skipSerializer, Type } from '@playhead/sdk'
import { Row, Unavailable } from './rows.ts'
import type { Playing } from './view.ts'

/** Topic of the stream; each message signals that the sessions changed. */
export const NOW_TOPIC = 'scrobble/now'

const Answer = Type.Object({
  ok: Type.Boolean(),
  currently_watching: orNull(Row),
  streams: Type.Array(Row, { description: 'Playing sessions before paused ones, then the latest start first.' }),
  streams_count: Type.Integer({ minimum: 0 }),
  accounts_count: Type.Integer({
    minimum: 0,
    description: 'Connected accounts that report sessions, including those in `unavailable`.',
  }),
  unavailable: Type.Array(Unavailable, {
    description:
      'Accounts that did not respond, or may not list sessions; sessions they reported in the last ten minutes are among the streams.',
  }),
  ts: Type.Integer({ description: 'Epoch seconds.' }),
})

const Query = Type.Object({
  person: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'Id of a person: only sessions of their accounts.' }),
  ),
})

export function registerNowRoutes(app: PluginApp, playing: (person?: string) => Promise<Playing>): void {
  app.get<{ Querystring: { readonly person?: string } }>(
    '/api/watch/currently_watching',
    {
      ...skipSerializer,
      schema: { summary: 'Current sessions of the connected accounts', querystring: Query, response: { 200: Answer } },
    },
    async ({ query }) => ({ ok: true, ...(await playing(query.person)) }),
  )

  app.get(
    '/api/watch/stream',
    {
      schema: {
        summary: 'Server Sent Events: a message whenever the current sessions change',
        description: 'Each message is `{"streams_count": n}`; the sessions are at /api/watch/currently_watching.',
        response: {
          200: { description: 'Server-sent events', content: { 'text/event-stream': { schema: Type.String() } } },
        },
      },
    },
    (request, reply) => app.playhead.streams.open(request, reply, { topics: [NOW_TOPIC], tail: 1 }),
  )
}

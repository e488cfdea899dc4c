// Announces changes to pages and programs that show them: requests with effects that succeeded, and events of the bus.
// Only the kind of change is sent, so that one stream serves all; clients then read again what they show.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Streams } from '@playhead/sdk'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { CoreEventBus } from '../events/bus.ts'
import { openTopic, TOPIC_SCHEMA } from '../events/topic-route.ts'
import type { Topics } from '../events/topics.ts'
import { scopeOfRoute } from './access/scopes.ts'

const TOPIC = 'changes'
const EVENT = 'change'

/**
 * Publishes that the request was carried out, unless it only reads. Webhooks announce their effects by events. Returns
 * the number of the event.
 */
export function announceChanges({ topics, events }: { readonly topics: Topics; readonly events: CoreEventBus }) {
  const publish = (what: string) => topics.publish(TOPIC, { event: EVENT, data: JSON.stringify({ what }) })
  events.on('*', ({ name }) => void publish(name))
  return async (
    { method, routeOptions: { url = '', config } }: FastifyRequest,
    status: number,
  ): Promise<number | undefined> => {
    const isChange = method !== 'GET' && status >= 200 && status <= 299 && url.startsWith('/api/')
    if (!isChange || scopeOfRoute(method, config.access ?? {}) === 'read') return undefined
    // Deliver the events that the request emitted first, so that they have smaller numbers.
    await nextTurn()
    return publish(`${method} ${url}`)
  }
}

/** Number of the newest change. */
export function newestChange(topics: Pick<Topics, 'backlog'>): number {
  return topics.backlog(TOPIC, { tail: 0 }).lastId
}

export async function changeRoutes(app: FastifyInstance, { streams }: { readonly streams: Streams }): Promise<void> {
  app.get<{ Querystring: { tail?: number; since?: number } }>(
    '/api/changes/stream',
    {
      config: { access: { auth: 'S' } },
      schema: {
        tags: ['Streams'],
        summary: 'What was changed, as server-sent events',
        description:
          'After each request with effects and each event of the service comes `change` with what it was: `{"what": "PUT /api/pairs/:pair_id"}`, `{"what": "run.finished"}`. The data are read from the routes that have them. After `gap` read everything again. The answer of a request with effects says the number of its event in `x-change`: what was read after the answer needs not be read again because of the events up to it.',
        ...TOPIC_SCHEMA,
      },
    },
    (request, reply) => openTopic(streams, TOPIC, request, reply),
  )
}

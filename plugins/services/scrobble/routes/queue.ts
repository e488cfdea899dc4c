// The queue of deliveries: waiting, rejected and delivered plays.
import { defined, oneOf, orNull, type PluginApp, type Static, Type } from '@playhead/sdk'
import { kindOf } from '@playhead/sdk/items'
import type { Deliveries } from '../deliver/deliveries.ts'
import type { Delivery } from '../store/delivery.ts'
import { OPEN_STATES } from '../store/delivery.ts'
import type { Store } from '../store/store.ts'

const Text = Type.String()
const VIEWS = ['open', 'failed', 'done', 'all'] as const
const STATES = {
  open: OPEN_STATES,
  failed: ['failed'],
  done: ['done', 'dropped'],
  all: undefined,
} as const satisfies Record<(typeof VIEWS)[number], Delivery['state'][] | readonly Delivery['state'][] | undefined>

const Row = Type.Object({
  id: Text,
  state: oneOf(['queued', 'sending', 'waiting', 'planned', 'done', 'failed', 'dropped']),
  action: oneOf(['start', 'pause', 'stop', 'rating']),
  completed: Type.Boolean({ description: 'It is a play.' }),
  method: oneOf(['watcher', 'webhook']),
  route_id: Text,
  source: Text,
  source_instance: Text,
  target: Text,
  target_instance: Text,
  media_type: Text,
  title: orNull(Text),
  episode_title: orNull(Text),
  year: orNull(Type.Integer()),
  season: orNull(Type.Integer()),
  episode: orNull(Type.Integer()),
  progress: Type.Number({ minimum: 0, maximum: 100 }),
  rating: orNull(Type.Integer()),
  account: orNull(Text),
  at: Type.Integer({ description: 'When it happened. Epoch seconds.' }),
  due_at: orNull(Type.Integer({ description: 'Time of the next attempt. Epoch seconds.' })),
  done_at: orNull(Type.Integer({ description: 'Epoch seconds.' })),
  attempts: Type.Integer({ minimum: 0 }),
  reason: orNull(Text),
})
type Row = Static<typeof Row>

const Answer = Type.Object({
  ok: Type.Boolean(),
  items: Type.Array(Row),
  total: Type.Integer({ minimum: 0 }),
  counts: Type.Record(Text, Type.Integer(), { description: 'Deliveries by state.' }),
})
const Query = Type.Object({
  view: oneOf(VIEWS, 'open'),
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 100 }),
  offset: Type.Integer({ minimum: 0, default: 0 }),
})
const Params = Type.Object({ id: Type.String({ minLength: 1, maxLength: 80 }) })
const One = Type.Object({ ok: Type.Boolean(), item: Row })

export function registerQueueRoutes(
  app: PluginApp,
  { store, deliveries }: { readonly store: Store; readonly deliveries: Deliveries },
): void {
  app.get<{ Querystring: Static<typeof Query> }>(
    '/api/scrobbler/queue',
    { schema: { summary: 'Deliveries to trackers', querystring: Query, response: { 200: Answer } } },
    async ({ query: { view, limit, offset } }) => {
      const states = STATES[view]
      const [{ items, total }, counts] = await Promise.all([
        store.list({ limit, offset, ...defined({ states }) }),
        store.counts(),
      ])
      return { ok: true, items: items.map(toRow), total, counts }
    },
  )
  app.post<{ Params: Static<typeof Params> }>(
    '/api/scrobbler/queue/:id/retry',
    { schema: { summary: 'Try a delivery again now', params: Params, response: { 200: One } } },
    async ({ params: { id } }) => ({ ok: true, item: toRow(await deliveries.retry(id)) }),
  )
  app.post<{ Params: Static<typeof Params> }>(
    '/api/scrobbler/queue/:id/drop',
    { schema: { summary: 'Drop a delivery', params: Params, response: { 200: One } } },
    async ({ params: { id } }) => ({ ok: true, item: toRow(await deliveries.drop(id)) }),
  )
}

function toRow(delivery: Delivery): Row {
  const { id, state, action, completed, method, lane, source, sink, item, percent, rating, account } = delivery
  const isEpisode = kindOf(item) === 'episode'
  return {
    id,
    state,
    action,
    completed,
    method,
    route_id: lane,
    source: source.provider,
    source_instance: source.instance,
    target: sink.provider,
    target_instance: sink.instance,
    media_type: kindOf(item),
    title: (isEpisode ? item.series_title : undefined) ?? item.title ?? null,
    episode_title: (isEpisode ? item.title : undefined) ?? null,
    year: item.year ?? null,
    season: item.season ?? null,
    episode: item.episode ?? null,
    progress: percent,
    rating,
    account: account.name ?? null,
    at: seconds(delivery.atMs),
    due_at: OPEN_STATES.includes(state) ? seconds(delivery.dueAtMs) : null,
    done_at: delivery.doneAtMs === null ? null : seconds(delivery.doneAtMs),
    attempts: delivery.attempts,
    reason: delivery.reason,
  }
}

function seconds(ms: number): number {
  return Math.floor(ms / 1_000)
}

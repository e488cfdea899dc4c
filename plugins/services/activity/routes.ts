// Routes that list and delete activity.
import {
  skipSerializer,
  type ActivityLog,
  type ActivityQuery,
  oneOf,
  PlayheadError,
  type PluginApp,
  type Static,
  Type,
} from '@playhead/sdk'

const LAST_SECOND = 253_402_300_799
const Since = Type.Optional(Type.Integer({ minimum: 0, maximum: LAST_SECOND, description: 'Epoch seconds.' }))
const RecentQuery = Type.Object({ limit: Type.Integer({ default: 10, minimum: 1, maximum: 50 }), since: Since })
const HistoryQuery = Type.Object({
  limit: Type.Integer({ default: 100, minimum: 1, maximum: 500 }),
  offset: Type.Integer({ default: 0, minimum: 0, maximum: 10_000_000 }),
  media_type: oneOf(['all', 'movie', 'episode'], 'all'),
  status: oneOf(['all', 'ok', 'failed', 'error'], 'all'),
  q: Type.String({ default: '', maxLength: 200 }),
  since: Since,
})

const Row = Type.Object(
  {
    id: Type.String(),
    kind: Type.String(),
    event: Type.String(),
    status: Type.String(),
    source: Type.String(),
    source_instance: Type.String(),
    target: Type.String(),
    target_instance: Type.String(),
    targets: Type.Array(Type.Object({ target: Type.String(), target_instance: Type.String() })),
    media_type: Type.String({ description: '`movie` or `episode`.' }),
    title: Type.String(),
    year: Type.Optional(Type.Integer()),
    season: Type.Optional(Type.Integer()),
    episode: Type.Optional(Type.Integer()),
    watched_at: Type.Integer({ description: 'Epoch seconds.' }),
    watched_on: Type.Optional(Type.String({ description: 'YYYY-MM-DD, where the time of day is not known.' })),
    captured_at: Type.Integer({ description: 'Epoch seconds.' }),
    progress: Type.Optional(Type.Number({ description: 'Percent.' })),
    runtime_minutes: Type.Optional(Type.Number()),
    method: Type.Optional(Type.String()),
    account: Type.Optional(Type.String()),
    ids: Type.Optional(Type.Record(Type.String(), Type.String())),
  },
  { additionalProperties: true, title: 'ActivityRow' },
)
const Page = Type.Object({
  ok: Type.Boolean(),
  items: Type.Array(Row),
  total: Type.Integer(),
  offset: Type.Integer(),
  limit: Type.Integer(),
  has_more: Type.Boolean(),
})
const Cleared = Type.Object({
  ok: Type.Boolean(),
  existed: Type.Boolean(),
  kind: Type.String(),
  removed: Type.Integer(),
  remaining: Type.Integer(),
})

export function registerRoutes(app: PluginApp, log: ActivityLog): void {
  async function page(query: ActivityQuery & { readonly limit: number; readonly offset: number }) {
    const { items, total } = await log.list(query)
    return {
      ok: true,
      items,
      total,
      offset: query.offset,
      limit: query.limit,
      has_more: query.offset + items.length < total,
    }
  }

  app.get(
    '/api/activity/recent',
    { ...skipSerializer, schema: { summary: 'The latest plays', querystring: RecentQuery, response: { 200: Page } } },
    (request) => {
      return page({ ...(request.query as Static<typeof RecentQuery>), offset: 0 })
    },
  )

  app.get(
    '/api/activity/history',
    { ...skipSerializer, schema: { summary: 'Plays in pages', querystring: HistoryQuery, response: { 200: Page } } },
    (request) => {
      const { media_type, status, ...query } = request.query as Static<typeof HistoryQuery>
      return page({
        ...query,
        ...(media_type === 'all' ? {} : { media_type }),
        ...(status === 'all' ? {} : { status: status === 'error' ? 'failed' : status }),
      })
    },
  )

  app.delete(
    '/api/activity/history',
    { ...skipSerializer, schema: { summary: 'Forgets all activity', response: { 200: Cleared } } },
    async () => {
      try {
        const { removed, remaining } = await log.clear()
        app.playhead.events.emit('activity.cleared', { removed })
        return { ok: true, existed: removed > 0, kind: '', removed, remaining }
      } catch (error) {
        app.playhead.log.error({ err: error }, 'the activity could not be cleared')
        throw new PlayheadError('PLH_NOT_READY', 'The activity could not be cleared; the log has the reason.', {
          cause: error,
          wire: 'clear_activity_failed',
          status: 500,
        })
      }
    },
  )
}

// Routes that list events and groups, newest first.
import { skipSerializer, type PluginApp, type Static, type TObject, type TSchema, Type } from '@playhead/sdk'
import {
  ContextAnswer,
  EventsAnswer,
  GroupDetailAnswer,
  GroupEventsAnswer,
  GroupsAnswer,
  ListAnswer,
  RunItemsAnswer,
  StatisticsAnswer,
  StatusAnswer,
  TreeAnswer,
  orUnavailable,
} from './answers.ts'
import type { Archive } from '../store/archive.ts'
import { contextOf, ContextQuery, type ContextSources } from '../query/context.ts'
import { compileFilter, type ListQuery, RecentQuery, SearchQuery, TreeQuery } from '../query/filters.ts'
import { groupDetail, groupEvents, groupRunItems } from '../query/group.ts'
import { selectEvents, selectGroups } from '../query/select.ts'
import { statisticsOf, StatisticsQuery } from '../query/statistics.ts'
import { statusOf } from '../query/status.ts'
import { selectTree } from '../query/tree.ts'
import { eventRows, groupRows } from '../query/view.ts'

const GroupParams = Type.Object({ group_id: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) })
const limit = (standard: number, most: number) => Type.Integer({ minimum: 1, maximum: most, default: standard })
const Offset = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 })
const GroupQuery = Type.Object({ run_items_limit: limit(100, 500), run_items_offset: Offset })
const RunItemsQuery = Type.Object({ limit: limit(100, 500), offset: Offset })
const GroupEventsQuery = Type.Object({
  order: Type.Unsafe<string>({ type: 'string', enum: ['asc', 'desc', 'oldest', 'newest'], default: 'asc' }),
  limit: limit(500, 1_000),
  offset: Offset,
})
const Visibility = Type.Unsafe<ListQuery['visibility']>({
  type: 'string',
  enum: ['open', 'acknowledged', 'all'],
  default: 'all',
})
const OneQuery = (standard: number) =>
  Type.Object({ limit: limit(standard, 500), offset: Offset, visibility: Visibility })

export function registerListRoutes(app: PluginApp, archive: Archive, sources: ContextSources): void {
  const get = (
    path: string,
    summary: string,
    { answers, ...schemas }: { readonly answers: TSchema; readonly querystring?: TObject; readonly params?: TObject },
    answer: (request: { readonly query: never; readonly params: never }) => Promise<unknown>,
  ) =>
    void app.get(
      path,
      { ...skipSerializer, schema: { summary, ...schemas, response: { 200: answers } } },
      async ({ query, params }) =>
        await orUnavailable(() => answer({ params, query: known(query as object, schemas.querystring) } as never)),
    )

  async function list(
    query: Partial<ListQuery> & { readonly limit: number; readonly offset: number },
    view: ListQuery['view'],
  ) {
    const reading = await archive.reading()
    const filter = await compileFilter(query, reading)
    const { limit, offset, after } = query
    const found = await (view === 'events' ? selectEvents : selectGroups)(reading.reader, filter, {
      limit,
      offset,
      after,
    })
    const items = await (view === 'events' ? eventRows : groupRows)(reading, found.ids)
    return {
      items,
      total: found.total,
      ...(found.capped ? { total_capped: true } : {}),
      limit,
      offset,
      next: found.next,
    }
  }

  get('/api/events/status', 'The status of the archive', { answers: StatusAnswer }, () => statusOf(archive))
  get(
    '/api/events/statistics',
    'Statistics of a time range',
    { answers: StatisticsAnswer, querystring: StatisticsQuery },
    async ({ query }) => await statisticsOf(await archive.reading(), query, archive.now()),
  )
  get('/api/events/recent', 'The latest events', { answers: ListAnswer, querystring: RecentQuery }, ({ query }) =>
    list(query, (query as ListQuery).view),
  )
  get('/api/events/search', 'Find events and groups', { answers: ListAnswer, querystring: SearchQuery }, ({ query }) =>
    list(query, (query as ListQuery).view),
  )
  get('/api/events/groups', 'Groups of events', { answers: GroupsAnswer, querystring: SearchQuery }, ({ query }) =>
    list(query, 'groups'),
  )
  get(
    '/api/events/tree',
    'Runs with their problems',
    { answers: TreeAnswer, querystring: TreeQuery },
    async ({ query }) => {
      const { children, limit, offset, after, ...filters } = query as Static<typeof TreeQuery>
      const reading = await archive.reading()
      const { items, total, capped, next } = await selectTree(
        reading,
        await compileFilter(filters, reading),
        { limit, offset, after },
        children,
      )
      return { items, total, ...(capped ? { total_capped: true } : {}), limit, offset, next }
    },
  )
  get(
    '/api/events/context',
    'The context of an event, an item or a run',
    { answers: ContextAnswer, querystring: ContextQuery },
    ({ query }) => contextOf(archive, sources, query),
  )

  get(
    '/api/events/groups/:group_id',
    'A group',
    { answers: GroupDetailAnswer, params: GroupParams, querystring: GroupQuery },
    async ({ params, query }) => {
      const { run_items_limit: most, run_items_offset: offset } = query as Static<typeof GroupQuery>
      return await groupDetail(await archive.reading(), (params as Static<typeof GroupParams>).group_id, {
        limit: most,
        offset,
      })
    },
  )
  get(
    '/api/events/groups/:group_id/run-items',
    'Outcomes of a run by item',
    { answers: RunItemsAnswer, params: GroupParams, querystring: RunItemsQuery },
    async ({ params, query }) =>
      await groupRunItems(await archive.reading(), (params as Static<typeof GroupParams>).group_id, query),
  )
  get(
    '/api/events/groups/:group_id/events',
    'The events of a group',
    { answers: GroupEventsAnswer, params: GroupParams, querystring: GroupEventsQuery },
    async ({ params, query }) => {
      const { order, ...page } = query as Static<typeof GroupEventsQuery>
      return await groupEvents(
        await archive.reading(),
        (params as Static<typeof GroupParams>).group_id,
        order === 'desc' || order === 'newest' ? 'DESC' : 'ASC',
        page,
      )
    },
  )
  get(
    '/api/events/item/:item_key',
    'Events of an item',
    {
      answers: EventsAnswer,
      params: Type.Object({ item_key: Type.String({ minLength: 1 }) }),
      querystring: OneQuery(200),
    },
    ({ params, query }) =>
      list(
        { ...(query as object), item_key: (params as { item_key: string }).item_key, domain: 'all' } as never,
        'events',
      ),
  )
  get(
    '/api/events/run/:run_id',
    'Events of a run',
    {
      answers: EventsAnswer,
      params: Type.Object({ run_id: Type.String({ minLength: 1 }) }),
      querystring: OneQuery(500),
    },
    ({ params, query }) =>
      list({ ...(query as object), run_id: (params as { run_id: string }).run_id, domain: 'all' } as never, 'events'),
  )
}

/** Rejects unknown query parameters. */
function known(
  query: Readonly<Record<string, unknown>> | object,
  schema: TObject | undefined,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(query).filter(([name]) => schema !== undefined && Object.hasOwn(schema.properties, name)),
  )
}

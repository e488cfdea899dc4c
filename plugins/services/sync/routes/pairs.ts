// HTTP routes that list, create, change, order and delete pairs.
import { type PluginApp, type Static, Type } from '@playhead/sdk'
import { PairList, PairRemoved, PairSaved, PairsReordered } from './answers.ts'
import { PairBody } from '../pairs/input.ts'
import { type PairChanges, removePair, resetter } from '../pairs/changes.ts'
import { unknownPair } from '../pairs/pairs.ts'

const PairId = Type.Object({ pair_id: Type.String({ minLength: 1, maxLength: 64 }) })
const OrderEntry = Type.Union([
  Type.String({ maxLength: 64 }),
  Type.Object({ id: Type.String({ maxLength: 64 }) }, { additionalProperties: true }),
])
const OrderList = Type.Array(OrderEntry, { maxItems: 1_000 })
const Order = Type.Union([OrderList, Type.Object({ order: OrderList }, { additionalProperties: true })])

export function registerPairRoutes(app: PluginApp, deps: PairChanges): void {
  const { pairs } = deps

  app.get(
    '/api/pairs',
    {
      // The settings, and the descriptions of the providers.
      config: { revision: () => app.playhead.host.revision() },
      schema: { summary: 'The pairs, in the order in which they run', response: { 200: PairList } },
    },
    async (_request, reply) => {
      const { pairs: listed, isWhole } = await pairs.listed()
      if (!isWhole) void reply.header('cache-control', 'no-store')
      return listed
    },
  )

  app.post(
    '/api/pairs',
    { schema: { summary: 'Adds a pair', body: PairBody, response: { 200: PairSaved } } },
    async (request) => {
      const pair = await pairs.create(request.body as PairBody)
      deps.changed('created', pair)
      return { ok: true, ...(await pairs.shown([pair]))[0], warnings: pairs.warnings() }
    },
  )

  app.post(
    '/api/pairs/reorder',
    { schema: { summary: 'Sets the order of the pairs', body: Order, response: { 200: PairsReordered } } },
    async (request) => {
      const body = request.body as Static<typeof Order>
      const ids = (Array.isArray(body) ? body : body.order).map((entry) =>
        typeof entry === 'string' ? entry : entry.id,
      )
      const before = pairs.list().map(({ id }) => id)
      const unknown = [...new Set(ids)].filter((id) => !before.includes(id))
      const finalOrder = await pairs.reorder(ids)
      deps.changed('reordered')
      return {
        ok: true,
        reordered: finalOrder.join() !== before.join(),
        count: finalOrder.length,
        unknown_ids: unknown,
        final_order: finalOrder,
      }
    },
  )

  app.put(
    '/api/pairs/:pair_id',
    { schema: { summary: 'Changes a pair', params: PairId, body: PairBody, response: { 200: PairSaved } } },
    async (request) => {
      const { pair_id: id } = request.params as Static<typeof PairId>
      const pair = await pairs.update(id, request.body as PairBody, resetter(id, deps))
      deps.changed('updated', pair)
      return { ok: true, ...(await pairs.shown([pair]))[0], warnings: pairs.warnings() }
    },
  )

  const PurgeQuery = Type.Object({
    purge_state: Type.Boolean({
      default: true,
      description: 'Also delete the stored state, held items and removals of the pair.',
    }),
  })
  app.delete(
    '/api/pairs/:pair_id',
    { schema: { summary: 'Removes a pair', params: PairId, querystring: PurgeQuery, response: { 200: PairRemoved } } },
    async (request) => {
      const { pair_id: id } = request.params as Static<typeof PairId>
      const { purge_state: purgeState } = request.query as Static<typeof PurgeQuery>
      const pair = pairs.find(id)
      if (pair === undefined) throw unknownPair(id)
      const purged = await removePair(pair, purgeState, deps)
      return {
        ok: true,
        deleted: 1,
        state_removed: purged.removed,
        state_errors: 0,
        state_removed_preview: purged.preview.slice(0, 25),
      }
    },
  )
}

// Routes of pairs.
import { skipSerializer, isNotModified, PlayheadError, type PluginApp, type Static, Type } from '@playhead/sdk'
import { PairList, PairRemoved, PairSaved, PairsReordered } from './answers.ts'
import type { Pair } from '../contract.ts'
import { PairBody } from '../pairs/input.ts'
import { type Pairs, unknownPair } from '../pairs/pairs.ts'

export interface PairRouteDependencies {
  readonly pairs: Pairs
  readonly isRunning: (pairId: string) => boolean
  /** Scheduled jobs and others that refer to the pair. */
  readonly referencesOf: (pair: Pair) => Promise<readonly string[]>
  /** Deletes what is stored for the pair: the number of rows, and a text for each table. */
  readonly purge: (pairId: string) => Promise<{ readonly removed: number; readonly preview: readonly string[] }>
  /** The pair's accounts or direction changed: the next run is a first run. */
  readonly reset: (pairId: string) => Promise<void>
  /** For the event archive and the scheduler. */
  readonly changed: (action: PairChange, pair?: Pick<Pair, 'id' | 'name'>) => void
}

export type PairChange = 'created' | 'updated' | 'removed' | 'reordered'

const tags = ['Synchronization and scheduling']
const PairId = Type.Object({ pair_id: Type.String({ minLength: 1, maxLength: 64 }) })
const OrderEntry = Type.Union([
  Type.String({ maxLength: 64 }),
  Type.Object({ id: Type.String({ maxLength: 64 }) }, { additionalProperties: true }),
])
const OrderList = Type.Array(OrderEntry, { maxItems: 1_000 })
const Order = Type.Union([OrderList, Type.Object({ order: OrderList }, { additionalProperties: true })])

export function registerPairRoutes(app: PluginApp, deps: PairRouteDependencies): void {
  const { pairs } = deps

  app.get(
    '/api/pairs',
    {
      ...skipSerializer,
      schema: { tags, summary: 'The pairs, in the order in which they run', response: { 200: PairList } },
    },
    async (request, reply) => {
      const { version, text } = await pairs.listText()
      if (isNotModified(request, reply, version)) return reply.send()
      return reply.type('application/json; charset=utf-8').send(text)
    },
  )

  app.post(
    '/api/pairs',
    { ...skipSerializer, schema: { tags, summary: 'Adds a pair', body: PairBody, response: { 200: PairSaved } } },
    async (request) => {
      const pair = await pairs.create(request.body as PairBody)
      deps.changed('created', pair)
      return { ok: true, ...(await pairs.shown([pair]))[0], warnings: pairs.warnings() }
    },
  )

  app.post(
    '/api/pairs/reorder',
    {
      ...skipSerializer,
      schema: { tags, summary: 'Sets the order of the pairs', body: Order, response: { 200: PairsReordered } },
    },
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
    {
      ...skipSerializer,
      schema: { tags, summary: 'Changes a pair', params: PairId, body: PairBody, response: { 200: PairSaved } },
    },
    async (request) => {
      const { pair_id: id } = request.params as Static<typeof PairId>
      const before = pairs.find(id)
      if (before === undefined) throw unknownPair(id)
      assertIdle(id, deps)
      // Reset first: if the process ends in between, the old pair starts over, and no state is used for other accounts.
      const { pair, warnings } = await pairs.update(id, request.body as PairBody, async (next) => {
        if (isAnotherPair(before, next)) await deps.reset(id)
      })
      deps.changed('updated', pair)
      return { ok: true, ...(await pairs.shown([pair]))[0], warnings }
    },
  )

  const PurgeQuery = Type.Object({
    purge_state: Type.Boolean({
      default: true,
      description: 'Also forget what was seen, held and removed by this pair.',
    }),
  })
  app.delete(
    '/api/pairs/:pair_id',
    {
      ...skipSerializer,
      schema: {
        tags,
        summary: 'Removes a pair',
        params: PairId,
        querystring: PurgeQuery,
        response: { 200: PairRemoved },
      },
    },
    async (request) => {
      const { pair_id: id } = request.params as Static<typeof PairId>
      const { purge_state: purgeState } = request.query as Static<typeof PurgeQuery>
      const pair = pairs.find(id)
      if (pair === undefined) throw unknownPair(id)
      assertIdle(id, deps)
      const references = await deps.referencesOf(pair)
      if (references.length > 0) {
        throw new PlayheadError(
          'PLH_CONFLICT',
          `The pair is used by ${references.join(', ')}. Remove it there first.`,
          { wire: 'pair_in_use', details: { references } },
        )
      }
      await pairs.remove(id)
      const purged = purgeState ? await deps.purge(id) : { removed: 0, preview: [] }
      deps.changed('removed', pair)
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

function assertIdle(id: string, { isRunning }: PairRouteDependencies): void {
  if (isRunning(id))
    throw new PlayheadError('PLH_CONFLICT', 'The pair is running; wait for the run to end, or cancel it.', {
      wire: 'pair_running',
    })
}

function isAnotherPair(a: Pair, b: Pair): boolean {
  return (
    a.source !== b.source ||
    a.source_instance !== b.source_instance ||
    a.target !== b.target ||
    a.target_instance !== b.target_instance ||
    a.mode !== b.mode
  )
}

// Routes of the history: runs, plans, held removals, the status of pairs.
import { oneOf, type PluginApp, type Static, SYNC_STATES, Type } from '@playhead/sdk'
import {
  FeatureName,
  HeldAnswer,
  NotInLibraryAnswer,
  OpName,
  OutcomeName,
  OverviewAnswer,
  PairStatusAnswer,
  PlanList,
  PlanStateName,
  ResultName,
  RunDetail,
  RunItems,
  RunList,
  SideName,
} from './answers.ts'
import type { History } from '../record/history.ts'
import type { NotInLibrary } from '../record/not-in-library.ts'
import { statusOfWhole } from '../record/status.ts'

const Id = Type.String({ minLength: 1, maxLength: 64 })
/** The plan of an undo is named after its run and the plan that it undoes. */
export const PlanId = Type.String({ minLength: 1, maxLength: 200 })
const PAGE = {
  offset: Type.Integer({ default: 0, minimum: 0 }),
  limit: Type.Integer({ default: 50, minimum: 1, maximum: 500 }),
}
const PairParams = Type.Object({ pair_id: Id })
const Ignore = Type.Object(
  {
    ignored: Type.Boolean({ description: 'false shows them again.' }),
    items: Type.Optional(
      Type.Array(
        Type.Object({
          feature: FeatureName,
          provider: Type.String({ minLength: 1, maxLength: 40 }),
          instance: Type.String({ minLength: 1, maxLength: 80 }),
          key: Type.String({ minLength: 1, maxLength: 400 }),
        }),
        {
          minItems: 1,
          maxItems: 1_000,
          description: 'The item, as in the list. Without it: all titles of the pair, including later ones.',
        },
      ),
    ),
  },
  { additionalProperties: false },
)
const RunsQuery = Type.Object({
  pair_id: Type.Optional(Id),
  result: Type.Optional(ResultName),
  dry_run: Type.Optional(Type.Boolean()),
  outcome: Type.Optional(OutcomeName),
  state: Type.Optional(oneOf(SYNC_STATES)),
  source: Type.Optional(
    Type.String({ minLength: 1, maxLength: 40, description: 'The origin of the run, as in the list.' }),
  ),
  ...PAGE,
})
const PlansQuery = Type.Object({
  pair_id: Type.Optional(Id),
  run_id: Type.Optional(PlanId),
  feature: Type.Optional(FeatureName),
  state: Type.Optional(PlanStateName),
  kind: Type.Optional(
    Type.Union([Type.Literal('pair'), Type.Literal('account')], {
      description: 'account: changes to one account, which the editor, restores, imports and other tools plan',
    }),
  ),
  ...PAGE,
})
const RunParams = Type.Object({ run_id: PlanId })
const ItemsQuery = Type.Object({
  pair_id: Type.Optional(Id),
  feature: Type.Optional(FeatureName),
  side: Type.Optional(SideName),
  op: Type.Optional(OpName),
  outcome: Type.Optional(Type.String({ maxLength: 40 })),
  cause: Type.Optional(Type.String({ maxLength: 80 })),
  q: Type.Optional(Type.String({ maxLength: 200, description: 'Part of a title or of a key.' })),
  ...PAGE,
})

export function registerHistoryRoutes(
  app: PluginApp,
  history: History,
  notInLibrary: NotInLibrary,
  revision: () => Promise<string>,
): void {
  app.get(
    '/api/overview',
    {
      config: { revision },
      schema: {
        summary: 'The status of the whole, and of each pair, account and run',
        response: { 200: OverviewAnswer },
      },
    },
    async () => ({ ok: true, ...(await history.overview()) }),
  )

  app.get(
    '/api/runs',
    { schema: { summary: 'The runs, newest first', querystring: RunsQuery, response: { 200: RunList } } },
    async (request) => ({ ok: true, ...(await history.runs(request.query as Static<typeof RunsQuery>)) }),
  )

  app.get(
    '/api/runs/:run_id',
    { schema: { summary: 'A run by pair, feature and side', params: RunParams, response: { 200: RunDetail } } },
    async (request) => ({ ok: true, ...(await history.run((request.params as Static<typeof RunParams>).run_id)) }),
  )

  app.get(
    '/api/runs/:run_id/items',
    {
      schema: {
        summary: 'The outcome of each item in a run',
        params: RunParams,
        querystring: ItemsQuery,
        response: { 200: RunItems },
      },
    },
    async (request) => {
      const { run_id: runId } = request.params as Static<typeof RunParams>
      return { ok: true, ...(await history.runItems(runId, request.query as Static<typeof ItemsQuery>)) }
    },
  )

  app.get(
    '/api/plans',
    { schema: { summary: 'The stored plans, newest first', querystring: PlansQuery, response: { 200: PlanList } } },
    async (request) => ({ ok: true, ...(await history.plans(request.query as Static<typeof PlansQuery>)) }),
  )

  app.get(
    '/api/held',
    { schema: { summary: 'Removals that wait for an approval', response: { 200: HeldAnswer } } },
    async () => ({ ok: true, ...(await history.held()) }),
  )

  app.get(
    '/api/pairs/status',
    { schema: { summary: 'The status of each pair', response: { 200: PairStatusAnswer } } },
    async () => {
      const pairs = await history.pairStatus()
      return { ok: true, sync_status: statusOfWhole(pairs.map(({ sync_status: status }) => status)), pairs }
    },
  )

  app.get(
    '/api/pairs/:pair_id/not-in-library',
    {
      schema: {
        summary: 'Titles that a service of the pair lacks',
        params: PairParams,
        querystring: Type.Object(PAGE),
        response: { 200: NotInLibraryAnswer },
      },
    },
    async (request) => {
      const { pair_id: id } = request.params as Static<typeof PairParams>
      return await notInLibrary.list(id, request.query as { readonly offset: number; readonly limit: number })
    },
  )

  app.put(
    '/api/pairs/:pair_id/not-in-library',
    {
      schema: {
        summary: 'Ignores titles that a service lacks, or shows them again',
        params: PairParams,
        body: Ignore,
        response: { 200: Type.Object({ ok: Type.Boolean() }) },
      },
    },
    async (request) => {
      const { pair_id: id } = request.params as Static<typeof PairParams>
      const { ignored, items } = request.body as Static<typeof Ignore>
      await notInLibrary.ignore(id, ignored, items)
      return { ok: true }
    },
  )
}

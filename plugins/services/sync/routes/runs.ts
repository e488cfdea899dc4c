// Routes of runs: start, cancel, stream, summary, unresolved items, plans and undo.
import {
  assertScope,
  defined,
  FEATURES,
  optionalBody,
  PlayheadError,
  type PluginApp,
  type RunRequest,
  type Static,
  type SyncService,
  Type,
} from '@playhead/sdk'
import {
  Cancelled,
  CancelState,
  FeatureName,
  UnresolvedOpName,
  PlanAnswer,
  RunStarted,
  SummaryAnswer,
  UndoAnswer,
  UnresolvedAnswer,
  UnresolvedCleared,
} from './answers.ts'
import { PlanId } from './history.ts'
import type { Runs } from '../run/runs.ts'
import type { RunStream } from '../record/run-stream.ts'
import type { History } from '../record/history.ts'
import { MAX_UNRESOLVED, type RunRecords } from '../record/records.ts'
import type { UnresolvedClear } from '../store/unresolved.ts'

export interface RunRouteDependencies {
  readonly runs: Runs
  readonly stream: RunStream
  readonly sync: Pick<SyncService, 'start' | 'cancel'>
  readonly records: RunRecords
  readonly history: Pick<History, 'leftBy'>
  /** Watchlist rows by provider, before the first run. */
  readonly counts: () => Promise<Readonly<Record<string, number>>>
  /** Deletes unresolved rows with their counters and quarantine, so that the next run tries again. Returns their number. */
  readonly clearUnresolved: (which: UnresolvedClear) => Promise<number>
}

const Id = Type.String({ minLength: 1, maxLength: 64 })

const RunBody = Type.Object(
  {
    pair_id: Type.Optional(Type.Union([Id, Type.Null()])),
    pairId: Type.Optional(Type.Union([Id, Type.Null()], { description: 'An alias of pair_id.' })),
    pair_scope: Type.Optional(Type.Union([Id, Type.Null()], { description: 'An alias of pair_id.' })),
    pair_ids: Type.Optional(
      Type.Array(Id, {
        minItems: 1,
        maxItems: 500,
        uniqueItems: true,
        description: 'Several pairs. Not together with pair_id or plan_id.',
      }),
    ),
    dry_run: Type.Optional(Type.Boolean()),
    allow_mass_delete: Type.Optional(
      Type.Boolean({ description: 'Applies held removals; only with pair_id or plan_id.' }),
    ),
    confirm_mirror: Type.Optional(
      Type.Boolean({
        description:
          'Approves that the pair removes items from the target that the source never had; only with pair_id.',
      }),
    ),
    plan_id: Type.Optional(
      Type.Union([PlanId, Type.Null()], {
        description: 'Runs only the operations of this plan that are still correct. Also accepts plans of one account.',
      }),
    ),
    titles: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 600 }), {
        minItems: 1,
        maxItems: 500,
        description:
          'Only changes of these titles are written, of shows with their episodes: `movie:tmdb:949`, or any of the `names` of `GET /api/library/{key}`. Playlists are left out.',
      }),
    ),
    features: Type.Optional(
      Type.Array(Type.Union(FEATURES.map((feature) => Type.Literal(feature))), { uniqueItems: true }),
    ),
    source: Type.Optional(
      Type.Union(['ui', 'cli', 'api', 'scheduler', 'scheduler_event'].map((name) => Type.Literal(name))),
    ),
    scheduler_mode: Type.Optional(Type.String({ maxLength: 40 })),
    job_id: Type.Optional(Type.String({ maxLength: 80 })),
    workflow_id: Type.Optional(Type.String({ maxLength: 80 })),
    workflow_step_id: Type.Optional(Type.String({ maxLength: 80 })),
    trigger_event: Type.Optional(Type.String({ maxLength: 80 })),
  },
  { additionalProperties: true, title: 'RunRequest' },
)

/** The run request of a body: aliases of the pair's id are merged, nulls count as absent. */
function readRunBody(body: Static<typeof RunBody>): RunRequest {
  const { pairId, pair_scope: pairScope, pair_id: pairId2, plan_id: planId, ...rest } = body
  const asked = [pairId2, pairId, pairScope].filter((id) => id != null)
  if (new Set(asked).size > 1)
    throw new PlayheadError('PLH_INVALID', 'pair_id, pairId and pair_scope are different pairs.', {
      wire: 'ambiguous_pair',
    })
  if (planId != null && rest.titles !== undefined)
    throw new PlayheadError('PLH_INVALID', 'Run either a plan or titles, not both.', { wire: 'plan_or_titles' })
  return { ...(rest as RunRequest), ...defined({ pair_id: asked[0], plan_id: planId ?? undefined }) }
}

export function registerRunRoutes(
  app: PluginApp,
  { runs, stream, sync, records, history, counts, clearUnresolved }: RunRouteDependencies,
): void {
  const summary = async () => (await runs.summary()) ?? emptySummary(await counts())

  app.post(
    '/api/run',
    {
      schema: {
        summary: 'Starts a run of all enabled pairs, of some, of a plan, or of some titles',
        body: optionalBody(RunBody),
        response: { 200: RunStarted },
      },
    },
    async (request) => {
      const body = (request.body ?? {}) as Static<typeof RunBody>
      if (body.allow_mass_delete === true || body.confirm_mirror === true)
        assertScope(request.caller, 'write', 'To approve removals that were held')
      return { ok: true, ...(await sync.start(readRunBody(body))) }
    },
  )

  app.get(
    '/api/run/cancel',
    { schema: { summary: 'Whether a run is being cancelled', response: { 200: CancelState } } },
    () => {
      const { run_id: runId = null, cancel_requested_at: requestedAt = null } = runs.active() ?? {}
      const states = { running: runId !== null, cancel_requested: requestedAt !== null }
      return { ok: true, ...states, run_id: runId, requested_at: requestedAt }
    },
  )

  app.post(
    '/api/run/cancel',
    {
      schema: {
        summary: 'Stops the run after the current request',
        body: optionalBody(Type.Object({}, { additionalProperties: true })),
        response: { 200: Cancelled },
      },
    },
    () => {
      const cancelled = runs.cancel()
      if (cancelled === null)
        throw new PlayheadError('PLH_CONFLICT', 'No run is in progress.', {
          wire: 'not_running',
          details: { running: false },
        })
      return { ok: true, running: true, ...cancelled }
    },
  )

  app.get(
    '/api/run/summary',
    { schema: { summary: 'The active run, or the last one', response: { 200: SummaryAnswer } } },
    summary,
  )

  const file = { summary: 'The same as a file', response: { 200: SummaryAnswer } }
  app.get('/api/run/summary/file', { schema: file }, async (_request, reply) =>
    reply
      .type('application/json; charset=utf-8')
      .header('content-disposition', 'attachment; filename="last_sync.json"')
      .send(JSON.stringify(await summary(), null, 2)),
  )

  app.get(
    '/api/run/summary/stream',
    {
      schema: {
        summary: 'The run, live',
        description:
          'Unnamed events carry the whole summary, named ones a step of the engine; `ping` when nothing happens.',
        response: {
          200: { description: 'Server-sent events', content: { 'text/event-stream': { schema: { type: 'string' } } } },
        },
      },
    },
    (request, reply) => stream.open(request, reply, summary),
  )

  const Scope = Type.Object({
    scope: Type.Union([Type.Literal('latest'), Type.Literal('all')], {
      default: 'latest',
      description: 'all: everything that is open, also from earlier runs.',
    }),
    run_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Replaces scope: items of this run that are still not synced.',
      }),
    ),
    pair_id: Type.Optional(Id),
    not_in_library: Type.Boolean({ default: true, description: 'false leaves out titles that a service lacks.' }),
    accepted: Type.Boolean({
      default: true,
      description: 'false leaves out titles that differ as a setting wants it, or until a later run.',
    }),
    offset: Type.Integer({ default: 0, minimum: 0 }),
    limit: Type.Integer({ default: MAX_UNRESOLVED, minimum: 1, maximum: MAX_UNRESOLVED }),
  })
  app.get(
    '/api/run/unresolved',
    {
      schema: {
        summary: 'Items that a run left unresolved, with the reason',
        querystring: Scope,
        response: { 200: UnresolvedAnswer },
      },
    },
    async (request) => {
      const query = request.query as Static<typeof Scope>
      const { scope, run_id: asked, pair_id: pairId, not_in_library: notInLibrary, accepted, offset, limit } = query
      const left = asked === undefined ? undefined : await history.leftBy(asked)
      const runId = asked ?? (scope === 'all' ? 'all' : (await runs.summary())?.run_id)
      if (runId === undefined) return { total: 0, items: [] }
      return await records.unresolved({ runId, ...defined({ left, pairId }), notInLibrary, accepted, offset, limit })
    },
  )

  const Clear = Type.Object({
    pair_id: Type.Optional(Id),
    feature: Type.Optional(FeatureName),
    op: Type.Optional(UnresolvedOpName),
    key: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
  })
  app.post(
    '/api/run/unresolved/clear',
    {
      schema: {
        summary: 'Resets unresolved and quarantined items, so that they are tried again',
        body: Clear,
        response: { 200: UnresolvedCleared },
      },
    },
    async (request) => {
      const { pair_id: pairId, feature, op, key } = request.body as Static<typeof Clear>
      if (pairId === undefined && key === undefined)
        throw new PlayheadError('PLH_INVALID', 'Send pair_id, key or both.', { wire: 'pair_id_or_key_required' })
      runs.assertIdle()
      return { ok: true, cleared: await clearUnresolved(defined({ pairId, feature, op, key })) }
    },
  )

  const PlanQuery = Type.Object({
    side: Type.Optional(
      Type.Union([Type.Literal('a'), Type.Literal('b')], { description: 'a: the source, b: the target' }),
    ),
    op: Type.Optional(Type.Union([Type.Literal('add'), Type.Literal('update'), Type.Literal('remove')])),
    state: Type.Optional(Type.String({ maxLength: 200, description: 'One, or several with commas between them.' })),
    cause: Type.Optional(Type.String({ maxLength: 80 })),
    q: Type.Optional(Type.String({ maxLength: 200, description: 'Part of a title or of a key.' })),
    facets: Type.Boolean({
      default: true,
      description: 'Whether to include the counts; later pages do not need them.',
    }),
    offset: Type.Integer({ default: 0, minimum: 0 }),
    limit: Type.Integer({ default: 100, minimum: 0, maximum: 1_000 }),
  })
  app.get(
    '/api/run/plan/:plan_id',
    {
      schema: {
        summary: 'A plan of a run or of changes to one account: counts, items, causes, what is held and why',
        params: Type.Object({ plan_id: PlanId }),
        querystring: PlanQuery,
        response: { 200: PlanAnswer },
      },
    },
    async (request) => {
      const { plan_id: planId } = request.params as { readonly plan_id: string }
      return { ok: true, ...(await records.plan(planId, request.query as Static<typeof PlanQuery>)) }
    },
  )

  const RunId = Type.Object({ run_id: PlanId })
  const UndoBody = Type.Object(
    { dry_run: Type.Boolean({ default: true, description: 'Only list the operations that would be reversed.' }) },
    { additionalProperties: true },
  )
  app.post(
    '/api/run/:run_id/undo',
    {
      schema: {
        summary: 'Reverses the changes of a run, as far as the providers support it',
        params: RunId,
        body: optionalBody(UndoBody),
        response: { 200: UndoAnswer },
      },
    },
    async (request) => {
      const { run_id: runId } = request.params as Static<typeof RunId>
      const isDry = (request.body as Static<typeof UndoBody> | null)?.dry_run ?? true
      return { ok: true, dry_run: isDry, ...(await (isDry ? records.previewUndo(runId) : records.undo(runId))) }
    },
  )
}

function emptySummary(counts: Readonly<Record<string, number>>): Record<string, unknown> {
  return {
    features: {},
    enabled: Object.fromEntries(FEATURES.map((feature) => [feature, true])),
    provider_counts: counts,
  }
}

// Routes of the problems: list, ignore, undo of that, and try again.
import {
  defined,
  FEATURES,
  type Feature,
  oneOf,
  orNull,
  PlayheadError,
  type PluginApp,
  PROBLEM_ACTIONS,
  type ProblemAction,
  ShownOrigin,
  skipSerializer,
  Type,
} from '@playhead/sdk'
import type { Board, BoardFilter, BoardProblem, BoardSelection } from './board.ts'

const Text = Type.String()
const Count = Type.Integer()
const Cause = Type.String({ minLength: 3, maxLength: 200, pattern: '^[a-z0-9-]+:[A-Za-z0-9_-]+$' })
const ActionName = oneOf(PROBLEM_ACTIONS)
const FILTER = {
  action: Type.Optional(oneOf(PROBLEM_ACTIONS)),
  account: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: '`MEDIAB`, or `MEDIAB@MEDIAB-P01`.' }),
  ),
  pair: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  run: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Items that the run left, and that are still not synced.',
    }),
  ),
  feature: Type.Optional(oneOf(FEATURES)),
  ignored: Type.Boolean({ default: false, description: 'Ignored problems instead of the others.' }),
}
const Query = Type.Object({
  cause: Type.Optional(Cause),
  ...FILTER,
  offset: Type.Integer({ default: 0, minimum: 0, maximum: 10_000_000 }),
  limit: Type.Integer({ default: 50, minimum: 0, maximum: 500, description: '0: only the causes.' }),
})
const Ids = Type.Array(Type.String({ minLength: 3, maxLength: 1_600 }), { minItems: 1, maxItems: 500 })
const Selection = Type.Object(
  {
    ids: Type.Optional(Ids),
    cause: Type.Optional(Type.String({ ...Cause, description: 'Instead of ids: all problems with this cause.' })),
    ...FILTER,
  },
  { additionalProperties: false, title: 'ProblemSelection' },
)
const Restore = Type.Object(
  {
    ids: Type.Optional(Ids),
    undo: Type.Optional(
      Type.Array(Type.String({ maxLength: 1_000_000 }), {
        minItems: 1,
        maxItems: 50,
        description: 'Instead of ids: as `POST /api/problems/ignore` returned it.',
      }),
    ),
  },
  { additionalProperties: false },
)

const BodyValue = Type.Union([Text, Type.Number(), Type.Boolean(), Type.Array(Text)])
const Action = Type.Object(
  {
    kind: ActionName,
    label: Text,
    path: orNull(Type.String({ description: 'Page of the browser application.' })),
    url: orNull(Type.String({ description: 'Page at the service.' })),
    account: orNull(
      Type.Object({ provider: Text, instance: Text }, { description: 'Of `open_at`: whose service it is.' }),
    ),
    call: orNull(
      Type.Object(
        { method: Text, path: Text, body: orNull(Type.Record(Text, BodyValue)) },
        { description: 'API call that resolves it.' },
      ),
    ),
  },
  { title: 'ProblemAction' },
)
const ShownProblem = Type.Object(
  {
    id: Text,
    cause: Text,
    title: Text,
    text: Text,
    need_you: Count,
    key: orNull(Text),
    type: orNull(Text),
    year: orNull(Count),
    feature: orNull(oneOf(FEATURES)),
    pair_id: orNull(Text),
    accounts: Type.Array(Type.Object({ provider: Text, instance: Text })),
    since: orNull(Type.Integer({ description: 'Epoch seconds.' })),
    attempts: orNull(Count),
    origin: orNull(ShownOrigin),
    origin_carrier: orNull(Type.Object({ provider: Text, instance: Text })),
    actions: Type.Array(Action, { description: 'The first one is the main action.' }),
  },
  { title: 'ListedProblem' },
)
const ShownCause = Type.Object(
  {
    cause: Text,
    severity: oneOf(['error', 'warning', 'info']),
    ...{ title: Text, text: Text, rows: Count, need_you: Count },
    action: ActionName,
    can_ignore: Type.Boolean(),
    can_retry: Type.Boolean(),
    only: orNull(ShownProblem),
  },
  { title: 'ProblemCause' },
)
const Answer = Type.Object({
  ok: Type.Boolean(),
  need_you: Type.Integer({
    description: 'The part of these problems that needs the person: without filters the count of `GET /api/overview`.',
  }),
  total: Type.Integer({ description: 'Number of rows on all pages.' }),
  offset: Count,
  limit: Count,
  ignored: Type.Integer({ description: 'Ignored problems with the same filters.' }),
  is_complete: Type.Boolean({ description: 'False: a check took too long, and its problems may be missing.' }),
  causes: Type.Array(ShownCause, { description: 'In the order of the rows.' }),
  items: Type.Array(ShownProblem),
})

interface Filters {
  readonly cause?: string
  readonly action?: ProblemAction['kind']
  readonly account?: string
  readonly pair?: string
  readonly run?: string
  readonly feature?: Feature
  readonly ignored?: boolean
}

export function registerProblemRoutes(app: PluginApp, board: Board): void {
  app.get<{ Querystring: Filters & { readonly offset: number; readonly limit: number } }>(
    '/api/problems',
    {
      ...skipSerializer,
      config: { revision: () => board.revision() },
      schema: { summary: 'Problems by cause, each with its action', querystring: Query, response: { 200: Answer } },
    },
    async ({ query }) => {
      const { offset, limit } = query
      const { causes, ignored, items, isComplete } = await board.read(filterOf(query), { offset, limit })
      const sum = (all: typeof causes, name: 'rows' | 'need_you') => all.reduce((total, one) => total + one[name], 0)
      return {
        ok: true,
        ...{ need_you: sum(causes, 'need_you'), total: sum(causes, 'rows'), offset, limit },
        ...{ ignored: sum(ignored, 'rows'), is_complete: isComplete },
        causes: causes.map(({ only, ...one }) => ({ ...one, only: only === null ? null : shown(only) })),
        items: items.map(shown),
      }
    },
  )

  app.post<{ Body: Filters & { readonly ids?: readonly string[] } }>(
    '/api/problems/ignore',
    {
      ...skipSerializer,
      schema: {
        summary: 'Ignores problems: some, or all of a cause',
        body: Selection,
        response: {
          200: Type.Object({
            ok: Type.Boolean(),
            count: Count,
            undo: Type.Array(Text, { description: 'For `POST /api/problems/restore`.' }),
          }),
        },
      },
    },
    async ({ body }) => ({ ok: true, ...(await board.ignore(selectionOf(body))) }),
  )

  app.post<{ Body: { readonly ids?: readonly string[]; readonly undo?: readonly string[] } }>(
    '/api/problems/restore',
    {
      ...skipSerializer,
      schema: {
        summary: 'Shows ignored problems again',
        body: Restore,
        response: { 200: Type.Object({ ok: Type.Boolean(), count: Count }) },
      },
    },
    async ({ body: { ids, undo } }) => {
      if ((ids === undefined) === (undo === undefined)) throw unclear('Send IDs or undo.')
      return { ok: true, count: await board.restore(ids === undefined ? { undo: undo! } : { ids }) }
    },
  )

  app.post<{ Body: Filters & { readonly ids?: readonly string[] } }>(
    '/api/problems/retry',
    {
      ...skipSerializer,
      schema: {
        summary: 'Tries again what was not synced: some, or all of a cause',
        body: Selection,
        response: { 200: Type.Object({ ok: Type.Boolean(), count: Count, run_id: orNull(Text) }) },
      },
    },
    async ({ body }) => ({ ok: true, ...(await board.retry(selectionOf(body))) }),
  )
}

function filterOf({ cause, action, account, pair, run, feature, ignored = false }: Filters): BoardFilter {
  const [provider, instance] = account?.split('@') ?? []
  return {
    ...defined({ cause, action, feature, instance, pair_id: pair, run_id: run, provider: provider?.toUpperCase() }),
    ignored,
  }
}

function selectionOf({ ids, ...filters }: Filters & { readonly ids?: readonly string[] }): BoardSelection {
  const filter = filterOf(filters)
  if (ids !== undefined && filter.cause === undefined) return { ids }
  if (ids === undefined && filter.cause !== undefined) return { ...filter, cause: filter.cause }
  throw unclear('Send IDs or a cause.')
}

function unclear(message: string): PlayheadError {
  return new PlayheadError('PLH_INVALID', message, { wire: 'problems_required' })
}

/** All members, null where the problem has none. */
const NONE = {
  ...{ key: null, type: null, year: null, feature: null, pair_id: null, since: null, attempts: null },
  ...{ origin: null, origin_carrier: null },
}

function shown({ actions, ...problem }: BoardProblem) {
  return {
    ...NONE,
    ...problem,
    actions: actions.map(({ call, ...action }) => ({
      ...{ path: null, url: null, account: null },
      ...action,
      call: call === undefined ? null : { body: null, ...call },
    })),
  }
}

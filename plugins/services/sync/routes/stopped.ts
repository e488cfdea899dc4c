// Routes of titles that a person stopped.
import {
  FEATURES,
  type ManualPolicyService,
  oneOf,
  orNull,
  PlayheadError,
  type PluginApp,
  type Static,
  type StoppedTitle,
  Type,
} from '@playhead/sdk'
import { isSynced } from '../feature-run.ts'
import type { Pair } from '../pairs/pair.ts'

export interface StoppedRouteDependencies {
  readonly policy: Pick<ManualPolicyService, 'stopped' | 'stop' | 'syncAgain'>
  readonly pairs: () => readonly Pick<Pair, 'id'>[]
}

const Features = Type.Array(oneOf(FEATURES.filter(isSynced)), { minItems: 1, maxItems: FEATURES.length })
const Account = Type.Object(
  { provider: Type.String({ minLength: 1, maxLength: 40 }), instance: Type.String({ minLength: 1, maxLength: 80 }) },
  { additionalProperties: false },
)
const Accounts = Type.Array(Account, { minItems: 1, maxItems: 200 })
const Pairs = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { minItems: 1, maxItems: 200 })
const Scope = {
  title: Type.String({ maxLength: 500, description: 'To show it; rows are recognized by their ids alone.' }),
  year: Type.Union([Type.Integer({ minimum: 1, maximum: 9999 }), Type.Null()]),
}
const Order = Type.Object(
  {
    names: Type.Array(Type.String({ minLength: 1, maxLength: 600 }), {
      minItems: 1,
      maxItems: 500,
      description:
        'The `names` of `GET /api/library/{key}`, or keys such as `show:tmdb:1399`. At least one needs an id.',
    }),
    title: Scope.title,
    year: Type.Optional(Scope.year),
    features: Type.Optional(
      Type.Union([Features, Type.Null()], { description: 'Without it: all features, also later ones.' }),
    ),
    accounts: Type.Optional(
      Type.Union([Accounts, Type.Null()], {
        description:
          'Nothing is written to them, and nothing is carried from them. Without accounts and pairs: everywhere.',
      }),
    ),
    pairs: Type.Optional(Type.Union([Pairs, Type.Null()], { description: 'Ids of pairs that leave the title alone.' })),
  },
  { additionalProperties: false, title: 'StopOrder' },
)
const Stopped = Type.Object(
  {
    id: Type.String(),
    kind: Type.String({ description: '`movie` or `show`; a show with its seasons and episodes, also later ones.' }),
    names: Type.Array(Type.String(), { description: 'Rows with one of these ids are of the title.' }),
    title: Type.String(),
    year: Scope.year,
    features: orNull(Type.Array(Type.String())),
    accounts: orNull(Type.Array(Type.Object({ provider: Type.String(), instance: Type.String() }))),
    pairs: orNull(Type.Array(Type.String())),
    stopped_at: Type.String({ description: 'ISO 8601, UTC.' }),
  },
  { title: 'StoppedTitle' },
)

export function registerStoppedRoutes(app: PluginApp, { policy, pairs }: StoppedRouteDependencies): void {
  app.get(
    '/api/stopped-titles',
    {
      schema: {
        summary: 'The titles that runs leave alone, because a person stopped them',
        response: { 200: Type.Object({ ok: Type.Boolean(), items: Type.Array(Stopped) }) },
      },
    },
    async () => ({ ok: true, items: (await policy.stopped()).map(toWire) }),
  )

  app.post(
    '/api/stopped-titles',
    {
      schema: {
        summary: 'Stop syncing a title, everywhere or at chosen accounts and pairs',
        description:
          'Nothing of it is added, changed or removed from the next run on. It takes the place of an earlier stop of the title.',
        body: Order,
        response: { 200: Type.Object({ ok: Type.Boolean(), item: Stopped }) },
      },
    },
    async (request) => {
      const {
        year = null,
        features = null,
        accounts = null,
        pairs: chosen = null,
        ...order
      } = request.body as Static<typeof Order>
      const known = new Set(pairs().map(({ id }) => id))
      if (chosen?.some((id) => !known.has(id)) === true)
        throw new PlayheadError('PLH_NOT_FOUND', 'This pair does not exist.', { wire: 'pair_not_found' })
      return { ok: true, item: toWire(await policy.stop({ ...order, year, features, accounts, pairs: chosen })) }
    },
  )

  app.delete(
    '/api/stopped-titles/:id',
    {
      schema: {
        summary: 'Sync a title again',
        description: 'The next run decides about it. What happened meanwhile is handled as at any other title.',
        params: Type.Object({ id: Type.String({ minLength: 1, maxLength: 40 }) }),
        response: { 200: Type.Object({ ok: Type.Boolean() }) },
      },
    },
    async (request) => {
      const { id } = request.params as { readonly id: string }
      if (await policy.syncAgain(id)) return { ok: true }
      throw new PlayheadError('PLH_NOT_FOUND', 'The title is not stopped.', { wire: 'not_stopped' })
    },
  )
}

function toWire({ stoppedAtMs, ...stop }: StoppedTitle) {
  return { ...stop, stopped_at: new Date(stoppedAtMs).toISOString() }
}

// Routes of the status of all accounts, and of clearing its cache.
import { Type, type PluginApp } from '@playhead/sdk'
import type { Parts } from './parts.ts'

const Reason = { reason: Type.Optional(Type.String()), reason_code: Type.Optional(Type.String()) }
const Stale = Type.Optional(Type.Boolean({ description: 'The last answer in time is older.' }))
const Report = Type.Object(
  {
    label: Type.String(),
    connected: Type.Boolean(),
    ...Reason,
    stale: Stale,
    instances: Type.Record(
      Type.String(),
      Type.Object(
        {
          configured: Type.Boolean(),
          probed: Type.Boolean(),
          connected: Type.Optional(Type.Boolean()),
          used: Type.Optional(Type.Boolean()),
          checked_at: Type.Optional(Type.Integer({ description: 'Epoch seconds.' })),
          ...Reason,
          stale: Stale,
        },
        { additionalProperties: true },
      ),
      { description: 'By profile.' },
    ),
    instances_summary: Type.Object({
      ok: Type.Integer(),
      probed: Type.Integer(),
      total: Type.Integer(),
      rep: Type.String({ description: 'The profile that the facts of the service are of.' }),
      used: Type.Array(Type.String()),
    }),
    rep_instance: Type.String(),
    scope: Type.String({ description: 'pair or watcher' }),
    used_by: Type.Array(Type.String()),
    used_in_pairs: Type.Boolean(),
    used_in_watcher: Type.Boolean(),
    usage_hint: Type.Optional(Type.String()),
  },
  { additionalProperties: true, description: 'Also what the service says of the account, for example `plan`.' },
)
const StatusAnswer = Type.Object(
  {
    debug: Type.Boolean(),
    can_run: Type.Boolean({ description: 'At least one enabled pair has both of its profiles configured.' }),
    ts: Type.Integer({ description: 'Time of the check, epoch seconds.' }),
    providers: Type.Record(Type.String(), Report, { description: 'By id; those that are configured or used.' }),
  },
  { additionalProperties: true, description: 'Also `<token>_connected` for each provider.' },
)

export function registerStatusRoutes(app: PluginApp, { probes, status }: Parts): void {
  app.get<{ Querystring: { fresh: number } }>(
    '/api/status',
    {
      schema: {
        summary: 'Which accounts work',
        querystring: Type.Object({
          fresh: Type.Integer({ default: 0, description: 'Not 0: ignores results that are older than two seconds.' }),
        }),
        response: { 200: StatusAnswer },
      },
    },
    async (request, reply) => {
      const { body } = await status.get(request.query.fresh !== 0)
      void reply.header('cache-control', 'no-store')
      return body
    },
  )

  app.post(
    '/api/debug/clear_probe_cache',
    {
      schema: { summary: 'Clear the cached state of accounts', response: { 200: Type.Object({ ok: Type.Boolean() }) } },
    },
    () => {
      probes.clear()
      status.forget()
      return { ok: true }
    },
  )
}

// Routes of the status of all accounts, and of clearing its cache.
import { Type, type PluginApp } from '@playhead/sdk'
import type { Parts } from './parts.ts'

const StatusAnswer = Type.Object(
  {
    debug: Type.Boolean(),
    can_run: Type.Boolean({ description: 'At least one enabled pair has both of its profiles configured.' }),
    ts: Type.Integer({ description: 'Time of the check, epoch seconds.' }),
    providers: Type.Record(Type.String(), Type.Unknown(), { description: 'By id; those that are configured or used.' }),
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

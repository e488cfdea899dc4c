// Metrics for a monitoring system at /metrics, for sessions and for the token of the settings.
import { definePlugin, sameText, Type } from '@playhead/sdk'
import { createCollector } from './collect.ts'
import { writeExposition, type Family } from './exposition.ts'
import { recordRuns } from './run-record.ts'
import { createSources } from './sources.ts'

const Settings = Type.Object({
  token: Type.String({
    default: '',
    secret: true,
    pattern: '^([!-~]{20,200})?$',
    description:
      'What a scraper sends as "Authorization: Bearer …": 20 characters or more, as random as a password. Empty: only people who are signed in.',
  }),
})

export default definePlugin<typeof Settings, { collect: () => Promise<readonly Family[]> }>({
  config: Settings,
  services: { collect: ({ ctx, log }) => createCollector(createSources(ctx, recordRuns(ctx)), log) },
  setup(ctx) {
    // Starts to follow runs.
    void ctx.services.collect
    // The token is read per request, so a change needs no reload.
    ctx.onConfigChange(() => {})
  },
  acceptsToken: (ctx, token) => sameText(token, ctx.config.token),
  routes(app) {
    app.get(
      '/metrics',
      {
        schema: {
          tags: ['Health'],
          summary:
            'Metrics in the text format of Prometheus; with a session, or the token of the settings as a bearer token',
          response: {
            200: { description: 'Text format 0.0.4.', content: { 'text/plain': { schema: { type: 'string' } } } },
          },
        },
      },
      async (_request, reply) => {
        const { text, contentType } = await writeExposition(await app.playhead.services.collect())
        return reply.header('cache-control', 'no-store').type(contentType).send(text)
      },
    )
  },
})

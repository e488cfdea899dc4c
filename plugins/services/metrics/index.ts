// Metrics for a monitoring system at /metrics, for sessions and for the token of the settings.
import { randomBytes } from 'node:crypto'
import { createLastUsed, definePlugin, ROTATE_TOKEN, sameText, TOKEN_USES, Type, type TokenUse } from '@playhead/sdk'
import { createCollector } from './collect.ts'
import { writeExposition } from './exposition.ts'
import { recordRuns } from './run-record.ts'
import { createSources } from './sources.ts'

/** The entry in the list of tokens. */
const TOKEN = 'metrics'

const Settings = Type.Object({
  token: Type.String({
    default: '',
    secret: true,
    pattern: '^([!-~]{20,200})?$',
    description:
      'The token that a scraper sends as "Authorization: Bearer …". At least 20 random characters. Leave empty to allow only signed-in users.',
  }),
})

export default definePlugin({
  config: Settings,
  setup(ctx) {
    const collect = createCollector(createSources(ctx, recordRuns(ctx)), ctx.log)
    const lastUsed = createLastUsed(ctx)
    // The token is read per request, so a change needs no reload.
    ctx.onConfigChange(() => {})
    ctx.tap(
      TOKEN_USES,
      'metrics',
      async (): Promise<readonly TokenUse[]> => [
        {
          id: TOKEN,
          kind: 'metrics',
          label: 'Metrics',
          purpose: 'A monitoring system reads /metrics with it, and nothing else.',
          active: ctx.config.token !== '',
          lastUsedAtMs: await lastUsed.at(TOKEN),
          canRotate: true,
        },
      ],
    )
    ctx.tap(ROTATE_TOKEN, 'metrics', async ({ id }) => {
      if (id !== TOKEN) return undefined
      const secret = randomBytes(32).toString('base64url')
      await ctx.updateConfig({ token: secret })
      return { secret }
    })
    return { collect, lastUsed }
  },
  acceptsToken(ctx, token, { lastUsed }) {
    const isRight = ctx.config.token !== '' && sameText(token, ctx.config.token)
    if (isRight) lastUsed.note(TOKEN)
    return isRight
  },
  routes(app, { collect }) {
    app.get(
      '/metrics',
      {
        schema: {
          summary:
            'Metrics in the text format of Prometheus; with a session, or the token of the settings as a bearer token',
          response: {
            200: { description: 'Text format 0.0.4.', content: { 'text/plain': { schema: { type: 'string' } } } },
          },
        },
      },
      async (_request, reply) => {
        const { text, contentType } = await writeExposition(await collect())
        return reply.header('cache-control', 'no-store').type(contentType).send(text)
      },
    )
  },
})

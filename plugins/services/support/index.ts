// The support bundle: one download with diagnostics and without secrets.
import { Readable } from 'node:stream'
import { definePlugin, optionalBody, Type, type PluginContext } from '@playhead/sdk'
import { createBundle } from './bundle.ts'
import { partsOf } from './parts.ts'

const ZipFile = {
  description: 'A ZIP archive.',
  content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } },
}

export default definePlugin({
  routes(app) {
    const ctx = app.playhead as PluginContext
    app.post(
      '/api/maintenance/support-bundle',
      {
        schema: {
          summary: 'A ZIP for support: logs, versions, settings without secrets, runs, jobs, health',
          body: optionalBody(Type.Object({})),
          response: { 200: ZipFile },
        },
      },
      (_request, reply) => {
        const stamp = new Date().toISOString().slice(0, 19).replace(/[-:]/g, '')
        ctx.events.emit('support.bundle_made', {})
        const bundle = createBundle(partsOf(ctx), { redact: ctx.host.redact, log: ctx.log })
        return reply
          .type('application/zip')
          .header('content-disposition', `attachment; filename="playhead-support-${stamp}.zip"`)
          .header('cache-control', 'no-store')
          .send(Readable.from(bundle, { objectMode: false }))
      },
    )
  },
})

// Connects Playhead to an Acme server. Wiring only: what goes over the wire is in client.ts.
import { definePlugin } from '@playhead/sdk'
import { createClient, Settings, type Client } from './client.ts'

export default definePlugin<typeof Settings, { client: Client }>({
  config: Settings,
  services: { client: ({ upstream, config }) => createClient(upstream, config) },
  setup(ctx) {
    const { client } = ctx.services
    ctx.provide('provider:ACME', {
      /** Who is signed in. */
      user: () => client.user(),
      /** Everything that was watched, one entry at a time. */
      watched: () => client.watched(),
    })
  },
  routes(app) {
    const { client } = app.playhead.services
    app.get('/api/acmeToken/status', async () => {
      if (!client.isConfigured()) return { ok: true, connected: false }
      const { name } = await client.user()
      return { ok: true, connected: true, user: name }
    })
  },
})

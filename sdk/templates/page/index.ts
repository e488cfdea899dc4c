// Stores the last run for the page, which is in page/page.ts.
import { definePlugin, RUN_FINISHED } from '@playhead/sdk'

export default definePlugin({
  setup(ctx) {
    ctx.tap(RUN_FINISHED, 'remember the run', async ({ result, added, removed }) => {
      await ctx.store.set('last', { result, added, removed })
    })
  },
  routes(app) {
    const { store } = app.playhead
    app.get('/api/acme/last', async () => ({ ok: true, last: (await store.get('last')) ?? null }))
  },
})

// Posters and backdrops of titles: from the signed-in media servers, then from the metadata service.
import { definePlugin, MAINTENANCE } from '@playhead/sdk'
import { createFinder } from './finder.ts'
import { clearPictures } from './maintain.ts'
import { registerRoutes } from './routes.ts'
import { createSources } from './sources.ts'
import { createStore, migrations } from './store.ts'

export default definePlugin({
  async setup(ctx) {
    const store = createStore(await ctx.openDatabase('pictures', { migrations, onUnreadable: 'set_aside' }))
    const sources = createSources(ctx)
    ctx.provide(MAINTENANCE.of('picture-cache'), clearPictures(store), { whileDormant: ['describe'] })
    ctx.every('6h', 'prune', async () => store.prune((await sources.accounts()).map(({ owner }) => owner)))
    return createFinder({ store, sources, log: ctx.log })
  },
  routes: registerRoutes,
})

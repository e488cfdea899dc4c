// Posters and backdrops of titles: from the signed-in media servers, then from the metadata service.
import { definePlugin, MAINTENANCE, setupValue, type SetupValue } from '@playhead/sdk'
import { createFinder, type Finder } from './finder.ts'
import { clearPictures } from './maintain.ts'
import { registerRoutes } from './routes.ts'
import { createSources } from './sources.ts'
import { createStore, migrations } from './store.ts'

export default definePlugin<never, { finder: SetupValue<Finder> }>({
  services: { finder: () => setupValue() },
  async setup(ctx) {
    const store = createStore(await ctx.openDatabase('pictures', { migrations, onUnreadable: 'set_aside' }))
    const sources = createSources(ctx)
    ctx.services.finder.set(createFinder({ store, sources, log: ctx.log }))
    ctx.provide(MAINTENANCE.of('picture-cache'), clearPictures(store), { whileDormant: ['describe'] })
    ctx.every('6h', 'prune', async () => store.prune((await sources.accounts()).map(({ owner }) => owner)))
  },
  routes(app) {
    registerRoutes(app, app.playhead.services.finder.get())
  },
})

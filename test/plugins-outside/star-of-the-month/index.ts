import { AFTER_WRITE, definePlugin } from '@playhead/sdk'
import { type Month, monthOf } from './month.ts'

export default definePlugin({
  setup(ctx) {
    ctx.tap(AFTER_WRITE, 'count ratings', async ({ feature, outcomes }) => {
      if (feature !== 'ratings') return
      const written = outcomes.filter(({ outcome }) => outcome === 'applied').length
      const key = monthOf(Date.now())
      await ctx.store.set(key, ((await ctx.store.get<number>(key)) ?? 0) + written)
    })
  },
  routes(app) {
    app.get('/api/star-of-the-month', async (): Promise<Month> => {
      const month = monthOf(Date.now())
      return { month, changes: (await app.playhead.store.get<number>(month)) ?? 0 }
    })
  },
})

import { definePlugin, featureCapability } from '@playhead/sdk'
import { createWatchlist } from './policy.ts'

export default definePlugin({
  setup(ctx) {
    ctx.provide(featureCapability('watchlist'), createWatchlist())
  },
})

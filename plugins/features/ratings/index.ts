import { definePlugin, featureCapability } from '@playhead/sdk'
import { createRatings } from './policy.ts'

export default definePlugin({
  setup(ctx) {
    ctx.provide(featureCapability('ratings'), createRatings())
  },
})

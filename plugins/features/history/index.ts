import { definePlugin, featureCapability } from '@playhead/sdk'
import { createHistory } from './policy.ts'

export default definePlugin({
  setup(ctx) {
    ctx.provide(featureCapability('history'), createHistory())
  },
})

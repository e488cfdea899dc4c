import { definePlugin, featureCapability } from '@playhead/sdk'
import { createProgress } from './policy.ts'

export default definePlugin({
  setup(ctx) {
    ctx.provide(featureCapability('progress'), createProgress())
  },
})

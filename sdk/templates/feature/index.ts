// Decides about the ratings of pairs, in place of the plugin "ratings". The rules are in policy.ts.
import { definePlugin, featureCapability } from '@playhead/sdk'
import { createPolicy } from './policy.ts'

export default definePlugin({
  setup(ctx) {
    ctx.provide(featureCapability('ratings'), createPolicy())
  },
})

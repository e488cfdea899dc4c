// Changes at accounts outside runs: planned, applied and judged in one place, for all plugins that act for a person.
import { ACTIONS, definePlugin, LIBRARY } from '@playhead/sdk'
import { createActionService } from './act.ts'

export default definePlugin({
  setup(ctx) {
    ctx.provide(ACTIONS, createActionService({ library: ctx.use(LIBRARY), log: ctx.log }))
  },
})

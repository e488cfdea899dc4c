// The analyzer: runs the rules of other plugins over the library on a thread, shows what they find, and fixes it.
import { definePlugin } from '@playhead/sdk'
import { createParts, type Parts } from './parts.ts'
import { registerProblemRoutes } from './routes/problems.ts'
import { registerStateRoutes } from './routes/state.ts'

export default definePlugin<never, { parts: Parts }>({
  services: { parts: ({ ctx }) => createParts(ctx) },
  setup() {},
  routes(app) {
    const { parts } = app.playhead.services
    registerProblemRoutes(app, parts)
    registerStateRoutes(app, parts)
  },
})

// Logs, files and health of the service.
import { definePlugin } from '@playhead/sdk'
import { registerFileRoutes } from './file-routes.ts'
import { reportHealth } from './health-facts.ts'
import { registerHealthRoute } from './health-route.ts'
import { registerLogRoutes } from './log-routes.ts'

export default definePlugin({
  setup: reportHealth,
  routes(app) {
    registerLogRoutes(app)
    registerFileRoutes(app)
    registerHealthRoute(app)
  },
})

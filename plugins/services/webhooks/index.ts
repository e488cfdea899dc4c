// Webhooks of media servers: decodes them, has the provider parse them, and passes the reports to the scrobbler.
import { definePlugin } from '@playhead/sdk'
import { registerRoutes } from './routes.ts'

export default definePlugin({ routes: (app) => registerRoutes(app) })

// Webhooks of media servers: decodes them, has the provider read them, and passes what they say to the scrobbler.
import { definePlugin } from '@playhead/sdk'
import { registerRoutes } from './routes.ts'

export default definePlugin({ routes: (app) => registerRoutes(app) })

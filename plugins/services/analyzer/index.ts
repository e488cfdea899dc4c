// The analyzer: runs the rules of other plugins over the library on a thread, shows their findings, and fixes problems.
import { ATTENTION, definePlugin, PROBLEMS } from '@playhead/sdk'
import { createParts } from './parts.ts'
import { registerChangeRoutes } from './routes/changes.ts'
import { registerProblemRoutes } from './routes/problems.ts'
import { registerStateRoutes } from './routes/state.ts'
import { AnalyzerConfig } from './settings.ts'

export default definePlugin({
  config: AnalyzerConfig,
  setup(ctx) {
    const parts = createParts(ctx)
    ctx.tap(ATTENTION, 'analyzer', () => parts.attention.items())
    ctx.provide(PROBLEMS.of('analyzer'), parts.problems)
    ctx.every('6h', 'look-through', () => parts.lookThrough())
    ctx.defer(() => parts.runner.close())
    return parts
  },
  routes(app, parts) {
    registerProblemRoutes(app, parts)
    registerStateRoutes(app, parts)
    registerChangeRoutes(app, parts)
  },
})

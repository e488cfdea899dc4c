// The list of problems, joined from all plugins that have some.
import { definePlugin } from '@playhead/sdk'
import { createBoard } from './board.ts'
import { registerProblemRoutes } from './routes.ts'

export default definePlugin({ setup: createBoard, routes: registerProblemRoutes })

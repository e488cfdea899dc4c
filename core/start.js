// `npm start`. JavaScript, so that Node's compile cache is active before the first TypeScript file: later starts need
// neither stripping nor compiling.
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { beginWithSettings } from './runtime-settings.js'

const args = process.argv.slice(2)
// With --dev, Node's own watcher waits for this process.
if (!args.includes('--dev')) beginWithSettings(process)
enableCompileCache(join(process.env.PLAYHEAD_DATA_DIR || './data', 'cache', 'core'))
const { runPlayhead } = await import('./start.ts')
await runPlayhead({ safe: args.includes('--safe'), dev: args.includes('--dev') })

// `npm start`. These few lines are JavaScript so that Node's compile cache is on before the first TypeScript file is
// read: from the second start on nothing has to be stripped or compiled, which halves the time to load the core and
// saves the memory of the stripper.
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

const args = process.argv.slice(2)
enableCompileCache(join(process.env.PLAYHEAD_DATA_DIR || './data', 'cache', 'core'))
const { runPlayhead } = await import('./start.ts')
await runPlayhead({ safe: args.includes('--safe'), dev: args.includes('--dev') })

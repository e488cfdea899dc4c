// `npm start`. JavaScript, so that Node's compile cache is active before the first other file: later starts need neither
// stripping nor compiling.
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CACHE_FOLDER, findBuilt } from './built.js'
import { beginWithSettings } from './runtime-settings.js'

const args = process.argv.slice(2)
const isDev = args.includes('--dev')
// With --dev, Node's own watcher waits for this process.
if (!isDev) beginWithSettings(process)
// With --dev it would be out of date with the first edit.
const built = isDev ? { unusable: null } : findBuilt(join(import.meta.dirname, '..'))
// The files that came with the installation, or those of this data directory.
enableCompileCache(
  'folder' in built
    ? { directory: join(built.folder, CACHE_FOLDER), portable: true }
    : join(process.env.PLAYHEAD_DATA_DIR || './data', 'cache', 'core'),
)
// Node reads a source map when it shows an error, if maps were enabled before the file was loaded.
process.setSourceMapsEnabled(true)
const { runPlayhead } = await import(
  'folder' in built ? pathToFileURL(join(built.folder, 'start.js')).href : './start.ts'
)
await runPlayhead({ safe: args.includes('--safe'), dev: isDev, notBuilt: 'unusable' in built ? built.unusable : null })

// What `npm ci` makes after the packages: the core as few files, and the pages where their packages are. Without them the
// service still starts, from its sources. JavaScript, because the Node that runs npm may be too old for the service.
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const NEEDED = 26

if (Number.parseInt(process.versions.node, 10) >= NEEDED) {
  await import('./build.ts')
  if (existsSync(join(ROOT, 'node_modules/react'))) await import('../ui/build.ts')
} else
  process.emitWarning(`Playhead needs Node ${NEEDED}, and this is ${process.version}. Run "npm run build" with it.`)

// The first lines of a plugin's thread; JavaScript, so that what was compiled before is found before the first
// TypeScript file is read.
import { enableCompileCache, flushCompileCache } from 'node:module'
import { workerData } from 'node:worker_threads'

if (workerData.compileCache !== null) enableCompileCache(workerData.compileCache)
await import('./thread.ts')
if (workerData.compileCache !== null) flushCompileCache()

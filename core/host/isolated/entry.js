// JavaScript, so that the compile cache is active before the first TypeScript file.
import { enableCompileCache, flushCompileCache } from 'node:module'
import { workerData } from 'node:worker_threads'

if (workerData.compileCache !== null) enableCompileCache(workerData.compileCache)
const { servePlugin } = await import('./plugin-thread.ts')
servePlugin()
if (workerData.compileCache !== null) flushCompileCache()

// JavaScript, so that the compile cache is active before the first TypeScript file: type stripping needs much memory.
import { enableCompileCache, flushCompileCache } from 'node:module'
import { workerData } from 'node:worker_threads'

if (workerData.compileCache !== null) enableCompileCache(workerData.compileCache)
await import('./thread.ts')
if (workerData.compileCache !== null) flushCompileCache()

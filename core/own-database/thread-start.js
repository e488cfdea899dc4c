// The first lines of a thread. They are JavaScript so that what was compiled before is found before the first
// TypeScript file is read: the stripper alone takes more memory than all the rest of a thread.
import { enableCompileCache, flushCompileCache } from 'node:module'
import { workerData } from 'node:worker_threads'

if (workerData.compileCache !== null) enableCompileCache(workerData.compileCache)
await import('./thread.ts')
if (workerData.compileCache !== null) flushCompileCache()

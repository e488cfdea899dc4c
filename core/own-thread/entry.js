// JavaScript, so that the compile cache is active before the first TypeScript file.
import { enableCompileCache, flushCompileCache } from 'node:module'
import { pathToFileURL } from 'node:url'
import { workerData } from 'node:worker_threads'

if (workerData.compileCache !== null) enableCompileCache({ directory: workerData.compileCache, portable: true })
process.setSourceMapsEnabled(true)
const loaded = await import(pathToFileURL(workerData.module).href)
// A compiled module contains the entry that serves it.
const { serve } = 'serve' in loaded ? loaded : await import('./thread.ts')
serve(loaded.default)
if (workerData.compileCache !== null) flushCompileCache()

// JavaScript, so that the compile cache is active before the module of the thread.
import { enableCompileCache, flushCompileCache } from 'node:module'
import { pathToFileURL } from 'node:url'
import { workerData } from 'node:worker_threads'

if (workerData.compileCache !== null) enableCompileCache({ directory: workerData.compileCache, portable: true })
process.setSourceMapsEnabled(true)
const { awaitPlugin } = await import(pathToFileURL(workerData.thread).href)
await awaitPlugin()
if (workerData.compileCache !== null) flushCompileCache()

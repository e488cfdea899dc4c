// The floor of `npm run bench -- start`: the least that a service of these parts is: Fastify, undici, node:sqlite and one
// worker. JavaScript with the compile cache, like core/start.js.
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

const directory = process.env.PLAYHEAD_DATA_DIR ?? './data'
enableCompileCache(join(directory, 'cache'))
const { fastify } = await import('fastify')
const { Agent } = await import('undici')
const { DatabaseSync } = await import('node:sqlite')
const { Worker } = await import('node:worker_threads')

const database = new DatabaseSync(join(directory, 'floor.sqlite'))
database.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS facts (id INTEGER PRIMARY KEY, text TEXT)')
const agent = new Agent({ connections: 8 })
const worker = new Worker(
  new URL(
    'data:text/javascript,import { parentPort } from "node:worker_threads"; parentPort.on("message", (said) => parentPort.postMessage(said))',
  ),
  { resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 24 } },
)
worker.unref()
const app = fastify()
app.get('/api/health', () => ({
  ok: database.prepare('SELECT 1 AS one').get()?.one === 1,
  agent: agent.stats !== undefined,
}))
await app.listen({ host: process.env.PLAYHEAD_HOST, port: Number(process.env.PLAYHEAD_PORT) })
process.on('SIGTERM', () => process.exit(0))

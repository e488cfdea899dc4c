// Starts one stand-in from the command line: node test/upstreams/start.ts jellyfin --port 8096 --items 4000 --seed 1
import { parseArgs } from 'node:util'
import { startEmby } from './emby.ts'
import { startJellyfin } from './jellyfin.ts'
import type { MediaServer, MediaServerOptions } from './media-browser/server.ts'

type Start = (options: MediaServerOptions) => Promise<MediaServer>

const SERVERS: Readonly<Record<string, Start>> = { jellyfin: startJellyfin, emby: startEmby }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    port: { type: 'string', default: '8096' },
    items: { type: 'string', default: '400' },
    seed: { type: 'string', default: '1' },
    'latency-ms': { type: 'string', default: '0' },
    activity: { type: 'string', default: '0.2' },
  },
})
const start = SERVERS[positionals[0] ?? '']

if (start === undefined) {
  const options = '[--port 8096] [--items 400] [--seed 1] [--latency-ms 0] [--activity 0.2]'
  console.error(`usage: node test/upstreams/start.ts ${Object.keys(SERVERS).join('|')} ${options}`)
  process.exitCode = 1
} else {
  const items = Number(values.items)
  // A show comes to about sixteen items with its seasons and episodes: half of the items are films, half belong to shows.
  const size = { movies: Math.ceil(items / 2), shows: Math.ceil(items / 32) }
  const numbers = { port: Number(values.port), seed: Number(values.seed), activity: Number(values.activity) }
  const server = await start({ ...size, ...numbers, latencyMs: Number(values['latency-ms']) })
  console.log(`${server.name} at ${server.url} with ${server.items().length} items`)
  for (const { name, password, administrator } of server.world.users) {
    console.log(`sign in as ${name}, password ${password}${administrator ? ' (administrator)' : ''}`)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close())
}

// Starts one stand-in from the command line: node test/upstreams/start.ts jellyfin --port 8096 --items 4000 --seed 1
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { STARTERS } from './start-servers.ts'

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
const start = STARTERS[positionals[0] ?? '']

if (start === undefined) {
  const options = '[--port 8096] [--items 400] [--seed 1] [--latency-ms 0] [--activity 0.2]'
  console.error(`usage: node test/upstreams/start.ts ${Object.keys(STARTERS).join('|')} ${options}`)
  process.exitCode = 1
} else {
  const items = Number(values.items)
  const server = await start({
    // A show has about sixteen items with its seasons and episodes: half of the items are films, half belong to shows.
    movies: Math.ceil(items / 2),
    shows: Math.ceil(items / 32),
    port: Number(values.port),
    seed: Number(values.seed),
    activity: Number(values.activity),
    latencyMs: Number(values['latency-ms']),
  })
  for (const line of server.lines) console.log(line)
  const { approve } = server
  if (approve !== undefined) {
    console.log('type a code here to approve it')
    const input = createInterface({ input: process.stdin })
    input.on('line', (line) => {
      try {
        approve(line.trim())
        console.log('approved')
      } catch (error) {
        console.log((error as Error).message)
      }
    })
    process.once('SIGTERM', () => input.close())
    process.once('SIGINT', () => input.close())
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close())
}

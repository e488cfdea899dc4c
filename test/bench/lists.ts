// Lists over HTTP: processor time of the whole service for each request, beside a bare Fastify in its own process that sends a
// stored body of the same size.
import { Agent, get } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Figure } from './index.ts'
import { watchlistProviders } from './large-provider.ts'
import { quantile, run, until, type Running } from './server.ts'
import { ON, writePlugins } from './sync.ts'

const ROWS = Number(process.env['BENCH_ROWS'] ?? 5_000)
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3)
/** Requests of a round: at least so long, because the system counts processor time in coarse steps. */
const ROUND_MS = 1_000
/** Part of a path, to measure these alone. */
const ONLY = process.env['BENCH_ONLY'] ?? ''
const IDLE_MS = Number(process.env['BENCH_IDLE_S'] ?? 15) * 1_000

interface Asked {
  readonly what: string
  readonly path: string
  readonly isKnown?: boolean
  /** Milliseconds of processor time. */
  readonly aim?: number
}

const ASKED: readonly Asked[] = [
  { what: 'watchlist, whole', path: '/api/watchlist', aim: 15 },
  { what: 'watchlist, a page of 100', path: '/api/watchlist?limit=100', aim: 2 },
  { what: 'watchlist, 304', path: '/api/watchlist', isKnown: true, aim: 0.3 },
  { what: 'watchlist, a page, 304', path: '/api/watchlist?limit=100', isKnown: true, aim: 0.3 },
  ...[
    ['pairs', '/api/pairs'],
    ['settings', '/api/config'],
    ['library', '/api/library?limit=100'],
    ['history', '/api/history?limit=100'],
    ['statistics', '/api/statistics'],
    ['runs', '/api/runs'],
    ['plans', '/api/plans'],
    ['playlists', '/api/playlists/overview'],
    ['insights', '/api/insights'],
    ['wall', '/api/state/wall'],
    ['connections', '/api/connections'],
    ['plugins', '/api/plugins'],
    ['texts of plugins', '/api/plugin-texts/de'],
    ['events', '/api/events/groups?limit=50'],
    ['nothing but the access check', '/api/health'],
  ].flatMap(([what = '', path = '']) => [
    { what, path },
    { what: `${what}, 304`, path, isKnown: true, aim: 0.3 },
  ]),
]

export async function benchLists(): Promise<readonly Figure[]> {
  const root = await mkdtemp(join(tmpdir(), 'playhead-bench-lists-'))
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    await writePlugins(root, watchlistProviders(ROWS))
    const service = await run('shipped', root)
    const floor = await run('stored', join(root, 'floor'))
    try {
      await fill(service)
      const before = await service.ask('memory')
      // Work after a start and a run must not be counted.
      await sleep(IDLE_MS)
      const figures: Figure[] = []
      for (const { what, path, isKnown = false, aim } of ASKED.filter((one) => one.path.includes(ONLY))) {
        const first = await ask(agent, service, path)
        if (first.status !== 200) throw new Error(`${path} was answered ${first.status}`)
        if (isKnown && first.tag === undefined) continue
        const own: number[] = []
        const bare: number[] = []
        for (let round = 0; round < ROUNDS; round += 1) {
          const stored = `/stored/${first.bytes}`
          bare.push(await costOf(agent, floor, stored, isKnown ? '"stored"' : undefined))
          own.push(await costOf(agent, service, path, isKnown ? first.tag : undefined))
        }
        figures.push(
          {
            what: isKnown ? what : `${what} (${Math.round(first.bytes / 1_000)} kB)`,
            value: quantile(own, 0.5),
            unit: 'ms',
            ...(aim === undefined ? {} : { aim: `<= ${aim}` }),
          },
          { what: '  the least', value: Math.min(...own), unit: 'ms' },
          { what: '  floor', value: quantile(bare, 0.5), unit: 'ms' },
        )
      }
      figures.push({ what: 'memory of the service, full', value: before / 1e6, unit: 'MB' })
      figures.push({ what: 'memory of the service, after it', value: (await service.ask('memory')) / 1e6, unit: 'MB' })
      return figures
    } finally {
      await floor.stop()
      await service.stop()
    }
  } finally {
    agent.destroy()
    await rm(root, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** Both accounts are read by a run. */
async function fill(service: Running): Promise<void> {
  const json = async (path: string, body?: object): Promise<any> =>
    (
      await fetch(service.url + path, {
        headers: { cookie: service.cookie, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      })
    ).json()
  const side = { source: 'LARGEA', target: 'LARGEB', mode: 'one_way', enabled: true }
  await until(async () => (await json('/api/pairs', { ...side, features: { watchlist: ON } })).ok === true)
  const { run_id: id } = await json('/api/run', {})
  await until(
    async () =>
      (await json(`/api/runs/${id}`)).run?.finished_at != null || (await json('/api/run/summary')).running === false,
  )
  await until(async () => (await json('/api/watchlist?limit=1')).counts?.total === ROWS)
  await json('/api/library?fresh=true')
}

async function costOf(agent: Agent, server: Running, path: string, tag: string | undefined): Promise<number> {
  // The first requests of a kind compile code and fill caches.
  for (let index = 0; index < 10; index += 1) await ask(agent, server, path, tag)
  const before = await server.ask('cpu')
  let requests = 0
  for (const endsAt = performance.now() + ROUND_MS; performance.now() < endsAt; requests += 1) {
    const { status } = await ask(agent, server, path, tag)
    if (status !== (tag === undefined ? 200 : 304)) throw new Error(`${path} was answered ${status}`)
  }
  const after = await server.ask('cpu')
  return (after.user + after.system - before.user - before.system) / 1_000 / requests
}

interface Got {
  readonly status: number
  readonly bytes: number
  readonly tag: string | undefined
}

function ask(agent: Agent, { url, cookie }: Running, path: string, tag?: string): Promise<Got> {
  const headers = { cookie, ...(tag === undefined ? {} : { 'if-none-match': tag }) }
  return new Promise((resolve, reject) => {
    const request = get(url + path, { agent, headers }, (answer) => {
      let bytes = 0
      answer.on('data', (part: Buffer) => {
        bytes += part.length
      })
      answer.on('error', reject)
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, bytes, tag: answer.headers.etag }))
    })
    request.on('error', reject)
  })
}

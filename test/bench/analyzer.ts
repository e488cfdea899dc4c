// The analyzer over four accounts with 100,000 rows each, joined by pairs: the first pass, an unchanged pass, pages, and the
// stalls of the responding thread meanwhile.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { expectOk } from '../demo/sign-in.ts'
import { type Service, startService } from '../harness.ts'
import type { Figure } from './index.ts'
import { writePlugins } from './sync.ts'

const ROWS = Number(process.env['BENCH_ROWS'] ?? 100_000)
const REPEATS = 20
const FEATURES = ['watchlist', 'ratings', 'history']
const NAMES = ['LARGEA', 'LARGEB', 'LARGEC', 'LARGED']
const IDS = [['tmdb', 'imdb'], ['imdb', 'tvdb'], ['tmdb'], ['tmdb', 'imdb', 'tvdb']]

/** Every hundredth row is missing, a different one at each account. */
const source = (id: string, place: number) => `import { definePlugin, providerCapability } from '@playhead/sdk'

const ROWS = ${ROWS}
const SIZES = { watchlist: ROWS / 10, ratings: ROWS / 5, history: ROWS * 7 / 10 }
const SCHEMES = ${JSON.stringify(IDS[place])}
const SUPPORT = { read: true, add: true, update: true, remove: true, kinds: ['movie', 'show', 'season', 'episode'] }
const idsOf = (number) => Object.fromEntries(SCHEMES.map((scheme) => [scheme, scheme === 'imdb' ? 'tt' + (1_000_000 + number) : String(1_000 + number)]))
const timeOf = (index) => new Date(1_500_000_000_000 + index * 1_000_000).toISOString().slice(0, 19) + 'Z'

function item(feature, index) {
  if (feature === 'history' && index >= ROWS / 5) {
    const show = Math.floor(index / 50)
    return {
      type: 'episode', title: 'Episode ' + index, ids: {}, show_ids: idsOf(500_000 + show), series_title: 'A show with number ' + show, series_year: 1990 + (show % 30),
      season: 1 + Math.floor((index % 50) / 10), episode: 1 + (index % 10), watched: true, watched_at: timeOf(index),
    }
  }
  return {
    type: 'movie', title: 'A film with number ' + index, year: 1950 + (index % 70), ids: idsOf(index),
    ...(feature === 'history' ? { watched: true, watched_at: timeOf(index) } : feature === 'ratings' ? { rating: 1 + (index % 10), rated_at: timeOf(index) } : { added_at: timeOf(index) }),
  }
}

// One row changes with each read.
let reads = 0

export default definePlugin({
  setup(ctx) {
    ctx.provide(providerCapability('${id}'), {
      describe: () => ({
        id: '${id}', token: '${id.toLowerCase()}', label: '${id}', version: '1.0.0', vendor: null, description: null, group: 'tracker', bidirectional: true,
        features: { watchlist: SUPPORT, ratings: SUPPORT, history: SUPPORT },
        signIn: { flow: 'local', methods: ['local'], fields: [], actions: { start: false, finish: false, refresh: false, disconnect: false }, verifyUrl: null, notes: null },
      }),
      profiles: () => [{ id: 'default', label: '', configured: true, fingerprint: 'same' }],
      probe: async () => ({ status: 'ok', account: '${id}/user' }),
      libraries: async () => [],
      async *read(_instance, { feature }) {
        reads += 1
        const all = Array.from({ length: SIZES[feature] }, (_, index) => index)
        for (let at = 0; at < all.length; at += 1_000) {
          await new Promise((resolve) => setImmediate(resolve))
          yield { type: 'rows', rows: all.slice(at, at + 1_000).map((index) => item(feature, index % 100 === ${place} ? index + ROWS : index === 50 ? index + ROWS * 2 + reads : index)), total: all.length }
        }
        yield { type: 'end', end: { complete: true, semantics: 'present', account: '${id}/user', total: all.length } }
      },
      write: async (_instance, { items }) => ({ outcomes: items.map(({ key }) => ({ key, outcome: 'applied' })) }),
    })
  },
})
`

const manifest = (id: string) =>
  JSON.stringify({
    id: id.toLowerCase(),
    name: id,
    version: '1.0.0',
    api: '^1.0.0',
    kind: 'provider',
    provides: [`provider:${id}`],
    provider: { id, token: id.toLowerCase(), label: id },
  })

export async function benchAnalyzer(): Promise<readonly Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), 'playhead-bench-analyzer-'))
  const figures: Figure[] = []
  try {
    await writePlugins(
      directory,
      Object.fromEntries(
        NAMES.map((id, place) => [id.toLowerCase(), { 'plugin.json': manifest(id), 'index.ts': source(id, place) }]),
      ),
    )
    await using service = await startService({ shipped: true, watch: false, directory })
    await expectOk(service, '/api/config', { runtime: { debug: true } })
    for (const name of NAMES) await importAll(service, name)
    for (const [at, target] of NAMES.slice(1).entries())
      await expectOk(service, '/api/pairs', {
        source: NAMES[at],
        target,
        mode: 'two_way',
        enabled: true,
        features: Object.fromEntries(FEATURES.map((feature) => [feature, { enabled: true }])),
      })
    const problems = async (query = '') => {
      const { status, body } = await service.json(`/api/analyzer/problems?${query}`)
      if (status !== 200 || body.failed_rules.length > 0)
        throw new Error(`${status} ${JSON.stringify(body.failed_rules ?? body)}`)
      return body
    }
    // Rules are compiled once per version.
    await problems(`pairs=${await pairId(service)}`)
    const loop = monitorEventLoopDelay({ resolution: 1 })
    loop.enable()
    let body: Record<string, any> = {}
    const firstMs = await timed(async () => {
      body = await problems()
    })
    figures.push(
      { what: `a pass over 4 x ${ROWS} rows, loaded already`, value: firstMs, unit: 'ms' },
      { what: 'longest stall of the answering thread meanwhile', value: loop.max / 1e6, unit: 'ms', aim: '50' },
    )
    await importAll(service, NAMES[0]!, ['watchlist'])
    loop.reset()
    const [process0, main0] = [process.cpuUsage(), process.threadCpuUsage()]
    const wholeMs = await timed(async () => {
      body = await problems()
    })
    const cpu = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1_000
    figures.push(
      { what: `a pass over 4 x ${ROWS} rows, after one account was read`, value: wholeMs, unit: 'ms', aim: '3000' },
      { what: 'processor time of all threads for it', value: cpu(process.cpuUsage(process0)), unit: 'ms' },
      { what: 'processor time of the answering thread for it', value: cpu(process.threadCpuUsage(main0)), unit: 'ms' },
      { what: 'longest stall of the answering thread meanwhile', value: loop.max / 1e6, unit: 'ms', aim: '50' },
      { what: 'problems found', value: body['summary'].total, unit: '' },
    )
    for (const name of NAMES) await importAll(service, name)
    const process1 = process.cpuUsage()
    const allMs = await timed(async () => {
      body = await problems()
    })
    figures.push(
      { what: `a pass over 4 x ${ROWS} rows, after all accounts were read`, value: allMs, unit: 'ms', aim: '3000' },
      { what: 'processor time of all threads for it', value: cpu(process.cpuUsage(process1)), unit: 'ms' },
    )
    console.log(JSON.stringify(body['timings_ms']), JSON.stringify(body['summary'].by_type))
    loop.reset()
    for (const [what, ask] of [
      ['problems, nothing changed', () => problems('limit=0&attention_limit=0')],
      ['a page of 250 problems', () => problems('offset=1000')],
      ['a page of one type', () => problems('type=missing_peer&offset=500')],
      ['a page of 250 with hints', () => problems('include_hints=true&offset=2000')],
      ['a page of 500 rows', () => state(service, `offset=${Math.floor(ROWS * 1.5)}&limit=500`)],
      ['counts of rows', () => state(service, 'limit=0')],
    ] as const) {
      const times: number[] = []
      const onceMs = await timed(ask)
      for (let round = 0; round < REPEATS; round += 1) times.push(await timed(ask))
      times.sort((a, b) => a - b)
      figures.push(
        { what: `${what}: first`, value: onceMs, unit: 'ms' },
        { what: `${what}: median`, value: times[REPEATS / 2]!, unit: 'ms', aim: '50' },
        { what: `${what}: slowest of ${REPEATS}`, value: times.at(-1)!, unit: 'ms', aim: '50' },
      )
    }
    figures.push({
      what: 'longest stall of the answering thread for pages',
      value: loop.max / 1e6,
      unit: 'ms',
      aim: '50',
    })
    return figures
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 10 })
  }
}

async function state(service: Service, query: string): Promise<void> {
  const { status, body } = await service.json(`/api/analyzer/state?${query}`)
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
}

async function pairId(service: Service): Promise<string> {
  const { body } = await service.json('/api/pairs')
  return (body.pairs ?? body)[0].id
}

async function importAll(service: Service, provider: string, features = FEATURES): Promise<void> {
  for (const feature of features) {
    for (;;) {
      const { status, body } = await service.json('/api/editor/state/import', {
        json: { provider, features: [feature], force: true },
      })
      if (status === 200) break
      if (status !== 202 && status !== 409) throw new Error(`${status} ${JSON.stringify(body)}`)
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}

// The plugin host: the overhead of a request, the time from save to reload, and the time of a start.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { Agent } from 'undici'
import { largeSource } from '../soak/large-plugin.ts'
import { benchIdle } from './idle.ts'
import type { Figure } from './index.ts'
import { quantile, type Running, run } from './server.ts'

// Many short turns: machines drift, and a pair of turns drifts together.
const ROUNDS = 25
const LOAD_SECONDS = 1
const WARM_UP_TURNS = 4
const CONNECTIONS = 20
const SAVES = 40
const STARTS = 7
const PLUGINS = 40
const ROUTES_EACH = 8

export async function benchHost(): Promise<readonly Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), 'playhead-bench-'))
  try {
    return [
      ...(await benchRequests(directory)),
      ...(await benchSaves(directory)),
      ...(await benchStarts(directory)),
      ...(await benchIdle(directory)),
    ]
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 10 })
  }
}

async function benchRequests(root: string): Promise<readonly Figure[]> {
  const directory = join(root, 'requests')
  await writePlugins(directory, [
    {
      id: 'echo',
      files: { 'index.ts': ECHO },
      routes: [
        { method: 'GET', path: '/api/echo/:id' },
        { method: 'POST', path: '/api/echo' },
        { method: 'GET', path: '/api/page' },
      ],
    },
  ])
  const bare = await run('bare', directory)
  const ours = await run('service', directory)
  const measure = async ({ url, cookie, ask }: Running, { path, body }: Handler): Promise<Turn> => {
    const before = (await ask('thread')) as NodeJS.CpuUsage
    const { requests, non2xx, duration } = await autocannon({
      url: url + path,
      method: body === undefined ? 'GET' : 'POST',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: { cookie, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      connections: CONNECTIONS,
      duration: LOAD_SECONDS,
    })
    if (non2xx > 0) throw new Error(`${non2xx} answers were not 2xx`)
    const after = (await ask('thread')) as NodeJS.CpuUsage
    return {
      perSecond: requests.total / duration,
      microseconds: (after.user + after.system - before.user - before.system) / requests.total,
    }
  }
  const throughput = HANDLERS.map(() => [] as number[])
  const thread = HANDLERS.map(() => [] as number[])
  for (let turn = 0; turn < WARM_UP_TURNS; turn += 1)
    for (const handler of HANDLERS) for (const server of [bare, ours]) await measure(server, handler)
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, handler] of HANDLERS.entries()) {
      const [first, second] = round % 2 === 0 ? [bare, ours] : [ours, bare]
      const one = await measure(first, handler)
      const two = await measure(second, handler)
      const [bareTurn, ourTurn] = round % 2 === 0 ? [one, two] : [two, one]
      throughput[index]?.push(ourTurn.perSecond / bareTurn.perSecond)
      thread[index]?.push(bareTurn.microseconds / ourTurn.microseconds)
    }
  }
  await Promise.all([bare.stop(), ours.stop()])
  return HANDLERS.flatMap(({ name }, index) => [
    {
      what: `${name}, with a session, to bare Fastify: throughput`,
      value: quantile(throughput[index] as number[], 0.5),
      unit: 'ratio',
      aim: '>= 0.85',
    },
    // The throughput of a thread without other work; the client and neighbours of the machine do not count.
    {
      what: '  the same by the time of the thread that answers',
      value: quantile(thread[index] as number[], 0.5),
      unit: 'ratio',
      aim: '>= 0.85',
    },
  ])
}

interface Turn {
  readonly perSecond: number
  /** Main thread time per request. */
  readonly microseconds: number
}

interface Handler {
  readonly name: string
  readonly path: string
  readonly body?: object
}

// The first two do almost nothing, to make the host's overhead visible; the third is a typical list page.
const HANDLERS: readonly Handler[] = [
  { name: 'GET of three items through a plugin', path: '/api/echo/42?size=3' },
  {
    name: 'POST of one item through a plugin',
    path: '/api/echo',
    body: { title: 'A film', year: 1999, ids: { tmdb: 603 } },
  },
  { name: 'GET of a page of 50 items through a plugin', path: '/api/page' },
]

async function benchSaves(root: string): Promise<readonly Figure[]> {
  const directory = join(root, 'saves')
  const manifest = { section: 'large', provides: ['large:thing'], needs: { hosts: ['127.0.0.1:1'] } }
  await writePlugins(directory, [
    {
      id: 'large',
      files: largeSource(0),
      manifest,
      routes: [
        { method: 'GET', path: '/api/large' },
        { method: 'POST', path: '/api/large/:id' },
      ],
    },
    ...Array.from({ length: 13 }, (_unused, index) => plainPlugin(index)),
  ])
  const service = await run('service', directory)
  const agent = new Agent({ keepAliveTimeout: 60_000 })
  const version = async () => {
    const { body } = await agent.request({
      origin: service.url,
      path: '/api/large',
      method: 'GET',
      headers: { cookie: service.cookie },
    })
    return ((await body.json()) as { version: number }).version
  }
  const totals: number[] = []
  const blocks: number[] = []
  const phases: Record<string, number[]> = { watch_ms: [], compile_ms: [], stage_ms: [], publish_ms: [] }
  for (let save = 1; save <= SAVES + 5; save += 1) {
    await service.ask('reset')
    const startedAt = performance.now()
    await writeFile(join(directory, 'plugins', 'large', 'index.ts'), largeSource(save)['index.ts'] as string)
    while ((await version()) !== save) await new Promise((resolve) => setTimeout(resolve, 1))
    // The first saves warm up the compiler.
    if (save <= 5) continue
    totals.push(performance.now() - startedAt)
    blocks.push((await service.ask('block')) as number)
    const answer = await agent.request({
      origin: service.url,
      path: '/api/plugins/large',
      method: 'GET',
      headers: { cookie: service.cookie },
    })
    const { plugin } = (await answer.body.json()) as { plugin: { phases: Record<string, number> } }
    for (const [phase, list] of Object.entries(phases)) list.push(plugin.phases[phase] ?? 0)
  }
  await agent.close()
  await service.stop()
  return [
    { what: 'save to served, 300 KB plugin among 14: median', value: quantile(totals, 0.5), unit: 'ms', aim: '< 150' },
    { what: 'save to served, 300 KB plugin among 14: p95', value: quantile(totals, 0.95), unit: 'ms', aim: '< 250' },
    ...Object.entries(phases).map(([phase, list]) => ({
      what: `  of that, ${phase.replace('_ms', '')}: median`,
      value: quantile(list, 0.5),
      unit: 'ms',
    })),
    { what: 'longest event-loop block per reload: median', value: quantile(blocks, 0.5), unit: 'ms', aim: '< 40' },
    { what: 'longest event-loop block per reload: worst', value: Math.max(...blocks), unit: 'ms', aim: '< 40' },
  ]
}

async function benchStarts(root: string): Promise<readonly Figure[]> {
  const directory = join(root, 'starts')
  await writePlugins(
    directory,
    Array.from({ length: PLUGINS }, (_unused, index) => plainPlugin(index)),
  )
  // Node writes its compile cache when a process exits normally.
  for (const kind of ['bare-many', 'service']) await (await run(kind, directory)).end()
  const ratios: number[] = []
  const times: number[] = []
  let memory = 0
  for (let round = 0; round < STARTS; round += 1) {
    const bare = await startTime('bare-many', directory)
    const ours = await startTime('service', directory)
    ratios.push(ours.ms / bare.ms)
    times.push(ours.ms)
    if (round === STARTS - 1) {
      await new Promise((resolve) => setTimeout(resolve, 3_000))
      memory = (await ours.running.ask('memory')) as number
    }
    await Promise.all([bare.running.stop(), ours.running.stop()])
  }
  return [
    {
      what: `start to first 200 with ${PLUGINS} plugins from a warm cache, to bare Fastify with ${PLUGINS * ROUTES_EACH} routes`,
      value: quantile(ratios, 0.5),
      unit: 'ratio',
      aim: '<= 3',
    },
    { what: `start to first 200 with ${PLUGINS} plugins: median`, value: quantile(times, 0.5), unit: 'ms' },
    { what: `idle resident memory with ${PLUGINS} plugins`, value: memory / 1e6, unit: 'MB' },
  ]
}

async function startTime(kind: string, directory: string): Promise<{ ms: number; running: Running }> {
  const startedAt = performance.now()
  const running = await run(kind, directory)
  const answer = await fetch(`${running.url}/api/plain-${PLUGINS - 1}/0`, { headers: { cookie: running.cookie } })
  if (answer.status !== 200) throw new Error(`the last plugin answered ${answer.status}`)
  await answer.arrayBuffer()
  return { ms: performance.now() - startedAt, running }
}

interface BenchPlugin {
  readonly id: string
  readonly files: Readonly<Record<string, string>>
  readonly manifest?: object
  readonly routes: readonly object[]
}

async function writePlugins(directory: string, plugins: readonly BenchPlugin[]): Promise<void> {
  for (const { id, files, manifest, routes } of plugins) {
    const folder = join(directory, 'plugins', id)
    await mkdir(folder, { recursive: true })
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
    await writeFile(
      join(folder, 'plugin.json'),
      JSON.stringify({ id, name: id, version: '1.0.0', api: '^1.0.0', kind: 'service', routes, ...manifest }),
    )
  }
  await writeFile(
    join(directory, 'plugin-registry.json'),
    JSON.stringify({ version: 1, plugins: plugins.map(({ id }) => ({ id, source: `./plugins/${id}` })) }),
  )
}

function plainPlugin(index: number): BenchPlugin {
  const routes = Array.from({ length: ROUTES_EACH }, (_unused, route) => `/api/plain-${index}/${route}`)
  return {
    id: `plain-${index}`,
    routes: routes.map((path) => ({ method: 'GET', path })),
    files: {
      'index.ts': `import { definePlugin, Type } from '@playhead/sdk'
const Answer = Type.Object({ ok: Type.Boolean(), route: Type.Integer() })
export default definePlugin({
  setup(ctx) { ctx.every('1h', 'tidy', () => {}) },
  routes(app) {
    ${routes.map((path, route) => `app.get('${path}', { schema: { response: { 200: Answer } } }, () => ({ ok: true, route: ${route} }))`).join('\n    ')}
  },
})
`,
    },
  }
}

const ECHO = `import { definePlugin, Type } from '@playhead/sdk'
const Query = Type.Object({ size: Type.Integer({ default: 1 }) })
const Params = Type.Object({ id: Type.String() })
const Item = Type.Object({ title: Type.String(), year: Type.Integer(), ids: Type.Record(Type.String(), Type.Integer()) })
const Answer = Type.Object({ ok: Type.Boolean(), id: Type.String(), items: Type.Array(Item) })
const ITEM = { title: 'A film', year: 1999, ids: { tmdb: 603 } }
const PAGE = Array.from({ length: 100 }, (_unused, index) => ({ title: 'Film number ' + index, year: 1920 + index, ids: { tmdb: index, imdb: index * 7 } }))
export default definePlugin({
  routes(app) {
    app.get('/api/echo/:id', { schema: { querystring: Query, params: Params, response: { 200: Answer } } }, async (request) => ({ ok: true, id: request.params.id, items: Array(request.query.size).fill(ITEM) }))
    app.get('/api/page', { schema: { response: { 200: Answer } } }, async () => ({ ok: true, id: 'page', items: PAGE.filter((item) => item.year > 1950).sort((a, b) => b.year - a.year).slice(0, 50) }))
    app.post('/api/echo', { schema: { body: Item, response: { 200: Answer } } }, async (request) => ({ ok: true, id: 'new', items: [request.body] }))
  },
})
`

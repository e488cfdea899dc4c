// `npm run generate:examples`: writes the examples of the API description (api.json beside each plugin.json) from the
// demo: signs in to stand-ins of services, makes pairs, runs, and calls every operation that can be called there. What
// the demo cannot show keeps the example that is there.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPlayhead } from '../../core/main.ts'
import { readEnvironment } from '../../core/environment.ts'
import { NOTES_FILE, type Notes, type OperationNotes } from '../../core/http/openapi/notes.ts'
import { CALLS, type ExampleCall, LAST_CALLS } from './example-calls.ts'
import { steady } from './steady.ts'
import {
  type Client,
  expectOk,
  runToEnd,
  signInByQuickConnect,
  signInToEmby,
  signInToPlex,
  signInToTrakt,
} from './sign-in.ts'
import { startDemoWorld } from './world.ts'

const CORE = join(import.meta.dirname, '../../core/http/openapi')
const ACCOUNT = { username: 'ada', password: 'watch state everywhere' }
const MAX_BYTES = 6_000
const MAX_TEXT = 600

interface Described {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema: object }>> }>>
}

const directory = await mkdtemp(join(tmpdir(), 'playhead-examples-'))
await using stack = new AsyncDisposableStack()
stack.defer(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))
const world = stack.use(await startDemoWorld())
const playhead = await startPlayhead({
  environment: readEnvironment({ PLAYHEAD_DATA_DIR: directory, PLAYHEAD_PORT: '0', PLAYHEAD_LOG_LEVEL: 'error' }),
  logTo: (text) => process.stderr.write(text),
  processGuards: false,
  host: { watch: false, watchdog: false },
})
stack.defer(() => playhead.stop())
await playhead.host.settled()

let cookie = ''
const recorded = new Map<string, OperationNotes>()
/** Values that later calls name, such as ids. */
const kept = new Map<string, unknown>(
  Object.entries({ password: ACCOUNT.password, jellyfin: world.jellyfin.url, emby: world.emby.url }),
)

const client: Client = {
  async json(path, { json, ...init } = {}) {
    const answer = await request(init.method ?? (json === undefined ? 'GET' : 'POST'), path, json)
    return { status: answer.status, body: await answer.json() }
  },
}
await expectOk(client, '/api/app-auth/credentials', { enabled: true, ...ACCOUNT })
const description = (await client.json('/openapi.json')).body
const paths = description.paths as Record<string, Record<string, Described>>
const schemas = description.components.schemas as Record<string, object>

await signInByQuickConnect(client, world.jellyfin)
await signInToEmby(client, world.emby)
await signInToPlex(client, world.plex)
await signInToTrakt(client, world.trakt)
await world.anime.signIn(client, playhead.url, (address) => fetch(address, { headers: { cookie } }))
await world.anime.switchOn(client)
await makeHistory()
for (const call of CALLS) await record(call)
const covered = new Set([...CALLS, ...LAST_CALLS].map(({ name }) => name))
for (const [path, methods] of Object.entries(paths))
  if (methods['get'] !== undefined && !path.includes('{') && !covered.has(`GET ${path}`))
    await record({ name: `GET ${path}` })
for (const call of LAST_CALLS) await record(call)
await writeNotes()

async function makeHistory(): Promise<void> {
  const on = { enabled: true, add: true, remove: true }
  const pair = { source: 'MEDIAB', target: 'TRACKA', mode: 'one_way', enabled: true }
  const { id } = await expectOk(client, '/api/pairs', { ...pair, name: 'Jellyfin to Trakt', features: { history: on } })
  await expectOk(client, '/api/pairs', {
    ...pair,
    source: 'MEDIAA',
    mode: 'two_way',
    features: { ratings: on, watchlist: on },
  })
  kept.set('pair_id', id)
  kept.set('playlist_pair_id', await world.playlist.map(client))
  const dry = await runToEnd(client, { dry_run: true })
  kept.set('plan_id', dry.pairs.flatMap((one: any) => one.features).find((one: any) => one.plan_id !== null)?.plan_id)
  const run = await runToEnd(client)
  kept.set('run_id', run.run_id)
}

async function request(method: string, path: string, json?: unknown, file?: string): Promise<Response> {
  const form = new FormData()
  if (file !== undefined) form.set('file', new File([file], 'ratings.csv'))
  const answer = await fetch(playhead.url + path, {
    method,
    redirect: 'manual',
    ...(file !== undefined ? { body: form } : json === undefined ? {} : { body: JSON.stringify(json) }),
    headers: { cookie, ...(json === undefined ? {} : { 'content-type': 'application/json' }) },
    signal: AbortSignal.timeout(60_000),
  })
  const given = answer.headers.get('set-cookie')?.split(';')[0]
  if (given !== undefined && !given.endsWith('=')) cookie = given
  return answer
}

async function record({ name, params, query, body, file, keep }: ExampleCall): Promise<void> {
  const [method, shape] = name.split(' ') as [string, string]
  const operation = paths[shape]?.[method.toLowerCase()]
  if (operation === undefined) return void process.stderr.write(`${name} is not described\n`)
  const types = Object.keys(operation.responses['200']?.content ?? operation.responses['202']?.content ?? {})
  if (types.some((type) => type.startsWith('text/event-stream'))) return
  const given = { params: filled(params), query: filled(query), request: filled(body) }
  const path = shape.replaceAll(/\{(\w+)\}/g, (_, one: string) => encodeURIComponent(String(given.params?.[one])))
  const search = given.query === undefined ? '' : `?${new URLSearchParams(given.query as Record<string, string>)}`
  const answer = await request(method, path + search, given.request, file).catch(() => undefined)
  if (answer === undefined || !answer.ok) {
    process.stderr.write(`${name} answered ${answer?.status}: ${(await answer?.text())?.slice(0, 200)}\n`)
    return
  }
  const type = answer.headers.get('content-type') ?? ''
  if (!type.includes('json') && !type.startsWith('text/')) return void (await answer.arrayBuffer())
  const response: any = type.includes('json') ? await answer.json() : (await answer.text()).slice(0, MAX_TEXT)
  for (const [as, read] of Object.entries(keep ?? {})) kept.set(as, read(response))
  const schema = operation.responses[String(answer.status)]?.content?.[types[0] ?? '']?.schema
  const example = steady(
    { ...given, ...(answer.status === 200 ? {} : { status: answer.status }), response },
    schema,
    schemas,
  )
  if (JSON.stringify(example).length > MAX_BYTES) process.stderr.write(`${name} is long\n`)
  recorded.set(name, example as OperationNotes)
}

/** `$name` is a value that an earlier call gave. */
function filled<Value>(value: Value): Value {
  if (typeof value === 'string') return (value.startsWith('$') ? kept.get(value.slice(1)) : value) as Value
  if (Array.isArray(value)) return value.map(filled) as Value
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one)])) as Value
}

async function writeNotes(): Promise<void> {
  const owners = new Map<string, string>()
  for (const { directory: folder } of playhead.host.described()) {
    const manifest = JSON.parse(await readFile(join(folder, 'plugin.json'), 'utf8')) as {
      routes?: { method: string; path: string }[]
    }
    for (const { method, path } of manifest.routes ?? [])
      owners.set(`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`, folder)
  }
  const byFolder = Map.groupBy(recorded, ([name]) => owners.get(name) ?? CORE)
  for (const [folder, own] of byFolder) {
    const file = join(folder, NOTES_FILE)
    const before = JSON.parse(await readFile(file, 'utf8').catch(() => '{}')) as Notes
    const operations: Record<string, OperationNotes> = { ...before.operations }
    for (const [name, notes] of own) {
      const errors = before.operations?.[name]?.errors
      operations[name] = { ...(errors === undefined ? {} : { errors }), ...notes }
    }
    const sorted = Object.fromEntries(Object.entries(operations).sort(([a], [b]) => (a < b ? -1 : 1)))
    await writeFile(file, `${JSON.stringify({ ...before, operations: sorted }, null, 1)}\n`)
  }
  process.stdout.write(`${recorded.size} examples in ${byFolder.size} files\n`)
}

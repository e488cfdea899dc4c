// A service with the stand-ins of the demo, with accounts, pairs, runs and a playlist. The generated client calls its described
// operations, for the examples of the description and for the test that compares responses with it.
import { type PlayheadOptions, startPlayhead } from '../../core/main.ts'
import { readEnvironment } from '../../core/environment.ts'
import { createClient, isApiError, type Operation } from '../../sdk/client/index.ts'
import { lendSnapshots, shareCaches } from '../shared-caches.ts'
import type { ExampleCall } from './example-calls.ts'
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

const ACCOUNT = { username: 'ada', password: 'watch state everywhere' }

export interface Described {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[]
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema: object }>> }>>
}

export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

/** A sent call and its response, including refusals. */
export interface Played {
  readonly name: string
  readonly operation: Described
  readonly given: { readonly params?: unknown; readonly query?: unknown; readonly request?: unknown }
  readonly status: number
  /** Media type; empty for a refusal. */
  readonly type: string
  /** Parsed if it is JSON; undefined for a stream. */
  readonly body: any
}

export type DescribedService = Awaited<ReturnType<typeof startDescribedService>>

export async function startDescribedService(
  directory: string,
  options: Pick<PlayheadOptions, 'onAnswer' | 'logTo'> = {},
) {
  await using stack = new AsyncDisposableStack()
  const world = stack.use(await startDemoWorld())
  await shareCaches(directory)
  await lendSnapshots(directory)
  const playhead = await startPlayhead({
    environment: readEnvironment({ PLAYHEAD_DATA_DIR: directory, PLAYHEAD_PORT: '0', PLAYHEAD_LOG_LEVEL: 'error' }),
    ...options,
    processGuards: false,
    host: { watch: false, watchdog: false },
  })
  stack.defer(() => playhead.stop())
  await playhead.host.settled()

  let cookie = ''
  /** Values that later calls refer to, such as ids. */
  const kept = new Map<string, unknown>(
    Object.entries({ password: ACCOUNT.password, jellyfin: world.jellyfin.url, emby: world.emby.url }),
  )

  async function send(address: string, init: RequestInit = {}): Promise<Response> {
    const { signal } = init
    const answer = await fetch(address, {
      ...init,
      redirect: 'manual',
      headers: { ...(init.headers as Record<string, string> | undefined), cookie },
      signal: AbortSignal.any([AbortSignal.timeout(60_000), ...(signal ? [signal] : [])]),
    })
    const set = answer.headers.get('set-cookie')?.split(';')[0]
    if (set !== undefined && !set.endsWith('=')) cookie = set
    return answer
  }
  const client: Client = {
    async json(path, { json, ...init } = {}) {
      const answer = await send(playhead.url + path, {
        method: json === undefined ? 'GET' : 'POST',
        ...init,
        ...(json === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) }),
      })
      return { status: answer.status, body: await answer.json() }
    },
  }
  const generated = createClient({ url: playhead.url, fetch: send })

  /** Calls one operation. A refusal is a response, too. */
  async function play({ name, params, query, body, file, keep }: ExampleCall): Promise<Played> {
    const [method, path] = name.split(' ') as [string, string]
    const operation = description.paths[path]?.[method.toLowerCase()]
    if (operation === undefined) throw new Error(`${name} is not described`)
    const given = { params: filled(params), query: filled(query), request: filled(body) }
    const form = new FormData()
    if (file !== undefined) form.set('file', new File([file], 'ratings.csv'))
    try {
      const answer = await generated.open(
        name as Operation,
        { ...given, body: file === undefined ? given.request : form } as never,
      )
      const type = answer.headers.get('content-type')?.split(';')[0] ?? ''
      const played = { name, operation, given, status: answer.status, type }
      if (type === 'text/event-stream') {
        void answer.body?.cancel()
        return { ...played, body: undefined }
      }
      const text = await answer.text()
      const content: unknown = type === 'application/json' ? JSON.parse(text) : text
      for (const [as, read] of Object.entries(keep ?? {})) kept.set(as, read(content))
      return { ...played, body: content }
    } catch (error) {
      if (!isApiError(error) || error.status === 0) throw error
      return { name, operation, given, status: error.status, type: '', body: error.body }
    }
  }

  /** `$name` refers to a value of an earlier response. */
  function filled<Value>(value: Value): Value {
    if (typeof value === 'string') return (value.startsWith('$') ? kept.get(value.slice(1)) : value) as Value
    if (Array.isArray(value)) return value.map(filled) as Value
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one)])) as Value
  }

  await expectOk(client, '/api/app-auth/credentials', { enabled: true, ...ACCOUNT })
  const description: Description = (await client.json('/openapi.json')).body
  await signInByQuickConnect(client, world.jellyfin)
  await signInToEmby(client, world.emby)
  await signInToPlex(client, world.plex)
  await signInToTrakt(client, world.trakt)
  await world.anime.signIn(client, playhead.url, (address) => send(address))
  await world.anime.switchOn(client)

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
  kept.set('run_id', (await runToEnd(client)).run_id)

  const owned = stack.move()
  return {
    playhead,
    world,
    description,
    play,
    /** GET operations without required parameters. */
    parameterless: Object.entries(description.paths)
      .filter(([, { get }]) => get !== undefined && get.parameters?.some(({ required }) => required) !== true)
      .map(([path]): ExampleCall => ({ name: `GET ${path}` })),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

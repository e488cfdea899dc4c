// What the tests of the SIMKL plugin share: the plugin in a host, signed in at a stand-in.
import {
  collectRead, defineProvider, type Feature, type Item, type Provider, type ProviderKit, type ReadEnd, type ReadRequest, type WriteItem,
} from '@playhead/sdk'
import { createTestAccounts, createTestHost, type TestAccounts, type TestHost } from '@playhead/sdk/testing'
import { definition } from '../../../plugins/providers/simkl/provider.ts'
import type { Session } from '../../../plugins/providers/simkl/session.ts'
import type { Profile } from '../../../plugins/providers/simkl/settings.ts'
import { type Simkl, type SimklOptions, startSimkl, type Work } from '../../upstreams/simkl.ts'

export interface Bench extends AsyncDisposable {
  readonly simkl: Simkl
  readonly host: TestHost
  readonly provider: Provider
  readonly accounts: TestAccounts
  readonly kit: ProviderKit<Profile, Session>
  /** All rows of a read, and how it ended. */
  read(feature: Feature, request?: Partial<ReadRequest>, instance?: string): Promise<{ readonly rows: readonly Item[]; readonly end: ReadEnd }>
  /** Outcomes as `applied` or `rejected:would_remove_rating`, in the order of the items. */
  write(feature: Feature, op: 'add' | 'update' | 'remove', items: readonly Item[], instance?: string): Promise<string[]>
  post(path: string, payload?: object): Promise<{ readonly status: number; readonly body: any }>
  /** Time goes by, so that what happens next has another time than what was before, and is asked for anew. */
  later(): void
  /** Method and path of the requests since the last call. */
  asked(): string[]
}

export interface BenchOptions extends SimklOptions {
  readonly settings?: Readonly<Record<string, unknown>>
  readonly signedIn?: boolean
}

export const FREE_OF_LIMITS = { get_per_sec: 0, post_per_sec: 0 }
/** Times of changes are told in seconds, so that only what is a little older is sure. */
const BEHIND_MS = 60_000

export async function startBench({ settings = {}, signedIn = true, ...options }: BenchOptions = {}): Promise<Bench> {
  const simkl = await startSimkl({ limits: false, nowMs: () => Date.now() - BEHIND_MS, ...options })
  const accounts = createTestAccounts()
  let kit: ProviderKit<Profile, Session> | undefined
  const plugin = defineProvider({
    ...definition,
    setup(_ctx, given) {
      kit = given
    },
  })
  const host = await createTestHost({
    plugin,
    manifest: new URL('../../../plugins/providers/simkl/plugin.json', import.meta.url),
    capabilities: { accounts },
    config: {
      api_url: simkl.url,
      client_id: simkl.clientId,
      client_secret: simkl.clientSecret,
      rate_limit: FREE_OF_LIMITS,
      ...(signedIn ? { access_token: simkl.signIn() } : {}),
      ...settings,
    },
  })
  const provider = host.capability<Provider>('provider:TRACKB') as unknown as Provider
  let counted = 0

  return {
    simkl,
    host,
    provider,
    accounts,
    get kit() {
      if (kit === undefined) throw new Error('the plugin was not set up')
      return kit
    },
    read: (feature, request = {}, instance = 'default') => collectRead(provider.read(instance, { feature, ...request })),
    async write(feature, op, items, instance = 'default') {
      const written = items.map((item, index): WriteItem => ({ key: `k${index}`, item }))
      const { outcomes } = await provider.write(instance, { feature, op, items: written })
      return outcomes.map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome}:${reason}`))
    },
    async post(path, payload) {
      const answer = await host.inject({ method: 'POST', url: path, ...(payload === undefined ? {} : { payload }) })
      return { status: answer.statusCode, body: answer.json() }
    },
    later() {
      simkl.advance(2_000)
      kit?.session('default').activities.drop()
    },
    asked() {
      const since = simkl.requests.slice(counted)
      counted = simkl.requests.length
      return since.map(({ method, path }) => `${method} ${path}`)
    },
    async [Symbol.asyncDispose]() {
      await host.close()
      await simkl.close()
    },
  }
}

/** A work of the stand-in as another provider would name it. */
export function itemOf(work: Work, more: Partial<Item> = {}): Item {
  const { mal: _mal, anidb: _anidb, ...ids } = work.ids
  const isFilm = work.part === 'movies' || work.animeType === 'movie'
  return { type: isFilm ? 'movie' : 'show', ids: ids as Item['ids'], ...more }
}

/** An episode that is known by its show and its numbers. */
export function episodeOf(work: Work, season: number, episode: number, more: Partial<Item> = {}): Item {
  return { type: 'episode', ids: {}, show_ids: itemOf(work).ids, season, episode, ...more }
}

export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'nothing was thrown'
  } catch (error) {
    return String((error as { readonly code?: unknown }).code)
  }
}

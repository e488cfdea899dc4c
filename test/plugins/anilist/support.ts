// What the tests of the AniList plugin share: the plugin in a host, signed in at a stand-in.
import {
  collectRead,
  defineProvider,
  type Feature,
  type Item,
  type Provider,
  type ProviderKit,
  type ReadRequest,
  type WriteResult,
} from '@playhead/sdk'
import { createTestAccounts, createTestHost, type TestClock, type TestHost } from '@playhead/sdk/testing'
import { definition } from '../../../plugins/providers/anilist/provider.ts'
import type { Session } from '../../../plugins/providers/anilist/session.ts'
import type { Profile } from '../../../plugins/providers/anilist/settings.ts'
import { type AniList, type AniListOptions, type Media, startAniList } from '../../upstreams/anilist.ts'

export interface Bench extends AsyncDisposable {
  readonly anilist: AniList
  readonly host: TestHost
  readonly provider: Provider
  readonly kit: ProviderKit<Profile, Session>
  read(feature: Feature, request?: Partial<ReadRequest>, instance?: string): ReturnType<typeof collectRead>
  /** Outcomes as `applied` or `rejected:not_on_list`, in the order of the items. */
  write(feature: Feature, op: 'add' | 'update' | 'remove', items: readonly Item[], instance?: string): Promise<string[]>
  send(feature: Feature, op: 'add' | 'update' | 'remove', items: readonly Item[], instance?: string): Promise<WriteResult>
  /** Requests to the API since the last call. */
  asked(): number
  call(
    method: 'GET' | 'POST',
    url: string,
    payload?: object,
  ): Promise<{ readonly status: number; readonly body: any; readonly text: string; readonly type: string }>
}

export interface BenchOptions extends AniListOptions {
  readonly settings?: Readonly<Record<string, unknown>>
  readonly signedIn?: boolean
  readonly capabilities?: Readonly<Record<string, object>>
  readonly clock?: TestClock
}

export async function startBench({ settings = {}, signedIn = true, capabilities, clock, ...options }: BenchOptions = {}): Promise<Bench> {
  const anilist = await startAniList({ rateLimits: false, ...options })
  let kit: ProviderKit<Profile, Session> | undefined
  const plugin = defineProvider({
    ...definition,
    setup(_ctx, given) {
      kit = given
    },
  })
  const host = await createTestHost({
    plugin,
    manifest: new URL('../../../plugins/providers/anilist/plugin.json', import.meta.url),
    capabilities: capabilities ?? { accounts: createTestAccounts() },
    ...(clock === undefined ? {} : { clock }),
    config: {
      ...addressesOf(anilist),
      client_id: anilist.clientId,
      client_secret: anilist.clientSecret,
      requests_per_minute: 0,
      ...(signedIn ? { access_token: anilist.signIn(), user: { id: anilist.user.account.id, name: anilist.user.account.name } } : {}),
      ...settings,
    },
  })
  const provider = host.capability<Provider>('provider:ANIMEA') as unknown as Provider
  let counted = 0
  const send: Bench['send'] = (feature, op, items, instance = 'default') =>
    provider.write(instance, { feature, op, items: items.map((item, index) => ({ key: `k${index}`, item })) })

  return {
    anilist,
    host,
    provider,
    send,
    get kit() {
      if (kit === undefined) throw new Error('the plugin was not set up')
      return kit
    },
    read: (feature, request = {}, instance = 'default') => collectRead(provider.read(instance, { feature, ...request })),
    async write(feature, op, items, instance) {
      const { outcomes } = await send(feature, op, items, instance)
      return outcomes.map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome}:${reason}`))
    },
    asked() {
      const since = anilist.requests.slice(counted).filter(({ path }) => path === '/')
      counted = anilist.requests.length
      return since.length
    },
    async call(method, url, payload) {
      const answer = await host.inject({ method, url, ...(payload === undefined ? {} : { payload }) })
      const type = String(answer.headers['content-type'])
      return { status: answer.statusCode, type, text: answer.body, body: type.startsWith('application/json') ? answer.json() : undefined }
    },
    async [Symbol.asyncDispose]() {
      await host.close()
      await anilist.close()
    },
  }
}

export function addressesOf(anilist: AniList): { readonly api_url: string; readonly oauth_url: string } {
  return { api_url: anilist.url, oauth_url: anilist.oauthUrl }
}

/** A work of the stand-in as another account of the service would name it. */
export function itemOf({ id, idMal, format }: Media, more: Partial<Item> = {}): Item {
  return {
    type: 'anime',
    ...(format === 'MOVIE' ? { film: true } : {}),
    ids: { anilist: String(id), ...(idMal === null ? {} : { mal: String(idMal) }) },
    ...more,
  }
}

export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'nothing was thrown'
  } catch (error) {
    return String((error as { readonly code?: unknown }).code)
  }
}

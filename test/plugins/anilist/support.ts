// Shared by the tests of the AniList plugin: the plugin in a host, signed in at a stand-in.
import type { Item, ProviderKit } from '@playhead/sdk'
import { createTestAccounts, createTestHost, type TestClock, type TestHost } from '@playhead/sdk/testing'
import { definition } from '../../../plugins/providers/anilist/provider.ts'
import type { Session } from '../../../plugins/providers/anilist/session.ts'
import type { Profile } from '../../../plugins/providers/anilist/settings.ts'
import type { Service } from '../../harness.ts'
import { type AniList, type AniListOptions, type Media, startAniList } from '../../upstreams/anilist.ts'
import { shippedManifest, sinceLast, type Talk, talkTo, withKit } from '../provider-bench.ts'

export { codeOf } from '../provider-bench.ts'

export interface Bench extends Omit<Talk, 'call'>, AsyncDisposable {
  readonly anilist: AniList
  readonly host: TestHost
  readonly kit: ProviderKit<Profile, Session>
  /** Number of API requests since the last call. */
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
  /** The plugin ships with the stand-in's application. */
  readonly ships?: boolean
  readonly capabilities?: Readonly<Record<string, object>>
  readonly clock?: TestClock
}

export async function startBench({
  settings = {},
  signedIn = true,
  ships,
  capabilities,
  clock,
  ...options
}: BenchOptions = {}): Promise<Bench> {
  const anilist = await startAniList({ rateLimits: false, ...options })
  const { plugin, kit } = withKit(definition)
  const host = await createTestHost({
    plugin,
    manifest: shippedManifest('anilist', ships === true ? anilist.clientId : undefined),
    capabilities: capabilities ?? { accounts: createTestAccounts() },
    ...(clock === undefined ? {} : { clock }),
    config: {
      ...addressesOf(anilist),
      client_id: anilist.clientId,
      client_secret: anilist.clientSecret,
      requests_per_minute: 0,
      ...(signedIn
        ? { access_token: anilist.signIn(), user: { id: anilist.user.account.id, name: anilist.user.account.name } }
        : {}),
      ...settings,
    },
  })
  const since = sinceLast(anilist)

  return {
    anilist,
    host,
    ...talkTo(host, 'ANIMEA'),
    get kit() {
      return kit()
    },
    asked: () => since().filter(({ path }) => path === '/').length,
    async call(method, url, payload) {
      const answer = await host.inject({ method, url, ...(payload === undefined ? {} : { payload }) })
      const type = String(answer.headers['content-type'])
      return {
        status: answer.statusCode,
        type,
        text: answer.body,
        body: type.startsWith('application/json') ? answer.json() : undefined,
      }
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

/** A work of the stand-in as an item of another account. */
export function itemOf({ id, idMal, format }: Media, more: Partial<Item> = {}): Item {
  return {
    type: 'anime',
    ...(format === 'MOVIE' ? { film: true } : {}),
    ids: { anilist: String(id), ...(idMal === null ? {} : { mal: String(idMal) }) },
    ...more,
  }
}

/** The browser returns from the service's page with its Playhead session. */
export async function authorize(service: Service, anilist: AniList, address: string, name?: string): Promise<Response> {
  return fetch(anilist.authorize(address, name), { headers: { cookie: service.cookie() } })
}

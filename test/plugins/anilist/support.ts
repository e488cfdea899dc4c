// Shared by the tests of the AniList plugin: the plugin in a host, signed in at a stand-in.
import { createTestAccounts } from '@playhead/sdk/testing'
import { definition } from '../../../plugins/providers/anilist/index.ts'
import type { Service } from '../../harness.ts'
import { anilistSettings, anilistToken } from '../../stands/anilist.ts'
import { type AniList, type AniListOptions, startAniList } from '../../upstreams/anilist.ts'
import { openBench, type SignInOptions, shippedManifest, withKit } from '../provider-bench.ts'

export { anilistAddresses as addressesOf, anilistItem as itemOf } from '../../stands/anilist.ts'
export { codeOf } from '../provider-bench.ts'

export type Bench = Awaited<ReturnType<typeof startBench>>

export async function startBench({
  settings = {},
  signedIn = true,
  ships = false,
  capabilities = { accounts: createTestAccounts() },
  clock,
  ...options
}: AniListOptions & SignInOptions = {}) {
  const anilist = await startAniList({ rateLimits: false, ...options })
  const { plugin, kit } = withKit(definition)
  const manifest = shippedManifest('anilist', ships ? anilist.clientId : undefined)
  const config = { ...anilistSettings(anilist), ...(signedIn ? anilistToken(anilist) : {}) }
  const bench = await openBench(anilist, 'ANIMEA', { plugin, manifest }, config, { settings, capabilities, clock })
  return {
    ...bench,
    anilist,
    get kit() {
      return kit()
    },
    /** Requests to the API since the last call. */
    asked: () => bench.since().filter(({ path }) => path === '/').length,
    async call(
      method: 'GET' | 'POST',
      url: string,
      payload?: object,
    ): Promise<{ readonly status: number; readonly body: any; readonly text: string; readonly type: string }> {
      const answer = await bench.host.inject({ method, url, ...(payload === undefined ? {} : { payload }) })
      const type = String(answer.headers['content-type'])
      const body = type.startsWith('application/json') ? answer.json() : undefined
      return { status: answer.statusCode, type, text: answer.body, body }
    },
  }
}

/** The browser returns from the service's page with its Playhead session. */
export async function authorize(service: Service, anilist: AniList, address: string, name?: string): Promise<Response> {
  return fetch(anilist.authorize(address, name), { headers: { cookie: service.cookie() } })
}

// Shared by the tests of the Nuvio plugin: the plugin in a host, signed in at a stand-in.
import type { ProviderKit } from '@playhead/sdk'
import { createTestHost, type TestHost } from '@playhead/sdk/testing'
import { definition } from '../../../plugins/providers/nuvio/provider.ts'
import type { Session } from '../../../plugins/providers/nuvio/session.ts'
import type { Profile } from '../../../plugins/providers/nuvio/settings.ts'
import { type Nuvio, type NuvioOptions, startNuvio } from '../../upstreams/nuvio.ts'
import { sinceLast, type Talk, talkTo, UNUSED, withKit } from '../provider-bench.ts'

export { codeAndWireOf as codeOf, UNUSED } from '../provider-bench.ts'

export interface Bench extends Talk, AsyncDisposable {
  readonly nuvio: Nuvio
  readonly host: TestHost
  readonly kit: ProviderKit<Profile, Session>
  /** Number of requests since the last call. */
  asked(): number
}

export interface BenchOptions extends NuvioOptions {
  readonly settings?: Readonly<Record<string, unknown>>
  readonly signedIn?: boolean
  readonly capabilities?: Readonly<Record<string, object>>
}

export async function startBench({
  settings = {},
  signedIn = true,
  capabilities = UNUSED,
  ...options
}: BenchOptions = {}): Promise<Bench> {
  const nuvio = await startNuvio(options)
  const { plugin, kit } = withKit(definition)
  const host = await createTestHost({
    plugin,
    manifest: new URL('../../../plugins/providers/nuvio/plugin.json', import.meta.url),
    capabilities,
    config: {
      base_url: nuvio.url,
      client_key: nuvio.clientKey,
      requests_per_sec: 0,
      ...(signedIn ? tokensOf(nuvio) : {}),
      ...settings,
    },
  })
  const since = sinceLast(nuvio)

  return {
    nuvio,
    host,
    ...talkTo(host, 'TVA'),
    get kit() {
      return kit()
    },
    asked: () => since().length,
    async [Symbol.asyncDispose]() {
      await host.close()
      await nuvio.close()
    },
  }
}

export function tokensOf(nuvio: Nuvio, username?: string, profile = 1) {
  const { access_token, refresh_token, expires_in } = nuvio.signIn(username)
  return {
    access_token,
    refresh_token,
    expires_at: Math.floor(nuvio.nowMs() / 1_000) + expires_in,
    profile_id: profile,
    profile_name: 'Main',
  }
}

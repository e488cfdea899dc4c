// Shared by the tests of the Tautulli plugin: the plugin in a host, connected to a stand-in.
import type { ReadRequest } from '@playhead/sdk'
import { createTestHost, type TestHost } from '@playhead/sdk/testing'
import plugin from '../../../plugins/providers/tautulli/index.ts'
import { startTautulli, type Tautulli, type TautulliOptions } from '../../upstreams/tautulli.ts'
import { sinceLast, type Talk, talkTo, UNUSED } from '../provider-bench.ts'

export { codeAndWireOf as codeOf, UNUSED } from '../provider-bench.ts'

export interface Bench extends Omit<Talk, 'read'>, AsyncDisposable {
  readonly tautulli: Tautulli
  readonly host: TestHost
  read(request?: Partial<ReadRequest>, instance?: string): ReturnType<Talk['read']>
  /** Number of requests since the last call. */
  asked(): number
}

export interface BenchOptions extends TautulliOptions {
  readonly settings?: Readonly<Record<string, unknown>>
  readonly connected?: boolean
  readonly capabilities?: Readonly<Record<string, object>>
}

export async function startBench({
  settings = {},
  connected = true,
  capabilities = UNUSED,
  ...options
}: BenchOptions = {}): Promise<Bench> {
  const tautulli = await startTautulli(options)
  const host = await createTestHost({
    plugin,
    manifest: new URL('../../../plugins/providers/tautulli/plugin.json', import.meta.url),
    capabilities,
    config: { ...(connected ? { server_url: tautulli.url, api_key: tautulli.apiKey } : {}), ...settings },
  })
  const talk = talkTo(host, 'STATSA')
  const since = sinceLast(tautulli)

  return {
    tautulli,
    host,
    ...talk,
    read: (request, instance) => talk.read('history', request, instance),
    asked: () => since().length,
    async [Symbol.asyncDispose]() {
      await host.close()
      await tautulli.close()
    },
  }
}

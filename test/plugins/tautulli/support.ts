// What the tests of the Tautulli plugin share: the plugin in a host, connected to a stand-in.
import type { Item, Provider, ReadEnd, ReadRequest } from '@playhead/sdk'
import { createTestHost, type TestHost } from '@playhead/sdk/testing'
import plugin from '../../../plugins/providers/tautulli/index.ts'
import { startTautulli, type Tautulli, type TautulliOptions } from '../../upstreams/tautulli.ts'

export interface Bench extends AsyncDisposable {
  readonly tautulli: Tautulli
  readonly host: TestHost
  readonly provider: Provider
  read(request?: Partial<ReadRequest>, instance?: string): Promise<{ readonly rows: Item[]; readonly end: ReadEnd }>
  call(method: 'GET' | 'POST', url: string, payload?: object): Promise<{ readonly status: number; readonly body: any }>
  /** Requests since the last call. */
  asked(): number
}

export interface BenchOptions extends TautulliOptions {
  readonly settings?: Readonly<Record<string, unknown>>
  readonly connected?: boolean
  readonly capabilities?: Readonly<Record<string, object>>
}

export const UNUSED = { accounts: { assertUnused: async () => {}, forget: async () => {} } }

export async function startBench({ settings = {}, connected = true, capabilities = UNUSED, ...options }: BenchOptions = {}): Promise<Bench> {
  const tautulli = await startTautulli(options)
  const host = await createTestHost({
    plugin,
    manifest: new URL('../../../plugins/providers/tautulli/plugin.json', import.meta.url),
    capabilities,
    config: { ...(connected ? { server_url: tautulli.url, api_key: tautulli.apiKey } : {}), ...settings },
  })
  const provider = host.capability<Provider>('provider:STATSA') as unknown as Provider
  let counted = 0

  return {
    tautulli,
    host,
    provider,
    async read(request = {}, instance = 'default') {
      const rows: Item[] = []
      let end: ReadEnd | undefined
      for await (const part of provider.read(instance, { feature: 'history', ...request })) {
        if (part.type === 'rows') rows.push(...part.rows)
        else end = part.end
      }
      if (end === undefined) throw new Error('the read did not end')
      return { rows, end }
    },
    async call(method, url, payload) {
      const answer = await host.inject({ method, url, ...(payload === undefined ? {} : { payload }) })
      return { status: answer.statusCode, body: answer.json() }
    },
    asked() {
      const since = tautulli.requests.length - counted
      counted = tautulli.requests.length
      return since
    },
    async [Symbol.asyncDispose]() {
      await host.close()
      await tautulli.close()
    },
  }
}

export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'nothing was thrown'
  } catch (error) {
    const { code, wire } = error as { readonly code?: unknown; readonly wire?: unknown }
    return `${String(code)} ${String(wire)}`
  }
}

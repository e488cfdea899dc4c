// What the tests of the Nuvio plugin share: the plugin in a host, signed in at a stand-in.
import { defineProvider, type Feature, type Item, type Provider, type ProviderKit, type ReadEnd, type ReadRequest, type WriteItem } from '@playhead/sdk'
import { createTestHost, type TestHost } from '@playhead/sdk/testing'
import { definition } from '../../../plugins/providers/nuvio/provider.ts'
import type { Session } from '../../../plugins/providers/nuvio/session.ts'
import type { Profile } from '../../../plugins/providers/nuvio/settings.ts'
import { type Nuvio, type NuvioOptions, startNuvio } from '../../upstreams/nuvio.ts'

export interface Bench extends AsyncDisposable {
  readonly nuvio: Nuvio
  readonly host: TestHost
  readonly provider: Provider
  readonly kit: ProviderKit<Profile, Session>
  read(feature: Feature, request?: Partial<ReadRequest>, instance?: string): Promise<{ readonly rows: Item[]; readonly end: ReadEnd }>
  /** Outcomes as `applied` or `rejected:id_in_use`, in the order of the items. */
  write(feature: Feature, op: 'add' | 'update' | 'remove', items: readonly Item[], instance?: string): Promise<string[]>
  call(method: 'GET' | 'POST', url: string, payload?: object): Promise<{ readonly status: number; readonly body: any }>
  /** Requests since the last call. */
  asked(): number
}

export interface BenchOptions extends NuvioOptions {
  readonly settings?: Readonly<Record<string, unknown>>
  readonly signedIn?: boolean
  readonly capabilities?: Readonly<Record<string, object>>
}

export const UNUSED = { accounts: { assertUnused: async () => {}, forget: async () => {} } }

export async function startBench({ settings = {}, signedIn = true, capabilities = UNUSED, ...options }: BenchOptions = {}): Promise<Bench> {
  const nuvio = await startNuvio(options)
  let kit: ProviderKit<Profile, Session> | undefined
  const plugin = defineProvider({
    ...definition,
    setup(_ctx, given) {
      kit = given
    },
  })
  const host = await createTestHost({
    plugin,
    manifest: new URL('../../../plugins/providers/nuvio/plugin.json', import.meta.url),
    capabilities,
    config: { base_url: nuvio.url, client_key: nuvio.clientKey, requests_per_sec: 0, ...(signedIn ? tokensOf(nuvio) : {}), ...settings },
  })
  const provider = host.capability<Provider>('provider:TVA') as unknown as Provider
  let counted = 0

  return {
    nuvio,
    host,
    provider,
    get kit() {
      if (kit === undefined) throw new Error('the plugin was not set up')
      return kit
    },
    async read(feature, request = {}, instance = 'default') {
      const rows: Item[] = []
      let end: ReadEnd | undefined
      for await (const part of provider.read(instance, { feature, ...request })) {
        if (part.type === 'rows') rows.push(...part.rows)
        else end = part.end
      }
      if (end === undefined) throw new Error('the read did not end')
      return { rows, end }
    },
    async write(feature, op, items, instance = 'default') {
      const written = items.map((item, index): WriteItem => ({ key: `k${index}`, item }))
      const { outcomes } = await provider.write(instance, { feature, op, items: written })
      return outcomes.map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome}:${reason}`))
    },
    async call(method, url, payload) {
      const answer = await host.inject({ method, url, ...(payload === undefined ? {} : { payload }) })
      return { status: answer.statusCode, body: answer.json() }
    },
    asked() {
      const since = nuvio.requests.length - counted
      counted = nuvio.requests.length
      return since
    },
    async [Symbol.asyncDispose]() {
      await host.close()
      await nuvio.close()
    },
  }
}

export function tokensOf(nuvio: Nuvio, username?: string, profile = 1) {
  const { access_token, refresh_token, expires_in } = nuvio.signIn(username)
  return { access_token, refresh_token, expires_at: Math.floor(nuvio.nowMs() / 1_000) + expires_in, profile_id: profile, profile_name: 'Main' }
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

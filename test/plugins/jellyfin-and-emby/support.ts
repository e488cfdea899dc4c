// A provider signed in at its stand-in, for the tests of both products.
import {
  type Feature,
  type Item,
  type Provider,
  type WriteOutcome,
  type WriteRequest,
  providerCapability,
} from '@playhead/sdk'
import { createTestClock, createTestHost, type TestHost } from '@playhead/sdk/testing'
import embyPlugin from '../../../plugins/providers/emby/index.ts'
import jellyfinPlugin from '../../../plugins/providers/jellyfin/index.ts'
import { hostClient } from '../../stands/client.ts'
import { type Product, SERVERS, serverIds, signInToServer } from '../../stands/media-browser.ts'
import { startEmby } from '../../upstreams/emby.ts'
import { startJellyfin } from '../../upstreams/jellyfin.ts'
import type { Item as ServerItem } from '../../upstreams/media-browser/world.ts'
import type { MediaServer, MediaServerOptions } from '../../upstreams/media-browser/server.ts'
import { shippedManifest, sinceLast, type Talk, talkTo } from '../provider-bench.ts'

export type { Product } from '../../stands/media-browser.ts'
export const PRODUCTS: readonly Product[] = ['jellyfin', 'emby']
export const ROUTES: Readonly<Record<Product, string>> = { jellyfin: '/api/mediaB', emby: '/api/mediaC' }

const plugins = { jellyfin: jellyfinPlugin, emby: embyPlugin }
const servers = { jellyfin: startJellyfin, emby: startEmby }
/** Capabilities of the providers. */
export const CAPABILITIES = { jellyfin: providerCapability('MEDIAB'), emby: providerCapability('MEDIAC') }

/** These profiles are in use. */
export function usersOf(...used: readonly string[]): object {
  return {
    forget: async () => undefined,
    async assertUnused(_provider: string, instance: string) {
      const { PlayheadError } = await import('@playhead/sdk')
      if (used.includes(instance))
        throw new PlayheadError('PLH_CONFLICT', 'A pair uses the profile.', { wire: 'provider_in_use' })
    },
  }
}

export function startServer(product: Product, options: MediaServerOptions = {}): Promise<MediaServer> {
  return servers[product](options)
}

export async function startHost(
  product: Product,
  config: Record<string, unknown> = {},
  used: readonly string[] = [],
): Promise<TestHost> {
  return createTestHost({
    plugin: plugins[product],
    manifest: shippedManifest(product, undefined),
    clock: createTestClock(Date.now()),
    capabilities: { accounts: usersOf(...used) },
    config,
  })
}

export interface SignedIn extends AsyncDisposable {
  readonly server: MediaServer
  readonly host: TestHost
  readonly provider: Provider
  readonly read: Talk['read']
  /** `current`: the account's rows of the items. */
  write(
    feature: Feature,
    op: WriteRequest['op'],
    items: readonly Item[],
    current?: readonly Item[],
  ): Promise<readonly WriteOutcome[]>
  /** Requests since the last call. */
  requests(): number
}

export interface SignedInOptions extends MediaServerOptions {
  readonly settings?: Record<string, unknown>
  readonly user?: string
}

/** `await using account = await signedIn('jellyfin', { movies: 10 })` */
export async function signedIn(
  product: Product,
  { settings = {}, user = 'sam', ...options }: SignedInOptions = {},
): Promise<SignedIn> {
  const server = await startServer(product, options)
  const host = await startHost(product, { max_retries: 1, ...settings })
  const id = SERVERS[product].provider
  await signInToServer(hostClient(host, id), product, server, { user })
  const { provider, read } = talkTo(host, id)
  const since = sinceLast(server)
  since()
  return {
    server,
    host,
    provider,
    read,
    async write(feature, op, items, current = []) {
      const keyed = items.map((item, index) => {
        const row = current[index]
        return { key: String(index), item, ...(row === undefined ? {} : { current: row }) }
      })
      return (await provider.write('default', { feature, op, items: keyed })).outcomes
    },
    requests: () => since().length,
    async [Symbol.asyncDispose]() {
      await host.close()
      await server.close()
    },
  }
}

/** The item for a stand-in's item, with shared ids only. */
export function itemFor(server: MediaServer, { type, seriesId, providerIds, parentIndex, index }: ServerItem): Item {
  const ids = serverIds(providerIds)
  if (type !== 'Episode') return { type: type === 'Series' ? 'show' : 'movie', ids }
  return {
    type: 'episode',
    ids,
    show_ids: serverIds(server.world.items.get(seriesId!)!.providerIds),
    season: parentIndex!,
    episode: index!,
  }
}

/** Films with a copy in a second library. Needs eight films. */
export function copiesOf(server: MediaServer): readonly ServerItem[] {
  const archive = server.world.libraries.find(({ name }) => name === 'Movie archive')!
  const copy = server.items('Movie').find(({ libraryId }) => libraryId === archive.id)!
  return [...server.items('Movie').filter(({ name, id }) => name === copy.name && id !== copy.id), copy]
}

/** Outcomes as `applied` or `rejected: forbidden`. */
export function outcomes(told: readonly WriteOutcome[]): readonly string[] {
  return told.map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome}: ${reason}`))
}

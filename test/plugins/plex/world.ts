// Plex with a stand-in for the cloud and the media server behind it, and short ways to ask the provider for something.
import type { Item, Provider, ReadRequest, WriteItem, WriteRequest } from '@playhead/sdk'
import { createTestHost, type TestHost } from '@playhead/sdk/testing'
import plugin from '../../../plugins/providers/plex/index.ts'
import { plexIds } from '../../stands/plex.ts'
import { type Item as LibraryItem, type Plex, type PlexOptions, startPlex, type Who } from '../../upstreams/plex.ts'
import { shippedManifest, type Talk, talkTo, UNUSED } from '../provider-bench.ts'

export interface World {
  readonly plex: Plex
  readonly host: TestHost
  /** The provider itself. */
  readonly provider: Provider
  read(
    feature: ReadRequest['feature'],
    more?: Partial<ReadRequest> & { readonly instance?: string },
  ): ReturnType<Talk['read']>
  write(
    feature: WriteRequest['feature'],
    op: WriteRequest['op'],
    items: readonly Item[],
    more?: Partial<WriteRequest> & { readonly instance?: string },
  ): Promise<readonly string[]>
  /** Settings of a profile as they are stored now. */
  settings(instance?: string): Record<string, unknown>
  ofType(type: LibraryItem['type']): LibraryItem[]
}

interface Test {
  teardown(fn: () => Promise<void>): void
}

export interface WorldOptions extends PlexOptions {
  readonly config?: Readonly<Record<string, unknown>>
  /** Signed in, with the media server discovered automatically. Default true. */
  readonly signedIn?: boolean
  readonly who?: Who
}

export async function startWorld(
  test: Test,
  { config = {}, signedIn = true, who = 'owner', ...options }: WorldOptions = {},
): Promise<World> {
  const plex = await startPlex({ movies: 6, shows: 2, cloudTitles: 40, ...options })
  const base = { cloud_url: plex.cloud.url, max_retries: 0, timeout: 5 }
  const host = await createTestHost({
    plugin,
    manifest: shippedManifest('plex', undefined),
    config: { ...base, ...(signedIn ? { account_token: plex.accountToken(who) } : {}), ...config },
    capabilities: UNUSED,
  })
  test.teardown(async () => {
    await host.close()
    await plex.close()
  })
  const { provider, read } = talkTo(host, 'MEDIAA')
  return {
    plex,
    host,
    provider,
    read: (feature, { instance = 'default', ...more } = {}) => read(feature, more, instance),
    async write(feature, op, items, { instance = 'default', ...more } = {}) {
      const writes: WriteItem[] = items.map((item, index) => ({ key: String(index), item }))
      const { outcomes } = await provider.write(instance, { feature, op, items: writes, ...more })
      return outcomes.map(({ outcome, reason }) => (reason === undefined ? outcome : `${outcome} ${reason}`))
    },
    settings(instance = 'default') {
      const all = host.ctx.config as Record<string, unknown> & { instances?: Record<string, Record<string, unknown>> }
      return instance === 'default' ? all : (all.instances?.[instance] ?? {})
    },
    ofType: (type) => [...plex.state.items.values()].filter((item) => item.type === type),
  }
}

/** A library item as a client with shared ids names it. */
export function asItem(plex: Plex, item: LibraryItem, more: Partial<Item> = {}): Item {
  const ids = plexIds(item)
  const season = plex.state.items.get(item.parentKey ?? '')
  const show = plex.state.items.get(season?.parentKey ?? '')
  if (item.type !== 'episode') return { type: item.type, title: item.title, ids, ...more }
  return {
    type: 'episode',
    title: item.title,
    ids,
    show_ids: plexIds(show ?? { guids: [] }),
    season: season?.index ?? 0,
    episode: item.index ?? 1,
    ...more,
  }
}

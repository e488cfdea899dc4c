// A tracker in a test host, and helpers to read and write it.
import {
  collectRead,
  type Feature,
  type Item,
  type Provider,
  type ReadRequest,
  type WriteOutcome,
  type WriteRequest,
  providerCapability,
} from '@playhead/sdk'
import { createTestAccounts, createTestHost, type TestHost } from '@playhead/sdk/testing'
import plugin from '../../../plugins/providers/tracker/index.ts'

const manifest = new URL('../../../plugins/providers/tracker/plugin.json', import.meta.url)

export interface Tracker extends AsyncDisposable {
  readonly host: TestHost
  readonly provider: ReturnType<typeof providerOf>
  read(feature: Feature, request?: Partial<ReadRequest>, instance?: string): ReturnType<typeof collectRead>
  /** Items of a read without the native ids. */
  items(feature: Feature, request?: Partial<ReadRequest>, instance?: string): Promise<readonly Item[]>
  write(
    feature: Feature,
    op: WriteRequest['op'],
    items: readonly Item[],
    options?: { readonly plays?: boolean; readonly instance?: string },
  ): Promise<readonly WriteOutcome[]>
  /** Outcomes as text: `applied`, `rejected missing_rating`. */
  told(
    feature: Feature,
    op: WriteRequest['op'],
    items: readonly Item[],
    options?: { readonly plays?: boolean; readonly instance?: string },
  ): Promise<readonly string[]>
}

function providerOf(host: TestHost) {
  return host.capability<Provider>(providerCapability('SVC'))
}

export async function startTracker(config: object = {}): Promise<Tracker> {
  const host = await createTestHost({
    plugin,
    manifest,
    config: config as Readonly<Record<string, unknown>>,
    capabilities: { accounts: createTestAccounts() },
  })
  const provider = providerOf(host)
  const read: Tracker['read'] = (feature, request = {}, instance = 'default') =>
    collectRead(provider.read(instance, { feature, ...request }))
  const write: Tracker['write'] = async (feature, op, items, { plays = false, instance = 'default' } = {}) => {
    const request: WriteRequest = {
      feature,
      op,
      plays,
      items: items.map((item, index) => ({ key: `k${index}`, item })),
    }
    return (await provider.write(instance, request)).outcomes
  }
  return {
    host,
    provider,
    read,
    write,
    async items(feature, request, instance) {
      return (await read(feature, request, instance)).rows.map(({ native: _native, ...item }) => item)
    },
    async told(feature, op, items, options) {
      return (await write(feature, op, items, options)).map(({ outcome, reason }) =>
        reason === undefined ? outcome : `${outcome} ${reason}`,
      )
    },
    [Symbol.asyncDispose]: () => host.close(),
  }
}

export const heat: Item = { type: 'movie', title: 'Heat', year: 1995, ids: { imdb: 'tt0113277' } }
export const alien: Item = { type: 'movie', title: 'Alien', year: 1979, ids: { tmdb: '348' } }
export const episode: Item = { type: 'episode', ids: {}, show_ids: { tvdb: '121361' }, season: 1, episode: 2 }

export function at(item: Item, watchedAt: string): Item {
  return { ...item, watched_at: watchedAt }
}

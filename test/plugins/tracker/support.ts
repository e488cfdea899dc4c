// A tracker in a test host, and short ways to read and write it.
import type { Feature, Item, ReadRequest, WriteOutcome, WriteRequest } from '@playhead/sdk'
import { createTestAccounts, createTestHost } from '@playhead/sdk/testing'
import plugin from '../../../plugins/providers/tracker/index.ts'
import { shippedManifest, talkTo, type WriteMore } from '../provider-bench.ts'

export type Tracker = Awaited<ReturnType<typeof startTracker>>

export async function startTracker(config: object = {}) {
  const host = await createTestHost({
    plugin,
    manifest: shippedManifest('tracker', undefined),
    config: config as Readonly<Record<string, unknown>>,
    capabilities: { accounts: createTestAccounts() },
  })
  const { provider, read, send } = talkTo(host, 'SVC')
  const write = async (
    feature: Feature,
    op: WriteRequest['op'],
    items: readonly Item[],
    { plays = false, instance }: WriteMore = {},
  ): Promise<readonly WriteOutcome[]> =>
    (await send(feature, op, items, { plays, ...(instance === undefined ? {} : { instance }) })).outcomes
  return {
    host,
    provider,
    read,
    write,
    /** Items of a read without what the account calls them. */
    async items(feature: Feature, request?: Partial<ReadRequest>, instance?: string): Promise<readonly Item[]> {
      return (await read(feature, request, instance)).rows.map(({ native: _native, ...item }) => item)
    },
    /** Outcomes in words: `applied`, `rejected missing_rating`. */
    async told(feature: Feature, op: WriteRequest['op'], items: readonly Item[], options?: WriteMore) {
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

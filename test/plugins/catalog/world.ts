// The catalog over accounts in memory.
import type { Account, ActivityRow, EventRow, Feature, Item, OpenItem, WorkEpisode } from '@playhead/sdk'
import { createTestHost } from '@playhead/sdk/testing'
import plugin from '../../../plugins/services/catalog/index.ts'

const manifest = new URL('../../../plugins/services/catalog/plugin.json', import.meta.url)

export const film = (tmdb: number | string, more: Partial<Item> = {}): Item => ({
  type: 'movie',
  title: `Film ${tmdb}`,
  year: 2000,
  ids: { tmdb: String(tmdb) },
  ...more,
})
export const part = (show: number | string, season: number, episode: number, more: Partial<Item> = {}): Item => ({
  type: 'episode',
  title: `Part ${episode}`,
  ids: {},
  show_ids: { tmdb: String(show) },
  series_title: `Series ${show}`,
  series_year: 2010,
  season,
  episode,
  ...more,
})

/** Rows by `PLEX@default history`; those of SVC are the current rows of the tracker. */
export type Stored = Record<string, readonly Item[]>

export interface WorldOptions {
  readonly scrobbles?: readonly Partial<ActivityRow>[]
  readonly lengths?: Readonly<Record<string, number>>
  readonly genres?: Readonly<Record<string, readonly string[]>>
  /** Of every show; an error if the metadata service fails, absent without a key. */
  readonly episodes?: readonly WorkEpisode[] | Error
  readonly open?: readonly Partial<OpenItem>[]
  readonly events?: Readonly<Record<string, readonly Partial<EventRow>[]>>
}

export async function openCatalog(stored: Stored, options: WorldOptions = {}) {
  const state = {
    stored,
    scrobbles: options.scrobbles ?? [],
    revisions: new Map<string, number>(),
    reads: [] as string[],
    fails: false,
  }
  const revisionOf = (name: string) => `r${state.revisions.get(name) ?? 0}`
  const split = (name: string) => name.split(/[@ ]/) as [string, string, Feature]
  const names = () => Object.keys(state.stored)
  function* pages(name: string) {
    state.reads.push(name)
    if (state.fails) throw new Error('the disk is gone')
    const all = (state.stored[name] ?? []).map((item, index) => ({ key: `k${index}`, item }))
    for (let start = 0; start < all.length; start += 500) yield all.slice(start, start + 500)
  }
  const some = (name: string, keys: readonly string[]) =>
    (state.stored[name] ?? []).flatMap((item, index) =>
      keys.includes(`k${index}`) ? [{ key: `k${index}`, item }] : [],
    )
  const host = await createTestHost({
    plugin,
    manifest,
    capabilities: {
      'provider:PLEX': {
        titlePages: async (_instance: string, { items }: { readonly items: readonly Item[] }) =>
          items.map(({ ids }) => (ids.mediaa === undefined ? null : `http://plex.test/${ids.mediaa}`)),
      },
      accounts: {
        providers: async () => [{ id: 'PLEX', titlePages: true }, { id: 'TRAKT' }],
        health: async () => ({ status: 'ok' }),
        list: async () =>
          [...new Set(names().map((name) => name.split(' ')[0]!))].map((name): Partial<Account> => {
            const [provider, instance] = split(name)
            return { provider, instance, configured: true }
          }),
      },
      library: {
        currentHoldings: async (features: readonly Feature[]) =>
          names().flatMap((name) => {
            const [provider, instance, feature] = split(name)
            const readAtMs = provider === 'SVC' ? null : 1_780_000_000_000
            const count = state.stored[name]!.length
            const held = { provider, instance, feature, readAtMs, count, revision: revisionOf(name) }
            return features.includes(feature) ? [held] : []
          }),
        texts: async function* (provider: string, instance: string, feature: Feature) {
          for (const page of pages(`${provider}@${instance} ${feature}`))
            yield `[${page.map(({ key, item }) => JSON.stringify([key, item])).join(',\n')}]`
        },
        items: async (provider: string, instance: string, feature: Feature, keys: readonly string[]) =>
          some(`${provider}@${instance} ${feature}`, keys),
      },
      'tracker:store': {
        rows: async function* (instance: string, feature: Feature) {
          yield* pages(`SVC@${instance} ${feature}`)
        },
        items: async (instance: string, feature: Feature, keys: readonly string[]) =>
          some(`SVC@${instance} ${feature}`, keys),
      },
      activity: {
        list: async ({ limit = 100, offset = 0 } = {}) => ({
          items: state.scrobbles.slice(offset, offset + limit),
          total: state.scrobbles.length,
        }),
      },
      metadata: {
        cachedLengths: async () => options.lengths ?? {},
        cachedGenres: async () => options.genres ?? {},
        ready: () => options.episodes !== undefined,
        async episodes() {
          if (options.episodes instanceof Error) throw options.episodes
          return options.episodes
        },
      },
      sync: {
        open: async function* () {
          yield options.open ?? []
        },
      },
      events: { itemTrace: async (key: string) => options.events?.[key] ?? [] },
    },
  })
  return {
    host,
    state,
    change(name: string, items: readonly Item[]) {
      state.stored = { ...state.stored, [name]: items }
      state.revisions.set(name, (state.revisions.get(name) ?? 0) + 1)
    },
    /** The response includes all earlier changes. */
    async get(path: string) {
      const answer = await host.inject(`/api/${path}${path.includes('?') ? '&' : '?'}fresh=true`)
      return { status: answer.statusCode, body: answer.json() }
    },
    [Symbol.asyncDispose]: () => host.close(),
  }
}

export const scrobble = (more: Partial<ActivityRow>): Partial<ActivityRow> => ({
  id: `s${more.watched_at}`,
  kind: 'scrobble',
  event: 'scrobble_stop',
  status: 'ok',
  source: 'PLEX',
  source_instance: 'default',
  target: 'TRAKT',
  target_instance: 'default',
  targets: [{ target: 'TRAKT', target_instance: 'default' }],
  media_type: 'movie',
  captured_at: more.watched_at ?? 0,
  ...more,
})

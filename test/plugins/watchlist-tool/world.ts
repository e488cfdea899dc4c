// The watchlist plugin with accounts and a library in memory.
import {
  PlayheadError,
  type Account,
  type AccountChanges,
  type ChangeOutcome,
  type Feature,
  type Item,
  type Metadata,
} from '@playhead/sdk'
import { createTestHost } from '@playhead/sdk/testing'
import type { Holdings } from '../../../plugins/services/sync/library/holdings.ts'
import { actionsOf } from '../actions/service.ts'
import { libraryOf } from '../library.ts'
import plugin from '../../../plugins/services/watchlist-tool/index.ts'

const manifest = new URL('../../../plugins/services/watchlist-tool/plugin.json', import.meta.url)

export interface FakeRow {
  readonly key: string
  readonly item: Item
}

const NAMES: Readonly<Record<string, string>> = {
  MEDIAA: 'mediaA',
  MEDIAB: 'mediaB',
  TRACKA: 'trackA',
  METAA: 'metaA_sync',
  ANIMEA: 'animeA',
}

export const movie = (tmdb: string, more: Partial<Item> = {}): Item => ({
  type: 'movie',
  title: `Movie ${tmdb}`,
  year: 2000,
  ids: { tmdb },
  ...more,
})
export const row = (item: Item, key = `${item.type}:tmdb:${item.ids.tmdb}`): FakeRow => ({ key, item })

export interface WorldOptions {
  /** Rows by account, for example `TRACKA@default`. */
  readonly rows?: Readonly<Record<string, readonly FakeRow[]>>
  readonly unconfigured?: readonly string[]
  /** Read times by account; null: never read. Default: now. */
  readonly readAtMs?: Readonly<Record<string, number | null>>
  /** The engine's response to a write; the default is `applied`. */
  readonly answer?: (request: AccountChanges, key: string) => Omit<ChangeOutcome, 'key' | 'op'> | undefined
  /** The engine's response omits all keys. */
  readonly isSilent?: boolean
  /** Called before each write; may throw. */
  readonly before?: (request: AccountChanges, count: number) => void
  readonly withoutLibrary?: boolean
  readonly metadata?: Pick<Metadata, 'ready' | 'details'>
}

export async function openWorld({
  rows = {},
  unconfigured = [],
  readAtMs = {},
  answer,
  isSilent = false,
  before,
  withoutLibrary = false,
  metadata,
}: WorldOptions = {}) {
  const written: (AccountChanges & { readonly approved: boolean })[] = []
  const stored = new Map(Object.entries(rows).map(([name, list]) => [name, [...list]]))
  const startedAtMs = Date.now()
  const names = [...new Set([...stored.keys(), ...unconfigured])]
  const split = (name: string) => name.split('@') as [string, string]
  const accounts = {
    list: async () =>
      names.map(
        (name): Partial<Account> => ({
          provider: split(name)[0],
          instance: split(name)[1],
          configured: !unconfigured.includes(name),
        }),
      ),
    providers: async () =>
      [...new Set(names.map((name) => split(name)[0]))].map((id) => ({ id, token: NAMES[id] ?? id, label: id })),
  }
  const holdings: Omit<Holdings, 'texts'> = {
    holdings: async (feature: Feature) =>
      [...stored].map(([name, list]) => {
        const [provider, instance] = split(name)
        return {
          provider,
          instance,
          feature,
          readAtMs: name in readAtMs ? readAtMs[name]! : startedAtMs,
          count: list.length,
        }
      }),
    async *rows(provider: string, instance: string) {
      const list = stored.get(`${provider}@${instance}`) ?? []
      for (let start = 0; start < list.length; start += 1_000) yield list.slice(start, start + 1_000)
    },
    async items(provider, instance, _feature, keys) {
      return (stored.get(`${provider}@${instance}`) ?? []).filter(({ key }) => keys.includes(key))
    },
  }
  const planned = new Map<string, AccountChanges>()
  const library = {
    ...libraryOf({ holdings, accounts: accounts as never, tracker: () => undefined }),
    async plan(request: AccountChanges) {
      before?.(request, planned.size)
      const planId = `plan-${planned.size}`
      planned.set(planId, request)
      return { planId }
    },
    async apply(planId: string, { approved = false } = {}) {
      const request = planned.get(planId)!
      written.push({ ...request, approved })
      const outcomes = isSilent
        ? []
        : request.changes.map(({ key, op, item }) => ({
            key,
            op,
            ...(answer?.(request, key) ??
              (Object.keys({ ...item.ids, ...item.show_ids, ...item.native }).length > 0
                ? { outcome: 'applied' as const }
                : { outcome: 'filtered' as const, reason: 'missing_ids' })),
          }))
      // Like in the engine, removed items are no longer in any inventory.
      const gone = new Set(
        outcomes.flatMap(({ key, outcome }) => (['applied', 'already'].includes(outcome) ? key : [])),
      )
      const name = `${request.provider}@${request.instance}`
      stored.set(
        name,
        (stored.get(name) ?? []).filter(({ key }) => !gone.has(key)),
      )
      return outcomes
    },
  }
  const host = await createTestHost({
    plugin,
    manifest,
    capabilities: {
      accounts,
      ...(withoutLibrary ? {} : { library, actions: actionsOf(library) }),
      ...(metadata === undefined ? {} : { metadata }),
    },
  })
  return {
    host,
    written,
    stored,
    async list(query = '') {
      const answer = await host.inject(`/api/watchlist${query}`)
      return answer.json()
    },
    async call(method: 'POST' | 'DELETE', path: string, payload?: object) {
      const answer = await host.inject({
        method,
        url: `/api/watchlist/${path}`,
        ...(payload === undefined ? {} : { payload }),
      })
      return { status: answer.statusCode, body: answer.json() }
    },
    [Symbol.asyncDispose]: () => host.close(),
  }
}

export function busy(): never {
  throw new PlayheadError('PLH_CONFLICT', 'A run holds the account.', { wire: 'busy' })
}

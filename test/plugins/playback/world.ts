// The plugin with fake providers: their accounts are lists in memory, and the library writes to them as the engine does.
import {
  type AccountChanges,
  type ChangeOutcome,
  type CurrentStream,
  type FeatureSupport,
  type Item,
  type Metadata,
  type PairState,
  PlayheadError,
  type ReadEnd,
  type ReadPart,
  type ReadRequest,
} from '@playhead/sdk'
import { createTestHost } from '@playhead/sdk/testing'
import plugin from '../../../plugins/services/playback/index.ts'
import { actionsOf } from '../actions/service.ts'

const manifest = new URL('../../../plugins/services/playback/plugin.json', import.meta.url)

export const POSITIONS: FeatureSupport = {
  read: true,
  add: true,
  update: true,
  remove: true,
  kinds: ['movie', 'episode'],
}
export const PLAYS: FeatureSupport = {
  ...POSITIONS,
  update: false,
  plays: { read: true, write: true, removeOne: true },
}

export interface FakeAccount {
  rows: unknown[]
  /** Added plays. */
  readonly plays: Item[]
  /** Read requests, in order. */
  readonly reads: ReadRequest[]
  /** Called before a read responds: throws, hangs, … */
  before?: ((signal: AbortSignal | undefined, request: ReadRequest) => void | Promise<void>) | undefined
  /** Changes the end of a read. */
  end?: Partial<ReadEnd> | ((request: ReadRequest) => Partial<ReadEnd>) | undefined
  configured: boolean
  reasonCode?: string
  label?: string
  fingerprint: string
}

export interface FakeProvider {
  readonly label?: string
  readonly progress?: FeatureSupport | undefined
  readonly history?: FeatureSupport | undefined
}

export interface WorldOptions {
  readonly providers?: Readonly<Record<string, FakeProvider>>
  /** Rows by account: `ALPHA@default`. */
  readonly accounts: Readonly<Record<string, readonly unknown[]>>
  readonly pairs?: readonly (readonly [a: string, b: string, enabled?: boolean])[]
  readonly streams?: () => readonly Partial<CurrentStream>[]
  readonly settings?: Readonly<Record<string, unknown>>
  readonly metadata?: Pick<Metadata, 'ready'>
  /** The engine's response to one change; by default the change is applied. */
  readonly answer?: (changes: AccountChanges, key: string) => Omit<ChangeOutcome, 'key' | 'op'> | undefined
  /** Called before the engine applies changes; may throw. `queued`: the account is being synced. */
  readonly before?: (changes: AccountChanges) => 'queued' | void | Promise<'queued' | void>
  readonly withoutLibrary?: boolean
  /** Rows of the last sync, by account. */
  readonly synced?: Readonly<Record<string, readonly Item[]>>
  readonly ratings?: Readonly<Record<string, number>>
}

export const movie = (tmdb: number, percent: number, more: Partial<Item> = {}): Item => ({
  type: 'movie',
  title: `Movie ${tmdb}`,
  year: 2000,
  ids: { tmdb: String(tmdb) },
  progress_percent: percent,
  duration_ms: 6_000_000,
  progress_at: '2026-07-01T20:00:00Z',
  native: { item_id: `row-${tmdb}` },
  ...more,
})
export const episode = (
  show: number,
  season: number,
  number: number,
  percent: number,
  more: Partial<Item> = {},
): Item => ({
  type: 'episode',
  title: `Part ${number}`,
  series_title: `Show ${show}`,
  series_year: 2010,
  season,
  episode: number,
  ids: {},
  show_ids: { tmdb: String(show) },
  progress_percent: percent,
  duration_ms: 3_000_000,
  progress_at: '2026-07-02T20:00:00Z',
  native: { item_id: `row-${show}-${season}-${number}` },
  ...more,
})

export type World = Awaited<ReturnType<typeof openWorld>>

export async function openWorld({
  providers = {},
  accounts: given,
  pairs = [],
  streams,
  settings = {},
  metadata,
  answer,
  before,
  withoutLibrary = false,
  synced = {},
  ratings = {},
}: WorldOptions) {
  const accounts = new Map<string, FakeAccount>(
    Object.entries(given).map(([name, rows]) => [
      name,
      { rows: [...rows], plays: [], reads: [], configured: true, fingerprint: `fp ${name}` },
    ]),
  )
  const account = (name: string) => accounts.get(name) as FakeAccount
  const split = (name: string) => name.split('@') as [string, string]
  const ids = [...new Set([...Object.keys(providers), ...[...accounts.keys()].map((name) => split(name)[0])])]
  const written: (AccountChanges & { readonly approved: boolean })[] = []

  async function* read(name: string, request: ReadRequest, signal?: AbortSignal): AsyncGenerator<ReadPart> {
    const own = account(name)
    own.reads.push(request)
    await own.before?.(signal, request)
    const end = typeof own.end === 'function' ? own.end(request) : own.end
    if (end?.semantics !== 'unchanged')
      for (let start = 0; start < own.rows.length; start += 500)
        yield { type: 'rows', rows: own.rows.slice(start, start + 500) as Item[] }
    yield { type: 'end', end: { complete: true, semantics: 'present', account: name, ...end } }
  }

  function carryOut(name: string, feature: string, { op, item }: AccountChanges['changes'][number]): void {
    const own = account(name)
    const isSame = (row: unknown) => (row as Item).native?.item_id === item.native?.item_id
    if (feature === 'history') own.plays.push(item)
    else if (op === 'remove') own.rows = own.rows.filter((row) => !isSame(row))
    else own.rows = own.rows.map((row) => (isSame(row) ? { ...(row as Item), ...item } : row))
  }

  const plans = new Map<string, AccountChanges>()
  /** Plans that wait for a sync. */
  const queued = new Set<string>()
  const library = {
    async plan(changes: AccountChanges) {
      const planId = `plan-${plans.size}`
      plans.set(planId, changes)
      return { planId, ready: {}, held: null, leftOut: [] }
    },
    async applyWhenFree(planId: string, { approved = false, waitMs }: { approved?: boolean; waitMs: number }) {
      if (!(waitMs > 0)) throw new TypeError('waitMs is missing')
      const changes = plans.get(planId) as AccountChanges
      if ((await before?.(changes)) === 'queued') {
        queued.add(planId)
        return null
      }
      written.push({ ...changes, approved })
      return changes.changes.map((change) => {
        const { key, op } = change
        const own = answer?.(changes, key)
        if (own === undefined) carryOut(`${changes.provider}@${changes.instance}`, changes.feature, change)
        return { key, op, ...(own ?? { outcome: 'applied' as const }) }
      })
    },
    async outcomes(planId: string) {
      return queued.has(planId) ? null : []
    },
    async holdings() {
      return Object.entries(synced).map(([name, rows]) => ({
        provider: split(name)[0],
        instance: split(name)[1],
        feature: 'progress',
        readAtMs: Date.UTC(2026, 5, 1),
        count: rows.length,
      }))
    },
    async *rows(provider: string, instance: string) {
      yield (synced[`${provider}@${instance}`] ?? []).map((item) => ({ key: '', item }))
    },
    async items(_provider: string, _instance: string, _feature: string, keys: readonly string[]) {
      if (keys.length > 500) throw new TypeError('too many keys')
      return keys.flatMap((key) => (ratings[key] === undefined ? [] : [{ key, item: { rating: ratings[key] } }]))
    },
  }

  const host = await createTestHost({
    plugin,
    manifest,
    config: settings,
    capabilities: {
      accounts: {
        providers: async () =>
          ids.map((id) => ({
            id,
            token: id.toLowerCase(),
            label: providers[id]?.label ?? id,
            features: {
              progress: providers[id] !== undefined && 'progress' in providers[id] ? providers[id].progress : POSITIONS,
              history: providers[id] !== undefined && 'history' in providers[id] ? providers[id].history : PLAYS,
            },
          })),
        list: async () =>
          [...accounts].map(([name, { configured, fingerprint, label = '', reasonCode }]) => ({
            provider: split(name)[0],
            instance: split(name)[1],
            id: split(name)[1],
            uid: name,
            label,
            configured,
            fingerprint,
            ...(reasonCode === undefined ? {} : { reasonCode }),
          })),
      },
      ...Object.fromEntries(
        ids.map((id) => [
          `provider:${id}`,
          {
            read: (instance: string, request: ReadRequest, signal?: AbortSignal) =>
              read(`${id}@${instance}`, request, signal),
          },
        ]),
      ),
      sync: {
        pairs: async () =>
          pairs.map(
            ([a, b, enabled = true]): Partial<PairState> => ({
              enabled,
              source: split(a)[0],
              source_instance: split(a)[1],
              target: split(b)[0],
              target_instance: split(b)[1],
            }),
          ),
      },
      ...(withoutLibrary ? {} : { library, actions: actionsOf(library) }),
      ...(streams === undefined ? {} : { scrobble: { streams: async () => streams() } }),
      ...(metadata === undefined ? {} : { metadata }),
    },
  })

  return {
    host,
    written,
    queued,
    account,
    accounts,
    /** The body of the list; fails for another status. */
    async list(query = '') {
      const response = await host.inject(`/api/playback_progress/items${query}`)
      if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${response.body}`)
      return response.json()
    },
    async get(path: string) {
      const response = await host.inject(`/api/playback_progress/${path}`)
      return { status: response.statusCode, body: response.json() }
    },
    async post(path: string, payload: unknown) {
      const response = await host.inject({
        method: 'POST',
        url: `/api/playback_progress/${path}`,
        payload: payload as object,
      })
      return { status: response.statusCode, body: response.json() }
    },
    [Symbol.asyncDispose]: () => host.close(),
  }
}

export function upstreamError(status: number): PlayheadError {
  return new PlayheadError('PLH_UPSTREAM', 'secret text of the service', { details: { status } })
}

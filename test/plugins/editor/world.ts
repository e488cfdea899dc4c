// The editor with accounts, a library, a tracker, a policy and lists in memory.
import {
  type Account,
  type AccountChanges,
  type ChangeOutcome,
  type ChangePlan,
  type Feature,
  type LibraryRow,
  type ListChanges,
  type ListEntry,
  type ListOp,
  type ListRead,
  type ListService,
  type ManualPolicyService,
  PlayheadError,
  type PolicyScope,
  type ReadOnlyReason,
  type RefreshOptions,
  type RefreshReport,
} from '@playhead/sdk'
import { formatKey, type Item, keyOf, parseItem } from '@playhead/sdk/items'
import { createTestHost } from '@playhead/sdk/testing'
import plugin from '../../../plugins/services/editor/index.ts'
import type { Holdings } from '../../../plugins/services/sync/library/holdings.ts'
import { actionsOf } from '../actions/service.ts'
import { libraryOf } from '../library.ts'

const manifest = new URL('../../../plugins/services/editor/plugin.json', import.meta.url)

export const film = (id: number | string, more: Partial<Item> = {}): Item => ({
  type: 'movie',
  title: `Film ${id}`,
  year: 2000,
  ids: { tmdb: String(id) },
  ...more,
})
export const row = (item: Item): LibraryRow => ({ key: keyText(item), item })

export function keyText(item: Item): string {
  const key = keyOf(item)
  return key.ok ? formatKey(key.value) : ''
}

export interface ListOptions {
  readonly films?: readonly number[]
  readonly can?: readonly ListOp[]
  readonly readOnly?: ReadOnlyReason
  readonly duplicates?: boolean
  readonly ordered?: boolean
}

export interface WorldOptions {
  /** Rows by `TRACKA@default watchlist`. */
  readonly rows?: Readonly<Record<string, readonly LibraryRow[]>>
  readonly tracker?: Readonly<Partial<Record<Feature, readonly LibraryRow[]>>>
  readonly list?: ListOptions
  /** The guard holds removals from this number. */
  readonly guard?: number
  readonly refresh?: (feature: Feature, options: RefreshOptions) => RefreshReport | Promise<RefreshReport>
  readonly debug?: boolean
}

export type World = Awaited<ReturnType<typeof openWorld>>

const ACCOUNTS = ['TRACKA@default', 'TRACKA@TRACKA-P01', 'MEDIAA@default', 'SVC@default']
const support = { read: true, add: true, update: true, remove: true, kinds: ['movie', 'show', 'episode'] }

export async function openWorld({ rows = {}, tracker = {}, list = {}, guard = 10, refresh }: WorldOptions = {}) {
  const stored = new Map(Object.entries(rows).map(([name, given]) => [name, [...given]]))
  const own = new Map(Object.entries(tracker).map(([feature, given]) => [feature, [...given]]))
  let trackerChanges = 1
  const policy = createPolicy()
  const lists = createLists(list, guard)
  const split = (name: string) => name.split('@') as [string, string]
  const accounts = {
    list: async () =>
      ACCOUNTS.map((name): Partial<Account> => {
        const [provider, instance] = split(name)
        return { provider, instance, configured: provider !== 'MEDIAA', label: '', uid: name, fingerprint: '' }
      }),
    providers: async () =>
      ['TRACKA', 'MEDIAA', 'SVC'].map((id) => ({
        id,
        token: id.toLowerCase(),
        label: `The ${id}`,
        features: {
          watchlist: { ...support, update: id !== 'SVC' },
          history: support,
          ratings: support,
          ...(id === 'SVC' ? { progress: support } : {}),
        },
      })),
  }
  const holdings: Omit<Holdings, 'texts'> = {
    holdings: async (feature) =>
      [...stored].flatMap(([name, given]) => {
        const [account, own] = name.split(' ') as [string, string]
        const [provider, instance] = split(account)
        return own === feature ? [{ provider, instance, feature, readAtMs: 1_000_000, count: given.length }] : []
      }),
    async *rows(provider, instance, feature) {
      const all = stored.get(`${provider}@${instance} ${feature}`) ?? []
      for (let start = 0; start < all.length; start += 250) yield all.slice(start, start + 250)
    },
    async items(provider, instance, feature, keys) {
      return (stored.get(`${provider}@${instance} ${feature}`) ?? []).filter(({ key }) => keys.includes(key))
    },
  }
  const trackerStore = {
    revision: async (_instance: string, feature: string) => `r${trackerChanges} ${feature}`,
    stats: async () =>
      ['watchlist', 'history', 'ratings', 'progress'].map((feature) => ({
        feature,
        rows: own.get(feature)?.length ?? 0,
        snapshots: 0,
      })),
    async *rows(_instance: string, feature: string) {
      yield own.get(feature) ?? []
    },
    items: async (_instance: string, feature: string, keys: readonly string[]) =>
      (own.get(feature) ?? []).filter(({ key }) => keys.includes(key)),
  }
  const plans = new Map<string, AccountChanges>()
  const written: AccountChanges[] = []
  const library = {
    ...libraryOf({
      holdings,
      accounts: accounts as never,
      tracker: () => trackerStore as never,
      trackerRows: trackerStore.rows,
      trackerItems: trackerStore.items,
    }),
    async plan(changes: AccountChanges): Promise<ChangePlan> {
      const planId = `plan-${plans.size + 1}`
      plans.set(planId, changes)
      const count = (op: string) => changes.changes.filter((one) => one.op === op).length
      const isHeld = count('remove') > guard
      return {
        planId,
        ready: { add: count('add'), update: count('update'), remove: isHeld ? 0 : count('remove') },
        held: isHeld ? { count: count('remove'), reason: 'mass_delete' } : null,
        leftOut: [],
      }
    },
    async applyWhenFree(planId: string, options: { approved?: boolean }): Promise<readonly ChangeOutcome[] | null> {
      if (lists.has(planId)) return lists.apply(planId, options.approved === true)
      const request = plans.get(planId)!
      written.push(request)
      trackerChanges += 1
      const all = own.get(request.feature) ?? []
      for (const { op, key, item } of request.changes) {
        const place = all.findIndex((one) => one.key === key)
        if (op === 'remove') all.splice(place, 1)
        else if (op === 'update') all[place] = { key, item }
        else all.push({ key: `t${trackerChanges}-${all.length}`, item })
      }
      own.set(request.feature, all)
      return request.changes.map(({ op, key }) => ({ op, key, outcome: 'applied' }))
    },
    async refresh(_account: object, feature: Feature, options: RefreshOptions) {
      if (refresh === undefined) throw new PlayheadError('PLH_UPSTREAM', 'secret text of the service')
      return refresh(feature, options)
    },
  }
  const playlists = {
    endpoints: async () => [
      {
        id: 'EP-01',
        name: 'Evening',
        provider: 'MEDIAA',
        instance: 'default',
        list: { kind: 'playlist', id: 'list-1', title: 'Evening films' },
      },
      { id: 'EP-02', name: 'Empty', provider: 'MEDIAA', instance: 'default', list: null },
    ],
  }
  const host = await createTestHost({
    plugin,
    manifest,
    capabilities: {
      accounts,
      actions: actionsOf(library),
      library,
      lists: lists.service,
      'manual-policy': policy,
      playlists,
      'tracker:store': trackerStore,
    },
  })
  return {
    host,
    stored,
    policy,
    lists,
    written,
    tracker: (feature: Feature) => own.get(feature) ?? [],
    touchTracker(feature: Feature, change: (rows: LibraryRow[]) => void) {
      const all = own.get(feature) ?? []
      change(all)
      own.set(feature, all)
      trackerChanges += 1
    },
    async get(path: string) {
      const answer = await host.inject(path)
      return { status: answer.statusCode, body: answer.json() }
    },
    async post(path: string, payload: unknown) {
      const answer = await host.inject({ method: 'POST', url: path, payload: payload as object })
      return { status: answer.statusCode, body: answer.json() }
    },
    [Symbol.asyncDispose]: () => host.close(),
  }
}

/** A list: entries with their own ids. */
function createLists(
  { films = [], can = ['add', 'remove', 'move'], readOnly, duplicates = false, ordered = true }: ListOptions,
  guard: number,
) {
  let entries = films.map((id, place) => ({ id: `e${place + 1}`, film: id }))
  let made = films.length
  let reads = 0
  const plans = new Map<
    string,
    { readonly changes: ListChanges; readonly entries: readonly ListEntry[]; readonly held: boolean }
  >()
  const kept = new Map<string, readonly ListEntry[]>()
  const faults: Error[] = []

  const shown = (): readonly ListEntry[] => {
    const copies = new Map<number, number>()
    return entries.map(({ id, film: own }, place) => {
      copies.set(own, (copies.get(own) ?? 0) + 1)
      const copy = copies.get(own)!
      return {
        key: `movie:tmdb:${own}${copy === 1 ? '' : `#${copy}`}`,
        item: {
          ...film(own),
          native: { list_item_id: id, item_id: `n${own}` },
          ...(ordered ? { position: place + 1 } : {}),
        },
      }
    })
  }
  const revision = () => JSON.stringify(entries)

  const service: Pick<ListService, 'read' | 'last' | 'entries' | 'plan'> = {
    async read(name): Promise<ListRead> {
      const fault = faults.shift()
      if (fault !== undefined) throw fault
      const readId = `read-${++reads}`
      kept.set(readId, shown())
      return {
        readId,
        list: {
          id: name.id,
          kind: name.kind,
          title: 'Evening films',
          can,
          kinds: ['movie'],
          ordered,
          duplicates,
          ...(readOnly === undefined ? {} : { readOnly }),
        },
        readAtMs: 2_000_000,
        count: entries.length,
        revision: revision(),
        unreadable: [],
      }
    },
    last: async () => null,
    async *entries(readId) {
      const all = kept.get(readId)!
      for (let start = 0; start < all.length; start += 2) yield all.slice(start, start + 2)
    },
    async plan(changes) {
      const planId = `list-plan-${plans.size + 1}`
      const count = (op: string) => changes.changes.filter((one) => one.op === op).length
      const held = count('remove') > guard
      plans.set(planId, { changes, entries: kept.get(changes.readId)!, held })
      const leftOut = changes.changes.flatMap(({ op, key, item }) =>
        op === 'add' && item !== undefined && Object.keys(item.ids).length === 0
          ? [{ key, op, reason: 'missing_ids' }]
          : [],
      )
      return {
        planId,
        ready: {
          add: count('add') - leftOut.length,
          update: changes.order === undefined ? 0 : 1,
          remove: held ? 0 : count('remove'),
        },
        held: held ? { count: count('remove'), reason: 'mass_delete' } : null,
        leftOut,
      }
    },
  }

  return {
    service: service as ListService,
    faults,
    writes: 0,
    films: () => entries.map(({ film: own }) => own),
    has: (planId: string) => plans.has(planId),
    /** Edits the list on another device. */
    elsewhere(change: (films: { id: string; film: number }[]) => void) {
      const next = entries.map((entry) => ({ ...entry }))
      change(next)
      entries = next.map((entry) => (entry.id === '' ? { ...entry, id: `e${++made}` } : entry))
    },
    apply(planId: string, approved: boolean): readonly ChangeOutcome[] {
      this.writes += 1
      const { changes, entries: read, held } = plans.get(planId)!
      const keys = new Map(read.map(({ key, item }) => [item.native!.list_item_id!, key]))
      const outcomes: ChangeOutcome[] = []
      for (const { op, key, item } of changes.changes) {
        if (op === 'remove') {
          const isKept = held && !approved
          if (!isKept) entries = entries.filter(({ id }) => keys.get(id) !== key)
          outcomes.push({ op, key, outcome: isKept ? 'held' : 'applied' })
        } else if (Object.keys(item!.ids).length === 0)
          outcomes.push({ op, key, outcome: 'filtered', reason: 'missing_ids' })
        else {
          const id = `e${++made}`
          entries = [...entries, { id, film: Number(item!.ids.tmdb) }]
          keys.set(id, key)
          outcomes.push({ op, key, outcome: 'applied' })
        }
      }
      if (changes.order !== undefined) {
        const places = new Map(changes.order.map((key, place) => [key, place]))
        let before = -1
        const ranked = entries.map((entry) => {
          before = places.get(keys.get(entry.id)!) ?? before
          return { entry, rank: before }
        })
        entries = ranked.toSorted((a, b) => a.rank - b.rank).map(({ entry }) => entry)
        outcomes.push({ op: 'update', key: 'order', outcome: 'applied' })
      }
      return outcomes
    },
  }
}

/** Adds and blocks by scope, as the contract defines. */
function createPolicy() {
  const scopes = new Map<string, { adds: Map<string, LibraryRow>; blocks: string[]; revision: number }>()
  const nameOf = ({ provider, instance, feature }: PolicyScope) => `${provider} ${instance} ${feature}`
  const at = (scope: PolicyScope) =>
    scopes.get(nameOf(scope)) ?? { adds: new Map<string, LibraryRow>(), blocks: [], revision: 0 }
  const imported: { text: string; mode: string; dryRun: boolean }[] = []
  const service = {
    imported,
    at,
    revision: async (scope?: PolicyScope) => (scope === undefined ? 'all' : String(at(scope).revision)),
    scopes: async () =>
      [...scopes].map(([name, { adds, blocks }]) => {
        const [provider, instance, feature] = name.split(' ') as [string, string, Feature]
        return { provider, instance, feature, adds: adds.size, blocks: blocks.length }
      }),
    async *adds(scope: PolicyScope) {
      const all = [...at(scope).adds.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1))
      for (let start = 0; start < all.length; start += 500) yield all.slice(start, start + 500)
    },
    addsByKeys: async (scope: PolicyScope, keys: readonly string[]) =>
      keys.flatMap((key) => at(scope).adds.get(key) ?? []),
    blocks: async (scope: PolicyScope) => at(scope).blocks,
    async change(
      scope: PolicyScope,
      {
        setAdds = [],
        removeAdds = [],
        addBlocks = [],
        removeBlocks = [],
        ifRevision,
      }: Parameters<ManualPolicyService['change']>[1],
    ) {
      const own = at(scope)
      if (ifRevision !== undefined && ifRevision !== String(own.revision))
        throw new PlayheadError('PLH_CONFLICT', 'changed', { wire: 'policy_changed' })
      const next = { adds: new Map(own.adds), blocks: [...own.blocks], revision: own.revision + 1 }
      for (const key of removeAdds) next.adds.delete(key)
      for (const fields of setAdds) {
        const item = parseItem(fields)
        if (!item.ok) throw new PlayheadError('PLH_INVALID', 'no item', { wire: 'invalid_policy' })
        const key = keyText(item.value)
        next.adds.set(key, { key, item: item.value })
      }
      next.blocks = next.blocks.filter(
        (block) => !removeBlocks.some((one) => one.toLowerCase() === block.toLowerCase()),
      )
      for (const block of addBlocks)
        if (!next.blocks.some((one) => one.toLowerCase() === block.toLowerCase())) next.blocks.push(block)
      scopes.set(nameOf(scope), next)
      return { adds: next.adds.size, blocks: next.blocks.length, revision: String(next.revision) }
    },
    async *export() {
      yield '{"version":1,'
      yield '"providers":{}}'
    },
    async import(text: string, { mode, dryRun = false }: { mode: 'merge' | 'replace'; dryRun?: boolean }) {
      imported.push({ text, mode, dryRun })
      const changes = { addsNew: 0, addsChanged: 0, addsRemoved: 0, blocksNew: 0, blocksRemoved: 0 }
      return { mode, dryRun, providers: 0, adds: 0, blocks: 0, changes, warnings: [], copy: null }
    },
  }
  return service
}

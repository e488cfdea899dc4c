// An account with lists in memory, and actions of people, servers and networks on it.
import { type Accounts, type Item, PlayheadError } from '@playhead/sdk'
import {
  type AccountHealth,
  type List,
  type ListItem,
  type ListKind,
  type ListProvider,
  type ListReadPart,
  type ListSupport,
  moveEntries,
  type NewList,
  type ProviderDescription,
  type WriteOutcome,
} from '@playhead/sdk/provider'

export interface Entry {
  readonly id: string
  readonly work: number
}

export interface FakeList {
  list: List
  entries: Entry[]
}

/** `partial`: a page is missing, and the response states that. `empty`: the server returns no entries. */
export type ReadFault = 'throws' | 'throws_midway' | 'partial' | 'empty' | 'times_out'
export type WriteFault = 'throws' | 'lost_answer' | 'some_fail' | 'unknown' | 'rate_limited'

const COMMON = { kinds: ['movie'], needsAnyId: ['tmdb', 'imdb'], maxBatch: 4 } as const
export const SUPPORT: ListSupport = {
  playlist: { ...COMMON, can: ['add', 'remove', 'move', 'create'], ordered: true, duplicates: false, byEntry: true },
  collection: { ...COMMON, can: ['add', 'remove', 'create'], ordered: false, duplicates: false, byEntry: false },
  status: {
    ...COMMON,
    can: ['add', 'remove'],
    ordered: false,
    duplicates: false,
    byEntry: false,
    losses: { remove: ['status', 'ratings'] },
  },
}

/** The ids that the account knows of a film: accounts rarely share the best one. */
export type Naming = 'both' | 'tmdb' | 'imdb'

export function film(work: number, naming: Naming = 'both'): Item {
  const ids = { tmdb: String(1000 + work), imdb: `tt${2_000_000 + work}` }
  return { type: 'movie', title: `Film ${work}`, year: 2000, ids: naming === 'both' ? ids : { [naming]: ids[naming] } }
}

export class FakeAccount implements Partial<ListProvider> {
  readonly id: string
  readonly lists_: FakeList[] = []
  /** Every call, in order. */
  readonly calls: string[] = []
  naming: Naming = 'both'
  readFault: ReadFault | undefined
  writeFault: WriteFault | undefined
  /** Maximum entries of a list; additional ones are rejected. */
  limit = Infinity
  /** A list cannot be created empty, as at Plex. */
  needsFirst = false
  /** Works that the account lacks. */
  readonly lacks = new Set<number>()
  beforeWrite: (() => void | Promise<void>) | undefined
  readonly without: boolean
  #next = 1

  constructor(id: string, { without = false } = {}) {
    this.id = id
    this.without = without
  }

  make(works: readonly number[], facts: Partial<List> = {}): FakeList {
    const kind: ListKind = facts.kind ?? 'playlist'
    const support = SUPPORT[kind]!
    const list: List = {
      id: String(this.lists_.length + 1),
      kind,
      title: `List ${this.lists_.length + 1}`,
      can: facts.readOnly === undefined ? support.can.filter((op) => op !== 'create') : [],
      kinds: support.kinds,
      ordered: support.ordered,
      duplicates: support.duplicates,
      ...facts,
    }
    const made = { list, entries: works.map((work) => this.entry(work)) }
    this.lists_.push(made)
    return made
  }

  entry(work: number): Entry {
    return { id: `${this.id}-${this.#next++}`, work }
  }

  get writes(): readonly string[] {
    return this.calls.filter((call) => call !== 'lists' && call !== 'read')
  }

  describe(): ProviderDescription {
    return {
      ...{ id: this.id, token: this.id.toLowerCase(), label: this.id, version: '1.0.0', vendor: null },
      ...{ description: null, group: 'other', bidirectional: true },
      // Pairs need a feature with rows; it is never read.
      features: { watchlist: { read: true, add: true, remove: true, update: false, kinds: ['movie'] } },
      ...(this.without ? {} : { lists: SUPPORT }),
      signIn: {
        ...{ flow: 'token', methods: ['api_key'], fields: [], verifyUrl: null, notes: null },
        actions: { start: false, finish: false, refresh: false, disconnect: false },
      },
    }
  }

  profiles() {
    return [{ id: 'default', label: '', configured: true, fingerprint: 'f' }]
  }

  async probe(): Promise<AccountHealth> {
    return { status: 'ok', account: this.id }
  }

  #failRead(): void {
    if (this.readFault === 'throws') throw new PlayheadError('PLH_UPSTREAM', 'The server is down.')
    if (this.readFault === 'times_out') throw new PlayheadError('PLH_UPSTREAM_TIMEOUT', 'No answer.')
  }

  async lists(): Promise<readonly List[]> {
    this.calls.push('lists')
    this.#failRead()
    return this.lists_.map(({ list }) => list)
  }

  async *readList(_instance: string, { list }: { list: Pick<List, 'id'> }): AsyncGenerator<ListReadPart> {
    this.calls.push('read')
    this.#failRead()
    const fault = this.readFault
    const { entries, list: own } = this.#find(list.id)
    const rows = (fault === 'empty' ? [] : entries).map(
      ({ id, work }, index): ListItem => ({
        ...film(work, this.naming),
        ...(own.ordered ? { position: index + 1 } : {}),
        native: { list_item_id: id },
      }),
    )
    const half = Math.floor(rows.length / 2)
    yield { type: 'rows', rows: rows.slice(0, half) }
    if (fault === 'throws_midway') throw new PlayheadError('PLH_UPSTREAM', 'The second page failed.')
    if (fault !== 'partial') yield { type: 'rows', rows: rows.slice(half) }
    const complete = fault !== 'partial'
    yield {
      type: 'end',
      end: { complete, ...(complete ? {} : { reason: 'truncated' }), semantics: 'present', account: this.id },
    }
  }

  async writeList(_instance: string, request: Parameters<ListProvider['writeList']>[1]) {
    this.calls.push(request.op)
    await this.beforeWrite?.()
    const fault = this.writeFault
    const found = this.#find(request.list.id)
    if (fault === 'throws') throw new PlayheadError('PLH_AUTH_FAILED', 'Signed out.')
    if (fault === 'rate_limited') {
      const outcomes = request.items.map(({ key }) => ({ key, outcome: 'rate_limited' as const }))
      return { outcomes, retryAfterMs: 3_600_000 }
    }
    const outcomes = request.items.map((one, index): WriteOutcome => {
      const { key, item } = one
      if (fault === 'some_fail' && index % 2 === 0) return { key, outcome: 'failed', reason: 'write_failed' }
      const work =
        item.ids.tmdb === undefined ? Number(item.ids.imdb?.slice(2)) - 2_000_000 : Number(item.ids.tmdb) - 1000
      const outcome = this.#carryOut(found, request.op, work, one)
      return fault === 'unknown' && outcome.outcome === 'applied' ? { key, outcome: 'unknown' } : { ...outcome, key }
    })
    if (fault === 'lost_answer') throw new PlayheadError('PLH_UPSTREAM_TIMEOUT', 'No answer.')
    return { outcomes }
  }

  #carryOut(
    found: FakeList,
    op: 'add' | 'remove' | 'move',
    work: number,
    { item, after = null }: { readonly item: Item; readonly after?: string | null },
  ): Omit<WriteOutcome, 'key'> {
    const at = item.native?.list_item_id
    if (op === 'add') {
      if (this.lacks.has(work)) return { outcome: 'not_found', reason: 'not_in_library' }
      if (!found.list.duplicates && found.entries.some((entry) => entry.work === work)) return { outcome: 'already' }
      if (found.entries.length >= this.limit) return { outcome: 'rejected', reason: 'account_limit' }
      found.entries.push(this.entry(work))
      return { outcome: 'applied' }
    }
    if (op === 'remove') {
      const left = found.entries.filter((entry) => (at === undefined ? entry.work !== work : entry.id !== at))
      const isGone = left.length === found.entries.length
      found.entries = left
      return { outcome: isGone ? 'already' : 'applied' }
    }
    const ids = found.entries.map(({ id }) => id)
    const { order, results } = moveEntries(ids, [{ entry: at!, after }])
    if (results[0] !== 'moved' && results[0] !== 'same') return { outcome: 'not_found', reason: results[0]! }
    const byId = new Map(found.entries.map((entry) => [entry.id, entry]))
    found.entries = order.map((id) => byId.get(id)!)
    return { outcome: 'applied' }
  }

  async createList(_instance: string, list: NewList): Promise<List> {
    this.calls.push('create')
    if (this.needsFirst && list.first === undefined)
      throw new PlayheadError('PLH_INVALID', 'It cannot be empty.', { wire: 'first_entry_required' })
    const works = list.first === undefined ? [] : [Number(list.first.ids.tmdb) - 1000]
    if (works.some((work) => this.lacks.has(work)))
      throw new PlayheadError('PLH_NOT_FOUND', 'Not in the library.', { wire: 'not_in_library' })
    return this.make(works, { kind: list.kind, title: list.title }).list
  }

  #find(id: string): FakeList {
    const found = this.lists_.find(({ list }) => list.id === id)
    if (found === undefined) throw new PlayheadError('PLH_NOT_FOUND', 'No such list.', { wire: 'list_missing' })
    return found
  }
}

export function worksOf({ entries }: Pick<FakeList, 'entries'>): readonly number[] {
  return entries.map(({ work }) => work)
}

export function directoryOf(accounts: readonly FakeAccount[]): Accounts {
  return {
    providers: async () => accounts.map((account) => account.describe()),
    list: async () =>
      accounts.map((account) => ({
        ...account.profiles()[0]!,
        provider: account.id,
        instance: 'default',
        uid: `uid-${account.id}`,
      })),
    health: async () => ({ status: 'ok' }),
    reached: async () => undefined,
    usages: async () => [],
    add: () => Promise.reject(new Error('nothing adds an account here')),
    remove: async () => {},
    assertUnused: async () => {},
    forget: async () => {},
  }
}

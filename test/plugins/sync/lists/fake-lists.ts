// An account with lists, in memory, with typical faults of services.
import { type Accounts, PlayheadError } from '@playhead/sdk'
import { type Item, tokensOf } from '@playhead/sdk/items'
import {
  type AccountHealth,
  type List,
  type ListItem,
  type ListProvider,
  type ListReadPart,
  type ListSupport,
  moveEntries,
  type NewList,
  type ProviderDescription,
  type WriteOutcome,
} from '@playhead/sdk/provider'

export interface StoredEntry {
  readonly id: string
  readonly work: number
}

/** `partial`: a page is missing. `throws`: the server fails. */
export type ListReadFault = 'partial' | 'throws' | 'throws_midway'
/** `lost_answer`: executed, and the connection broke. `half`: half executed. `some_fail`: single items fail. */
export type ListWriteFault = 'throws' | 'lost_answer' | 'half' | 'some_fail' | 'unknown' | 'rate_limited'

export const SUPPORT: ListSupport = {
  playlist: {
    can: ['add', 'remove', 'move', 'create'],
    kinds: ['movie'],
    needsAnyId: ['tmdb', 'imdb'],
    ordered: true,
    duplicates: true,
    byEntry: true,
    maxBatch: 3,
  },
  collection: { can: ['add', 'remove'], kinds: ['movie'], ordered: false, duplicates: false, byEntry: false },
}

export function filmItem(work: number): Item {
  return {
    type: 'movie',
    title: `Film ${work}`,
    year: 2000,
    ids: { tmdb: String(1000 + work), imdb: `tt${2000000 + work}` },
  }
}

export class FakeLists implements Partial<ListProvider> {
  readonly id: string
  /** Who is signed in to the profile. */
  person = 'ada'
  readonly lists_: { list: List; entries: StoredEntry[] }[] = []
  readonly requests: string[] = []
  readFault: ListReadFault | undefined
  writeFault: ListWriteFault | undefined
  beforeWrite: (() => void) | undefined
  #next = 1

  constructor(id: string) {
    this.id = id
  }

  make(kind: 'playlist' | 'collection', works: readonly number[], facts: Partial<List> = {}) {
    const support = SUPPORT[kind]!
    const list: List = {
      id: `${kind}-${this.lists_.length}`,
      kind,
      title: 'List',
      can: support.can.filter((op) => op !== 'create'),
      kinds: support.kinds,
      ordered: support.ordered,
      duplicates: support.duplicates,
      ...facts,
    }
    const made = { list, entries: works.map((work) => this.#entry(work)) }
    this.lists_.push(made)
    return made
  }

  #entry(work: number): StoredEntry {
    return { id: `e${this.#next++}`, work }
  }

  describe(): ProviderDescription {
    return {
      id: this.id,
      token: this.id.toLowerCase(),
      label: this.id,
      version: '1.0.0',
      vendor: null,
      description: null,
      group: 'other',
      features: {},
      lists: SUPPORT,
      bidirectional: true,
      signIn: {
        flow: 'token',
        methods: ['api_key'],
        fields: [],
        actions: { start: false, finish: false, refresh: false, disconnect: false },
        verifyUrl: null,
        notes: null,
      },
    }
  }

  profiles() {
    return [{ id: 'default', label: '', configured: true, fingerprint: 'f' }]
  }

  async probe(): Promise<AccountHealth> {
    return { status: 'ok', account: this.id }
  }

  async lists(): Promise<readonly List[]> {
    this.requests.push('lists')
    return this.lists_.map(({ list }) => list)
  }

  async *readList(_instance: string, { list }: { list: Pick<List, 'id'> }): AsyncGenerator<ListReadPart> {
    this.requests.push('read')
    const fault = this.readFault
    const { entries } = this.#find(list.id)
    if (fault === 'throws') throw new PlayheadError('PLH_UPSTREAM', 'The server is down.')
    const rows = entries.map(
      ({ id, work }, index): ListItem => ({ ...filmItem(work), position: index + 1, native: { list_item_id: id } }),
    )
    const half = Math.floor(rows.length / 2)
    yield { type: 'rows', rows: rows.slice(0, half) }
    if (fault === 'throws_midway') throw new PlayheadError('PLH_UPSTREAM', 'The server is down.')
    if (fault !== 'partial') yield { type: 'rows', rows: rows.slice(half) }
    yield {
      type: 'end',
      end: {
        complete: fault !== 'partial',
        ...(fault === 'partial' ? { reason: 'truncated' } : {}),
        semantics: 'present',
        account: this.id,
      },
    }
  }

  async writeList(_instance: string, request: Parameters<ListProvider['writeList']>[1]) {
    this.requests.push(request.op)
    this.beforeWrite?.()
    const fault = this.writeFault
    const found = this.#find(request.list.id)
    if (fault === 'throws') throw new PlayheadError('PLH_AUTH_FAILED', 'Signed out.')
    if (fault === 'rate_limited')
      return {
        outcomes: request.items.map(({ key }) => ({ key, outcome: 'rate_limited' as const })),
        retryAfterMs: 3_600_000,
      }
    const outcomes = request.items.map((one, index): WriteOutcome => {
      const { key, item } = one
      if (fault === 'some_fail' && index % 2 === 0) return { key, outcome: 'rejected', reason: 'nope' }
      if (fault === 'half' && index % 2 === 0) return { key, outcome: 'failed', reason: 'nope' }
      const work = Number(item.ids.tmdb) - 1000
      const at = item.native?.list_item_id
      if (request.op === 'add') {
        if (!found.list.duplicates && found.entries.some((entry) => entry.work === work))
          return { key, outcome: 'already' }
        found.entries.push(this.#entry(work))
      } else if (request.op === 'remove') {
        const before = found.entries.length
        found.entries = found.entries.filter((entry) => (at === undefined ? entry.work !== work : entry.id !== at))
        if (found.entries.length === before) return { key, outcome: 'already' }
      } else {
        const after = (one as { after?: string | null }).after ?? null
        const { order, results } = moveEntries(
          found.entries.map(({ id }) => id),
          [{ entry: at!, after }],
        )
        if (results[0] !== 'moved' && results[0] !== 'same') return { key, outcome: 'not_found', reason: results[0]! }
        const byId = new Map(found.entries.map((entry) => [entry.id, entry]))
        found.entries = order.map((id) => byId.get(id)!)
      }
      return { key, outcome: fault === 'unknown' ? 'unknown' : 'applied' }
    })
    if (fault === 'lost_answer') throw new PlayheadError('PLH_UPSTREAM_TIMEOUT', 'No answer.')
    return { outcomes }
  }

  async createList(_instance: string, list: NewList): Promise<List> {
    this.requests.push('create')
    const made = this.make(
      list.kind as 'playlist',
      list.first === undefined ? [] : [Number(list.first.ids.tmdb) - 1000],
      { title: list.title },
    )
    if (this.writeFault === 'lost_answer') throw new PlayheadError('PLH_UPSTREAM_TIMEOUT', 'No answer.')
    return made.list
  }

  #find(id: string) {
    const found = this.lists_.find(({ list }) => list.id === id)
    if (found === undefined) throw new PlayheadError('PLH_NOT_FOUND', 'No such list.', { wire: 'list_missing' })
    return found
  }
}

export function worksOf({ entries }: { readonly entries: readonly StoredEntry[] }): readonly number[] {
  return entries.map(({ work }) => work)
}

export function directoryOf(accounts: readonly FakeLists[]): Accounts {
  return {
    providers: async () => accounts.map((account) => account.describe()),
    list: async () =>
      accounts.map((account) => ({
        ...account.profiles()[0]!,
        provider: account.id,
        instance: 'default',
        uid: `uid-${account.id}-${account.person}`,
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

/** A film matches by any of its ids. */
export function isFilm(item: Item, work: number): boolean {
  const tokens = new Set(tokensOf(filmItem(work)))
  return tokensOf(item).some((token) => tokens.has(token))
}

// Lists of a provider: the kit's checks.
import { Type, providerCapability } from '@playhead/sdk'
import {
  collectRead,
  defineProvider,
  type List,
  type ListDefinition,
  type ListItem,
  type ListProvider,
  type ListWriteItem,
  moveEntries,
  type Provider,
  type WriteOutcome,
} from '@playhead/sdk/provider'
import { createTestHost } from '@playhead/sdk/testing'
import t from 'tap'

const IDS = ['a', 'b', 'c', 'd', 'e']
const rowOf = (id: string): ListItem => ({ type: 'movie', ids: { imdb: `tt${id}` }, native: { list_item_id: id } })

interface Shelf {
  entries: string[]
  asked: number
  readonly outcomeOf?: (id: string) => Omit<WriteOutcome, 'key'> | undefined
  readonly end?: { readonly complete: boolean; readonly reason?: string }
}

async function startShelf(shelf: Partial<Shelf> = {}, more: Partial<ListDefinition<object>> = {}) {
  const state = { entries: [...IDS], asked: 0, end: { complete: true }, ...shelf }
  const lists: ListDefinition<object> = {
    support: {
      playlist: {
        can: ['add', 'remove', 'move', 'create', 'delete', 'clear'],
        kinds: ['movie'],
        needsAnyId: ['imdb'],
        ordered: true,
        duplicates: true,
        byEntry: true,
        maxBatch: 2,
        maxTitle: 5,
        losses: { delete: ['list', 'entries'], clear: ['entries'] },
      },
      status: {
        can: ['remove'],
        kinds: ['show'],
        ordered: false,
        duplicates: false,
        byEntry: false,
        losses: { remove: ['ratings'] },
      },
    },
    async all() {
      state.asked += 1
      return [
        { id: 'p', kind: 'playlist', title: 'Mix', count: state.entries.length },
        { id: 's', kind: 'playlist', title: 'Smart', readOnly: 'dynamic' },
        { id: 'x', kind: 'status', title: 'Held', cannot: ['remove'] },
      ]
    },
    async *read() {
      state.asked += 1
      yield { type: 'rows', rows: state.entries.map(rowOf) }
      yield { type: 'end', end: { semantics: 'present', account: 'me', ...state.end } }
    },
    async write(_session, { items, op }) {
      state.asked += 1
      const outcomes = items.flatMap(({ key, item }) => {
        const id = item.native?.list_item_id ?? ''
        const outcome = shelf.outcomeOf === undefined ? { outcome: 'applied' as const } : shelf.outcomeOf(id)
        if (outcome?.outcome === 'applied' && op === 'remove') state.entries = state.entries.filter((one) => one !== id)
        return outcome === undefined ? [] : [{ key, ...outcome }]
      })
      return { outcomes }
    },
    async delete() {
      state.entries = []
    },
    async create(_session, { title, kind }) {
      return { id: 'n', kind, title, count: 0 }
    },
    ...more,
  }
  const host = await createTestHost({
    plugin: defineProvider({
      profile: Type.Object({ token: Type.String({ default: '' }) }),
      group: 'other',
      features: {},
      credentials: ['token'],
      signIn: {
        flow: 'token',
        methods: ['api_key'],
        fields: [],
        actions: { start: false, finish: false, refresh: false, disconnect: false },
        verifyUrl: null,
        notes: null,
      },
      missing: ({ token }) => (token === '' ? 'not_configured' : undefined),
      open: () => ({}),
      probe: async () => ({ status: 'ok' }),
      read: {},
      write: {},
      lists,
    }),
    provider: { id: 'SHELF', token: 'shelf', label: 'Shelf' },
    config: { token: 'x' },
  })
  const provider = host.capability(providerCapability('SHELF')) as unknown as Provider & ListProvider
  const all = await provider.lists('default')
  state.asked = 0
  return { host, provider, state, list: all[0] as List, all, [Symbol.asyncDispose]: () => host.close() }
}

const wireOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    ({ code, wire }: { code: string; wire: string }) => `${code} ${wire}`,
  )
const told = (outcomes: readonly WriteOutcome[]) =>
  outcomes.map(({ key, outcome, reason }) => [key, outcome, ...(reason === undefined ? [] : [reason])].join(' '))

t.test('the abilities of a list follow from its kind, less its own restrictions', async (t) => {
  await using shelf = await startShelf()
  t.same(
    shelf.all.map(({ can }) => can),
    [['add', 'remove', 'move', 'delete', 'clear'], [], []],
  )
  t.match(shelf.all[0], { ordered: true, duplicates: true, kinds: ['movie'] })
  t.same(Object.keys((await shelf.provider.describe()).lists ?? {}), ['playlist', 'status'])
})

t.test('only declared, permitted and confirmed changes reach the provider', async (t) => {
  await using shelf = await startShelf()
  const {
    provider,
    list,
    all: [, smart, held],
    state,
  } = shelf
  const write = (to: List, op: 'add' | 'remove', items: readonly ListWriteItem[] = []) =>
    wireOf(provider.writeList('default', { list: to, op, items }))
  t.equal(await write(smart as List, 'add'), 'PLH_UNSUPPORTED list_read_only')
  t.equal(await write({ ...list, readOnly: 'foreign' }, 'add'), 'PLH_UNSUPPORTED list_read_only')
  t.equal(await write(held as List, 'remove'), 'PLH_UNSUPPORTED unsupported')
  t.equal(await write({ ...(held as List), can: ['remove'] }, 'remove'), 'PLH_CONFLICT confirmation_required')
  t.equal(await write({ ...list, kind: 'collection' }, 'add'), 'PLH_UNSUPPORTED unsupported')
  t.equal(
    await write(
      list,
      'add',
      IDS.map((key) => ({ key, item: rowOf(key) })),
    ),
    'PLH_INVALID batch_too_large',
  )
  t.equal(
    await write(list, 'add', [
      { key: 'a', item: rowOf('a') },
      { key: 'a', item: rowOf('b') },
    ]),
    'PLH_INVALID invalid',
  )
  t.equal(await wireOf(provider.renameList('default', list, 'Other')), 'PLH_UNSUPPORTED unsupported')
  t.equal(
    await wireOf(provider.createList('default', { kind: 'playlist', title: 'Longer' })),
    'PLH_INVALID invalid_title',
  )
  t.equal(await wireOf(provider.createList('default', { kind: 'status', title: 'Own' })), 'PLH_UNSUPPORTED unsupported')
  t.equal(
    await wireOf(provider.deleteList('default', { list, count: 5, confirm: ['entries'] })),
    'PLH_CONFLICT confirmation_required',
  )
  t.equal(
    await wireOf(collectRead(provider.readList('default', { list: { id: 'p', kind: 'collection' } }))),
    'PLH_UNSUPPORTED unsupported',
  )
  t.equal(await wireOf(provider.lists('SHELF-P01')), 'PLH_NOT_FOUND not_found')
  t.equal(state.asked, 0)
})

t.test('each item has one outcome, for any result of the provider', async (t) => {
  await using shelf = await startShelf({ outcomeOf: () => undefined })
  const { provider, list, state } = shelf
  const items = [
    { key: '1', item: rowOf('a') },
    { key: '2', item: { type: 'movie', ids: { imdb: 'tt9' } } },
  ] as const
  t.same(told((await provider.writeList('default', { list, op: 'remove', items })).outcomes), [
    '1 unknown no_outcome',
    '2 unsupported entry_unknown',
  ])
  t.same(told((await provider.writeList('default', { list, op: 'move', items: [items[0]] })).outcomes), [
    '1 unsupported place_missing',
  ])
  t.same(
    told(
      (
        await provider.writeList('default', {
          list,
          op: 'add',
          items: [
            { key: '1', item: { type: 'show', ids: { imdb: 'tt9' } } },
            { key: '2', item: { type: 'movie', ids: { tmdb: '9' } } },
          ],
        })
      ).outcomes,
    ),
    ['1 unsupported unsupported_type', '2 unsupported missing_ids'],
  )
  t.equal(state.asked, 1)
})

t.test('a list is cleared entry by entry, and the rest is reported when the service asks to wait', async (t) => {
  await using shelf = await startShelf({
    outcomeOf: (id) => (id === 'd' ? { outcome: 'rate_limited' } : { outcome: 'applied' }),
  })
  const { provider, list, state } = shelf
  const { outcomes } = await provider.clearList('default', { list, count: 5, confirm: ['entries'] })
  t.same(told(outcomes), ['1 applied', '2 applied', '3 applied', '4 rate_limited', '5 rate_limited deferred'])
  t.same(state.entries, ['d', 'e'])
})

t.test('a list that changed, or cannot be read to its end, is neither cleared nor deleted', async (t) => {
  await using shelf = await startShelf()
  const { provider, list, state } = shelf
  const confirm = ['list', 'entries'] as const
  t.equal(await wireOf(provider.clearList('default', { list, count: 4, confirm })), 'PLH_CONFLICT changed_since_read')
  t.equal(
    await wireOf(provider.deleteList('default', { list: { ...list, title: 'Old' }, count: 5, confirm })),
    'PLH_CONFLICT changed_since_read',
  )
  t.equal(
    await wireOf(provider.deleteList('default', { list: { ...list, id: 'q' }, count: 5, confirm })),
    'PLH_NOT_FOUND list_missing',
  )
  t.same(state.entries, IDS)
  t.equal(await wireOf(provider.deleteList('default', { list, count: 5, confirm })), 'done')
  t.same(state.entries, [])

  await using half = await startShelf({ end: { complete: false, reason: 'truncated' } })
  t.equal(await wireOf(half.provider.clearList('default', { list, count: 5, confirm })), 'PLH_CONFLICT incomplete_read')
  t.same(half.state.entries, IDS)
})

t.test('a list without an id, and a read without an end, are errors of the service', async (t) => {
  await using shelf = await startShelf(
    {},
    {
      async *read() {
        yield { type: 'rows', rows: [rowOf('a')] }
      },
    },
  )
  t.equal(
    await wireOf(collectRead(shelf.provider.readList('default', { list: shelf.list }))),
    'PLH_UPSTREAM_INVALID invalid_response',
  )
  t.equal(
    await wireOf(startShelf({}, { all: async () => [{ id: '', kind: 'playlist', title: 'Mix' }] })),
    'PLH_UPSTREAM_INVALID invalid_response',
  )
})

t.test('moves run one after the other, and change nothing else', async (t) => {
  t.strictSame(
    moveEntries(IDS, [
      { entry: 'd', after: null },
      { entry: 'a', after: 'c' },
      { entry: 'e', after: 'a' },
    ]),
    { order: ['d', 'b', 'c', 'a', 'e'], results: ['moved', 'moved', 'same'] },
  )
  t.strictSame(
    moveEntries(IDS, [
      { entry: 'x', after: null },
      { entry: 'a', after: 'x' },
      { entry: 'a', after: 'a' },
    ]),
    { order: IDS, results: ['entry_unknown', 'place_unknown', 'place_unknown'] },
  )
  t.strictSame(moveEntries([], []), { order: [], results: [] })
})

// Pages of an account's rows while runs and imports replace them: a page shows one state, the one that it names.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import type { Account, LibraryRow } from '@playhead/sdk'
import type { Ids, Item } from '@playhead/sdk/items'
import { createPages, type RowSource } from '../../../plugins/services/sync/library/row-index.ts'
import { libraryOf } from '../library.ts'

const CHUNK = 3

/** An account whose rows are replaced at these times. */
function changing(replacements: readonly number[], size: number) {
  let state = 0
  let asked = 0
  const step = () => {
    if (replacements.includes(asked++)) state += 1
  }
  const rowsNow = (): readonly LibraryRow[] =>
    Array.from({ length: size }, (_, at) => ({
      key: `movie:tmdb:${at + 1}`,
      item: { type: 'movie', title: `Film ${at} of ${state}`, year: 2000 + at, ids: { tmdb: String(at + 1) } },
    }))
  const sourceNow = async (): Promise<RowSource> => ({
    name: 'ANN watchlist',
    revision: `r${state}`,
    count: size,
    readAtMs: state,
    async *rows() {
      for (let from = 0; from < size; from += CHUNK) {
        yield rowsNow().slice(from, from + CHUNK)
        step()
      }
    },
    async items(keys) {
      step()
      return rowsNow().filter(({ key }) => keys.includes(key))
    },
  })
  return sourceNow
}

t.test('a page shows the state that it names, even while the account is being read', () =>
  fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.nat({ max: 12 }), { maxLength: 2 }),
      fc.integer({ min: 1, max: 20 }),
      fc.array(
        fc.record({
          offset: fc.nat({ max: 20 }),
          limit: fc.integer({ min: 0, max: 20 }),
          sort: fc.constantFrom(undefined, 'title' as const, 'year' as const),
          search: fc.constantFrom(undefined, 'film'),
        }),
        { minLength: 1, maxLength: 5 },
      ),
      async (replacements, size, queries) => {
        const page = createPages()
        const sourceNow = changing(replacements, size)
        for (const { offset, limit, sort, search } of queries) {
          const { rows, revision, total } = await page(
            {
              provider: 'ANN',
              instance: 'default',
              feature: 'watchlist',
              offset,
              limit,
              ...(sort === undefined ? {} : { sort }),
              ...(search === undefined ? {} : { search }),
            },
            sourceNow,
          )
          if (rows.length !== Math.max(0, Math.min(limit, size - offset)) || total !== size)
            throw new Error('a row is missing')
          if (new Set(rows.map(({ key }) => key)).size !== rows.length) throw new Error('a row is there twice')
          const states = new Set(rows.map(({ item }) => `r${item.title!.split(' of ')[1]}`))
          if (states.size > 0 && (states.size > 1 || !states.has(revision)))
            throw new Error(`${revision} has rows of ${[...states].join()}`)
        }
      },
    ),
    { numRuns: runsOf(200) },
  ),
)

t.test(
  'the rows of works are those of films, and of shows with all their parts, by any id of the account',
  async (t) => {
    const part = (season: number, ids: Ids, show_ids: Ids): Item => ({
      type: 'episode',
      ids,
      show_ids,
      season,
      episode: 1,
    })
    const items: readonly Item[] = [
      { type: 'movie', ids: { tmdb: '1' } },
      { type: 'show', ids: { tmdb: '1', tvdb: '5' } },
      part(1, {}, { tvdb: '5' }),
      part(2, { mediaa: '77' }, { tmdb: '9' }),
      { type: 'season', ids: {}, show_ids: { tmdb: '1' }, season: 3 },
      { type: 'movie', ids: { imdb: 'tt3' } },
    ]
    const rows = items.map((item, at): LibraryRow => ({ key: `k${at}`, item }))
    const library = libraryOf({
      holdings: {
        holdings: async () => [],
        items: async () => [],
        async *rows() {
          for (let from = 0; from < rows.length; from += 2) yield rows.slice(from, from + 2)
        },
      },
      accounts: { list: async () => [] },
      tracker: () => undefined,
    })
    const keys = async (...wanted: readonly Item[]) =>
      (await Array.fromAsync(library.rowsOfWorks('ANN', 'default', 'history', wanted))).flat().map(({ key }) => key)
    t.same(await keys({ type: 'movie', ids: { tmdb: '1' } }), ['k0'])
    t.same(await keys({ type: 'show', ids: { tvdb: '5', tmdb: '1' } }), ['k1', 'k2', 'k4'])
    t.same(await keys(part(9, {}, { tvdb: '5' })), ['k1', 'k2'], 'an episode stands for its show')
    t.same(await keys(part(2, { mediaa: '77' }, {}), { type: 'movie', ids: { imdb: 'tt3' } }), ['k3', 'k5'])
    t.same(await keys({ type: 'movie', ids: {}, title: 'Heat' }), [])
  },
)

t.test('united rows are of one read, and stay so until the last page', async (t) => {
  let state = 0
  let replaced = 1
  const rowsOf = (): readonly LibraryRow[] =>
    Array.from({ length: 1_200 }, (_, at) => ({
      key: `k${at}`,
      item: { type: 'movie', title: `Film of ${state}`, ids: { tmdb: String(at + 1) } },
    }))
  const library = libraryOf({
    holdings: {
      holdings: async (feature) => [
        { provider: 'ANN', instance: 'default', feature, readAtMs: 1, count: 1_200, revision: `r${state}` },
      ],
      items: async () => [],
      async *rows() {
        for (let from = 0; from < 1_200; from += 300) {
          yield rowsOf().slice(from, from + 300)
          if (from === 300 && replaced-- > 0) state += 1
        }
      },
    },
    accounts: { list: async () => [] },
    tracker: () => undefined,
  })
  const query = { accounts: [{ provider: 'ANN', instance: 'default' }], features: ['watchlist' as const] }
  const sizes: number[] = []
  const titles = new Set<string | null | undefined>()
  for await (const part of library.unitedRows(query)) {
    if (part.type === 'about') t.same(part.counts, { movie: 1_200, show: 0, season: 0, episode: 0 })
    else {
      sizes.push(part.rows.length)
      for (const { item } of part.rows) titles.add(item.title)
      state += 1
    }
  }
  t.same(sizes, [500, 500, 200])
  t.same([...titles], ['Film of 1'], 'rows that were replaced while they were collected are collected again')

  replaced = 99
  await t.rejects(Array.fromAsync(library.unitedRows(query)), { code: 'PLH_ABORTED' }, 'no list is of several reads')
  replaced = 0
  t.equal((await Array.fromAsync(library.unitedRows({ ...query, search: 'film' }))).length, 4, 'a later call succeeds')
})

t.test('what can be shown: rows of existing accounts that were read, and own trackers as they are now', async (t) => {
  let tracker = true
  let state = 0
  let asked = 0
  let counted = 0
  const held = (provider: string, instance: string, readAtMs: number | null, count: number) =>
    ({ provider, instance, feature: 'history', readAtMs, count, revision: 'r1' }) as const
  const all = [held('ANN', 'default', 5, 3), held('ANN', 'removed', 5, 2), held('BEN', 'default', null, 0)]
  const stored = [...all, held('SVC', 'default', 5, 9)]
  const store = {
    revision: async (_instance: string, feature: string) => `now ${feature}`,
    async stats() {
      counted += 1
      return [{ feature: 'history' as const, rows: 10, snapshots: 0 }]
    },
  }
  const library = libraryOf({
    holdings: {
      async holdings(feature) {
        asked += 1
        return stored.filter((one) => one.feature === feature)
      },
      items: async () => [],
      async *rows() {},
    },
    accounts: {
      list: async () => ['ANN', 'BEN', 'SVC'].map((provider) => ({ provider, instance: 'default' }) as Account),
    },
    tracker: () => (tracker ? store : undefined),
    stateNow: () => String(state),
  })
  const own = { provider: 'SVC', instance: 'default', readAtMs: null }
  const shown = [
    all[0],
    { ...own, feature: 'history', count: 10, revision: 'now history' },
    { ...own, feature: 'ratings', count: 0, revision: 'now ratings' },
  ]
  for (let times = 0; times < 2; times += 1) t.same(await library.currentHoldings(['history', 'ratings']), shown)
  t.same([asked, counted], [2, 2], 'once for each feature')
  tracker = false
  state += 1
  t.same(await library.currentHoldings(['history']), [all[0], stored[3]], 'without its store, its last read')
  t.equal(asked, 3, 'something was stored')
})

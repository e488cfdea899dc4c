// Tokens: matching rows, without false matches.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import { animeTokensOf } from '../../../sdk/items/anime-tokens.ts'
import type { Ids } from '../../../sdk/items/id-schemes.ts'
import type { Item } from '../../../sdk/items/item.ts'
import { kindOf } from '../../../sdk/items/kind.ts'
import { createTokenIndex } from '../../../sdk/testing/conformance/token-index.ts'
import { contradicts } from '../../../sdk/items/contradict.ts'
import { compareItems, tokensOf } from '../../../sdk/items/tokens.ts'
import { episode, fewIds, itemWith, movie, show } from './support.ts'

/** Groups as sorted row positions, independent of insertion order. */
function groupsOf(rows: readonly Item[], order = rows.map((_, place) => place)): string {
  const index = createTokenIndex<number>((place) => rows[place]!)
  for (const place of order) index.add(place)
  return JSON.stringify(
    index
      .groups()
      .map(({ rows: places, conflict }) => [places.toSorted((a, b) => a - b), conflict])
      .sort(),
  )
}

t.test('an episode has a token for every id of its show, and its own strong ids', async (t) => {
  t.strictSame(
    tokensOf(episode({ tvdb: '121361', tmdb: '1399', mal: '5' }, 0, 2, { tvdb: '349232', mal: '6', mediab: 'ff' })),
    ['show:tmdb:1399#s00e02', 'show:tvdb:121361#s00e02', 'episode:tvdb:349232'],
  )
  t.strictSame(tokensOf({ type: 'season', ids: {}, show_ids: { tmdb: '1399' }, season: 0 }), [
    'show:tmdb:1399#season:0',
  ])
})

t.test('the id of the show that was copied into its episodes is not an id of the episodes', async (t) => {
  const [first, second] = [1, 2].map((number) => episode({ tvdb: '7' }, 1, number, { tvdb: '7' })) as [Item, Item]
  t.strictSame(tokensOf(first), ['show:tvdb:7#s01e01'])
  t.equal(compareItems(first, second), 'different')
})

t.test('episodes with the same id of their own are the same in spite of different numbers', async (t) => {
  t.equal(
    compareItems(episode({ tvdb: '7' }, 23, 1, { tvdb: '99' }), episode({ tvdb: '7' }, 1, 1156, { tvdb: '99' })),
    'same',
  )
})

t.test('ids of one provider or account count only among rows of that provider or account', async (t) => {
  const [a, b] = [movie({ mal: '5' }), movie({ mal: '5' })]
  t.strictSame([compareItems(a, b), compareItems(a, b, { within: 'provider' })], ['different', 'same'])
  const [c, d] = [movie({ mediab: 'ff' }), movie({ mediab: 'ff' })]
  t.strictSame(
    [compareItems(c, d), compareItems(c, d, { within: 'provider' }), compareItems(c, d, { within: 'account' })],
    ['different', 'different', 'same'],
  )
})

t.test(
  'P22: rows without a common scheme whose titles agree are held as ambiguous, and untitled or contradicting ones are different',
  async (t) => {
    const heat = { title: 'Heat', year: 1995 }
    t.equal(
      compareItems(movie({ imdb: 'tt1' }, heat), movie({ tmdb: '2' }, { title: ' HEAT ', year: 1995 })),
      'ambiguous',
    )
    t.equal(compareItems(movie({ tmdb: '1' }, heat), movie({ tmdb: '2' }, heat)), 'different')
    t.equal(compareItems(movie({}, heat), movie({}, heat)), 'same')
    t.equal(
      compareItems(movie({}, { title: 'Heat' }), movie({}, { title: 'Heat' })),
      'different',
      'a title without a year says too little',
    )
    t.equal(compareItems(movie({}, heat), show({}, heat)), 'different')
    t.equal(compareItems(movie({ imdb: 'tt1', tmdb: '1' }), movie({ imdb: 'tt1', tmdb: '2' })), 'conflict')
  },
)

t.test('comparing is symmetric, and every item with a token equals itself', async () => {
  fc.assert(fc.property(itemWith(fewIds), itemWith(fewIds), (a, b) => compareItems(a, b) === compareItems(b, a)))
  fc.assert(fc.property(itemWith(fewIds), (item) => tokensOf(item).length === 0 || compareItems(item, item) === 'same'))
})

t.test('P27: rows of different kinds never match', async () => {
  fc.assert(
    fc.property(itemWith(fewIds), itemWith(fewIds), (a, b) => {
      if (kindOf(a) === kindOf(b)) return true
      const index = createTokenIndex<Item>((row) => row)
      index.add(a)
      return compareItems(a, b) === 'different' && index.find(b).outcome === 'none'
    }),
  )
})

t.test('P22: rows whose strong ids contradict each other are never united', async () => {
  fc.assert(
    fc.property(fc.array(itemWith(fewIds), { maxLength: 12 }), (rows) => {
      const index = createTokenIndex<Item>((row) => row)
      for (const row of rows) index.add(row)
      const groups = index.groups()
      return (
        groups.flatMap((group) => group.rows).length === rows.length &&
        groups.every((group) =>
          group.rows.every((a) => group.rows.every((b) => kindOf(a) === kindOf(b) && !contradicts(a, b))),
        )
      )
    }),
    { numRuns: runsOf(300) },
  )
})

t.test('P48: the order of the rows does not change the result', async () => {
  const shuffled = fc
    .array(
      fc.oneof(
        itemWith(fewIds),
        fewIds.map((some) => movie(some)),
        fewIds.map((some) => movie(some)),
      ),
      { maxLength: 10 },
    )
    .chain((rows) =>
      fc.record({
        rows: fc.constant(rows),
        order: fc.shuffledSubarray(
          rows.map((_, place) => place),
          { minLength: rows.length },
        ),
      }),
    )
  fc.assert(
    fc.property(shuffled, ({ rows, order }) => groupsOf(rows) === groupsOf(rows, order)),
    { numRuns: runsOf(300) },
  )
})

t.test('where ids agree, matching is an equivalence: every row finds all rows of its group', async () => {
  // Works without common ids; each row has some ids of one of them.
  const rows = fc
    .array(
      fc.record({
        work: fc.integer({ min: 1, max: 4 }),
        schemes: fc.subarray(['tmdb', 'imdb', 'tvdb', 'tracka'] as const, { minLength: 1 }),
      }),
      { maxLength: 12 },
    )
    .map((some) =>
      some.map(({ work, schemes }) =>
        movie(
          Object.fromEntries(schemes.map((scheme) => [scheme, scheme === 'imdb' ? `tt${work}` : `${work}`])) as Ids,
        ),
      ),
    )
  fc.assert(
    fc.property(rows, (items) => {
      const index = createTokenIndex<Item>((row) => row)
      for (const item of items) index.add(item)
      return index.groups().every(
        (group) =>
          !group.conflict &&
          group.rows.every((row) => {
            const found = index.find(row)
            return found.outcome === 'match' && new Set(found.rows).symmetricDifference(new Set(group.rows)).size === 0
          }),
      )
    }),
  )
})

t.test('P46: an item that gained or lost an id between two reads is found again', async (t) => {
  const index = createTokenIndex<Item>((row) => row)
  const before = movie({ imdb: 'tt1' })
  index.add(before)
  t.strictSame(index.find(movie({ imdb: 'tt1', tmdb: '603' })), { outcome: 'match', by: 'token', rows: [before] })
})

t.test('a row between two works is ambiguous with all of them', async (t) => {
  const index = createTokenIndex<Item>((row) => row)
  for (const row of [movie({ tmdb: '1' }), movie({ imdb: 'tt2' })]) index.add(row)
  t.match(index.find(movie({ tmdb: '1', imdb: 'tt2' })), { outcome: 'match' }, 'as long as nothing contradicts')
  index.add(movie({ tmdb: '3', imdb: 'tt2' }))
  const found = index.find(movie({ tmdb: '1', imdb: 'tt2' }))
  t.equal(found.outcome, 'ambiguous')
  t.equal(found.outcome === 'ambiguous' && found.rows.length, 3)
})

t.test('a contradiction within a group stays one, even when agreeing rows outnumber it', async (t) => {
  const index = createTokenIndex<Item>((row) => row)
  for (const row of [movie({ tmdb: '1', imdb: 'tt1' }), movie({ tmdb: '2', imdb: 'tt1' })]) index.add(row)
  for (let count = 0; count < 3; count += 1) index.add(movie({ tvdb: '9', tracka: '9' }))
  index.add(movie({ tvdb: '9', imdb: 'tt1' }))
  t.strictSame(
    index.groups().map(({ rows, conflict }) => [rows.length, conflict]),
    Array.from({ length: 6 }, () => [1, true]),
  )
  t.equal(index.find(movie({ tvdb: '9' })).outcome, 'ambiguous')
})

t.test('rows match by title only when no side has an id', async (t) => {
  const heat = { title: 'Heat', year: 1995 }
  const index = createTokenIndex<Item>((row) => row)
  index.add(movie({}, heat))
  t.match(index.find(movie({}, heat)), { outcome: 'match', by: 'title' })
  t.match(index.find(movie({ tmdb: '949' }, heat)), { outcome: 'ambiguous' })
  t.match(index.find(movie({}, { ...heat, year: 1996 })), { outcome: 'none' })
})

t.test('rows that match only by absolute or mapped numbers are an alias, which no removal may rely on', async (t) => {
  const row = episode({ tvdb: '81797' }, 23, 1)
  const index = createTokenIndex<Item>((each) => each)
  index.add(row, animeTokensOf({ showIds: { anidb: '69' }, absolute: 1156 }))
  const absolute: Item = { type: 'episode', ids: {}, show_ids: { anidb: '69' }, season: 1, episode: 1156 }
  t.strictSame(index.find(absolute), { outcome: 'none' })
  t.strictSame(index.find(absolute, animeTokensOf({ showIds: { anidb: '69' }, absolute: 1156 })), {
    outcome: 'alias',
    rows: [row],
  })
  t.strictSame(
    index.find(
      absolute,
      animeTokensOf({ showIds: {}, coordinates: [{ scheme: 'tvdb', id: '81797', season: 23, episode: 1 }] }),
    ),
    { outcome: 'alias', rows: [row] },
  )
})

t.test('mapping data with two places for an episode of a show gives no token for that show', async (t) => {
  const at = (id: string, number: number) => ({ scheme: 'tvdb' as const, id, season: 1, episode: number })
  t.strictSame(animeTokensOf({ showIds: {}, coordinates: [at('1', 5), at('1', 6), at('2', 5), at('2', 5)] }), [
    'show:tvdb:2#s01e05',
  ])
})

// slow: the whole service, or very many cases
// Anime in the comparison: rows match by the mapping where runs use it, and only there.
import t from 'tap'
import type { Item, OpenItem } from '@playhead/sdk'
import { episode, film, openWorld, pair, type WorldOptions } from './world.ts'

const PROBLEMS = '/api/analyzer/problems'
const ON = { enabled: true, add: true, remove: false }

/** Entries by AniList id: the show that they are, or a part of it. */
const ENTRIES: Readonly<Record<string, { readonly tvdb: string; readonly isPart?: boolean }>> = {
  1: { tvdb: '81' },
  2: { tvdb: '82', isPart: true },
  3: { tvdb: '82', isPart: true },
}
const entry = (id: number, more: Partial<Item> = {}): Item => ({
  type: 'anime',
  title: `Anime ${id}`,
  year: 2020,
  ids: { anilist: String(id) },
  ...more,
})
const show = (tvdb: number, more: Partial<Item> = {}): Item => ({
  type: 'show',
  title: `Serie ${tvdb}`,
  year: 2020,
  ids: { tvdb: String(tvdb) },
  ...more,
})

/** The mapping for the analyzer: episode n of entry 1 is s01e0n of the show. */
function mapping(
  features: readonly string[] = ['watchlist', 'ratings', 'history'],
  providers: readonly string[] = ['*'],
) {
  return {
    revision: async () => '1',
    scope: async () => ({ providers, features }),
    enrich: async (items: readonly Item[]) =>
      items.map(({ ids }) => {
        const found = ENTRIES[ids.anilist ?? '']
        const [id] = Object.entries(ENTRIES).find(([, one]) => one.tvdb === ids.tvdb && one.isPart !== true) ?? []
        if (found === undefined && id === undefined) return { ids, added: [], replaced: [], shared: [], ambiguous: [] }
        return found === undefined
          ? { ids: { ...ids, anilist: id }, added: ['anilist'], replaced: [], shared: [], ambiguous: [] }
          : {
              ...{ ids: { ...ids, tvdb: found.tvdb }, added: ['tvdb'], replaced: [], ambiguous: [] },
              shared: found.isPart === true ? ['tvdb'] : [],
            }
      }),
    coordinates: async (items: readonly Item[]) =>
      items.map(({ show_ids: ids = {}, episode: number }) => {
        const found = ENTRIES[ids.anilist ?? '']
        return found === undefined
          ? { aired: [], entries: [], ambiguous: [], reason: 'no_mapping' }
          : {
              aired: [{ scheme: 'tvdb', id: found.tvdb, season: 1, episode: number }],
              entries: [{ scheme: 'anilist', id: ids.anilist, episode: number }],
              ambiguous: [],
            }
      }),
  }
}
const withMapping = (options: WorldOptions, ...scope: Parameters<typeof mapping>) =>
  openWorld({ ...options, capabilities: { 'anime-mapping': mapping(...scope) } })

const open = (feature: OpenItem['feature'], item: Item, more: Partial<OpenItem> = {}): OpenItem => ({
  pair_id: 'pair_animea_tracka',
  feature,
  provider: 'TRACKA',
  instance: 'default',
  op: 'add',
  key: 'show:anilist:1',
  item,
  reason_code: 'not_found',
  attempts: 1,
  failures: 0,
  quarantined: false,
  first_at_ms: Date.now(),
  last_at_ms: Date.now(),
  run_id: 'r',
  ...more,
})

t.test('an entry is found by the ids of the mapping, and a waiting item that arrived is resolved', async (t) => {
  const options: WorldOptions = {
    rows: { 'ANIMEA@default watchlist': [entry(1)], 'TRACKA@default watchlist': [show(81)] },
    pairs: [pair('ANIMEA', 'TRACKA', { features: ['watchlist'], mode: 'one_way' })],
    open: [open('watchlist', entry(1))],
    rules: ['missing-peer'],
  }
  await using world = await withMapping(options)
  const { body } = await world.get(PROBLEMS)
  t.same(body.problems, [])
  t.match(body.pair_stats, [{ total: 1, synced: 1, anime_synced: 1 }])
  t.same(body.attention, {
    rows: [],
    counts: { current_mismatch: 0, pending_retry: 0, blocked: 0, total: 0, anime_resolved: 1 },
  })
  for (const [scope, what] of [
    [[['ratings']], 'the mapping is for ratings'],
    [[['watchlist'], ['ANIMEX']], 'the mapping is for other services'],
  ] as const) {
    await using other = await withMapping(options, ...(scope as unknown as Parameters<typeof mapping>))
    const { counts, rows } = (await other.get(PROBLEMS)).body.attention
    t.match(counts, { current_mismatch: 1, pending_retry: 1, anime_resolved: 0, total: 1 }, what)
    t.match(rows, [{ provider: 'TRACKA', reason: 'not_found', current_mismatch: true, unresolved: true }], what)
  }
})

t.test('a waiting play is resolved by that play, and by any where the pair syncs no single plays', async (t) => {
  const watched = (number: number, at: string) =>
    episode(0, 1, number, { show_ids: { anilist: '1' }, series_title: 'Anime 1', watched_at: at })
  const there = (at: string) =>
    episode(81, 1, 1, { show_ids: { tvdb: '81' }, series_title: 'Serie 81', watched_at: at })
  const counts = async (at: string, rewatches: boolean) => {
    await using world = await withMapping({
      rows: { 'ANIMEA@default history': [watched(1, '2025-01-01T10:00:00Z')], 'TRACKA@default history': [there(at)] },
      pairs: [
        pair('ANIMEA', 'TRACKA', {
          features: ['history'],
          mode: 'one_way',
          options: { history: { ...ON, use_anime_mapping: true, rewatches } },
        }),
      ],
      open: [open('history', watched(1, '2025-01-01T10:00:00Z'), { key: 'show:anilist:1#s01e01' })],
      rules: ['missing-peer'],
    })
    const { pending_retry: pending, anime_resolved: resolved } = (await world.get(PROBLEMS)).body.attention.counts
    return [pending, resolved]
  }
  t.same(await counts('2025-01-01T10:20:00Z', true), [0, 1])
  t.same(await counts('2025-03-01T10:00:00Z', true), [1, 0], 'another play is not this one')
  t.same(await counts('2025-03-01T10:00:00Z', false), [0, 1])
})

t.test('history is mapped only if the person enabled it', async (t) => {
  const rows = {
    'ANIMEA@default history': [episode(0, 1, 1, { show_ids: { anilist: '1' }, series_title: 'Anime 1' })],
    'TRACKA@default history': [episode(81, 1, 1, { show_ids: { tvdb: '81' }, series_title: 'Serie 81' })],
  }
  for (const [history, missing] of [
    [ON, 2],
    [{ ...ON, use_anime_mapping: true }, 0],
  ] as const) {
    await using world = await withMapping({
      rows,
      pairs: [pair('ANIMEA', 'TRACKA', { features: ['history'], options: { history } })],
      rules: ['missing-peer'],
    })
    t.equal((await world.problems('missing_peer')).length, missing)
  }
})

t.test('the reason of a missing anime: the mapping is used and has no position', async (t) => {
  const options: WorldOptions = {
    rows: { 'ANIMEA@default watchlist': [entry(9), entry(1)], 'TRACKA@default watchlist': [film(7)] },
    pairs: [pair('ANIMEA', 'TRACKA', { features: ['watchlist'], mode: 'one_way' })],
    rules: ['missing-peer'],
  }
  const detail = '/api/analyzer/detail?provider=ANIMEA&feature=watchlist&key=show:anilist:9'
  await using world = await withMapping(options)
  t.match((await world.get(detail)).body, {
    targets: ['TRACKA'],
    hints: [{ kind: 'anime_episode_mapping', provider: 'TRACKA', message: String }],
  })
  await using off = await openWorld({ ...options, anime: { revision: null, features: [] } })
  t.same((await off.get(detail)).body.hints, [], 'a mapping that is off says nothing')
})

t.test('other titles are not missing at an anime-only service', async (t) => {
  const options: WorldOptions = {
    rows: {
      'TRACKA@default watchlist': [film(1), show(70), show(81), entry(1, { ids: { anilist: '9' } })],
      'ANIMEA@default watchlist': [entry(2)],
    },
    pairs: [pair('TRACKA', 'ANIMEA', { features: ['watchlist'], mode: 'one_way' })],
    support: { 'ANIMEA watchlist': { kinds: ['movie', 'show'], needsAnyId: ['anilist', 'mal'] } },
    rules: ['missing-peer'],
  }
  await using world = await withMapping(options)
  t.same(
    (await world.problems('missing_peer')).map(({ key }) => key),
    ['show:anilist:9', 'show:tvdb:81'],
    'an anime under the ids of other services is one',
  )
  t.match((await world.get(PROBLEMS)).body.pair_exclusions, [
    { excluded_total: 2, accepted_total: 2, excluded_types: { movie: 1, show: 1 }, allowed_types: ['movie', 'show'] },
  ])
  await using off = await openWorld(options)
  t.same(
    (await off.problems('missing_peer')).map(({ key }) => key),
    ['show:anilist:9'],
  )
})

t.test(
  'the parts of a show are not the show: their ratings do not conflict with its rating, and are no duplicates',
  async (t) => {
    const rated = (item: Item, rating: number): Item => ({ ...item, rating, rated_at: '2025-01-01T00:00:00Z' })
    await using world = await withMapping({
      rows: {
        'ANIMEA@default ratings': [rated(entry(1), 9), rated(entry(2), 9), rated(entry(3), 4)],
        'TRACKA@default ratings': [rated(show(81), 5), rated(show(82), 7)],
        'ANIMEA@default watchlist': [entry(2), entry(3)],
        'TRACKA@default watchlist': [],
      },
      pairs: [pair('ANIMEA', 'TRACKA', { features: ['ratings', 'watchlist'] })],
    })
    t.match(
      (await world.problems('rating_conflict')).map(({ key, values }) => [key, values]),
      [['show:anilist:1', { ANIMEA: 9, TRACKA: 5 }]],
    )
    t.same(await world.problems('duplicate_item'), [])
    const audit = (await world.get('/api/analyzer/ratings-audit')).body
    t.equal(audit.summary.conflicts, 1)
  },
)

t.test('the only part of a show that an account has represents it on lists', async (t) => {
  await using world = await withMapping({
    rows: { 'ANIMEA@default watchlist': [entry(2)], 'TRACKA@default watchlist': [show(82)] },
    pairs: [pair('ANIMEA', 'TRACKA', { features: ['watchlist'] })],
  })
  t.same(await world.problems('missing_peer'), [])
})

// The small data set in the running plugin: numbers and ids in both directions.
import t from 'tap'
import type { EntryQuery, Item } from '@playhead/sdk'
import { MAPPINGS } from './sample.ts'
import { startBench } from './support.ts'

const tvdb = { tvdb: '990200' }
const episode = (show_ids: Item['show_ids'], season: number, number: number): Item => ({
  type: 'episode',
  ids: {},
  show_ids,
  season,
  episode: number,
})

t.test('an index of the sample has its counts', async (t) => {
  await using bench = await startBench({ isInstalled: true })
  t.match(await bench.status(), {
    status: 'installed',
    index_ready: true,
    source_count: 5,
    edge_count: 20,
    pair_count: 1,
    identity_count: 4,
    skipped_count: 0,
    identity_installed: true,
    identity_error: '',
  })
})

t.test('seasons map to entries', async (t) => {
  await using bench = await startBench({ isInstalled: true })
  const cases: readonly [what: string, query: EntryQuery, answer: object][] = [
    ['the tie order names MyAnimeList', q(tvdb, 2, 13), { scheme: 'mal', id: '9201', episode: 52, basis: 'anibridge' }],
    ['an AniList target takes its own edge', q(tvdb, 2, 13, 'anilist'), { id: '9101', episode: 52 }],
    ['a split season', q({ tvdb: '990300' }, 4, 17), { scheme: 'anilist', id: '9107', episode: 1 }],
    ['AniDB first', q(tvdb, 1, 5), { scheme: 'anidb', id: '9001', episode: 5 }],
    ['a paired show', q({ tmdb: '9902000' }, 2, 13), { scheme: 'mal', episode: 52, basis: 'show_pair_hop' }],
    ['specials are off', q(tvdb, 0, 1), { found: false, reason: 'specials_off' }],
    [
      'specials are on; the regular numbers of AniDB are not theirs',
      { ...q(tvdb, 0, 1), specials: true },
      { scheme: 'anilist', id: '9150', episode: 1 },
    ],
    ['behind the range', q(tvdb, 2, 36), { found: false, reason: 'outside_ranges' }],
    ['an unknown season', q(tvdb, 7, 1), { found: false, reason: 'no_mapping' }],
    ['an unknown show', q({ tvdb: '1' }, 1, 1), { found: false, reason: 'no_mapping' }],
    ['no id', q({ tracka: '5' }, 1, 1), { found: false, reason: 'no_identity' }],
    ['no number', q(tvdb, 1, 0), { found: false, reason: 'no_position' }],
    ['SIMKL by the identity table', q(tvdb, 1, 5, 'trackb'), { scheme: 'trackb', id: '77001', episode: 5 }],
    [
      'the own entry in season 1',
      q({ tmdb: '1', anilist: '9101' }, 1, 60),
      { id: '9101', episode: 60, basis: 'anibridge_native' },
    ],
    [
      'the own entry is not believed where its number is another episode of the show',
      q({ tvdb: '990200', anilist: '9101' }, 1, 60),
      { found: false, reason: 'outside_ranges' },
    ],
  ]
  const answers = await bench.mapping.toEntries(cases.map(([, query]) => query))
  for (const [index, [what, , answer]] of cases.entries()) t.match(answers[index], answer, what)
})

t.test('entries map to seasons', async (t) => {
  await using bench = await startBench({ isInstalled: true })
  const [split, both, film, special, unknown, none] = await bench.mapping.toAired([
    { ids: { anilist: '9101' }, episode: 52 },
    { ids: { mal: '9201', anidb: '9001' }, episode: 5 },
    { ids: { mal: '9300' }, episode: 1 },
    { ids: { anilist: '9150' }, episode: 1 },
    { ids: { anilist: '1' }, episode: 1 },
    { ids: { kitsu: '88001' }, episode: 1 },
  ])
  t.match(split, { found: true, scheme: 'tvdb', id: '990200', season: 2, episode: 13 })
  t.match(both, { found: true, scheme: 'tvdb', id: '990200', season: 1, episode: 5 })
  t.match(film, { found: false, reason: 'no_mapping' })
  t.match(special, { found: false, reason: 'no_mapping' })
  t.match(unknown, { found: false, reason: 'no_mapping' })
  t.match(none, { found: false, reason: 'no_identity' })
  const [tmdb] = await bench.mapping.toAired([{ ids: { anilist: '9101' }, episode: 5, preferred: 'tmdb' }])
  t.match(tmdb, { scheme: 'tmdb', id: '9902000', season: 1, episode: 5 })
  const [hop] = await bench.mapping.toAired([{ ids: { anilist: '9101' }, episode: 52, preferred: 'tmdb' }])
  t.match(hop, { scheme: 'tmdb', id: '9902000', season: 2, episode: 13, basis: 'show_pair_hop' })
})

t.test('all positions of an episode are found, from every side', async (t) => {
  await using bench = await startBench({ isInstalled: true })
  const [aired, split, entry, paired, special, film, show] = await bench.mapping.coordinates([
    episode(tvdb, 1, 5),
    episode(tvdb, 2, 13),
    episode({ anilist: '9101' }, 1, 52),
    episode({ tmdb: '9902000' }, 2, 13),
    episode(tvdb, 0, 1),
    episode({ mal: '9300' }, 1, 1),
    { type: 'show', ids: tvdb },
  ])
  const s2e13 = { scheme: 'tvdb', id: '990200', season: 2, episode: 13 }
  t.match(aired, {
    aired: [
      { scheme: 'tvdb', id: '990200', season: 1, episode: 5 },
      { scheme: 'tmdb', id: '9902000', season: 1, episode: 5 },
    ],
    basis: 'anibridge',
    ambiguous: [],
  })
  t.same(sorted(aired?.entries), ['anidb:9001#5', 'anilist:9101#5', 'mal:9201#5'])
  t.same(sorted(split?.entries), ['anilist:9101#52', 'mal:9201#52'])
  t.same(split?.aired, [s2e13])
  t.same(entry?.aired, [s2e13])
  t.same(sorted(entry?.entries), ['anilist:9101#52', 'mal:9201#52'])
  t.same(sorted(paired?.entries), ['anilist:9101#52', 'mal:9201#52'])
  t.match(paired, { basis: 'show_pair_hop' })
  t.same(special, { aired: [], entries: [], ambiguous: [], basis: null, reason: 'specials_off' })
  t.match(film, { reason: 'no_mapping' })
  t.match(show, { reason: 'not_mappable' })
  const [on] = await bench.mapping.coordinates([episode(tvdb, 0, 1)], { specials: true })
  t.same(sorted(on?.entries), ['anilist:9150#1'])
})

t.test('ids of films and shows are found', async (t) => {
  await using bench = await startBench({ isInstalled: true })
  const [show, entry, film, simkl, twice, part, special, fromFilm, wrongKind, season] = await bench.mapping.enrich([
    { type: 'show', ids: { tvdb: '990200', imdb: 'tt0000001' } },
    { type: 'anime', ids: { anilist: '9101' } },
    { type: 'anime', film: true, ids: { mal: '9300' } },
    { type: 'anime', ids: { trackb: '77001' } },
    { type: 'anime', ids: { anidb: '9400' } },
    { type: 'show', ids: { tvdb: '990300' } },
    { type: 'anime', ids: { anilist: '9150' } },
    { type: 'movie', ids: { tmdb: '9900777' } },
    { type: 'show', ids: { tmdb: '9900777' } },
    { type: 'season', ids: {}, show_ids: tvdb, season: 1 },
  ])
  t.match(show, {
    ids: { tvdb: '990200', imdb: 'tt0000001', anidb: '9001', anilist: '9101', mal: '9201', tmdb: '9902000' },
    shared: [],
    basis: 'anibridge',
  })
  t.match(entry, { ids: { tvdb: '990200', mal: '9201', trackb: '77001', kitsu: '88001' }, type: 'show', shared: [] })
  t.match(film, { ids: { mal: '9300', tmdb: '9900777', trackb: '77300' } })
  t.match(simkl, { ids: { trackb: '77001', anilist: '9101', tvdb: '990200' }, type: 'show' })
  t.same(twice?.ids, { anidb: '9400' }, 'an id with two SIMKL entries has none')
  t.match(part, { added: [], ambiguous: ['anilist'], reason: 'ambiguous' }, 'a later part does not stand for the show')
  t.match(special, { ids: { tvdb: '990200' }, shared: ['tvdb'] }, 'a special is only a part of the show')
  t.match(fromFilm, { ids: { mal: '9300' } })
  t.match(wrongKind, { added: [], reason: 'no_mapping' }, 'a show with the number of a film is another work')
  t.match(season, { reason: 'not_mappable' })
})

t.test('without consent there are no results, and no request is sent', async (t) => {
  await using bench = await startBench()
  t.equal(await bench.mapping.revision(), null)
  t.same(await bench.mapping.scope(), { providers: [], features: [] })
  t.match(await bench.mapping.coordinates([episode(tvdb, 1, 5)]), [{ reason: 'mapping_off' }])
  t.match(await bench.mapping.enrich([{ type: 'show', ids: tvdb }]), [{ ids: tvdb, reason: 'mapping_off' }])
  t.match(await bench.mapping.toEntries([q(tvdb, 1, 5)]), [{ found: false, reason: 'mapping_off' }])
  t.same(bench.requests(), [])
  await t.rejects(bench.mapping.coordinates(Array.from({ length: 1_001 }, () => episode(tvdb, 1, 1))), {
    code: 'PLH_INVALID',
  })
})

t.test('AniDB and AniList may number differently', async (t) => {
  await using bench = await startBench({
    isInstalled: true,
    data: {
      stats: { meta: { generated_on: '2026-07-01T03:00:00Z' } },
      mappings: {
        ...MAPPINGS,
        'tvdb_show:990400:s1': {
          'anidb:9004:R': { '1-12': '2-13' },
          'anilist:9104': { '1-12': '1-12' },
          'mal:9204': { '1-12': '1-12' },
        },
        'tvdb_show:990500:s1': { 'anidb:9005:R': { '1-12': '2-13' }, 'mal:9205': { '1-12': '1-12' } },
        'anilist:9105': { 'mal:9205': {} },
        'tvdb_show:990600:s1': { 'mal:9206': { '1-12': '1-12' } },
        'mal:9206': { 'anilist:9106': {} },
      },
    },
  })
  const [own, anidb, contradicting, byMal] = await bench.mapping.toEntries([
    q({ tvdb: '990400' }, 1, 3, 'anilist'),
    q({ tvdb: '990400' }, 1, 3),
    q({ tvdb: '990500' }, 1, 3, 'anilist'),
    q({ tvdb: '990600' }, 1, 3, 'anilist'),
  ])
  t.match(own, { scheme: 'anilist', id: '9104', episode: 3 })
  t.match(anidb, { scheme: 'anidb', id: '9004', episode: 4 })
  t.match(contradicting, { found: false, reason: 'disagreement' })
  t.match(byMal, { scheme: 'anilist', id: '9106', episode: 3 })
})

function q(showIds: EntryQuery['showIds'], season: number, number: number, scheme?: EntryQuery['scheme']): EntryQuery {
  return { showIds, season, episode: number, ...(scheme === undefined ? {} : { scheme }) }
}

function sorted(entries: readonly { readonly scheme: string; readonly id: string; readonly episode: number }[] = []) {
  return entries.map(({ scheme, id, episode: number }) => `${scheme}:${id}#${number}`).sort()
}

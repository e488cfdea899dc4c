// Ids: validity, sources in a row, and merging.
import fc from '../../fast-check.ts'
import t from 'tap'
import { collectIds } from '../../../sdk/items/collect-ids.ts'
import { parseGuid } from '../../../sdk/items/guid.ts'
import { bestId, type IdScheme, normaliseId, SCHEMES, schemeOf } from '../../../sdk/items/id-schemes.ts'
import { kindOf, parseType } from '../../../sdk/items/kind.ts'
import { mergeIds } from '../../../sdk/items/merge-ids.ts'
import { ids, idOf } from './support.ts'

t.test('an unknown or missing type is refused and never becomes a movie', async (t) => {
  for (const value of ['', ' ', undefined, null, 1, 'clip', 'constructor', {}]) {
    t.match(parseType(value), { ok: false, reason: 'missing_or_invalid_type' })
  }
  for (const [value, type] of [
    ['Movies', 'movie'],
    ['tv', 'show'],
    [' series ', 'show'],
    ['Seasons', 'season'],
    ['episode', 'episode'],
    ['ANIME', 'anime'],
  ]) {
    t.match(parseType(value), { ok: true, value: type })
  }
})

t.test('an anime entry counts as a show, and as a movie when it is known to be a film', async (t) => {
  t.equal(kindOf({ type: 'anime' }), 'show')
  t.equal(kindOf({ type: 'anime', film: true }), 'movie')
})

const forms: readonly (readonly [scheme: IdScheme, value: unknown, id: string | undefined])[] = [
  ['tmdb', 603, '603'],
  ['tmdb', '00603', '603'],
  ['tmdb', '12-abc3', undefined],
  ['tmdb', 1.5, undefined],
  ['tmdb', 0, undefined],
  ['tmdb', 'Unknown', undefined],
  ['imdb', '0133093', 'tt0133093'],
  ['imdb', 'TT0133093', 'tt0133093'],
  ['imdb', 'tt0', undefined],
  ['imdb', 'nm0000001', undefined],
  ['mediab', 'A1b2C3', 'A1b2C3'],
  ['mediab', 'a1b2c3', 'a1b2c3'],
  ['lista', 'AbC', 'abc'],
  ['lista', '123', undefined],
  ['slug', 'Heat-1995', 'heat-1995'],
  ['guid', 'local://42', undefined],
  ['guid', 'plex://movie/5d77aB', 'plex://movie/5d77aB'],
]
t.test('an id that does not fit its scheme is refused completely, and native ids are kept verbatim', async (t) => {
  for (const [scheme, value, id] of forms) t.equal(normaliseId(scheme, value), id, `${scheme} ${String(value)}`)
})

t.test('normalizing an id is idempotent', async () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...SCHEMES).chain((scheme) => idOf(scheme).map((id) => ({ scheme, id }))),
      ({ scheme, id }) => normaliseId(scheme, id) === id,
    ),
  )
  fc.assert(
    fc.property(fc.constantFrom(...SCHEMES), fc.string(), (scheme, text) => {
      const id = normaliseId(scheme, text)
      return id === undefined || normaliseId(scheme, id) === id
    }),
  )
})

t.test('schemes are found by the names that providers use', async (t) => {
  t.strictSame(['Tmdb', 'tmdb_id', 'tmdbId', 'trakt', 'simkl_id', 'idMal', 'title', 'constructor'].map(schemeOf), [
    'tmdb',
    'tmdb',
    'tmdb',
    'tracka',
    'trackb',
    'mal',
    undefined,
    undefined,
  ])
})

t.test('the best id has the best rank, and is never a server id', async (t) => {
  t.strictSame(bestId({ slug: 'heat', tvdb: '1', imdb: 'tt1' }), { scheme: 'imdb', id: 'tt1' })
  t.equal(bestId({ mediaa: '12', mediab: 'ff', lista: 'x' }), undefined)
})

t.test('guids give ids without query and kind prefix, and legacy guids of episodes name the show', async (t) => {
  t.strictSame(parseGuid('imdb://title/tt0133093'), { scheme: 'imdb', id: 'tt0133093', of: 'item' })
  t.strictSame(parseGuid('tmdb://tv/1399?lang=en'), { scheme: 'tmdb', id: '1399', of: 'item', kind: 'show' })
  t.strictSame(parseGuid('com.plexapp.agents.themoviedb://603?lang=en'), { scheme: 'tmdb', id: '603', of: 'item' })
  t.strictSame(parseGuid('com.plexapp.agents.thetvdb://121361/0/5?lang=en'), {
    scheme: 'tvdb',
    id: '121361',
    of: 'show',
    kind: 'episode',
    season: 0,
    episode: 5,
  })
  const part = { kind: 'episode', of: 'show', season: 1, episode: 2 } as const
  const ofShow = { of: 'item' } as const
  for (const [guid, expected] of [
    ['com.plexapp.agents.hama://tvdb-8300000/1/2?lang=en', { scheme: 'tvdb', id: '8300000', ...part }],
    ['com.plexapp.agents.hama://tvdb2-8300000?lang=en', { scheme: 'tvdb', id: '8300000', ...ofShow }],
    ['com.plexapp.agents.hama://anidb-11347/1/2?lang=en', { scheme: 'anidb', id: '11347', ...part }],
    ['com.plexapp.agents.hama://11347?lang=en', { scheme: 'anidb', id: '11347', ...ofShow }],
    ['com.plexapp.agents.hama://imdb-tt0133093?lang=en', { scheme: 'imdb', id: 'tt0133093', ...ofShow }],
    ['com.plexapp.agents.hama://tmdb-603', { scheme: 'tmdb', id: '603', ...ofShow }],
    ['com.plexapp.agents.xbmcnfo://tt9900005?lang=en', { scheme: 'imdb', id: 'tt9900005', ...ofShow }],
    ['xbmcnfotv://8300000/1/2', { scheme: 'tvdb', id: '8300000', ...part }],
    ['com.plexapp.agents.xbmcnfotv://tt9900006/1/2?lang=xn', { scheme: 'imdb', id: 'tt9900006', ...part }],
    ['com.plexapp.agents.standalone://603?lang=en', { scheme: 'tmdb', id: '603', ...ofShow }],
    ['com.plexapp.agents.mcm://MCM_TV_A_8300000/1/2', { scheme: 'tvdb', id: '8300000', ...part }],
    ['net.fribbtastic.coding.plex.myanimelist://5114?lang=en', { scheme: 'mal', id: '5114', ...ofShow }],
  ] as const)
    t.strictSame(parseGuid(guid), expected, guid)
  // Differently numbered episodes, and ids of unknown services, are valid only on their server.
  for (const guid of [
    'com.plexapp.agents.hama://tvdb4-8300000/2/27',
    'com.plexapp.agents.hama://anidb2-11347/1/2',
    'com.plexapp.agents.hama://youtube-abc',
    'com.plexapp.agents.xbmcnfo://9900005',
    'com.plexapp.agents.thetvdbdvdorder://8300000/1/2',
  ])
    t.strictSame(parseGuid(guid), { scheme: 'guid', id: guid, of: 'item' })
  t.strictSame(parseGuid('plex://movie/5d77'), { scheme: 'guid', id: 'plex://movie/5d77', of: 'item' })
  for (const none of ['', 'local://3', 'tmdb://12x', 'tvdb://1/2/3/4', 'tvdb://1/a', 5, undefined])
    t.equal(parseGuid(none), undefined, String(none))
})

t.test('for an id in several places the guid has priority over the ids object, and that over the fields', async (t) => {
  const found = collectIds({
    tmdb: 1,
    imdb_id: '7',
    ids: { tmdb: 2, tvdb: '5x' },
    Guid: [{ id: 'tmdb://3' }],
    guid: 'com.plexapp.agents.thetvdb://9/1/2',
  })
  t.strictSame(found.ids, { tmdb: '3', imdb: 'tt7' })
  t.strictSame(found.showIds, { tvdb: '9' })
  t.match(found, {
    season: 1,
    episode: 2,
    rejected: [{ scheme: 'tvdb', value: '5x' }],
    replaced: [
      { value: '1', by: '2' },
      { value: '2', by: '3' },
    ],
  })
  t.strictSame(collectIds({ tmdb: '0', imdb: null, ids: 'none', guid: [] }), {
    ids: {},
    showIds: {},
    rejected: [],
    replaced: [],
  })
})

t.test('merging fills gaps, and contradicting sets are reported and left alone', async (t) => {
  t.strictSame(mergeIds({ tvdb: '1' }, { tmdb: '2', mediab: 'ff' }), { ids: { tmdb: '2', tvdb: '1' }, conflicts: [] })
  t.strictSame(mergeIds({ tmdb: '1' }, { tmdb: '2', imdb: 'tt1' }), {
    ids: { tmdb: '1' },
    conflicts: [{ scheme: 'tmdb', kept: '1', other: '2' }],
  })
  t.strictSame(mergeIds({ mediab: 'a' }, { mediab: 'b' }).conflicts, [], 'two servers number on their own')
  t.equal(mergeIds({ mediab: 'a' }, { mediab: 'b' }, { sameAccount: true }).conflicts.length, 1)
})

t.test('merging never changes an existing id, and merging the same again changes nothing', async () => {
  fc.assert(
    fc.property(ids, ids, (a, b) => {
      const { ids: merged, conflicts } = mergeIds(a, b)
      const kept = SCHEMES.every((scheme) => a[scheme] === undefined || merged[scheme] === a[scheme])
      const again = mergeIds(merged, b)
      return kept && (conflicts.length > 0 ? merged === a : JSON.stringify(again.ids) === JSON.stringify(merged))
    }),
  )
})

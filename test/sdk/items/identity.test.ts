// The rules of identity that playlists, the editor, captures and manual actions rely on.
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import { type Ids, type IdScheme, normaliseId, SCHEMES } from '../../../sdk/items/id-schemes.ts'
import type { Item } from '../../../sdk/items/item.ts'
import { formatKey, formatPlayKey, parsePlayKey } from '../../../sdk/items/key.ts'
import { keyOf } from '../../../sdk/items/key-of.ts'
import { kindOf } from '../../../sdk/items/kind.ts'
import { mergeIds } from '../../../sdk/items/merge-ids.ts'
import { parseItem } from '../../../sdk/items/parse-item.ts'
import { markOf, playOf } from '../../../sdk/items/play.ts'
import { formatTime } from '../../../sdk/items/time.ts'
import { compareItems, tokensOf } from '../../../sdk/items/tokens.ts'
import { episode, fewIds, itemKey, itemWith, movie, show } from './support.ts'

function textOf(item: Item): string | undefined {
  const key = keyOf(item)
  return key.ok ? formatKey(key.value) : undefined
}

const within = { within: 'account' } as const
const meets = (a: Item, b: Item) => compareItems(a, b)
const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 32, maxLength: 32 })
/** Rows as services and old files contain them. */
const untidy = fc.record(
  {
    type: fc.constantFrom('movie', 'movies', 'Show', 'series', 'tv', 'episode', 'Episodes', 'season', 'anime'),
    title: fc.oneof(fc.string({ maxLength: 20 }), fc.constant(null), fc.integer()),
    year: fc.oneof(fc.integer({ min: 1800, max: 2100 }), fc.constantFrom('1995', '', null)),
    ids: fc.dictionary(
      fc.constantFrom(
        'tmdb',
        'imdb',
        'IMDB',
        'tvdb',
        'trakt',
        'mal',
        'animeA',
        'kitsu',
        'plex',
        'jellyfin',
        'guid',
        'slug',
        'nothing',
      ),
      fc.oneof(
        fc.integer({ min: -1, max: 9_999 }),
        fc.string({ maxLength: 12 }),
        hex,
        fc.constantFrom(null, 'none', 'tt123', '12x'),
      ),
    ),
    tmdb: fc.oneof(fc.integer(), fc.string({ maxLength: 5 })),
    show_ids: fc.dictionary(fc.constantFrom('tmdb', 'tvdb', 'imdb'), fc.oneof(fc.integer(), fc.constant('tt77'))),
    season: fc.oneof(fc.integer({ min: -1, max: 40 }), fc.constantFrom('1', null)),
    episode: fc.oneof(fc.integer({ min: -1, max: 999 }), fc.constantFrom('07', null)),
    series_title: fc.string({ maxLength: 12 }),
  },
  { requiredKeys: ['type'] },
)

t.test('property 1: normalizing a row again gives the same row with the same key', async () =>
  fc.assert(
    fc.property(untidy, (row) => {
      const first = parseItem(row as never)
      if (!first.ok) return true
      const second = parseItem(first.value as never)
      return (
        second.ok &&
        JSON.stringify(second.value) === JSON.stringify(first.value) &&
        textOf(second.value) === textOf(first.value)
      )
    }),
    { numRuns: runsOf(1_000) },
  ),
)

t.test('property 2: a film and a show with the same number have different keys, in every scheme', async (t) => {
  for (const scheme of SCHEMES) {
    const id =
      { imdb: 'tt603', guid: 'imdb://tt603', mediab: 'a1b2c3d4e5f6', slug: 'heat-1995' }[scheme as string] ?? '603'
    const ids = { [scheme]: normaliseId(scheme, id) ?? id }
    const named = { title: 'Heat', year: 1995 }
    const [film, series] = [movie(ids, named), show(ids, named)]
    t.ok(textOf(film), scheme)
    t.not(textOf(film), textOf(series), scheme)
    t.equal(compareItems(film, series, within), 'different', scheme)
    for (const token of tokensOf(film, within)) t.notOk(tokensOf(series, within).includes(token), token)
  }
})

t.test('property 3: server ids are kept unchanged, and different ones identify different items', async () => {
  const schemes = fc.constantFrom<IdScheme>('mediaa', 'mediab', 'mediac')
  fc.assert(
    fc.property(schemes, hex, hex, (scheme, a, b) => {
      const rows = [a, b].map((id) => parseItem({ type: 'movie', ids: { [scheme]: id } } as never))
      const [first, second] = rows.map((row) => (row.ok ? row.value : undefined)) as [Item, Item]
      const [one, other] = [tokensOf(first, within), tokensOf(second, within)]
      return first.ids[scheme] === a && one.length > 0 && (a === b) === one.some((token) => other.includes(token))
    }),
  )
  // The ids differ only in letters.
  const [a, b] = ['a1b2c3d4e5f6', '1fb2c3d4e5a6'].map((id) => tokensOf(movie({ mediab: id }), within))
  t.equal(a!.filter((token) => b!.includes(token)).length, 0)
})

t.test('property 4: matching is symmetric and reflexive, and more ids never end a match by an id', async () => {
  fc.assert(fc.property(itemWith(fewIds), itemWith(fewIds), (a, b) => meets(a, b) === meets(b, a)))
  fc.assert(fc.property(itemWith(fewIds), (item) => tokensOf(item).length === 0 || meets(item, item) === 'same'))
  fc.assert(
    fc.property(itemWith(fewIds), itemWith(fewIds), fewIds, (a, b, more) => {
      const grown = { ...a, ids: mergeIds(a.ids, more).ids }
      const names = new Set(tokensOf(grown))
      const byId = tokensOf(a).filter((token) => !token.includes('title'))
      // A contradicting id is reported as a contradiction, never as a plain "no".
      return byId.every((token) => names.has(token)) && (meets(a, b) !== 'same' || meets(grown, b) !== 'different')
    }),
    { numRuns: runsOf(1_000) },
  )
})

t.test('property 5: episodes match by their show and numbers, never by equal titles', async (t) => {
  const pilot = (showIds: Ids, season: number, number: number): Item => ({
    ...episode(showIds, season, number),
    title: 'Pilot',
    series_title: 'The Show',
  })
  t.equal(meets(pilot({ tmdb: '1' }, 1, 1), pilot({ tmdb: '2' }, 1, 1)), 'different')
  t.not(meets(pilot({}, 1, 1), pilot({}, 1, 1)), 'same', 'two shows may have such an episode')
  const number = fc.integer({ min: 0, max: 3 })
  const numbers = fc.record({ season: number, episode: number.map((value) => value + 1) })
  fc.assert(
    fc.property(fc.constantFrom('1', '2'), numbers, fc.constantFrom('1', '2'), numbers, (showA, a, showB, b) => {
      const isSame = showA === showB && a.season === b.season && a.episode === b.episode
      const [first, second] = [pilot({ tmdb: showA }, a.season, a.episode), pilot({ tmdb: showB }, b.season, b.episode)]
      return (meets(first, second) === 'same') === isSame
    }),
  )
})

t.test('property 6: the key of a play contains the item and the time of the play', async () => {
  fc.assert(
    fc.property(itemKey, fc.integer({ min: 1_000_000, max: 4_102_444_800 }), (item, seconds) => {
      const play = playOf({
        type: 'movie',
        ids: {},
        watched_at: formatTime({ atMs: seconds * 1_000, precision: 'second' }),
      })
      if (!play.ok) return false
      const text = formatPlayKey({ item, mark: markOf(play.value) })
      const read = parsePlayKey(text)
      return (
        read.ok &&
        formatKey(read.value.item) === formatKey(item) &&
        JSON.stringify(read.value.mark) === JSON.stringify(markOf(play.value)) &&
        text.endsWith(`@${seconds}`)
      )
    }),
  )
  fc.assert(
    fc.property(itemWith(fewIds), (item) => {
      const key = keyOf(item)
      return (
        !key.ok || textOf(item)!.startsWith(`${kindOf(item)}:`) || item.type === 'season' || item.type === 'episode'
      )
    }),
  )
})

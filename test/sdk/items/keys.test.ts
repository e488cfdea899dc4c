// Keys: canonical spelling with kind, and no guessing without a kind.
import { isDeepStrictEqual } from 'node:util'
import fc from '../../fast-check.ts'
import t from 'tap'
import { formatKey, formatPlayKey, kindOfKey, parseKey, parsePlayKey } from '../../../sdk/items/key.ts'
import { isRemovable, keyOf } from '../../../sdk/items/key-of.ts'
import type { Item } from '../../../sdk/items/item.ts'
import { candidateKeys } from '../../../sdk/items/untyped-key.ts'
import { episode, ids, itemKey, itemWith, movie, playKey, show } from './support.ts'

function textOf(item: Item): string {
  const key = keyOf(item)
  return key.ok ? formatKey(key.value) : key.reason
}

t.test('reading a written key gives the same key, for items and for plays', async () => {
  fc.assert(
    fc.property(itemKey, (key) =>
      isDeepStrictEqual(parseKey(formatKey(key)), structuredClone({ ok: true, value: key })),
    ),
  )
  fc.assert(
    fc.property(playKey, (key) =>
      isDeepStrictEqual(parsePlayKey(formatPlayKey(key)), structuredClone({ ok: true, value: key })),
    ),
  )
})

t.test('a text is a key only in its canonical spelling', async (t) => {
  for (const text of [
    'movie:tmdb:603',
    'show:tmdb:1399#season:0',
    'show:tmdb:1399#s00e02',
    'show:tmdb:1#s123e1156',
    'episode:tvdb:123',
    'movie:title:heat:1995',
    'movie:title:heat:',
  ]) {
    const key = parseKey(text)
    t.equal(key.ok && formatKey(key.value), text)
  }
  for (const text of [
    '',
    'tmdb:603',
    'movie:tmdb:',
    'movie:tmdb:0603',
    'movie:tmdb:6x',
    'Movie:tmdb:603',
    'anime:tmdb:1',
    'movie:tmdb:1#s01e01',
    'show:tmdb:1#s1e1',
    'show:tmdb:1#season:01',
    'episode:title:a:1',
    'movie:mediab:ff',
    'movie:constructor:1',
    'movie:guid:plex://%41',
    'movie:guid:%',
    'movie:tmdb:603@1782936900',
  ]) {
    t.match(parseKey(text), { ok: false, reason: 'invalid_key' }, text)
  }
  for (const text of [
    'movie:tmdb:603',
    'movie:tmdb:603@123',
    'movie:tmdb:603@id:',
    'x@1782936900',
    'movie:tmdb:603@01782936900',
  ]) {
    t.match(parsePlayKey(text), { ok: false, reason: 'invalid_key' }, text)
  }
})

t.test('P27: different keys have different spellings, so kinds never collide', async () => {
  fc.assert(fc.property(itemKey, itemKey, (a, b) => formatKey(a) !== formatKey(b) || kindOfKey(a) === kindOfKey(b)))
  fc.assert(
    fc.property(ids, (some) => {
      const [a, b] = [textOf(movie(some)), textOf(show(some))]
      return a === 'no_identity' || a !== b
    }),
  )
})

t.test('the key of an item has the kind of the item and can be read back', async () => {
  fc.assert(
    fc.property(itemWith(ids), (item) => {
      const key = keyOf(item)
      if (!key.ok) return key.reason === 'no_identity'
      const kind = item.type === 'anime' ? 'show' : item.type
      return kindOfKey(key.value) === kind && parseKey(formatKey(key.value)).ok
    }),
  )
})

t.test(
  'an item is keyed by its best id, a part of a show by the show, and only then by its own id or a title',
  async (t) => {
    t.equal(textOf(movie({ imdb: 'tt1', tmdb: '603' })), 'movie:tmdb:603')
    t.equal(textOf({ type: 'anime', ids: { mal: '5' } }), 'show:mal:5')
    t.equal(textOf({ type: 'anime', ids: { mal: '5' }, film: true }), 'movie:mal:5')
    t.equal(
      textOf({ type: 'season', ids: { tvdb: '9' }, show_ids: { tmdb: '1399' }, season: 0 }),
      'show:tmdb:1399#season:0',
    )
    t.equal(textOf(episode({ tmdb: '1399' }, 0, 2, { tvdb: '5' })), 'show:tmdb:1399#s00e02')
    t.equal(textOf(episode({}, 1, 2, { tvdb: '123' })), 'episode:tvdb:123')
    t.equal(
      textOf({ ...episode({}, 1, 2), series_title: 'Northern Signal', series_year: 2021 }),
      'show:title:northern-signal:2021#s01e02',
    )
    t.equal(textOf(movie({}, { title: 'Mission: Impossible', year: 1996 })), 'movie:title:mission-impossible:1996')
    t.equal(textOf(movie({}, { title: '???' })), 'movie:title:%3F%3F%3F:')
  },
)

t.test(
  'an item without identity is refused: no id and no title, or the copied id of a show without numbers',
  async (t) => {
    t.equal(textOf(movie({ mediab: 'ff' })), 'no_identity')
    t.equal(textOf({ type: 'episode', ids: { tvdb: '7' }, show_ids: { tvdb: '7' } }), 'no_identity')
    t.equal(textOf(episode({}, 1, 2)), 'no_identity')
  },
)

t.test('P19: an item without a strong id is not removable', async (t) => {
  t.equal(isRemovable(movie({ mal: '5', slug: 'heat', mediab: 'ff' }, { title: 'Heat', year: 1995 })), false)
  t.equal(isRemovable({ type: 'episode', ids: { tvdb: '7' }, show_ids: { tvdb: '7' } }), false)
  t.equal(isRemovable(movie({ imdb: 'tt1' })), true)
  t.equal(isRemovable(episode({ tracka: '4' }, 0, 1)), true)
  const byTitle = keyOf(movie({}, { title: 'Heat' }))
  t.ok(byTitle.ok && byTitle.value.base.by === 'title')
})

t.test('a key without a kind means a key of each kind, of which one or several are stored', async (t) => {
  const stored = new Set([
    'movie:tmdb:1399',
    'show:tmdb:1399',
    'movie:tmdb:603',
    'show:tmdb:1399#s01e02',
    'show:tracka:4#season:0',
    'movie:tmdb:603@1782936900',
    'movie:title:heat:1995',
  ])
  const storedOf = (text: string) => candidateKeys(text).filter((key) => stored.has(key))
  t.same(storedOf('tmdb:1399'), ['movie:tmdb:1399', 'show:tmdb:1399'])
  for (const [text, key] of [
    ['tmdb:603', 'movie:tmdb:603'],
    ['show:tmdb:1399', 'show:tmdb:1399'],
    ['tmdb:1399#s01e02', 'show:tmdb:1399#s01e02'],
    ['TMDB:1399#S01E02', 'show:tmdb:1399#s01e02'],
    ['trakt:4#season:0', 'show:tracka:4#season:0'],
    ['tmdb:603@1782936900', 'movie:tmdb:603@1782936900'],
    ['movie|title:heat|year:1995', 'movie:title:heat:1995'],
  ] as const) {
    t.same(storedOf(text), [key], text)
  }
  for (const text of ['tmdb:9', 'nonsense', 'episode:tmdb:603', 'tmdb:6x', '']) t.same(storedOf(text), [], text)
})

t.test('for any request, all candidates are keys', async () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.tuple(fc.constantFrom('tmdb', 'imdb', 'guid', 'slug', 'mediab'), fc.string()).map((x) => x.join(':')),
      ),
      (text) => candidateKeys(text).every((key) => parseKey(key).ok || parsePlayKey(key).ok),
    ),
  )
})

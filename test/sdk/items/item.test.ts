// Items: parsing, known fields, and the wire schema.
import { Ajv } from 'ajv'
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import { Item } from '../../../sdk/items/item.ts'
import { minimise } from '../../../sdk/items/minimise.ts'
import { parseItem } from '../../../sdk/items/parse-item.ts'

const fits = new Ajv().compile<Item>(Item)
const full: Item = {
  type: 'episode',
  title: 'S00E02',
  year: 2021,
  ids: { tvdb: '99', imdb: 'tt99' },
  show_ids: { tmdb: '1399' },
  season: 0,
  episode: 2,
  series_title: 'Northern Signal',
  series_year: 2021,
  film: false,
  watched: true,
  watched_at: '2026-07-01T20:15:00Z',
  rating: 8,
  rated_at: '2026-07-01',
  progress_ms: 1_000,
  duration_ms: 2_000,
  progress_percent: 50,
  progress_at: '2026-07-01T20:15:00.123Z',
  progress_at_source: 'first_observed',
  library_id: '3',
  added_at: '2026-06-01',
  native: { event_id: '1', item_id: 'a1B2', list_item_id: '3' },
  transient: true,
}

t.test(
  'every field survives reading and minimising, including the library, the time of adding and the native ids',
  async (t) => {
    t.strictSame(Object.keys(full).sort(), Object.keys(Item.properties).sort(), 'no field is missing here')
    t.strictSame(minimise(full), full)
    t.strictSame(parseItem(full), { ok: true, value: full })
    t.ok(fits(full))
  },
)

t.test('other fields of a provider are dropped', async (t) => {
  const row = { ...full, poster: 'x', native: { ...full.native, token: 'y' } }
  t.strictSame(minimise(row as Item), full)
  t.strictSame(parseItem(row), { ok: true, value: full })
})

t.test('a row without a known type is refused', async (t) => {
  t.match(parseItem({ title: 'Heat', tmdb: 949 }), { ok: false, reason: 'missing_or_invalid_type' })
})

t.test('aliases are understood, and season 0 and position 0 are values', async (t) => {
  t.strictSame(
    parseItem({
      type: 'Episodes',
      season_number: 0,
      episode_number: '2',
      last_watched_at: 1_782_936_900,
      ratedAt: '2026-07-01',
      rating: '8',
      viewOffset: 0,
      duration: '1800000',
      addedAt: 1_782_936_900,
    }),
    {
      ok: true,
      value: {
        type: 'episode',
        ids: {},
        season: 0,
        episode: 2,
        watched_at: '2026-07-01T20:15:00Z',
        rating: 8,
        rated_at: '2026-07-01',
        progress_ms: 0,
        duration_ms: 1_800_000,
        added_at: '2026-07-01T20:15:00Z',
      },
    },
  )
  t.strictSame(parseItem({ type: 'episode', guid: 'com.plexapp.agents.thetvdb://121361/0/5?lang=en' }), {
    ok: true,
    value: { type: 'episode', ids: {}, show_ids: { tvdb: '121361' }, season: 0, episode: 5 },
  })
})

t.test('P28: unreadable values are dropped and a position stays within the duration', async (t) => {
  t.strictSame(
    parseItem({
      type: 'movie',
      year: 'soon',
      season: -1,
      rating: 10.4,
      watched_at: 'now',
      progress_ms: 9_000,
      duration_ms: 8_000,
      percent: 101,
      ids: { tmdb: '12-a' },
    }),
    { ok: true, value: { type: 'movie', ids: {}, progress_ms: 8_000, duration_ms: 8_000 } },
  )
})

t.test('P28: for any row, the item fits the schema, and reading it again changes nothing', async () => {
  const name = fc.constantFrom(
    ...Object.keys(Item.properties).filter((field) => field !== 'type'),
    'guid',
    'tmdb',
    'percent',
    'viewOffset',
    'added',
  )
  const value = fc.oneof(
    fc.string(),
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom('2026-07-01', 'tvdb://1/2/3', '5', 1e12),
    fc.dictionary(
      fc.constantFrom('tmdb', 'imdb', 'guid', 'event_id', '__proto__'),
      fc.oneof(fc.string(), fc.integer()),
    ),
  )
  fc.assert(
    fc.property(
      fc.dictionary(name, value),
      fc.constantFrom('movie', 'show', 'season', 'episode', 'anime'),
      (row, type) => {
        const item = parseItem({ ...row, type })
        if (!item.ok || !fits(item.value)) return false
        const again = parseItem(item.value)
        return again.ok && JSON.stringify(again.value) === JSON.stringify(item.value)
      },
    ),
    { numRuns: runsOf(500) },
  )
})

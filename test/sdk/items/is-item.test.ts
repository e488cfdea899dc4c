// Rows with unusual fields: which ones are items, and that every reader of items accepts those.
import t from 'tap'
import {
  isItem,
  type Item,
  itemKey,
  keyOf,
  kindOf,
  minimise,
  rowKey,
  titleTokenOf,
  tokensOf,
} from '@playhead/sdk/items'
import { isUsable, storedItem } from '../../../plugins/services/sync/library/rows.ts'

const film = { type: 'movie', title: 'Heat', year: 1995, ids: { tmdb: '949' } }
const part = { type: 'episode', ids: { tvdb: '5' }, show_ids: { tmdb: '9' }, season: 1, episode: 2 }

const ITEMS: readonly object[] = [
  film,
  part,
  { ...film, title: null, year: null },
  { ...film, title: undefined, ids: { tmdb: '949', imdb: undefined } },
  { ...film, watched_at: null, rating: null, progress_ms: null },
  { ...film, watched_at: 'yesterday', rating: 99 },
  { ...film, ids: {} },
  { ...film, native: { item_id: '7' } },
  { ...film, unknown: { of: 'a later version' } },
  { ...part, season: null, episode: null },
  { ...part, episode: null },
  { ...part, ids: {}, series_title: null },
  { type: 'show', ids: { slug: 'heat' } },
]

const OTHERS: readonly unknown[] = [
  undefined,
  null,
  7,
  'movie',
  [],
  {},
  { ...film, type: 'film' },
  { ...film, type: undefined },
  { ...film, ids: undefined },
  { ...film, ids: null },
  { ...film, ids: [] },
  { ...film, ids: 'tmdb' },
  { ...film, ids: { tmdb: 949 } },
  { ...film, ids: { tmdb: null } },
  { ...part, show_ids: null },
  { ...part, show_ids: [] },
  { ...part, show_ids: { tmdb: 9 } },
  { ...film, native: null },
  { ...film, native: '7' },
  ...['title', 'series_title', 'added_at', 'watched_at', 'rated_at', 'progress_at', 'library_id'].flatMap((name) =>
    [7, {}, [], true].map((value) => ({ ...part, [name]: value })),
  ),
  ...['year', 'series_year', 'season', 'episode', 'rating', 'progress_ms', 'duration_ms', 'progress_percent'].flatMap(
    (name) => ['7', {}, [], true].map((value) => ({ ...part, [name]: value })),
  ),
]

t.test('every reader accepts every item', async (t) => {
  for (const row of ITEMS) {
    const name = JSON.stringify(row)
    t.ok(isItem(row), name)
    t.ok(storedItem(name), `stored: ${name}`)
    const item = row as Item
    t.equal(isUsable(item), keyOf(item).ok, 'usable is an item with a key')
    kindOf(item)
    tokensOf(item, { within: 'provider' })
    titleTokenOf(item)
    minimise(item)
    if (keyOf(item).ok) t.notMatch([itemKey(item), rowKey(item, true)].join(), /null|undefined|NaN/, name)
  }
})

t.test('a non-item is rejected by every reader', async (t) => {
  for (const row of OTHERS) {
    const name = JSON.stringify(row) ?? 'undefined'
    t.notOk(isItem(row), name)
    t.notOk(isUsable(row as Item), name)
    t.equal(storedItem(name), undefined, name)
  }
})

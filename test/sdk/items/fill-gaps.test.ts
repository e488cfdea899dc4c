// The item of several rows.
import t from 'tap'
import { fillGaps } from '../../../sdk/items/fill-gaps.ts'
import type { Item } from '../../../sdk/items/item.ts'

t.test('the first item keeps what it has, and gets what it lacks', async (t) => {
  const item: Item = { type: 'movie', title: null, year: 1995, ids: { imdb: 'tt1', mediaa: '7' } }
  const other: Item = { type: 'movie', title: 'Heat', year: 1996, ids: { imdb: 'tt2', tmdb: '949' }, rating: 9 }
  t.strictSame(fillGaps(item, other), {
    type: 'movie',
    title: 'Heat',
    year: 1995,
    // Ids of single servers have no meaning in an item of several accounts.
    ids: { tmdb: '949', imdb: 'tt1' },
  })
  t.equal(item.title, null, 'the given item is as before')
})

t.test('an episode gets the ids and the title of its show', async (t) => {
  const item: Item = { type: 'episode', ids: { tvdb: '1' }, season: 1, episode: 2 }
  const other: Item = {
    type: 'episode',
    ids: {},
    show_ids: { tmdb: '5', mediaa: '8' },
    series_title: 'Series',
    season: 1,
    episode: 2,
  }
  t.strictSame(fillGaps(item, other), { ...item, show_ids: { tmdb: '5' }, series_title: 'Series' })
  t.strictSame(fillGaps(other, item).ids, { tvdb: '1' })
})

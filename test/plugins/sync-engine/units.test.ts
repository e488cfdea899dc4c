// Small parts of the engine.
import t from 'tap'
import { anyContradict, type Item, parseTime, rowKey } from '@playhead/sdk/items'
import { pairPlayGroups } from '../../../plugins/services/sync/library/match.ts'
import { forAccount, isUsable } from '../../../plugins/services/sync/library/rows.ts'

const film = (ids: Item['ids'], rest: Partial<Item> = {}): Item => ({
  type: 'movie',
  title: 'Heat',
  year: 1995,
  ids,
  ...rest,
})
const at = (text: string) => parseTime(text)!

t.test('items contradict each other by a strong id only', (t) => {
  t.equal(anyContradict([film({ tmdb: '1', imdb: 'tt1' }), film({ tmdb: '1' }), film({ imdb: 'tt1' })]), false)
  t.equal(anyContradict([film({ tmdb: '1', imdb: 'tt1' }), film({ tmdb: '1', imdb: 'tt2' })]), true)
  t.equal(anyContradict([film({ tmdb: '1', slug: 'a' }), film({ tmdb: '1', slug: 'b' })]), false)
  t.end()
})

t.test('plays match one to one, remembered ones first, and a repeated row is one play', (t) => {
  const base = [{ node: 0, ...at('2026-01-01T10:00:00Z'), a: null, b: null, addedTo: {} }]
  const a = [
    { node: 1, ...at('2026-01-01T10:00:20Z') },
    { node: 2, ...at('2026-02-01T10:00:00Z'), eventId: 'x' },
    { node: 3, ...at('2026-02-01T10:00:00Z'), eventId: 'x' },
  ]
  const b = [
    { node: 4, ...at('2026-01-01T10:00:00Z') },
    { node: 5, ...at('2026-02-01T10:00:30Z') },
    { node: 6, ...at('2026-02-01T10:00:40Z') },
  ]
  t.same(pairPlayGroups(base, a, b, 60_000), [{ base: 0, a: 1, b: 4 }, { a: 2, b: 5 }, { b: 6 }])
  t.end()
})

t.test('two plays of one second are two when their account distinguishes them', (t) => {
  const a = ['x', 'y'].map((eventId, node) => ({ node, ...at('2026-01-01T10:00:00Z'), eventId }))
  t.equal(pairPlayGroups([], a, [], 1_000).length, 2)
  t.end()
})

t.test('ids that only one account understands are not sent to another', (t) => {
  const item = film(
    { tmdb: '949', mediab: 'ab12', guid: 'plex://movie/5d77', slug: 'heat' },
    { native: { item_id: '7' }, library_id: '3' },
  )
  t.same(forAccount(item, { sameProvider: false }), film({ tmdb: '949', slug: 'heat' }))
  t.same(forAccount(item, { sameProvider: true }), film({ tmdb: '949', guid: 'plex://movie/5d77', slug: 'heat' }))
  const current = film({ tmdb: '949' }, { native: { item_id: '42' } })
  t.same(
    forAccount(item, { sameProvider: false, current }).native,
    { item_id: '42' },
    'but what the account itself gave',
  )
  t.end()
})

t.test('a row without a kind or an identity is not usable', (t) => {
  t.ok(isUsable(film({ tmdb: '949' })))
  for (const row of [
    null,
    7,
    {},
    { type: 'film', ids: {} },
    { type: 'movie' },
    { type: 'movie', ids: [] },
    { type: 'movie', ids: { tmdb: 949 } },
    { type: 'movie', ids: {} },
  ]) {
    t.notOk(isUsable(row as Item), JSON.stringify(row))
  }
  t.end()
})

t.test('the key of a play contains its time, and the key of an item does not', (t) => {
  const item = film({ tmdb: '949' }, { watched_at: '2026-07-01T20:15:00Z' })
  t.equal(rowKey(item, true), 'movie:tmdb:949@1782936900')
  t.equal(rowKey(item, false), 'movie:tmdb:949')
  t.end()
})

// Stored rows that cannot be read: the pass continues, reports their number and place, and derives no missing item from them.
import t from 'tap'
import { passOver } from './pass.ts'
import { episode, film, row } from './world.ts'

const stored = (item: object, key = 'movie:tmdb:9') => JSON.stringify([key, item])
const torn = (id: number) => stored(film(id), `movie:tmdb:${id}`).slice(0, -20)
const MISSHAPEN: Readonly<Record<string, unknown>> = {
  'no item': null,
  'a text': 'film',
  'a list': [],
  'no type': { ids: { tmdb: '9' } },
  'an unknown type': { ...film(9), type: 'film' },
  'no ids': { type: 'movie', title: 'A', year: 2000 },
  'ids in a list': { ...film(9), ids: ['9'] },
  'an id that is a number': { ...film(9), ids: { tmdb: 9 } },
  'an id that is nothing': { ...film(9), ids: { tmdb: null } },
  'a title that is a number': { ...film(9), title: 9 },
  'a series title that is an object': { ...episode(1, 1, 1), series_title: {} },
  'no ids of the show': { ...episode(1, 1, 1), show_ids: null },
  'a year that is a text': { ...film(9), year: '2000' },
  'a season that is a text': { ...episode(1, 1, 1), season: '1' },
  'a time that is an object': { ...film(9), added_at: {} },
  'a rating that is a text': { ...film(9), rating: '9' },
}

const pass = (rows: Parameters<typeof passOver>[0]['rows']) => passOver({ rows, pairs: ['A B'] })

t.test('rows that are no JSON are counted, and the others are analyzed', async (t) => {
  const all = Array.from({ length: 20 }, (_, id) => film(id + 1))
  const { found, of, result } = await pass({
    'A watchlist': [...all, torn(30), '', '["movie:tmdb:31"', '["key\\', film(40, { ids: { imdb: 'x' } })],
    'B watchlist': all,
    'B history': [],
  })
  t.equal(result.table.count, 41)
  t.match(of('artifact_parse_error'), [
    {
      severity: 'error',
      account: 'A',
      feature: 'watchlist',
      fields: { artifact: 'index', path: 'A.watchlist', bad_rows: 4, keys: ['movie:tmdb:30', 'movie:tmdb:31'] },
    },
  ])
  t.match(of('invalid_id_format'), [{ key: row(film(40, { ids: { imdb: 'x' } })).key }], 'rules see what can be read')
  t.equal(found.filter(({ type }) => type.startsWith('artifact_')).length, 1)
})

for (const [what, item] of Object.entries(MISSHAPEN))
  t.test(`a row with ${what} is skipped and counted`, async (t) => {
    for (const feature of ['watchlist', 'history', 'ratings', 'progress']) {
      const { of, result } = await pass({
        [`A ${feature}`]: [film(1), stored(item as object)],
        [`B ${feature}`]: [film(1)],
      })
      t.equal(result.table.count, 2)
      t.match(of('artifact_schema_mismatch'), [
        {
          severity: 'warn',
          account: 'A',
          feature,
          fields: { bad_rows: 1, keys: ['movie:tmdb:9'], path: `A.${feature}` },
        },
      ])
      t.same(of('artifact_parse_error'), [])
    }
  })

t.test('items that another account may have in such a row are not reported missing', async (t) => {
  for (const bad of [torn(2), stored({ ...film(2), ids: 2 }), '']) {
    const { of, result } = await pass({ 'A watchlist': [film(1), film(2)], 'B watchlist': [film(1), bad] })
    t.same(of('missing_peer'), [])
    t.match(
      result.counts.find(({ route }) => route.source.name === 'A'),
      { total: 1, synced: 1, scanned: 2, excluded: 0 },
      'it is neither synced nor unsynced',
    )
    t.equal(result.gaps.size, 0, 'and is no row of attention')
  }
  const { of } = await pass({ 'A watchlist': [film(1), film(2)], 'B watchlist': [film(1)] })
  t.match(of('missing_peer'), [{ account: 'A', key: 'movie:tmdb:2' }], 'without such a row it is')
})

t.test('nor are items where such a row may link two others', async (t) => {
  const rows = { 'A watchlist': [film(1, { title: 'One', ids: { imdb: 'tt0000001' } })], 'B watchlist': [film(1)] }
  const link = film(1, { ids: { imdb: 'tt0000001', tmdb: '1' } })
  t.same((await pass({ ...rows, 'C watchlist': [link] })).of('missing_peer'), [])
  t.same((await pass({ ...rows, 'C watchlist': [stored(link).slice(0, -4)] })).of('missing_peer'), [])
  t.equal((await pass(rows)).of('missing_peer').length, 2)
  t.equal((await pass({ ...rows, 'C history': [stored(link).slice(0, -4)] })).of('missing_peer').length, 2)
})

t.test('a completely unreadable account lacks nothing', async (t) => {
  const { of } = await pass({ 'A ratings': [film(1, { rating: 5 })], 'B ratings': [torn(1), torn(2)] })
  t.same(of('missing_peer'), [])
  t.match(of('artifact_parse_error'), [{ account: 'B', feature: 'ratings', fields: { bad_rows: 2 } }])
})

t.test('nor are its shows compared', async (t) => {
  const history = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => episode(from + at, 1, 1, { watched_at: '2026-01-01T00:00:00Z' }))
  const input = { 'A history': history(1, 13), 'B history': [...history(1, 2), torn(2)] }
  t.same((await pass(input)).of('history_show_normalization'), [])
  t.match((await pass({ ...input, 'B history': history(1, 2) })).of('history_show_normalization'), [
    { severity: 'warn' },
  ])
})

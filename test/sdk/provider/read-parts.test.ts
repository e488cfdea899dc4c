// The parts of a read: rows, and the end with its proof of completeness.
import t from 'tap'
import { type Item, readIds } from '@playhead/sdk/items'
import {
  extendItem,
  idText,
  nativeAt,
  noteUnreadable,
  readEnd,
  type ReadItem,
  rowParts,
  timeAt,
  titleAt,
  unchangedEnd,
  type Unreadable,
  unreadableRow,
  wantedItems,
  yearAt,
} from '@playhead/sdk/provider'
import { movie } from './support.ts'

const show: Item = { type: 'show', ids: { tmdb: '7' } }

t.test('a flawless read is complete, and leaves a checkpoint', (t) => {
  t.strictSame(readEnd({ account: 'a', checkpoint: 'c' }), {
    type: 'end',
    end: { complete: true, semantics: 'present', account: 'a', checkpoint: 'c' },
  })
  t.end()
})

t.test('a flawed read states why, and leaves no checkpoint', (t) => {
  t.strictSame(readEnd({ account: 'a', reason: 'truncated', checkpoint: 'c', unreadable: [] }).end, {
    complete: false,
    reason: 'truncated',
    semantics: 'present',
    account: 'a',
  })
  t.end()
})

t.test('a read of changes always lists removals, and names unidentified or unproven rows', (t) => {
  t.strictSame(readEnd({ account: 'a', semantics: 'delta' }).end, {
    complete: true,
    semantics: 'delta',
    deleted: [],
    account: 'a',
  })
  const told = readEnd({ account: 'a', gone: [show], unreadable: [{ reason: 'no_identity' }] }).end
  t.strictSame([told.gone, told.unreadable], [[show], [{ reason: 'no_identity' }]])
  t.strictSame(unchangedEnd('a', 'c').end, { complete: true, semantics: 'unchanged', account: 'a', checkpoint: 'c' })
  t.end()
})

t.test('only the requested kinds are returned, and all of them by default', (t) => {
  const unreadable: Unreadable[] = []
  const found: ReadItem[] = [{ item: movie(1) }, { item: show }, unreadableRow('no_identity', 'Heat')]
  t.strictSame(wantedItems(found, { kinds: ['show'] }, unreadable), [show])
  t.strictSame(wantedItems(found, { kinds: [] }, []), [movie(1), show])
  t.strictSame(wantedItems(found, {}, []), [movie(1), show])
  t.strictSame(unreadable, [{ reason: 'no_identity', title: 'Heat' }])
  t.end()
})

t.test('at most two hundred unidentified rows are kept', (t) => {
  const unreadable: Unreadable[] = []
  wantedItems(
    Array.from({ length: 199 }, () => unreadableRow('odd')),
    {},
    unreadable,
  )
  t.equal(noteUnreadable(unreadable, { reason: 'odd' }), true)
  t.equal(noteUnreadable(unreadable, { reason: 'odd' }), false)
  t.equal(unreadable.length, 200)
  t.end()
})

t.test('many rows come in parts, in order, each in one part', (t) => {
  const rows = Array.from({ length: 1_201 }, (_, index) => movie(index))
  const parts = [...rowParts(rows, 1_201)]
  t.strictSame(
    parts.flatMap((part) => (part.type === 'rows' ? part.rows : [])),
    rows,
  )
  t.ok(parts.length > 2 && parts.every((part) => part.type === 'rows' && part.total === 1_201))
  t.strictSame([...rowParts([])], [])
  t.end()
})

t.test('a field without a certain value is omitted', (t) => {
  t.strictSame(timeAt('watched_at', '2026-07-01T20:15:00.000Z'), { watched_at: '2026-07-01T20:15:00Z' })
  t.strictSame([timeAt('rated_at', 'soon'), timeAt('added_at', null), timeAt('added_at', undefined)], [{}, {}, {}])
  t.strictSame(
    [titleAt('title', 'Heat'), titleAt('series_title', ''), titleAt('title', 7)],
    [{ title: 'Heat' }, {}, {}],
  )
  t.strictSame(
    [
      yearAt('year', 1995),
      yearAt('series_year', 0),
      yearAt('year', 10_000),
      yearAt('year', 1995.5),
      yearAt('year', '1995'),
    ],
    [{ year: 1995 }, {}, {}, {}, {}],
  )
  t.strictSame(
    [idText(12), idText('12'), idText(2 ** 53), idText(''), idText(null), idText({})],
    ['12', '12', undefined, undefined, undefined, undefined],
  )
  t.strictSame([nativeAt('event_id', 12), nativeAt('item_id', 2 ** 53)], [{ native: { event_id: '12' } }, {}])
  t.end()
})

t.test('fields are added to an item, and a non-item stays unchanged', (t) => {
  t.strictSame(extendItem({ item: show }, { rating: 8 }), { item: { ...show, rating: 8 } })
  const odd = unreadableRow('odd', 5)
  t.strictSame(odd, { unreadable: { reason: 'odd' } })
  t.strictSame(extendItem(odd, { rating: 8 }), odd)
  t.end()
})

t.test('only the named ids of an object are taken, if names are given', (t) => {
  const given = { imdb: 'tt0113277', tmdb: 949, tvdb: 12 }
  t.strictSame(readIds(given, ['imdb', 'tmdb', 'anidb']), { imdb: 'tt0113277', tmdb: '949' })
  t.strictSame(readIds(given), { imdb: 'tt0113277', tmdb: '949', tvdb: '12' })
  t.strictSame([readIds(null, ['imdb']), readIds('tt0113277', ['imdb']), readIds([given], ['imdb'])], [{}, {}, {}])
  t.end()
})

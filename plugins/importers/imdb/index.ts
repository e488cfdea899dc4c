// IMDb: ratings, the watchlist and lists share one table; a row with a rating of the person is a rating. The values of `Title Type`
// changed over the years. A list of ids alone does not contain their types.
import { defined, type Item } from '@playhead/sdk'
import {
  csvWith,
  defineImporter,
  idCells,
  ratingCell,
  ratingRow,
  textCell,
  timeCell,
  watchlistRow,
  yearCell,
} from '@playhead/sdk/importer'

const TYPES: Readonly<Record<string, 'movie' | 'show' | 'episode' | undefined>> = {
  movie: 'movie',
  featurefilm: 'movie',
  tvmovie: 'movie',
  tvspecial: 'movie',
  short: 'movie',
  shortfilm: 'movie',
  tvshort: 'movie',
  video: 'movie',
  documentary: 'movie',
  tvseries: 'show',
  tvminiseries: 'show',
  miniseries: 'show',
  tvepisode: 'episode',
}

export default defineImporter({
  format: 'imdb',
  label: 'IMDb',
  hint: 'At imdb.com, open Your ratings or Your watchlist, then Export. Each list is a separate file.',
  features: ['watchlist', 'ratings'],
  recognise: ({ files }) => csvWith(files, ['const']),
  open: () => ({
    read({ cells, file: { columns } }) {
      const ids = idCells({ imdb: cells['const'] })
      if (ids.imdb === undefined) return [{ skipped: 'invalid_value' }]
      const hasType = columns.includes('title type')
      const type = hasType ? TYPES[(cells['title type'] ?? '').toLowerCase().replace(/[^a-z]/g, '')] : 'movie'
      if (type === undefined) return [{ skipped: 'unsupported_type' }]
      const [title, year] = [textCell(cells['title']), yearCell(cells['year'])]
      const item: Item = defined({ type, ids: hasType ? ids : {}, title, year })
      const about = hasType ? {} : { about: { type: 'unknown' as const, title: ids.imdb } }
      // Until 2017 the column was `You rated`, with `created` as `Sat Mar 12 00:00:00 2011`.
      const given = textCell(cells['your rating'] ?? cells['you rated'])
      const rating = ratingCell(given)
      if (rating === undefined && (given ?? textCell(cells['date rated'])) !== undefined)
        return [{ skipped: 'invalid_value' }]
      const row =
        rating === undefined
          ? watchlistRow(item, timeCell(cells['created']))
          : ratingRow(item, rating, timeCell(cells['date rated']))
      return [{ ...row, ...about }]
    },
  }),
})

// A table with ids or titles and a type, as Playhead's generic list. A row with a date is a play, one with a rating a rating.
import { parseType } from '@playhead/sdk/items'
import {
  csvWith,
  defineImporter,
  idCells,
  type ImportedRow,
  playRow,
  ratingCell,
  ratingRow,
  textCell,
  timeCell,
  watchlistRow,
  wholeCell,
  workItem,
  yearCell,
} from '@playhead/sdk/importer'

export default defineImporter({
  format: 'list',
  label: 'Generic list',
  hint: 'A CSV file with the columns tmdbID, imdbID, Title, Year and Type.',
  features: ['watchlist', 'history', 'ratings'],
  recognise: ({ files }) => csvWith(files, ['tmdbid', 'imdbid', 'title', 'year', 'type']),
  open: () => ({
    read({ cells, file: { columns } }) {
      const type = parseType(cells['type'])
      if (!type.ok) return [{ skipped: 'unsupported_type' }]
      const ids = idCells({ tmdb: cells['tmdbid'], imdb: cells['imdbid'] })
      const title = textCell(cells['title'])
      if (title === undefined && Object.keys(ids).length === 0) return [{ skipped: 'missing_title' }]
      const item = workItem({
        ...{ type: type.value, ids, title, year: yearCell(cells['year']) },
        ...{ season: wholeCell(cells['season']), episode: wholeCell(cells['episode'], 1) },
      })
      if (item === undefined) return [{ skipped: 'invalid_value' }]
      const rating = ratingCell(cells['rating'])
      const rows: ImportedRow[] = []
      if (columns.includes('watcheddate')) rows.push(playRow(item, timeCell(cells['watcheddate'])))
      if (rating !== undefined) rows.push(ratingRow(item, rating))
      if (rows.length === 0 && !columns.includes('rating')) rows.push(watchlistRow(item))
      return rows.length > 0 ? rows : [{ skipped: 'invalid_value' }]
    },
  }),
})

// Movary: three CSV files, made in Settings, Account, Personal data. Watch dates are days, and one line is one play; ratings
// are 1 to 10. The columns are those of Movary's own export: https://github.com/leepeuker/movary (src/Service/Export).
import { defined } from '@playhead/sdk'
import type { Item } from '@playhead/sdk/items'
import {
  csvWith,
  defineImporter,
  idCells,
  type ImportFile,
  type ImportRecord,
  type ImportResult,
  type ImportSketch,
  playRow,
  ratingCell,
  ratingRow,
  textCell,
  timeCell,
  watchlistRow,
  yearCell,
} from '@playhead/sdk/importer'

const MOVIE = ['title', 'year', 'tmdbid', 'imdbid']
/** The column that says what a file holds. */
const KINDS = ['watchedat', 'userrating', 'addedat']

export default defineImporter({
  format: 'movary',
  label: 'Movary',
  hint: 'In Movary, open Settings, Account, Personal data, and export history, ratings and watchlist. Choose one of the files, or a ZIP file with them.',
  features: ['watchlist', 'history', 'ratings'],
  recognise: filesOf,
  open: () => ({ read: readRow }),
})

function filesOf({ files }: ImportSketch): readonly ImportFile[] | null {
  const found = KINDS.flatMap((kind) => csvWith(files, [...MOVIE, kind]) ?? [])
  return found.length === 0 ? null : found
}

function readRow({ cells, file: { columns } }: ImportRecord): ImportResult {
  const ids = idCells({ tmdb: cells['tmdbid'], imdb: cells['imdbid'] })
  const title = textCell(cells['title'])
  if (title === undefined && Object.keys(ids).length === 0) return [{ skipped: 'missing_title' }]
  const item: Item = defined({ type: 'movie', ids, title, year: yearCell(cells['year']) })
  if (columns.includes('watchedat')) return [playRow(item, timeCell(cells['watchedat']))]
  if (columns.includes('userrating')) {
    const rating = ratingCell(cells['userrating'])
    return rating === undefined ? [{ skipped: 'invalid_value' }] : [ratingRow(item, rating)]
  }
  return [watchlistRow(item, timeCell(cells['addedat']))]
}

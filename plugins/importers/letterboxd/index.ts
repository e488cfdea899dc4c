// Letterboxd: a ZIP archive of CSV files without ids, so that each film needs one lookup; and files in the format of its importer,
// which have ids. `watched.csv` contains when a film was marked, not when it was watched.
import { defined } from '@playhead/sdk'
import { type Item, RATING_SCALES } from '@playhead/sdk/items'
import {
  csvWith,
  defineImporter,
  filesNamed,
  idCells,
  type ImportedRow,
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

const OWN = ['name', 'year', 'letterboxd uri']
/** The generic list has the same columns and a type; the files of Movary have one of the others. */
const OTHERS = ['type', 'watchedat', 'userrating', 'addedat']
/** The file's current format, used since 2017, is v7. */
const LIST = /^\s*"?Letterboxd list export v\d/i
const NAMES = ['diary.csv', 'ratings.csv', 'watchlist.csv', 'watched.csv']

export default defineImporter({
  format: 'letterboxd',
  label: 'Letterboxd',
  hint: 'At letterboxd.com, open Settings, Data, then Export your data. Choose the ZIP file.',
  features: ['watchlist', 'history', 'ratings'],
  recognise: filesOf,
  explain: ({ files }) =>
    files.some(({ head }) => LIST.test(head))
      ? 'This is a list of Letterboxd. Lists are not imported; the diary, ratings, watchlist and watched films are.'
      : undefined,
  open() {
    const watched = new Set<string>()
    const rated = new Set<string>()
    const diaryRatings = new Map<string, ImportedRow>()
    return {
      read(record) {
        const { cells, file } = record
        if (!file.columns.includes('letterboxd uri')) return readImporterFile(record)
        const title = textCell(cells['name'])
        if (title === undefined) return [{ skipped: 'missing_title' }]
        const year = yearCell(cells['year'])
        const item: Item = defined({ type: 'movie', title, ids: {}, year })
        const name = JSON.stringify([title, year])
        const rating = ratingCell(cells['rating'], RATING_SCALES.fiveStarsHalves)
        const date = timeCell(cells['date'])
        if (file.columns.includes('watched date')) {
          watched.add(name)
          if (rating !== undefined) diaryRatings.set(name, ratingRow(item, rating, date))
          return [playRow(item, timeCell(cells['watched date']))]
        }
        if (file.columns.includes('rating')) {
          rated.add(name)
          return rating === undefined ? [{ skipped: 'invalid_value' }] : [ratingRow(item, rating, date)]
        }
        if (file.name.startsWith('watchlist')) return [watchlistRow(item, date)]
        return watched.has(name) ? [] : [playRow(item, undefined)]
      },
      // The diary has the rating of each day; the list of ratings has the current one.
      end: () => [...diaryRatings].flatMap(([name, row]) => (rated.has(name) ? [] : [row])),
    }
  },
})

function filesOf({ files, archive }: ImportSketch): readonly ImportFile[] | null {
  const inFolder = files.filter(({ path }) => !/(?:^|\/)(?:deleted|orphaned|likes|lists)\//.test(path))
  const own = csvWith(inFolder, OWN)
  if (own !== null) return archive ? filesNamed(own, NAMES) : own.every(isCertain) ? own : null
  const found = csvWith(files, ['imdbid', 'tmdbid', 'title', 'year'])
  return found?.some(({ columns }) => OTHERS.some((column) => columns.includes(column))) === true ? null : found
}

/** Films of the watchlist, watched films and liked films have the same columns, so the file name decides. */
function isCertain({ name, columns }: ImportFile): boolean {
  return columns.includes('watched date') || columns.includes('rating') || /^(?:watched|watchlist)/.test(name)
}

/** `Rating10` is 1 to 10, `Rating` 0.5 to 5. */
function readImporterFile({ cells, file: { columns } }: ImportRecord): ImportResult {
  const ids = idCells({ tmdb: cells['tmdbid'], imdb: cells['imdbid'] })
  const title = textCell(cells['title'])
  if (title === undefined && Object.keys(ids).length === 0) return [{ skipped: 'missing_title' }]
  const year = yearCell(cells['year'])
  const item: Item = defined({ type: 'movie', ids, title, year })
  const rating = ratingCell(cells['rating10']) ?? ratingCell(cells['rating'], RATING_SCALES.fiveStarsHalves)
  const rows: ImportedRow[] = []
  if (columns.includes('watcheddate') || columns.includes('rewatch')) {
    const date = timeCell(cells['watcheddate'])
    // A row of a combined file with only a rating was never watched.
    if (date !== undefined || rating === undefined) rows.push(playRow(item, date))
  }
  if (rating !== undefined) rows.push(ratingRow(item, rating))
  const isWatchlist = !columns.some((one) => ['watcheddate', 'rewatch', 'rating10', 'rating'].includes(one))
  if (isWatchlist) rows.push(watchlistRow(item))
  return rows
}

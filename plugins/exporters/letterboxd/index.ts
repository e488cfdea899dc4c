// Letterboxd: films only, at most 1 MB a file. Its importer reads `Rating10` as 1 to 10 and `Rating` as 0.5 to 5 stars.
// Columns: https://letterboxd.com/about/importing-data/
import { defineExporter, exportDate, exportTitle, exportYear } from '@playhead/sdk/exporter'

const WORK = ['imdbID', 'tmdbID', 'Title', 'Year']

export default defineExporter({
  format: 'letterboxd',
  label: 'Letterboxd',
  features: ['watchlist', 'history', 'ratings', 'combined'],
  kinds: ['movie'],
  maxBytes: 1_000_000,
  columns: ({ feature, watchedDate }) => [
    ...WORK,
    ...(feature === 'ratings' || feature === 'combined' ? ['Rating10'] : []),
    ...(feature === 'history' || feature === 'combined' ? [...(watchedDate ? ['WatchedDate'] : []), 'Rewatch'] : []),
  ],
  lacksDate: ({ item }, { feature, watchedDate }) =>
    watchedDate && (feature === 'history' || feature === 'combined') && exportDate(item.watched_at) === '',
  row: ({ item, play }, { selection: { timeZone } }) => ({
    imdbID: item.ids.imdb,
    tmdbID: item.ids.tmdb,
    Title: exportTitle(item),
    Year: exportYear(item),
    Rating10: item.rating,
    WatchedDate: exportDate(item.watched_at, timeZone),
    Rewatch: play > 1 ? 'true' : '',
  }),
})

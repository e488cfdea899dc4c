// A plain table for tools without a format of their own. No service documents it; the column names follow Letterboxd's.
import { kindOf } from '@playhead/sdk/items'
import { defineExporter, exportDate, exportYear, workIds, workTitle } from '@playhead/sdk/exporter'

const WORK = ['tmdbID', 'imdbID', 'Title', 'Year', 'Type']
const PART = ['Season', 'Episode']

export default defineExporter({
  // The name in the interface; no service imports the file.
  format: 'justwatch',
  label: 'Generic list',
  features: ['watchlist', 'history', 'ratings'],
  kinds: ['movie', 'show', 'season', 'episode'],
  columns: ({ feature }) => [
    ...WORK,
    ...(feature === 'history' ? ['WatchedDate'] : []),
    ...(feature === 'watchlist' ? [] : ['Rating', ...PART]),
  ],
  lacksDate: ({ item }, { feature }) => feature === 'history' && exportDate(item.watched_at) === '',
  row: ({ item }, { selection: { timeZone } }) => ({
    // For seasons and episodes the ids of the show, which the numbers belong to.
    tmdbID: workIds(item).tmdb,
    imdbID: workIds(item).imdb,
    Title: workTitle(item),
    Year: exportYear(item),
    Type: kindOf(item),
    WatchedDate: exportDate(item.watched_at, timeZone),
    Rating: item.rating,
    Season: item.season,
    Episode: item.episode,
  }),
})

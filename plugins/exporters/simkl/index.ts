// SIMKL's CSV (v1), which TMDB imports too. `LastEpWatched` would mark all earlier episodes as watched, so single episodes
// are never written.
import { kindOf } from '@playhead/sdk/items'
import { defineExporter, exportDate, exportTitle, exportYear } from '@playhead/sdk/exporter'

export default defineExporter({
  format: 'trackB',
  label: 'SIMKL',
  features: ['watchlist', 'history', 'ratings'],
  kinds: ['movie', 'show'],
  columns: () => [
    'SIMKL_ID',
    'Title',
    'Type',
    'Year',
    'Watchlist',
    'LastEpWatched',
    'WatchedDate',
    'Rating',
    'Memo',
    'TVDB',
    'TMDB',
    'IMDB',
  ],
  lacksDate: ({ item }, { feature }) => feature === 'history' && exportDate(item.watched_at) === '',
  row: ({ item }, { selection: { feature, timeZone } }) => ({
    SIMKL_ID: item.ids.trackb,
    Title: exportTitle(item),
    Type: item.type === 'anime' ? 'Anime' : kindOf(item) === 'movie' ? 'Movie' : 'Show',
    Year: exportYear(item),
    Watchlist: feature === 'watchlist' ? '1' : feature === 'history' ? 'completed' : '',
    WatchedDate:
      feature === 'watchlist' ? '' : exportDate(feature === 'ratings' ? item.rated_at : item.watched_at, timeZone),
    Rating: feature === 'ratings' ? item.rating : '',
    TVDB: item.ids.tvdb,
    TMDB: item.ids.tmdb,
    IMDB: item.ids.imdb,
  }),
})

// TMDB imports three kinds of tables. Rows of Trakt and SIMKL use those services' columns, all others those of an IMDb list (v3),
// which needs IMDb ids.
import { kindOf, ownIds } from '@playhead/sdk/items'
import { defineExporter, exportDate, exportTitle, exportYear } from '@playhead/sdk/exporter'

const DETAILS = [
  'Title',
  'URL',
  'Title Type',
  'IMDb Rating',
  'Runtime (mins)',
  'Year',
  'Genres',
  'Num Votes',
  'Release Date',
  'Directors',
]
const TYPES = { movie: 'movie', show: 'tvSeries', season: 'tvSeries', episode: 'tvEpisode' } as const

export default defineExporter({
  format: 'metaA',
  label: 'TMDB',
  features: ['watchlist', 'ratings'],
  kinds: ['movie', 'show', 'season', 'episode'],
  dialects: { TRACKA: 'trackA', TRACKB: 'trackB' },
  columns: ({ feature }) =>
    feature === 'watchlist'
      ? ['Position', 'Const', 'Created', 'Modified', 'Description', ...DETAILS, 'Your Rating', 'Date Rated']
      : ['Const', 'Your Rating', 'Date Rated', ...DETAILS],
  refuse: ({ item }) => (ownIds(item).imdb === undefined ? 'missing_required_id' : undefined),
  row({ item }, { lines, selection: { feature, timeZone } }) {
    const { imdb } = ownIds(item)
    return {
      Position: lines + 1,
      Const: imdb,
      Title: exportTitle(item),
      URL: `https://www.imdb.com/title/${imdb}/`,
      'Title Type': TYPES[kindOf(item)],
      Year: exportYear(item),
      ...(feature === 'ratings'
        ? { 'Your Rating': item.rating, 'Date Rated': exportDate(item.rated_at ?? item.watched_at, timeZone) }
        : {}),
    }
  },
})

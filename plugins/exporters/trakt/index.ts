// Trakt's CSV (v2), which TMDB imports too: ids of the row itself, and of its show.
import { kindOf, ownIds } from '@playhead/sdk/items'
import { defineExporter, exportTitle, isPartOfShow } from '@playhead/sdk/exporter'

const WORK = ['type', 'title', 'year', 'trakt_rating', 'trakt_id', 'imdb_id', 'tmdb_id', 'tvdb_id']
const SHOW = ['title', 'year', 'trakt_id', 'imdb_id', 'tmdb_id', 'tvdb_id'].map((name) => `show_${name}`)
const EPISODE = ['imdb_id', 'tmdb_id', 'tvdb_id'].map((name) => `episode_${name}`)

export default defineExporter({
  format: 'trackA',
  label: 'Trakt',
  features: ['watchlist', 'history', 'ratings'],
  kinds: ['movie', 'show', 'season', 'episode'],
  columns: ({ feature }) => [
    feature === 'history' ? 'watched_at' : 'rated_at',
    ...WORK,
    'season',
    'episode',
    ...SHOW,
    ...EPISODE,
    'genres',
    'rating',
  ],
  lacksDate: ({ item }, { feature }) => feature === 'history' && item.watched_at === undefined,
  row({ item }, { selection: { feature } }) {
    const kind = kindOf(item)
    const own = ownIds(item)
    const isPart = isPartOfShow(item)
    const show = isPart ? (item.show_ids ?? {}) : {}
    const episode = kind === 'episode' ? own : {}
    return {
      watched_at: item.watched_at,
      rated_at: feature === 'ratings' ? item.rated_at : '',
      rating: feature === 'ratings' ? item.rating : '',
      type: kind,
      title: isPart ? item.title : exportTitle(item),
      year: item.year,
      trakt_id: own.tracka,
      imdb_id: own.imdb,
      tmdb_id: own.tmdb,
      tvdb_id: own.tvdb,
      season: item.season,
      episode: item.episode,
      show_title: isPart ? item.series_title : '',
      show_year: isPart ? item.series_year : '',
      show_trakt_id: show.tracka,
      show_imdb_id: show.imdb,
      show_tmdb_id: show.tmdb,
      show_tvdb_id: show.tvdb,
      episode_imdb_id: episode.imdb,
      episode_tmdb_id: episode.tmdb,
      episode_tvdb_id: episode.tvdb,
    }
  },
})

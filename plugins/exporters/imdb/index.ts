// IMDb: a list is imported as one id a line. Shows, films and episodes have ids; seasons have none.
import { defineExporter, ownIds } from '@playhead/sdk'

export default defineExporter({
  format: 'imdb',
  label: 'IMDb',
  features: ['watchlist'],
  kinds: ['movie', 'show', 'season', 'episode'],
  columns: () => ['const'],
  refuse: ({ item }) => (ownIds(item).imdb === undefined ? 'missing_required_id' : undefined),
  row: ({ item }) => ({ const: ownIds(item).imdb }),
})

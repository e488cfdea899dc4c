// IMDb: imports a list with one id per line. Shows, films and episodes have ids, whereas seasons have none.
import { ownIds } from '@playhead/sdk/items'
import { defineExporter } from '@playhead/sdk/exporter'

export default defineExporter({
  format: 'imdb',
  label: 'IMDb',
  features: ['watchlist'],
  kinds: ['movie', 'show', 'season', 'episode'],
  columns: () => ['const'],
  refuse: ({ item }) => (ownIds(item).imdb === undefined ? 'missing_required_id' : undefined),
  row: ({ item }) => ({ const: ownIds(item).imdb }),
})

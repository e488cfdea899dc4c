// A file format for exported rows of the library: a table of titles, separated by commas.
import { defineExporter, exportDate, exportTitle, exportYear } from '@playhead/sdk/exporter'

export default defineExporter({
  format: 'acme',
  label: 'Acme',
  features: ['watchlist', 'history'],
  kinds: ['movie', 'show'],
  columns: ({ feature }) => ['title', 'year', 'tmdb', ...(feature === 'history' ? ['watched'] : [])],
  // Rows that the receiving service could not use are left out, and counted for the person.
  refuse: ({ item }) => (exportTitle(item) === '' ? 'missing_identity' : undefined),
  row: ({ item }, { selection: { timeZone } }) => ({
    title: exportTitle(item),
    year: exportYear(item),
    tmdb: item.ids.tmdb,
    watched: exportDate(item.watched_at, timeZone),
  }),
})

// A format that is not a table: one line per title, under a heading.
import { defineExporter, exportTitle, exportYear } from '@playhead/sdk/exporter'

export default defineExporter({
  format: 'reading-list',
  label: 'Reading list',
  features: ['watchlist', 'history'],
  kinds: ['movie', 'show'],
  mediaType: 'text/markdown; charset=utf-8',
  extension: 'md',
  refuse: ({ item }) => (exportTitle(item) === '' ? 'missing_identity' : undefined),
  begin: ({ feature }) => `# ${feature === 'watchlist' ? 'To watch' : 'Watched'}\n\n`,
  text: ({ item }) => `- ${exportTitle(item)}${exportYear(item) === '' ? '' : ` (${exportYear(item)})`}\n`,
  end: (_, lines) => `\n${lines} in all\n`,
})

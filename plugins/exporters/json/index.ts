// All data of each row, one row per line. The importer of the same name reads the file.
import { defineExporter } from '@playhead/sdk/exporter'

export default defineExporter({
  format: 'json',
  label: 'JSON',
  features: ['watchlist', 'history', 'ratings', 'combined', 'progress', 'all'],
  kinds: ['movie', 'show', 'season', 'episode'],
  mediaType: 'application/json; charset=utf-8',
  extension: 'json',
  begin: ({ provider, instance, feature, exportedAtMs }) => {
    const head = { format: 'playhead', version: 1, provider, instance, feature, exported_at: new Date(exportedAtMs) }
    return `${JSON.stringify(head).slice(0, -1)},"rows":[\n`
  },
  text: ({ feature, key, item }, { lines }) => `${lines === 0 ? '' : ',\n'}${JSON.stringify({ feature, key, item })}`,
  end: (_selection, lines) => `\n],"count":${lines}}\n`,
})

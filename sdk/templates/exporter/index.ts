// A file format for exports. How a row is written is in format.ts.
import { capability, definePlugin } from '@playhead/sdk'
import { COLUMNS, formatRow, type Row } from './format.ts'

export default definePlugin({
  setup(ctx) {
    ctx.provide(capability('exporter:acme'), {
      label: 'Acme',
      mediaType: 'text/tab-separated-values; charset=utf-8',
      extension: 'tsv',
      /** The file in pieces, so that a large export never lies in memory. */
      async *write(rows: AsyncIterable<Row>) {
        yield formatRow(COLUMNS)
        for await (const row of rows) yield formatRow(COLUMNS.map((column) => row[column]))
      },
    })
  },
})

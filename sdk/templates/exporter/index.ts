// An export file format. The row format is in format.ts.
import { capability, definePlugin } from '@playhead/sdk'
import { COLUMNS, formatRow, type Row } from './format.ts'

export default definePlugin({
  setup(ctx) {
    ctx.provide(capability('exporter:acme'), {
      label: 'Acme',
      mediaType: 'text/tab-separated-values; charset=utf-8',
      extension: 'tsv',
      /** The file in chunks, so that a large export does not fill the memory. */
      async *write(rows: AsyncIterable<Row>) {
        yield formatRow(COLUMNS)
        for await (const row of rows) yield formatRow(COLUMNS.map((column) => row[column]))
      },
    })
  },
})

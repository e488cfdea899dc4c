import t from 'tap'
import type { ExportRow, ExportSelection } from '@playhead/sdk'
import { checkExporter, createTestHost, exporterOf } from '@playhead/sdk/testing'
import plugin from './index.ts'

const manifest = new URL('./plugin.json', import.meta.url)
const selection: ExportSelection = {
  provider: 'SVC',
  instance: 'default',
  feature: 'history',
  watchedDate: true,
  spreadsheet: false,
  exportedAtMs: 0,
}

t.test('every row is one line, whatever its values hold', async (t) => {
  const exporter = await exporterOf(plugin)
  const rows: ExportRow[] = [
    {
      type: 'movie',
      title: 'One, or two',
      year: 1999,
      ids: { tmdb: '1' },
      watched_at: '2026-01-02T03:04:05Z',
    } as const,
    { type: 'movie', title: 'Say "yes"', ids: {} } as const,
    { type: 'movie', ids: { tmdb: '3' } } as const,
  ].map((item, index) => ({ key: String(index), item, feature: 'history', play: 1 }))

  const results = await exporter.write({ selection, rows, previous: null, lines: 0 })

  t.strictSame(results, [
    { text: '"One, or two",1999,1,2026-01-02\n', lines: 1 },
    { text: '"Say ""yes""",,,\n', lines: 1 },
    { dropped: 'missing_identity' },
  ])
})

t.test('the plugin offers the format, and the format keeps its promises', async (t) => {
  await using host = await createTestHost({ plugin, manifest })
  t.same(host.failures, [])
  t.same(
    (await checkExporter(await exporterOf(plugin))).filter(({ ok }) => !ok),
    [],
  )
})

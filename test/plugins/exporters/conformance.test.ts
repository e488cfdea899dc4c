// All shipped exporters satisfy the exporter contract.
import t from 'tap'
import { checkExporter } from '@playhead/sdk/testing'
import { shippedExporters } from '../exports/world.ts'

for (const [id, exporter] of await shippedExporters())
  t.test(id, async (t) => {
    for (const { id: check, title, ok, reason = '' } of await checkExporter(exporter))
      t.ok(ok, `${check}: ${title}. ${reason}`)
  })

t.test('an exporter that breaks a rule is detected', async (t) => {
  const exporter = [...(await shippedExporters()).values()].find((one) => one.describe().id === 'letterboxd')!
  const failed = async (broken: object) =>
    (await checkExporter({ ...exporter, ...broken })).filter(({ ok }) => !ok).map(({ id }) => id)
  t.strictSame(await failed({ describe: () => ({ ...exporter.describe(), features: [] }) }), ['exporter.describes'])
  t.match(await failed({ write: async () => [] }), ['exporter.rows', 'exporter.kinds'])
  t.match(
    await failed({
      write: async (batch: { rows: object[]; lines: number }) =>
        batch.rows.map((_, index) => ({ text: `${batch.lines} ${index}\n`, lines: 1 })),
    }),
    ['exporter.pages', 'exporter.cells', 'exporter.identity'],
  )
  t.strictSame(await failed({ columns: () => ['Name', 'Name'] }), ['exporter.header', 'exporter.cells'])
  t.strictSame(
    await failed({
      begin: () => '',
      write: async ({ rows }: { rows: object[] }) => rows.map(() => ({ dropped: 'missing_identity' })),
    }),
    ['exporter.header', 'exporter.cells', 'exporter.kinds', 'exporter.empty'],
  )
})

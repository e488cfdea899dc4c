// Faulty exporters, importers, analyzers and notifiers: each is a template with one mistake that its checks find.
import t from 'tap'
import { type ExportedRow, type Exporter, type Finding, Type } from '@playhead/sdk'
import { defineNotifier } from '@playhead/sdk/notifier'
import {
  checkAnalyzer,
  checkExporter,
  checkImporter,
  checkNotifier,
  createTestHost,
  exporterOf,
  type FormatCheck,
} from '@playhead/sdk/testing'
import template from '../../../sdk/templates/analyzer/index.ts'
import exporterPlugin from '../../../sdk/templates/exporter/index.ts'
import importer from '../../../sdk/templates/importer/index.ts'

/** The mistake, the check that must fail, and the change. */
type Mutant<Change> = readonly [mistake: string, caught: string, change: Change]

const failed = (results: readonly FormatCheck[]) => results.filter(({ ok }) => !ok).map(({ id }) => id)

const good = await exporterOf(exporterPlugin)
const written = async (...args: Parameters<Exporter['write']>) => await good.write(...args)
const inRow = (change: (row: ExportedRow, index: number) => ExportedRow): Partial<Exporter> => ({
  write: async (batch) => (await written(batch)).map(change),
})
let pages = 0
const exporters: readonly Mutant<Partial<Exporter>>[] = [
  [
    'leaves the result of its last row out',
    'exporter.rows',
    { write: async (batch) => (await written(batch)).slice(0, -1) },
  ],
  [
    'counts its pages',
    'exporter.pages',
    {
      async write(batch) {
        pages += 1
        return (await written(batch)).map((row) =>
          'text' in row ? { ...row, text: row.text.replace(/\n$/, ` ${pages}\n`) } : row,
        )
      },
    },
  ],
  ['has no columns in its file', 'exporter.header', { begin: () => 'file\n' }],
  [
    'does not quote its cells',
    'exporter.cells',
    inRow((row) => ('text' in row ? { ...row, text: row.text.replaceAll('"', '') } : row)),
  ],
  [
    'tells fewer lines than it writes',
    'exporter.cells',
    inRow((row) => ('text' in row ? { ...row, text: row.text + row.text } : row)),
  ],
  [
    'writes rows that nothing identifies',
    'exporter.identity',
    inRow((row) => ('text' in row ? row : { text: ',,,\n', lines: 1 })),
  ],
  [
    'calls itself something else each time',
    'exporter.describes',
    { describe: () => ({ ...good.describe(), label: `Acme ${(pages += 1)}` }) },
  ],
  ['leaves every row out', 'exporter.kinds', inRow(() => ({ refused: 'missing_identity' }) as unknown as ExportedRow)],
  [
    'throws at a text that it does not expect',
    'exporter.rows',
    {
      write: (batch) => {
        if (batch.rows.some(({ item }) => item.title === '\ud800')) throw new Error('what is that')
        return good.write(batch)
      },
    },
  ],
  ['writes nothing where there are no rows', 'exporter.empty', { begin: () => '', columns: () => [], end: () => '' }],
]

t.test('every faulty exporter is caught', async (t) => {
  t.same(failed(await checkExporter(good)), [], 'the template is not')
  for (const [mistake, caught, change] of exporters)
    t.ok(
      failed(await checkExporter({ ...good, ...change })).includes(caught),
      `an exporter that ${mistake} (${caught})`,
    )
})

type Importer = typeof importer.importer
type Read = ReturnType<Importer['open']>['read']
const example = {
  'export.csv': 'Film title,Released in,TMDB,Watched\n"One, or two",1999,1,2026-01-02\nThree,,3,\n,,,\n',
}
const inRows = (change: (rows: ReturnType<Read>) => unknown): Partial<Importer> => ({
  open: () => ({ read: (record) => change(importer.importer.open().read(record)) as ReturnType<Read> }),
})
const items = (change: (item: object) => object) =>
  inRows((rows) => rows.map((row) => ('item' in row ? { ...row, item: change(row.item) } : row)))
const known = new Set<string>()
const importers: readonly Mutant<Partial<Importer>>[] = [
  ['does not say where the file is from', 'importer.describes', { hint: ' ' }],
  [
    'takes every table for its own',
    'importer.refuses',
    { recognise: ({ files }) => files.filter(({ kind }) => kind === 'csv') },
  ],
  ['does not know its own file', 'importer.recognises', { recognise: () => null }],
  ['gives ids as numbers', 'importer.rows', items((item) => ({ ...item, ids: { tmdb: 1 } }))],
  [
    'gives rows of a feature that it does not offer',
    'importer.rows',
    inRows((rows) => rows.map((row) => ('item' in row ? { ...row, feature: 'ratings' } : row))),
  ],
  [
    'gives ids that mean something to one account alone',
    'importer.rows',
    items((item) => ({ ...item, native: { item_id: '1' } })),
  ],
  [
    'gives times in the zone of the machine',
    'importer.rows',
    items((item) => ({ ...item, watched_at: '2026-01-02T03:04:05' })),
  ],
  [
    'remembers the last import',
    'importer.repeats',
    inRows((rows) =>
      rows.filter((row) => !('item' in row) || (!known.has(JSON.stringify(row)) && known.add(JSON.stringify(row)))),
    ),
  ],
  [
    'throws at a cell without a number',
    'importer.damage',
    {
      open: () => ({
        read(record) {
          BigInt(record.cells['released in'] ?? '')
          return importer.importer.open().read(record)
        },
      }),
    },
  ],
  [
    'reads numbers without looking at them',
    'importer.damage',
    {
      open: () => ({
        read: (record) =>
          importer.importer
            .open()
            .read(record)
            .map((row) =>
              'item' in row
                ? { ...row, item: { ...row.item, year: Number(record.cells['released in']) || 1999 } }
                : row,
            ),
      }),
    },
  ],
]

t.test('every faulty importer is caught', async (t) => {
  t.same(failed(await checkImporter(importer, { example })), [], 'the template is not')
  for (const [mistake, caught, change] of importers) {
    const results = await checkImporter({ ...importer, importer: { ...importer.importer, ...change } }, { example })
    t.ok(failed(results).includes(caught), `an importer that ${mistake} (${caught})`)
  }
})

// The scaffold replaces the token.
const TYPE = 'acme_missing_year'
const analyzer = {
  ...template,
  rule: {
    ...template.rule,
    problems: template.rule.problems.map((one) => ({ ...one, type: TYPE })),
    inspect: (...args: Parameters<NonNullable<typeof template.rule.inspect>>) =>
      [...(template.rule.inspect?.(...args) ?? [])].map((one) => ({ ...one, type: TYPE })),
  },
}
type Rule = typeof template.rule
const seen = new Set<string>()
const inspecting = (
  inspect: (page: Parameters<NonNullable<Rule['inspect']>>[0]) => Iterable<unknown>,
): Partial<Rule> => ({ inspect: inspect as unknown as NonNullable<Rule['inspect']> })
const found = (page: Parameters<NonNullable<Rule['inspect']>>[0]): readonly Finding[] => [
  ...(analyzer.rule.inspect?.(page, {} as never) ?? []),
]
const [problem] = analyzer.rule.problems
const analyzers: readonly Mutant<Partial<Rule>>[] = [
  [
    'reports what it did not declare',
    'analyzer.findings',
    inspecting((page) => found(page).map((one) => ({ ...one, type: 'acme_other' }))),
  ],
  [
    'names a row that is on no page',
    'analyzer.findings',
    inspecting((page) => found(page).map((one) => ({ ...one, key: `${one.key}?` }))),
  ],
  [
    'gives dates and maps with its findings',
    'analyzer.findings',
    inspecting((page) => found(page).map((one) => ({ ...one, fields: { at: new Date(0), by: new Map() } }))),
  ],
  [
    'gives whole rows with its findings',
    'analyzer.findings',
    inspecting((page) => found(page).map((one) => ({ ...one, fields: { rows: page.rows } }))),
  ],
  [
    'changes the rows that it looks at',
    'analyzer.rows',
    inspecting((page) => {
      for (const { item } of page.rows) (item as { year?: number }).year ??= 1990
      return found(page)
    }),
  ],
  [
    'keeps in the module what it has seen',
    'analyzer.passes',
    inspecting((page) => found(page).filter(({ key = '' }) => !seen.has(key) && seen.add(key))),
  ],
  [
    'takes a page for one that has rows',
    'analyzer.empty',
    inspecting((page) => (page.rows[0]!.key === '' ? [] : found(page))),
  ],
  ['does not say what its problem means', 'analyzer.describes', { problems: [{ ...problem!, meaning: '' }] }],
  [
    'says what its fix does and has none',
    'analyzer.describes',
    { problems: [{ ...problem!, fix: 'It adds the year.' } as never] },
  ],
  [
    'has a fix that throws',
    'analyzer.fixes',
    {
      problems: [{ ...problem!, fix: 'It adds the year.' } as never],
      fix: () => {
        throw new Error('no')
      },
    },
  ],
]

t.test('every faulty analyzer is caught', (t) => {
  t.same(failed(checkAnalyzer(analyzer)), [], 'the template is not')
  for (const [mistake, caught, change] of analyzers)
    t.ok(
      failed(checkAnalyzer({ ...analyzer, rule: { ...analyzer.rule, ...change } })).includes(caught),
      `an analyzer that ${mistake} (${caught})`,
    )
  t.end()
})

const Settings = Type.Object({
  server: Type.String({ minLength: 1 }),
  token: Type.String({ secret: true, boundTo: 'server' }),
})
type Send = Parameters<typeof defineNotifier<typeof Settings>>[0]['send']
const sends: Send = ({ settings, message, request }) =>
  request(`${settings.server}/messages`, {
    headers: { authorization: `Bearer ${settings.token}` },
    json: { title: message.title, text: message.text },
  })
const notifiers: readonly Mutant<Send>[] = [
  ['sends nothing', 'sends', async () => undefined],
  [
    'sends each message twice',
    'sends',
    async (delivery) => {
      await sends(delivery)
      await sends(delivery)
    },
  ],
  ['does not wait for the answer', 'status-500', async (delivery) => void sends(delivery).catch(() => undefined)],
  ['swallows every failure', 'status-503', (delivery) => sends(delivery).catch(() => undefined)],
  [
    'takes 404 for an answer',
    'status-404',
    ({ settings, message, request }) =>
      request(`${settings.server}/messages`, { json: { title: message.title }, accept: [404] }),
  ],
  [
    'fails at a long message',
    'long',
    async (delivery) => {
      if (delivery.message.text.length > 2_000) throw new Error('too long')
      await sends(delivery)
    },
  ],
  [
    'does not say how long to wait',
    'rate',
    (delivery) =>
      sends(delivery).catch((error: unknown) => {
        throw new Error('it did not work', { cause: error })
      }),
  ],
  [
    'names its token in an error',
    'contained',
    (delivery) =>
      sends(delivery).catch((error: unknown) => {
        throw new Error(`refused: ${delivery.settings.token}`, { cause: error })
      }),
  ],
  [
    'logs its token',
    'secrets',
    (delivery) => {
      delivery.log.debug({ with: `Bearer ${delivery.settings.token}` }, 'sending')
      return sends(delivery)
    },
  ],
]

t.test('every faulty notifier is caught', async (t) => {
  const manifest = {
    id: 'acme',
    name: 'Acme',
    version: '1.0.0',
    api: '^1.0.0',
    kind: 'notifier',
    provides: ['notifier:acme'],
    needs: { hosts: ['config:server'] },
  } as const
  const check = async (send: Send) => {
    const plugin = defineNotifier({ id: 'acme', settings: Settings, send })
    await using host = await createTestHost({
      plugin,
      manifest: { ...manifest, provides: [...manifest.provides], needs: { hosts: ['config:server'] } },
    })
    return failed(await checkNotifier(host, { settings: (server) => ({ server, token: 'a-token-of-the-checks' }) }))
  }
  t.same(await check(sends), [], 'the good one is not')
  for (const [mistake, caught, send] of notifiers) {
    const lost = await check(send)
    t.ok(lost.includes(caught), `a notifier that ${mistake} (${caught}; lost: ${lost.join()})`)
  }
})

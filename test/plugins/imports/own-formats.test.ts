// slow: the whole service, or very many cases
// Formats that a person adds from the templates are available in the running service at once.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { startService, until } from '../../harness.ts'

const TEMPLATES = join(import.meta.dirname, '..', '..', '..', 'sdk', 'templates')

t.test("an exporter and an importer from the templates read each other's files", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'playhead-test-formats-'))
  t.teardown(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))
  await using service = await startService({ shipped: true, watch: true, directory })
  const plugins = []
  for (const kind of ['exporter', 'importer']) {
    const folder = join(directory, 'mine', `my-${kind}`)
    await cp(join(TEMPLATES, kind), folder, { recursive: true })
    for (const name of ['plugin.json', 'index.ts'])
      await writeFile(
        join(folder, name),
        (await readFile(join(folder, name), 'utf8'))
          .replaceAll(`"id": "acme"`, `"id": "my-${kind}"`)
          .replaceAll(
            "columns: ({ feature }) => ['title', 'year', 'tmdb',",
            "columns: ({ feature }) => ['film title', 'released in', 'tmdb',",
          )
          .replaceAll(
            '    title: exportTitle(item),\n    year: exportYear(item),',
            "    'film title': exportTitle(item),\n    'released in': exportYear(item),",
          ),
      )
    plugins.push({ id: `my-${kind}`, source: `../mine/my-${kind}`, enabled: true })
  }
  await writeFile(join(directory, 'data', 'plugin-registry.json'), JSON.stringify({ version: 1, plugins }))
  await service.call('/api/plugins/rescan', { method: 'POST' })
  await until('both are offered', async () => {
    const formats = (await service.json('/api/import/formats')).body.formats as { id: string }[]
    const options = (await service.json('/api/export/options')).body
    return formats.some(({ id }) => id === 'acme') && options.labels['acme'] === 'Acme'
  })

  const upload = async (text: string) => {
    const body = new FormData()
    body.set('file', new Blob([text]), 'mine.csv')
    return (await service.json('/api/import/preview', { method: 'POST', body })).body
  }
  const first = await upload(
    'Film title,Released in,TMDB,Watched\n"One, or two",1999,1,2026-01-02\nThree,,3,2026-01-03\n',
  )
  t.match(first, { format: 'acme', rows: 2, matched: 2 })
  const ran = await service.json('/api/import/run', { json: { import_id: first.import_id, provider: 'SVC' } })
  t.match(ran.body, { state: 'done', outcomes: { applied: 2 } })
  const file = await (await service.call('/api/export/file?provider=SVC&feature=history&format=acme')).text()
  t.equal(file, 'film title,released in,tmdb,watched\n"One, or two",1999,1,2026-01-02\nThree,,3,2026-01-03\n')
  const again = await upload(file)
  t.match(again, { format: 'acme', rows: 2 })
  t.match((await service.json('/api/import/run', { json: { import_id: again.import_id, provider: 'SVC' } })).body, {
    plan: { history: { already: 2 } },
  })
})

t.test('a client that disconnects ends its preview', async (t) => {
  await using service = await startService({ shipped: true, watch: false })
  const formOf = (rows: number, name: string) => {
    const all = Array.from({ length: rows }, (_, at) => ({
      feature: 'ratings',
      item: { type: 'movie', ids: { tmdb: `${at + 1}` }, rating: 7 },
    }))
    const form = new FormData()
    form.set('file', new File([JSON.stringify({ format: 'playhead', version: 1, rows: all, count: rows })], name))
    return form
  }
  const preview = '/api/import/preview'
  const signal = AbortSignal.timeout(400)
  await t.rejects(service.call(preview, { method: 'POST', body: formOf(60_000, 'large.json'), signal }))
  // Uploads are read one at a time: this one is answered when the first has ended.
  t.equal((await service.call(preview, { method: 'POST', body: formOf(3, 'small.json') })).status, 200)
  const { imports } = (await service.json('/api/import')).body
  t.same(
    imports.map(({ name }: { name: string }) => name),
    ['small.json'],
  )
})

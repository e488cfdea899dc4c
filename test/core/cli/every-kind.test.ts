// slow: command lines that start the service
// A plugin of every kind from `plugin new`: it passes its own test and its check, and after it is added to a running service,
// its effect is visible from outside.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { TEMPLATES } from '../../../core/cli/plugin/new.ts'
import type { Service as Shelf } from '../../../sdk/templates/provider/conformance.ts'
import { startServer } from '@playhead/sdk/testing'
import { expectOk, runToEnd } from '../../demo/sign-in.ts'
import { startService, until } from '../../harness.ts'
import { openSandbox, runProgram } from './support.ts'

t.setTimeout(900_000)

t.test('each kind of new plugin has its effect in a running service', async (t) => {
  await using sandbox = await openSandbox()
  const folderOf = (kind: string) => join(sandbox.folder, 'mine', `my-${kind}`)
  // Created with another data directory, so that the service below discovers each by `plugin add`.
  for (const kind of TEMPLATES) {
    const made = await sandbox.cli('plugin', 'new', kind, `my-${kind}`, '--dir', 'mine', '--data', 'elsewhere')
    t.equal(made.code, 0, made.errors)
  }
  // The other tests of `plugin new` check the types.
  const bin = join(folderOf('provider'), 'node_modules', '.bin')
  const [odd, even] = [0, 1].map((rest) => TEMPLATES.filter((_, n) => n % 2 === rest))
  await Promise.all(
    [odd, even].map(async (kinds = []) => {
      for (const kind of kinds) {
        const tested = await runProgram(sandbox, bin, folderOf(kind), 'npm', 'test')
        t.equal(tested.code, 0, tested.output + tested.errors)
        const checked = await sandbox.cliWithoutTypeScript('plugin', 'check', folderOf(kind))
        t.equal(checked.code, 0, checked.output + checked.errors)
      }
    }),
  )

  await using service = await startService({ shipped: true, directory: sandbox.folder })
  const json = async (path: string) => (await service.json(path)).body
  for (const kind of TEMPLATES) {
    const folder = folderOf(kind)
    if (kind === 'feature') {
      const refused = await sandbox.cli('plugin', 'add', folder)
      t.match(refused, { code: 1, errors: /the plugin "ratings" provides feature:ratings already.*--replace/ })
    }
    const added = await sandbox.cli('plugin', 'add', folder, ...(kind === 'feature' ? ['--replace'] : []))
    t.equal(added.code, 0, added.errors)
    await until(`my-${kind} runs`, async () => (await service.plugin(`my-${kind}`))?.state === 'active', 60_000)
  }
  t.match(await service.plugin('ratings'), { state: 'disabled' })

  await t.test('a provider is signed in to, twice, and a feature syncs its ratings', async (t) => {
    const { startService: startShelf } = (await import(join(folderOf('provider'), 'conformance.ts'))) as {
      startService(): Promise<Shelf>
    }
    const shelf = await startShelf()
    t.teardown(() => shelf.close())
    const liked = Array.from({ length: 20 }, (_, n) => `tt${1_000_010 + n}`)
    const disliked = 'tt1000002'
    for (const imdb of [...liked, disliked])
      shelf.lists[0]['ratings']!.set(imdb, { type: 'movie', ids: { imdb }, rating: imdb === disliked ? 3 : 8 })
    const { id: second } = await expectOk(service, '/api/provider-instances/MY_PROVIDER/next')
    for (const [n, instance] of ['default', second].entries())
      t.match(
        await expectOk(service, `/api/my_provider/save?instance=${instance}`, {
          server: shelf.url,
          api_key: shelf.keys[n],
        }),
        { ok: true, name: ['Ann', 'Bob'][n] },
      )

    const { features } = await json('/api/sync/features')
    const offered = features.find(({ feature }: { feature: string }) => feature === 'ratings')
    t.match(offered, { label: 'My feature', schema: { properties: { at_least: { title: 'At least' } } } })
    await expectOk(service, '/api/pairs', {
      ...{ source: 'MY_PROVIDER', target: 'MY_PROVIDER', target_instance: second, mode: 'one_way', enabled: true },
      features: { ratings: { enabled: true, add: true, remove: true, at_least: 5 } },
    })

    t.match(await runToEnd(service), { result: 'ok' })
    t.same([...shelf.lists[1]['ratings']!.keys()].toSorted(), liked)
    t.match(await runToEnd(service), { result: 'ok' }, 'a run that sees what was written')
    shelf.lists[0]['ratings']!.delete('tt1000010')
    t.match(await runToEnd(service), { result: 'ok' })
    t.match(await runToEnd(service), { result: 'ok' }, 'a second reading confirms the absence')
    t.same([...shelf.lists[1]['ratings']!.keys()].toSorted(), liked.slice(1), 'what was taken away is taken away')
  })

  await t.test('an analyzer reports its problem in the read rows', async (t) => {
    const { problems, failed_rules: failed } = await json('/api/analyzer/problems')
    t.same(failed, [])
    const found = problems.filter(({ type }: { type: string }) => type === 'my_analyzer_missing_year')
    t.ok(found.some(({ key }: { key: string }) => key === 'movie:imdb:tt1000002'))
  })

  await t.test('a file is read by the importer, and its rows are written by the exporter', async (t) => {
    const { formats } = await json('/api/import/formats')
    t.ok(formats.some(({ id, format }: { id?: string; format?: string }) => (id ?? format) === 'my-importer'))
    const form = new FormData()
    form.set('file', new Blob(['Film title,Released in,TMDB,Watched\nHeat,1995,949,2026-01-02\n']), 'films.csv')
    const preview = await service.json('/api/import/preview', { method: 'POST', body: form })
    t.match(preview, { status: 200, body: { format: 'my-importer' } }, JSON.stringify(preview.body))
    const importId = preview.body.import_id as string
    await service.json('/api/import/run', { json: { import_id: importId, provider: 'SVC' } })
    await until('the import', async () => (await json(`/api/import/${importId}`)).state === 'done', 60_000)

    const options = await json('/api/export/options')
    t.match(JSON.stringify(options.formats), '"my-exporter"')
    const file = await service.call('/api/export/file?provider=SVC&feature=history&format=my-exporter')
    t.equal(await file.text(), 'title,year,tmdb,watched\nHeat,1995,949,2026-01-02\n')
  })

  await t.test('a notifier sends to a server', async (t) => {
    await using server = await startServer(() => ({}))
    t.ok((await json('/api/notifications')).notifiers.some(({ id }: { id: string }) => id === 'my-notifier'))
    const { target } = await expectOk(service, '/api/notifications/targets', {
      ...{ notifier: 'my-notifier', name: 'Mine' },
      settings: { server: server.url, token: 'a-secret-token' },
    })
    t.match(await expectOk(service, '/api/notifications/test', { target: target.id }), { ok: true, error: null })
    t.match(server.requests, [{ path: '/messages', headers: { authorization: 'Bearer a-secret-token' } }])
  })

  await t.test('a page is served, and shows the last run', async (t) => {
    const { plugins } = await json('/api/plugins')
    const { ui } = plugins.find(({ id }: { id: string }) => id === 'my-page')
    t.match(ui.pages, [{ path: 'main', title: 'My page' }])
    const module = await service.call(ui.pages[0].url)
    t.match(module.headers.get('content-type'), /javascript/)
    t.match(await module.text(), '/api/my-page/last')
    t.match(await json('/api/my-page/last'), { ok: true, last: { result: 'ok', added: 0, removed: 1 } })
  })

  await t.test('a service answers on its routes', async (t) => {
    await expectOk(service, '/api/my-service/notes', { text: 'one' })
    t.same(await json('/api/my-service/notes'), { ok: true, notes: ['one'] })
  })

  await t.test('a replaced plugin is restored', async (t) => {
    const removed = await sandbox.cli('plugin', 'remove', 'my-feature')
    t.match(removed.output, /feature:ratings is provided by no plugin now.*plugin enable ratings/)
    t.equal((await sandbox.cli('plugin', 'enable', 'ratings')).code, 0)
    await until('ratings', async () => (await service.plugin('ratings')).state === 'active', 30_000)
    t.match(await readFile(join(sandbox.data, 'plugin-registry.json'), 'utf8'), /^(?!.*my-feature)/s)
  })
})

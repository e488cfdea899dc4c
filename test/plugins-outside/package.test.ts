// slow: plugins of strangers, installed
// An external plugin from its folder to npm and into a service: packed, published, reviewed, enabled, updated and rolled back.
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { startServer } from '@playhead/sdk/testing'
import { openSandbox, type Sandbox } from '../core/cli/support.ts'
import { startService, until } from '../harness.ts'
import { startNpmRegistry, type NpmRegistryServer } from '../upstreams/npm-registry.ts'

t.setTimeout(900_000)
const SECRET = 'the-very-secret-key'

/** The author's folder, with its dependency. */
async function authored(sandbox: Sandbox): Promise<string> {
  const folder = join(sandbox.folder, 'quotes')
  await cp(join(import.meta.dirname, 'quotes'), folder, { recursive: true })
  const dependency = join(folder, 'node_modules', 'title-words')
  await mkdir(dependency, { recursive: true })
  await writeFile(
    join(dependency, 'package.json'),
    '{ "name": "title-words", "version": "1.0.0", "type": "module", "main": "index.js", "types": "index.d.ts" }',
  )
  await writeFile(join(dependency, 'index.d.ts'), 'export declare function titleWords(text: string): string')
  await writeFile(
    join(dependency, 'index.js'),
    '/*! title-words, MIT */\nexport const titleWords = (text) => text.replace(/\\b\\w/g, (letter) => letter.toUpperCase())\n',
  )
  await writeFile(join(folder, '.env'), 'NPM_TOKEN=secret')
  return folder
}

async function edit(folder: string, file: string, change: (text: string) => string): Promise<void> {
  const before = await readFile(join(folder, file), 'utf8')
  await writeFile(join(folder, file), change(before))
}

/** Publishes a new version with changed source. */
async function release(
  sandbox: Sandbox,
  registry: NpmRegistryServer,
  folder: string,
  version: string,
  change: (source: string) => string,
  manifest: (text: string) => string = (text) => text,
): Promise<void> {
  await edit(folder, 'index.ts', (text) => change(text.replace(/version: '[^']+'/, `version: '${version}'`)))
  await edit(folder, 'plugin.json', (text) => manifest(text.replace(/"version": "[^"]+"/, `"version": "${version}"`)))
  await edit(folder, 'package.json', (text) => text.replace(/"version": "[^"]+"/, `"version": "${version}"`))
  const packed = await sandbox.cliWithoutTypeScript('plugin', 'pack', 'quotes')
  if (packed.code !== 0) throw new Error(`${packed.output}${packed.errors}`)
  await publish(registry, sandbox, `playhead-plugin-quotes-${version}.tgz`)
}

/** With the real npm client. */
async function publish(registry: NpmRegistryServer, { folder }: Sandbox, file: string): Promise<void> {
  const host = new URL(registry.url).host
  await promisify(execFile)(
    'npm',
    ['publish', file, `--registry=${registry.url}`, `--//${host}/:_authToken=t`, '--no-provenance'],
    { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder } },
  )
}

t.test('a plugin is published to npm and installed in a service, is updated, and rolls back by itself', async (t) => {
  await using registry = await startNpmRegistry()
  await using sandbox = await openSandbox({ PLAYHEAD_NPM_REGISTRY: registry.url })
  const folder = await authored(sandbox)

  // The missing part is named, and nothing is packed.
  await edit(folder, 'package.json', (text) => text.replace('"license": "MIT",', ''))
  t.match(await sandbox.cliWithoutTypeScript('plugin', 'pack', 'quotes'), { code: 1, output: /no "license"/ })
  await edit(folder, 'package.json', (text) => text.replace('"type"', '"license": "MIT",\n  "type"'))
  const packed = await sandbox.cli('plugin', 'pack', 'quotes')
  t.equal(packed.code, 0, packed.output + packed.errors)
  t.match(packed.output, /bundled into dist: title-words/)
  t.match(packed.output, /taps hooks: runFinished/)
  t.match(packed.output, /secrets that you enter for it: api_key/)
  t.notMatch(packed.output, /\.env|node_modules\//)
  await publish(registry, sandbox, 'playhead-plugin-quotes-1.0.0.tgz')
  t.match(await sandbox.cliWithoutTypeScript('plugin', 'pack', 'quotes'), { code: 1, output: /published already/ })

  await using upstream = await startServer(() => ({ json: { text: 'carpe diem' } }))

  // Without a person to accept it, the plugin waits and none of its code runs.
  await using service = await startService({
    directory: sandbox.folder,
    environment: { PLAYHEAD_NPM_REGISTRY: registry.url },
    host: { drainMs: 200 },
  })
  const added = await sandbox.cli('plugin', 'add', 'playhead-plugin-quotes')
  t.match(added, { code: 0, output: /reaches: the address in its setting server\n[\s\S]*secrets[^\n]*api_key/ })
  t.match(added.output, /waits for a review and is not enabled/)
  t.equal((await service.json('/api/plugins/quotes')).status, 404)
  const { body: waiting } = await service.json('/api/plugin-packages')
  t.match(waiting.packages, [{ id: 'quotes', version: null, staged: { version: '1.0.0', from: null } }])
  t.ok(waiting.packages[0].staged.asks.some(({ ask }: any) => ask === 'hook runFinished'))
  t.match(await service.json('/api/plugin-packages/quotes/accept', { json: { version: '9.9.9' } }), {
    status: 409,
    body: { error: 'review_changed' },
  })
  const accepted = await service.json('/api/plugin-packages/quotes/accept', { json: { version: '1.0.0' } })
  t.match(accepted, { status: 200, body: { ok: true, package: { plugin: { state: 'active', origin: 'user' } } } })
  t.notOk(existsSync('/tmp/playhead-plugin-quotes-was-here'), 'no script of a package is run')
  t.match((await service.json('/api/quotes')).body, { version: '1.0.0', asked: 1, title: 'Carpe Diem' })
  await service.json('/api/config', { json: { plugins: { quotes: { api_key: SECRET } } } })
  const generation = (await service.plugin('quotes')).generation
  await service.json('/api/config', { json: { plugins: { quotes: { server: upstream.url } } } })
  await until('the settings are there', async () => (await service.plugin('quotes')).generation > generation)
  t.match((await service.json('/api/quotes/fetch', { method: 'POST' })).body, { ok: true, text: 'carpe diem' })
  t.equal(upstream.requests[0]?.headers['x-api-key'], SECRET)
  await until('what it printed', () => service.log.some((line) => line.includes('fetching with')))
  t.notMatch(service.log.join('\n'), SECRET)

  // A host that the manifest does not name is refused.
  await using elsewhere = await startServer(() => ({ json: { text: 'never' } }))
  await service.json('/api/config', { json: { plugins: { quotes: { elsewhere: elsewhere.url } } } })
  await until(
    'the other address',
    async () => (await service.json('/api/quotes/fetch', { method: 'POST' })).body.error === 'host_not_allowed',
  )
  t.equal(elsewhere.requests.length, 0)
  await service.json('/api/config', { json: { plugins: { quotes: { elsewhere: '' } } } })

  // No additional permissions: live at once.
  await release(sandbox, registry, folder, '1.1.0', (text) => text)
  const updated = await sandbox.cli('plugin', 'update', 'quotes')
  t.match(updated, { code: 0, output: /asks for nothing that 1\.0\.0 does not[\s\S]*quotes 1\.1\.0 is live\./ })
  t.match((await service.json('/api/quotes')).body, { version: '1.1.0', asked: 2 })
  t.match(await sandbox.cli('plugin', 'update', 'quotes'), { code: 0, output: /1\.1\.0 is installed already/ })

  // Additional permissions: the old version stays live until a person accepts them.
  await release(
    sandbox,
    registry,
    folder,
    '1.2.0',
    (text) => text,
    (text) => text.replace('["config:server"]', '["config:server", "ads.example.com"]'),
  )
  t.match(await service.json('/api/plugin-packages/quotes/update', { json: {} }), {
    status: 200,
    body: { state: 'review', package: { version: '1.1.0', staged: { version: '1.2.0', from: '1.1.0' } } },
  })
  t.match(
    (await service.json('/api/plugin-packages/quotes')).body.package.staged.asks.filter((ask: any) => ask.new),
    [{ ask: 'host ads.example.com' }],
  )
  t.match((await service.json('/api/quotes')).body, { version: '1.1.0' })
  t.match(await sandbox.cli('plugin', 'list'), { output: /quotes 1\.2\.0 waits for a review/ })
  t.match(await sandbox.cli('plugin', 'discard', 'quotes'), { code: 0 })

  // A version that does not start: the old one is live again with its data, and the reason is shown.
  const source = await readFile(join(folder, 'index.ts'), 'utf8')
  await release(
    sandbox,
    registry,
    folder,
    '1.3.0',
    (text) =>
      text
        // This version works for its author, but not with other data.
        .replace(
          'setup(ctx) {',
          "async setup(ctx) {\n    if ((await ctx.store.get('asked')) !== undefined) throw new Error('no luck with this one')",
        )
        .replace(
          "addColumn('at', 'bigint').execute(),\n    },",
          "addColumn('at', 'bigint').execute(),\n    },\n    { name: '002-more', up: (db) => db.schema.alterTable('quotes__asked').addColumn('more', 'text').execute() },",
        ),
    (text) => text.replace(', "ads.example.com"', ''),
  )
  const failed = await sandbox.cli('plugin', 'update', 'quotes')
  t.match(failed, { code: 1, errors: /1\.3\.0 did not start, so 1\.1\.0 is live again: no luck with this one/ })
  t.match((await service.json('/api/quotes')).body, { version: '1.1.0', asked: 4 })
  t.match((await service.json('/api/plugin-packages/quotes')).body.package, {
    version: '1.1.0',
    rolled_back: { version: '1.3.0', reason: /no luck/ },
  })
  t.match(await sandbox.cli('plugin', 'update', 'quotes'), { code: 1, errors: /was rolled back: no luck/ })
  t.match(await sandbox.cli('plugin', 'list'), { output: /quotes 1\.3\.0 was rolled back: no luck/ })
  await until('it is told', () => service.log.some((line) => line.includes('version 1.3.0 was rolled back to 1.1.0')))

  // A manual update, and back.
  await writeFile(join(folder, 'index.ts'), source)
  await release(sandbox, registry, folder, '1.4.0', (text) => text)
  t.match(await sandbox.cli('plugin', 'update', 'quotes'), { code: 0, output: /quotes 1\.4\.0 is live/ })
  t.match(await sandbox.cli('plugin', 'rollback', 'quotes'), { code: 0, output: /quotes is 1\.1\.0 again/ })
  await until('it is back', async () => (await service.json('/api/quotes')).body.version === '1.1.0')
  t.match(await service.json('/api/plugin-packages/quotes/rollback', { method: 'POST' }), {
    status: 200,
    body: { ok: true, package: { version: '1.4.0' } },
  })
  t.match((await service.json('/api/quotes')).body, { version: '1.4.0' })
  t.equal((await service.json('/api/config')).body.plugins.quotes.api_key, '••••••••', 'the settings survived')
  t.match(await sandbox.cli('plugin', 'remove', 'quotes'), { code: 0 })
  await until('it is gone', async () => (await service.json('/api/plugins/quotes')).status === 404)
})

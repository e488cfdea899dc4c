// slow: compiles, packs and installs two packages
// The published packages of the SDK and of the client.
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { buildSdk, compileSdk } from '../../sdk/build.ts'
import { buildClient } from '../../sdk/client/build.ts'

t.setTimeout(900_000)
const ROOT = join(import.meta.dirname, '../..')
const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] }
const run = promisify(execFile)

const compiled = await compileSdk()
const folder = await mkdtemp(join(tmpdir(), 'playhead-packages-'))
t.teardown(() => Promise.all([compiled, folder].map((path) => rm(path, { recursive: true, force: true }))))

async function packed(path: string): Promise<string[]> {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: path, env })
  const said = JSON.parse(stdout) as Readonly<Record<string, { readonly files: readonly { readonly path: string }[] }>>
  return Object.values(said).flatMap(({ files }) => files.map((file) => file.path))
}

t.test('the package of the SDK contains what its entries need and runs in a bare directory', async (t) => {
  const installed = join(folder, 'sdk/node_modules/@playhead/sdk')
  const leftOut = await buildSdk(compiled, installed)
  const files = await packed(installed)
  for (const file of ['LICENSE', 'README.md', 'api.md', 'plugin.schema.json', 'index.js', 'index.d.ts', 'ui.d.ts'])
    t.ok(files.includes(file), file)
  t.same(
    files.filter((file) => !/\.(?:js|d\.ts|json|md)$|^LICENSE$/.test(file)),
    [],
  )
  t.same(
    files.filter((file) => /generate|templates|build\./.test(file)),
    [],
    'nothing that only makes it',
  )
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  t.match(manifest, { private: undefined, publishConfig: { access: 'public' } })
  t.same(
    ['.', './items', './provider', './notifier', './ui', './client', './host'].filter(
      (entry) => !(entry in manifest.exports),
    ),
    [],
  )
  t.same(
    leftOut.filter((entry) => !entry.startsWith('./testing')),
    [],
  )
  // Its dependencies, as npm would install them.
  for (const name of Object.keys(manifest.dependencies)) {
    await mkdir(join(folder, 'sdk/node_modules', name, '..'), { recursive: true })
    await symlink(join(ROOT, 'node_modules', name), join(folder, 'sdk/node_modules', name))
  }
  await writeFile(
    join(folder, 'sdk/plugin.ts'),
    `import { definePlugin, isDefinedPlugin, type Item, Type, type PluginContext } from '@playhead/sdk'
import { kindOf } from '@playhead/sdk/items'
const item: Item = { type: 'movie', ids: {} }
if (kindOf(item) !== 'movie') throw new Error('not the kind')
const plugin = definePlugin({ config: Type.Object({ n: Type.Number() }), setup(ctx) { ctx.config.n satisfies number } })
export type Context = PluginContext
console.log(isDefinedPlugin(plugin))
`,
  )
  const cwd = join(folder, 'sdk')
  t.equal((await run(process.execPath, ['plugin.ts'], { cwd, env })).stdout, 'true\n')
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const flags = ['--ignoreConfig', '--noEmit', '--strict', '--module', 'nodenext', '--skipLibCheck', '--types', 'node']
  const typeRoots = ['--typeRoots', join(ROOT, 'node_modules/@types')]
  await t.resolves(
    run(process.execPath, [tsc, ...flags, ...typeRoots, 'plugin.ts'], { cwd, env }),
    'its types are found',
  )
})

t.test('the package of the client has its module and types and runs in a bare directory', async (t) => {
  const installed = join(folder, 'client/node_modules/@playhead/client')
  await mkdir(installed, { recursive: true })
  for (const file of ['package.json', 'README.md', 'LICENSE', 'build.ts', 'client.ts'])
    await cp(join(ROOT, 'sdk/client', file), join(installed, file))
  await buildClient(join(installed, 'dist'))
  const files = (await packed(installed)).toSorted()
  t.same(
    files.filter((file) => !/^dist\/\w+\.d\.ts$/.test(file)),
    ['LICENSE', 'README.md', 'dist/index.js', 'package.json'],
  )
  t.ok(files.includes('dist/index.d.ts') && files.includes('dist/schema.d.ts'))
  const script = `import { createClient, isApiError } from '@playhead/client'
    console.log(typeof createClient({ url: 'http://127.0.0.1:1' }).call, isApiError(null))`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], {
    cwd: join(folder, 'client'),
    env,
  })
  t.equal(stdout, 'function false\n')
})

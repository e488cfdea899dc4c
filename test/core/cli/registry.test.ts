// slow: command lines that start the service
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { openSandbox, type Sandbox } from './support.ts'

const MANIFEST = {
  id: 'hello',
  name: 'Hello',
  version: '1.2.3',
  api: '^1.0.0',
  kind: 'service',
  routes: [{ method: 'GET', path: '/api/hello' }],
  needs: { hosts: ['api.example.org', 'config:server'], builtins: ['node:child_process'] },
}
const SOURCE = `import { definePlugin } from '@playhead/sdk'
export default definePlugin({ routes: (app) => void app.get('/api/hello', () => ({ ok: true })) })
`

async function plugin(sandbox: Sandbox, folder: string, manifest: object = MANIFEST): Promise<string> {
  const path = join(sandbox.folder, folder)
  await mkdir(path, { recursive: true })
  await writeFile(join(path, 'plugin.json'), JSON.stringify(manifest))
  await writeFile(join(path, 'index.ts'), SOURCE)
  return path
}

const registry = async ({ data }: Sandbox) =>
  (JSON.parse(await readFile(join(data, 'plugin-registry.json'), 'utf8')) as { plugins: object[] }).plugins

t.test('a plugin is added, turned off and on, and removed; its folder stays', async (t) => {
  await using sandbox = await openSandbox()
  const folder = await plugin(sandbox, 'hello')

  const added = await sandbox.program('plugin', 'add', 'hello')
  t.match(added, {
    code: 0,
    output:
      /Added Hello 1\.2\.3[\s\S]*reaches: api\.example\.org, the address in its setting server\n[\s\S]*answers: GET \/api\/hello/,
  })
  t.match(added.output, /power over this machine: node:child_process/)
  t.match(added.output, /asks for, not a fence/)
  t.strictSame(await registry(sandbox), [{ id: 'hello', source: '../hello', enabled: true }])
  t.equal((await sandbox.program('plugin', 'disable', 'hello')).code, 0)
  t.strictSame(await registry(sandbox), [{ id: 'hello', source: '../hello', enabled: false }])
  t.match((await sandbox.program('plugin', 'list')).output, /^hello +1\.2\.3 +service +off +you/m)
  t.equal((await sandbox.program('plugin', 'enable', 'hello')).code, 0)
  t.equal((await sandbox.program('plugin', 'remove', 'hello')).code, 0)
  t.strictSame(await registry(sandbox), [])
  t.equal(await readFile(join(folder, 'index.ts'), 'utf8'), SOURCE)
})

t.test('a shipped plugin is turned off in the data directory, and not removed', async (t) => {
  await using sandbox = await openSandbox()

  t.equal((await sandbox.cli('plugin', 'disable', 'version')).code, 0)
  t.strictSame(await registry(sandbox), [{ id: 'version', enabled: false }])
  t.match((await sandbox.cli('plugin', 'list')).output, /^version +\S+ +service +off +Playhead/m)
  t.match(await sandbox.cli('plugin', 'remove', 'version'), {
    code: 1,
    errors: /ships with Playhead.*plugin disable version/,
  })
})

t.test('--pin stores the checksum of the sources, the same that a check prints', async (t) => {
  await using sandbox = await openSandbox()
  await plugin(sandbox, 'hello')

  await sandbox.cli('plugin', 'add', 'hello', '--pin')

  const [entry] = (await registry(sandbox)) as { integrity: string }[]
  t.match(entry?.integrity, /^sha256-/)
  t.ok((await sandbox.cli('plugin', 'check', 'hello')).output.includes(entry?.integrity ?? ''))
})

t.test('another plugin of the same id needs --replace', async (t) => {
  await using sandbox = await openSandbox()
  await plugin(sandbox, 'one/hello')
  await plugin(sandbox, 'two/hello')

  t.equal((await sandbox.cli('plugin', 'add', 'one/hello')).code, 0)
  t.equal((await sandbox.cli('plugin', 'add', 'one/hello')).code, 0, 'the same one again changes nothing')
  t.match(await sandbox.cli('plugin', 'add', 'two/hello'), {
    code: 1,
    errors: /registered from .*one\/hello.*--replace/,
  })
  t.equal((await sandbox.cli('plugin', 'add', 'two/hello', '--replace')).code, 0)
  t.strictSame(await registry(sandbox), [{ id: 'hello', source: '../two/hello', enabled: true }])
})

t.test('a package that was installed by hand is found by the registry', async (t) => {
  await using sandbox = await openSandbox()
  const folder = await plugin(sandbox, 'hello')
  await cp(folder, join(sandbox.data, 'plugins', 'installed', 'node_modules', '@me', 'hello'), { recursive: true })
  const entry = { id: 'hello', source: 'npm:@me/hello', enabled: true }
  await writeFile(join(sandbox.data, 'plugin-registry.json'), JSON.stringify({ version: 1, plugins: [entry] }))
  t.match((await sandbox.cli('plugin', 'list')).output, /^hello +1\.2\.3/m)
})

for (const [name, args, prepare, message] of [
  ['a folder that is not there', ['plugin', 'add', 'nowhere'], undefined, /there is no folder .*nowhere/],
  ['a folder without plugin.json', ['plugin', 'add', '.'], undefined, /is not a plugin: it has no plugin\.json/],
  ['a manifest that is not JSON', ['plugin', 'add', 'bad'], '{ "id": ', /plugin\.json is not JSON/],
  [
    'a manifest that breaks the rules',
    ['plugin', 'add', 'bad'],
    JSON.stringify({ ...MANIFEST, kind: 'toy' }),
    /plugin\.json: \/kind/,
  ],
  [
    'a manifest for another SDK',
    ['plugin', 'add', 'bad'],
    JSON.stringify({ ...MANIFEST, api: '^9.0.0' }),
    /needs SDK \^9\.0\.0/,
  ],
  [
    'a package name that leads elsewhere',
    ['plugin', 'add', 'npm:../../etc'],
    undefined,
    /is not the name of an npm package/,
  ],
  [
    'an unknown id',
    ['plugin', 'remove', 'verzion'],
    undefined,
    /there is no plugin "verzion"\. Did you mean "version"\?/,
  ],
] as const) {
  t.test(`${name} prints one line and changes nothing`, async (t) => {
    await using sandbox = await openSandbox()
    if (prepare !== undefined) {
      await mkdir(join(sandbox.folder, 'bad'))
      await writeFile(join(sandbox.folder, 'bad', 'plugin.json'), prepare)
    }
    const { code, errors } = await sandbox.cli(...args)
    t.equal(code, 1)
    t.match(errors, /^playhead: [^\n]+\n$/)
    t.match(errors, message)
    await t.rejects(registry(sandbox), { code: 'ENOENT' })
  })
}

t.test('an invalid registry is reported and never overwritten', async (t) => {
  await using sandbox = await openSandbox()
  await plugin(sandbox, 'hello')
  await mkdir(sandbox.data)
  for (const text of [
    '{ "version": 1, "plugins": [',
    '{ "version": 2, "plugins": [] }',
    '{ "version": 1, "plugins": [{ "id": "X!" }] }',
  ]) {
    await writeFile(join(sandbox.data, 'plugin-registry.json'), text)
    t.match(await sandbox.cli('plugin', 'add', 'hello'), {
      code: 1,
      errors: /^playhead: .*plugin-registry\.json[^\n]+\n$/,
    })
    t.match((await sandbox.cli('plugin', 'list')).output, /^! .*plugin-registry\.json/m)
    t.equal(await readFile(join(sandbox.data, 'plugin-registry.json'), 'utf8'), text)
  }
})

t.test('a registered plugin that is missing is shown as broken', async (t) => {
  await using sandbox = await openSandbox()
  await mkdir(sandbox.data)
  await writeFile(
    join(sandbox.data, 'plugin-registry.json'),
    '{ "version": 1, "plugins": [{ "id": "gone", "source": "../gone" }] }',
  )
  const { code, output } = await sandbox.cli('plugin', 'list')
  t.equal(code, 0)
  t.match(output, /^gone +- +- +broken +you/m)
  t.match(output, /^! Plugin "gone": .*cannot be read/m)
})

t.test(
  'a plugin in development on a service is neither removed nor replaced, because its original would be lost',
  async (t) => {
    await using sandbox = await openSandbox()
    await mkdir(sandbox.data)
    await mkdir(join(sandbox.folder, 'hello'))
    await writeFile(join(sandbox.folder, 'hello', 'plugin.json'), JSON.stringify({ ...MANIFEST, routes: [] }))
    await writeFile(
      join(sandbox.folder, 'hello', 'index.ts'),
      "import { definePlugin } from '@playhead/sdk'\nexport default definePlugin({})\n",
    )
    const development = { sentAt: 1, asks: [], before: { id: 'hello', source: '../released' }, switchedOff: [] }
    const file = join(sandbox.data, 'plugin-registry.json')
    const text = JSON.stringify({ version: 1, plugins: [{ id: 'hello', source: '../hello', development }] })
    await writeFile(file, text)
    for (const words of [
      ['remove', 'hello'],
      ['add', 'hello'],
    ] as const) {
      const { code, errors } = await sandbox.cli('plugin', ...words)
      t.equal(code, 1)
      t.match(errors, /works on "hello"/, words.join(' '))
      t.equal(await readFile(file, 'utf8'), text)
    }
  },
)

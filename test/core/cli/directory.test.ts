// slow: command lines that examine plugins in processes of their own
// `directory key`, `plugin submit` and `directory build`: the levels, the list and its numbers, and the isolation.
import { cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { openIsolation } from '../../../core/cli/directory/isolated.ts'
import { pluginFiles } from '../../packages/tarballs.ts'
import { openSandbox, ROOT, type Sandbox } from './support.ts'

t.setTimeout(1_800_000)

const README = `# Kettle\n\n${'It boils water in a way that is easy to describe. '.repeat(6)}\n\n## Limits\n\nNo tea.\n`

interface Kettle {
  readonly version?: string
  readonly hosts?: readonly string[]
  readonly test?: string
  readonly readme?: string
}

async function writeKettle(sandbox: Sandbox, given: Kettle = {}): Promise<string> {
  const { version = '1.0.0', hosts = [], test = "if (1 + 1 !== 2) throw new Error('no')\n", readme = README } = given
  const folder = join(sandbox.folder, 'plugins', 'kettle')
  await mkdir(folder, { recursive: true })
  const manifest = { name: 'Kettle', description: 'Boils water.', needs: { hosts } }
  const packageJson = { license: 'MIT', author: 'Ann <ann@example.org>', repository: 'https://example.org/kettle' }
  for (const { path, content = '' } of pluginFiles(
    { id: 'kettle', version, name: 'playhead-plugin-kettle' },
    { manifest, packageJson },
  ))
    await writeFile(join(folder, path.replace('package/', '')), content)
  const changelog = `# Changelog\n\n## ${version}\n\n- Boils.\n`
  const files = { 'README.md': readme, LICENSE: 'MIT\n', 'index.test.ts': test, 'CHANGELOG.md': changelog }
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  return folder
}

async function listOf(file: string): Promise<any> {
  return JSON.parse(JSON.parse(await readFile(file, 'utf8')).signed)
}

t.test('a process that examines a plugin reaches this machine only, and has none of the variables', async (t) => {
  const server = createServer((_, response) => void response.end('here')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => void server.close())
  process.env['PLAYHEAD_TEST_SECRET'] = 'not for plugins'
  t.teardown(() => void delete process.env['PLAYHEAD_TEST_SECRET'])
  await using isolation = await openIsolation(ROOT)
  const script = join(isolation.folder, 'try.mjs')
  await writeFile(
    script,
    `import { createServer } from 'node:http'
const own = createServer((_, response) => void response.end('own'))
await new Promise((done) => own.listen(0, '127.0.0.1', done))
const reach = (address) => fetch(address).then((answer) => answer.text(), () => 'refused')
console.log(JSON.stringify({
  own: await reach('http://127.0.0.1:' + own.address().port),
  outside: await reach('http://192.0.2.1/'),
  named: await reach('http://example.org/'),
  secret: process.env.PLAYHEAD_TEST_SECRET ?? null,
  home: process.env.HOME === ${JSON.stringify(isolation.folder)},
}))
own.close()
`,
  )
  const ran = await isolation.run([script], 60_000)
  t.same(
    JSON.parse(ran.output),
    { own: 'own', outside: 'refused', named: 'refused', secret: null, home: true },
    ran.errors,
  )
  t.equal((await isolation.run(['-e', 'setInterval(() => {}, 1000)'], 500)).ok, false, 'a process that hangs is ended')
  t.type((server.address() as AddressInfo).port, 'number')
})

t.test('a plugin is submitted with its level', async (t) => {
  await using sandbox = await openSandbox()
  const folder = await writeKettle(sandbox)
  const done = await sandbox.cli('plugin', 'submit', folder, '--out', 'out')
  t.equal(done.code, 0, done.output + done.errors)
  t.match(done.output, /silver; the next level asks for: translated/)
  t.match(done.output, /asks for settings plugins\.kettle/)
  const entry = JSON.parse(await readFile(join(sandbox.folder, 'out', 'kettle.json'), 'utf8'))
  t.match(entry, {
    ...{ id: 'kettle', author: 'Ann', license: 'MIT', source: 'https://example.org/kettle', builtIn: false },
    versions: [{ version: '1.0.0', level: 'silver', missing: ['translated'], conformance: null, changes: ['Boils.'] }],
  })
  t.equal(
    (await stat(join(sandbox.folder, 'out', entry.versions[0].archive.file))).size,
    entry.versions[0].archive.size,
  )

  await writeKettle(sandbox, { test: 'process.exit(1)\n' })
  t.match((await sandbox.cli('plugin', 'submit', folder, '--out', 'out')).output, /tested, translated/)
  await writeKettle(sandbox, { readme: 'Short.\n' })
  const refused = await sandbox.cli('plugin', 'submit', folder, '--out', 'out')
  t.match([refused.code, refused.errors], [1, /does not reach bronze: readme/])
})

t.test('the list grows with each version, and is never begun again', async (t) => {
  await using sandbox = await openSandbox()
  const folder = await writeKettle(sandbox)
  const key = await sandbox.cli('directory', 'key', 'my.key')
  t.match(key.output, /'[0-9a-f]{8}': '[\w-]{43}',/)
  t.equal((await stat(join(sandbox.folder, 'my.key'))).mode & 0o777, 0o600)
  t.match((await sandbox.cli('directory', 'key', 'my.key')).code, 1, 'a key is not replaced')
  const file = join(sandbox.folder, 'plugins', 'catalogue.json')
  const build = (...more: readonly string[]) =>
    sandbox.cli('directory', 'build', '--key', 'my.key', '--from', 'plugins', '--archives', 'web', ...more)

  const first = await build()
  t.equal(first.code, 0, first.output + first.errors)
  t.match(first.output, /number 1, \d+ plugins/)
  t.match(first.output, /this key is not in core\/packages\/catalogue-keys\.ts/)
  const list = await listOf(file)
  t.match(
    list.plugins.find(({ id }: { id: string }) => id === 'kettle'),
    { builtIn: false, versions: [{ version: '1.0.0', level: 'silver' }] },
  )
  t.ok(list.plugins.filter(({ builtIn }: { builtIn: boolean }) => builtIn).length >= 12)
  t.same(await readdir(join(sandbox.folder, 'web')), ['playhead-plugin-kettle-1.0.0.tgz'])
  t.match((await build()).output, /Nothing changed/)

  // The same version with other bytes.
  await writeFile(join(folder, 'README.md'), `${README}\nMore.\n`)
  const changed = await build()
  t.match(
    [changed.code, changed.output],
    [1, /FAIL {2}kettle {2}1\.0\.0 is listed with other content; raise its version/],
  )
  t.equal((await listOf(file)).serial, 1)

  // A newer one, which asks for more; and a folder that is not good enough.
  await writeKettle(sandbox, { version: '1.1.0', hosts: ['tea.example'] })
  await cp(folder, join(sandbox.folder, 'plugins', 'broken'), { recursive: true })
  const second = await build()
  t.match([second.code, second.output], [1, /FAIL {2}broken/])
  t.match(second.output, /now asks for host tea\.example/)
  const grown = await listOf(file)
  t.equal(grown.serial, 2)
  const { versions } = grown.plugins.find(({ id }: { id: string }) => id === 'kettle')
  t.same(
    versions.map(({ version }: { version: string }) => version),
    ['1.1.0', '1.0.0'],
  )

  const withdrawn = await build('--only', 'kettle', '--withdraw', 'kettle@1.0.0', '--why', 'It leaks.')
  t.equal(withdrawn.code, 0, withdrawn.errors)
  t.match((await listOf(file)).plugins.find(({ id }: { id: string }) => id === 'kettle').versions[1].withdrawn, {
    why: 'It leaks.',
  })
  t.match((await build('--only', 'kettle', '--withdraw', 'kettle@3.0.0', '--why', 'x')).errors, /no "kettle@3\.0\.0"/)

  // Another key cannot continue the list: its numbers would begin again.
  await sandbox.cli('directory', 'key', 'other.key')
  const other = await sandbox.cli('directory', 'build', '--key', 'other.key', '--from', 'plugins')
  t.match([other.code, other.errors], [1, /trusts no such key/])
  t.equal((await listOf(file)).serial, 3)
})

// slow: command lines that start the service
import { existsSync } from 'node:fs'
import { mkdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { checkTypes } from '../../../core/cli/plugin/check-types.ts'
import { TEMPLATES } from '../../../core/cli/plugin/new.ts'
import { runCli } from '../../../core/cli/run.ts'
import { openOldNode, openSandbox, ROOT, runProgram } from './support.ts'

t.setTimeout(900_000)
/** Runs the real program; one check covers the types of all other kinds. */
const [FIRST] = TEMPLATES

for (const kind of TEMPLATES) {
  t.test(`a new ${kind} passes its test and its check, and is registered`, async (t) => {
    await using sandbox = await openSandbox()
    const id = `my-own-${kind}`
    const folder = join(sandbox.folder, 'mine', id)

    const made = await (kind === FIRST ? sandbox.program : sandbox.cli)('plugin', 'new', kind, id, '--dir', 'mine')
    t.equal(made.code, 0, made.errors)
    const test = await sandbox.node(folder, 'index.test.ts')
    t.equal(test.code, 0, test.output + test.errors)
    const check = await (kind === FIRST ? sandbox.program : sandbox.cliWithoutTypeScript)('plugin', 'check', folder)
    t.equal(check.code, 0, check.output + check.errors)

    for (const step of ['manifest', 'code', 'run', 'types']) t.match(check.output, `ok    ${step}`)
    t.equal(check.output.includes('TypeScript is not installed'), kind !== FIRST)
    t.match(check.output, /integrity: sha256-[A-Za-z0-9+/]+=*/)
    t.match(
      (await sandbox.cli('plugin', 'list')).output,
      new RegExp(
        `^${id} +0\\.1\\.0 +${kind === 'page' ? 'service' : kind} +${kind === 'feature' ? 'off' : 'on'} +you +${folder}$`,
        'm',
      ),
    )
    t.match(JSON.parse(await readFile(join(sandbox.data, 'plugin-registry.json'), 'utf8')), {
      version: 1,
      plugins: [{ id, source: `../mine/${id}`, enabled: kind !== 'feature' }],
    })
    for (const name of ['plugin.json', 'index.ts', 'README.md']) {
      t.notMatch(await readFile(join(folder, name), 'utf8'), /acme|\{\{/i, `${name} has no trace of the template`)
    }
  })
}

t.test('TypeScript finds no mistake in a new plugin of any kind', async (t) => {
  await using sandbox = await openSandbox()
  for (const kind of TEMPLATES) await sandbox.cli('plugin', 'new', kind, `my-own-${kind}`, '--dir', 'mine')
  const mine = join(sandbox.folder, 'mine')

  const [files] = await checkTypes({ root: ROOT }, mine, [join(mine, 'my-own-page/page/page.ts')])

  t.ok(Number.parseInt(files ?? '', 10) >= 2 * TEMPLATES.length, `each with its test: ${files}`)
})

t.test(
  'a plugin outside the repository reaches the SDK by links, and the links stay out of version control',
  async (t) => {
    await using sandbox = await openSandbox()
    await sandbox.cli('plugin', 'new', 'service', 'hello', '--dir', 'mine')
    const folder = join(sandbox.folder, 'mine', 'hello')

    t.equal(await readlink(join(folder, 'node_modules', '@playhead', 'sdk')), join(ROOT, 'sdk'))
    t.match(await readFile(join(folder, '.gitignore'), 'utf8'), 'node_modules')
    const { $schema } = JSON.parse(await readFile(join(folder, 'plugin.json'), 'utf8')) as { $schema: string }
    t.ok(existsSync(join(folder, $schema)), 'editors find the schema')
    const { scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }
    t.match(scripts['test'], /^node /)
    t.ok(
      existsSync(join(folder, 'node_modules', '.bin', 'node')),
      '`npm test` runs on the Node that Playhead brings, whichever is installed',
    )
  },
)

t.test(
  'npm test of a plugin outside the repository runs with the Node of Playhead, or names the required one',
  async (t) => {
    await using sandbox = await openSandbox()
    const made = await sandbox.cli('plugin', 'new', 'analyzer', 'hello', '--dir', 'mine')
    t.match(made.output, /cd \S+hello && npm test/)
    const folder = join(sandbox.folder, 'mine', 'hello')
    const older = await openOldNode(sandbox)
    const npmTest = () => runProgram(sandbox, older, folder, 'npm', 'test')

    t.match(await npmTest(), { code: 0 })
    for (const [script, wanted] of [
      ['check', /hello is fine/],
      ['types', /^(?!.*error TS)/],
    ] as const) {
      const { code, output, errors } = await runProgram(sandbox, older, folder, 'npm', 'run', script)
      t.equal(code, 0, output + errors)
      t.match(output, wanted)
    }
    await rm(join(folder, 'node_modules', '.bin', 'node'))
    const without = await npmTest()
    t.match(without, { code: 1, errors: /This plugin runs on Node 26 or later, and this is v\d+\.\d+\.\d+\. .*link/ })
    t.match(without.errors, `plugin link ${folder}\n`)
    t.notMatch(without.output + without.errors, 'SyntaxError')

    await rm(join(folder, 'node_modules'), { recursive: true })
    t.equal((await sandbox.cli('plugin', 'link', folder)).code, 0)
    t.match(await npmTest(), { code: 0 })
  },
)

t.test('a plugin inside the repository is registered in the repository, with its test among the tests', async (t) => {
  await using sandbox = await openSandbox()
  const root = join(sandbox.folder, 'repository')
  await mkdir(root)
  for (const name of ['sdk', 'node_modules', 'tsconfig.json']) await symlink(join(ROOT, name), join(root, name))
  await writeFile(join(root, 'package.json'), '{ "type": "module" }')
  await writeFile(
    join(root, 'plugin-registry.json'),
    '{ "$schema": "./sdk/registry.schema.json", "version": 1, "plugins": [{ "id": "zeta", "source": "./plugins/services/zeta" }] }',
    { mode: 0o644 },
  )
  const lines: string[] = []
  const cli = (...args: string[]) =>
    runCli(args, {
      root,
      variables: { PLAYHEAD_DATA_DIR: sandbox.data },
      print: (line) => void lines.push(line),
      printError: (line) => void lines.push(line),
    })

  t.equal(await cli('plugin', 'new', 'analyzer', 'my-rule'), 0, lines.join('\n'))

  const test = join(root, 'test', 'plugins', 'analyzers', 'my-rule.test.ts')
  t.equal((await sandbox.node(root, test)).code, 0)
  t.notOk(existsSync(join(root, 'plugins', 'analyzers', 'my-rule', 'index.test.ts')))
  t.notOk(existsSync(join(root, 'plugins', 'analyzers', 'my-rule', 'node_modules')))
  t.strictSame(JSON.parse(await readFile(join(root, 'plugin-registry.json'), 'utf8')), {
    $schema: './sdk/registry.schema.json',
    version: 1,
    plugins: [
      { id: 'my-rule', source: './plugins/analyzers/my-rule', enabled: true },
      { id: 'zeta', source: './plugins/services/zeta' },
    ],
  })
  t.equal((await stat(join(root, 'plugin-registry.json'))).mode & 0o777, 0o644, 'the file stays readable')
  t.notOk(existsSync(join(sandbox.data, 'plugin-registry.json')))
  t.match(JSON.parse(await readFile(join(root, 'plugins', 'analyzers', 'my-rule', 'plugin.json'), 'utf8')), {
    $schema: '../../../sdk/plugin.schema.json',
    id: 'my-rule',
  })
})

t.test('no existing folder and no known plugin is overwritten', async (t) => {
  await using sandbox = await openSandbox()
  await mkdir(join(sandbox.folder, 'taken'))

  t.match(await sandbox.cli('plugin', 'new', 'service', 'taken', '--dir', '.'), { code: 1, errors: /exists already/ })
  t.equal((await sandbox.cli('plugin', 'new', 'service', 'hello', '--dir', 'one')).code, 0)
  t.match(await sandbox.cli('plugin', 'new', 'service', 'hello', '--dir', 'two'), {
    code: 1,
    errors: /there is a plugin "hello" already/,
  })
  t.notOk(existsSync(join(sandbox.folder, 'two')))

  // A folder that was deleted without `plugin remove`.
  await rm(join(sandbox.folder, 'one'), { recursive: true })
  for (const dir of ['two', 'two']) {
    const { code, output, errors } = await sandbox.cli('plugin', 'new', 'service', 'hello', '--dir', dir)
    t.match([code, errors], [0, ''])
    t.match(output, /the registry named an earlier "hello" in .*, which is gone/)
    t.strictSame(JSON.parse(await readFile(join(sandbox.data, 'plugin-registry.json'), 'utf8')).plugins, [
      { id: 'hello', source: '../two/hello', enabled: true },
    ])
    await rm(join(sandbox.folder, 'two'), { recursive: true })
  }
})

// slow: command lines that start the service
// A cloned plugin: after linking, it works on this machine with any Node in the path.
import { cp, lstat, mkdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { startService, until } from '../../harness.ts'
import { openOldNode, openSandbox, ROOT, runProgram, type Sandbox } from './support.ts'

t.setTimeout(900_000)
const ID = 'star-of-the-month'

/** A repository of another author, and its clone. */
async function cloned(sandbox: Sandbox): Promise<string> {
  const theirs = join(sandbox.folder, 'theirs', ID)
  await cp(join(ROOT, 'test/plugins-outside', ID), theirs, { recursive: true })
  const git = async (cwd: string, ...args: string[]) => {
    const { code, errors } = await runProgram(sandbox, '', cwd, 'git', ...args)
    if (code !== 0) throw new Error(errors)
  }
  await git(theirs, 'init', '-q')
  await git(theirs, 'add', '-A')
  await git(theirs, '-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', 'commit', '-qm', 'Stars')
  await git(sandbox.folder, 'clone', '-q', theirs, ID)
  return join(sandbox.folder, ID)
}

t.test('its types resolve, its tests run, and saves in its folder are live', async (t) => {
  await using sandbox = await openSandbox()
  const older = await openOldNode(sandbox)
  const folder = await cloned(sandbox)
  const run = (...args: string[]) => runProgram(sandbox, older, folder, ...(args as [string]))

  const linked = await sandbox.program('plugin', 'link', ID, '--add')
  t.match(linked, {
    code: 0,
    output: /Linked Star of the month 2\.0\.1[\s\S]*@playhead\/sdk 1\.[\s\S]*Next: cd \S+ && npm test/,
  })

  for (const [program, ...args] of [
    ['npm', 'test'],
    ['npm', 'run', 'types'],
    ['npx', 'playhead', 'plugin', 'check', '.'],
  ] as const) {
    const { code, output, errors } = await run(program, ...args)
    t.equal(code, 0, output + errors)
    if (args[0] === 'test') t.match(output, /pass 2\n/)
  }
  t.equal((await run('git', 'status', '--porcelain')).output, '', 'the repository is as it was cloned')

  await using service = await startService({ directory: sandbox.folder })
  t.match(await service.plugin(ID), { state: 'active', origin: 'user' })
  t.match((await service.json(`/api/${ID}`)).body, { changes: 0 })
  const file = join(folder, 'index.ts')
  await writeFile(file, (await readFile(file, 'utf8')).replace('?? 0 }', '?? -1 }'))
  await until('the edit is live', async () => (await service.json(`/api/${ID}`)).body.changes === -1)
})

t.test('links are renewed, packages from npm stay, and nothing else is changed', async (t) => {
  await using sandbox = await openSandbox()
  const folder = join(sandbox.folder, ID)
  await cp(join(ROOT, 'test/plugins-outside', ID), folder, { recursive: true })
  const at = (...names: string[]) => join(folder, 'node_modules', ...names)
  await mkdir(at('tap'), { recursive: true })
  await mkdir(at('@playhead'))
  await symlink(join(sandbox.folder, 'another-playhead/sdk'), at('@playhead/sdk'))
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ type: 'module', dependencies: { tap: '*', 'not-there': '*' } }),
  )

  const { code, output } = await sandbox.cli('plugin', 'link', ID)

  t.equal(code, 0, output)
  t.equal(await readlink(at('@playhead/sdk')), join(ROOT, 'sdk'))
  t.ok((await lstat(at('tap'))).isDirectory())
  t.match(output, 'kept: tap.')
  t.match(output, 'It also needs not-there: run "npm install"')
  t.match(output, 'npx playhead plugin check .')
  t.same((await sandbox.cli('plugin', 'link', ID)).output, output, 'a second time changes nothing')
  t.match((await sandbox.cli('plugin', 'list')).output, /^(?!.*star-of)/)
})

t.test('a folder that is no plugin, or part of Playhead, is not linked', async (t) => {
  await using sandbox = await openSandbox()
  t.match(await sandbox.cli('plugin', 'link', '.'), { code: 1, errors: /has no plugin\.json/ })
  t.match(await sandbox.cli('plugin', 'link', join(ROOT, 'plugins/services/version')), {
    code: 1,
    errors: /part of Playhead/,
  })
})

t.test('without a recent Node the program names the required version and how to get it', async (t) => {
  await using sandbox = await openSandbox()
  const older = await openOldNode(sandbox)
  await mkdir(join(sandbox.folder, 'playhead/core/cli'), { recursive: true })
  await cp(join(ROOT, 'core/cli/playhead.js'), join(sandbox.folder, 'playhead/core/cli/playhead.js'))
  await writeFile(join(sandbox.folder, 'playhead/package.json'), '{ "type": "module" }')

  const bare = await runProgram(sandbox, older, sandbox.folder, 'playhead/core/cli/playhead.js', 'help')
  t.match(bare, {
    code: 1,
    output: '',
    errors: /^playhead: Playhead needs Node 26 or later, and this is v[^\n]+npm ci[^\n]+\n$/,
  })

  const whole = await runProgram(sandbox, older, sandbox.folder, join(ROOT, 'core/cli/playhead.js'), 'help')
  t.match(whole, { code: 0, output: /plugin link/ })
  t.match(await runProgram(sandbox, older, sandbox.folder, join(ROOT, 'core/cli/playhead.js'), 'nonsense'), { code: 1 })
})

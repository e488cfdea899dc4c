// slow: command lines that check types
// An importer is checked like a provider: one command says what is wrong, and what to change.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { runConformance } from '../../../core/cli/plugin/dev-checks.ts'
import { openPluginFolder } from '../../../core/cli/plugin/folder.ts'
import { openSandbox, ROOT } from './support.ts'

t.setTimeout(300_000)

t.test('the checks of an importer run with "plugin check" and after each save of "plugin dev"', async (t) => {
  await using sandbox = await openSandbox()
  const made = await sandbox.cli('plugin', 'new', 'importer', 'my-list', '--dir', '.')
  t.equal(made.code, 0, made.errors)
  const folder = join(sandbox.folder, 'my-list')
  const change = async (file: string, from: string, to: string) => {
    const text = await readFile(join(folder, file), 'utf8')
    t.ok(text.includes(from), from)
    await writeFile(join(folder, file), text.replace(from, to))
  }
  const check = () => sandbox.program('plugin', 'check', folder)
  const afterSave = async () => {
    const cli = { root: ROOT, variables: process.env } as never
    return runConformance(cli, await openPluginFolder(folder), new AbortController().signal)
  }

  const good = await check()
  t.equal(good.code, 0, good.output + good.errors)
  t.match(good.output, /ok {4}exercise {2}its example has rows of every feature, and all 6 checks pass/)
  t.equal(await afterSave(), '6 of 6 checks pass.')

  await change('index.ts', "features: ['watchlist', 'history']", "features: ['watchlist', 'history', 'ratings']")
  const unshown = await check()
  t.equal(unshown.code, 0, unshown.output)
  t.match(
    unshown.output,
    /exercise {2}offered, and without a row in the example: ratings\n +What to change: add a record/,
  )
  t.match(
    (await sandbox.program('plugin', 'test', folder)).output,
    /^offered, and without a row in the example: ratings/,
  )
  t.match(JSON.parse((await sandbox.program('plugin', 'test', folder, '--json')).output), { unexercised: ['ratings'] })

  await change('index.ts', "csvWith(files, ['film title', 'released in', 'tmdb'])", 'files')
  const greedy = await check()
  t.equal(greedy.code, 1)
  t.match(
    greedy.output,
    /FAIL {2}exercise {2}1 of 6 checks\n +FAIL {2}importer\.refuses .*\n.*it takes orders\.csv.*\n +What to change: .*csvWith/,
  )
  await t.rejects(afterSave(), /importer\.refuses[\s\S]*What to change/)

  await writeFile(join(folder, 'conformance.ts'), 'export default 5 +')
  t.match(await check(), { code: 1, output: /FAIL {2}exercise/ }, 'an example that cannot be read is no crash')
})

// slow: the examples of the documentation, run
// Runs the tutorial of sdk/README.md.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { runCli } from '../../core/cli/run.ts'

const ROOT = join(import.meta.dirname, '..', '..')

t.test('the plugin of the README passes its test and its check', async (t) => {
  const readme = await readFile(join(ROOT, 'sdk', 'README.md'), 'utf8')
  const sandbox = await mkdtemp(join(tmpdir(), 'playhead-readme-'))
  t.teardown(() => rm(sandbox, { recursive: true, force: true, maxRetries: 10 }))
  const folder = join(sandbox, 'hello')
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  const manifest = /```json\n([\s\S]*?)```/.exec(readme)?.[1] ?? ''
  await writeFile(join(folder, 'plugin.json'), manifest)
  const files = [...readme.matchAll(/```ts\n\/\/ (\S+)\n([\s\S]*?)```/g)]
  for (const [, name = '', text = ''] of files) await writeFile(join(folder, name), text)
  t.strictSame(
    files.map(([, name]) => name),
    ['index.ts', 'index.test.ts'],
  )
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const lines: string[] = []
  const print = (line: string) => void lines.push(line)

  // Like a plugin author, without the variables of this test runner.
  const { PATH, HOME } = process.env
  const { stdout } = await promisify(execFile)(process.execPath, ['index.test.ts'], {
    cwd: folder,
    env: { PATH, HOME },
  })
  const code = await runCli(['plugin', 'check', folder], { variables: {}, print, printError: print })

  t.match(stdout, '# { total: ')
  t.equal(code, 0, lines.join('\n'))
})

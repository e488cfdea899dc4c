// slow: the examples of the documentation, run
// Runs the smallest provider of sdk/README.md.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { runCli } from '../../../core/cli/run.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')

t.test('the provider of the README passes its test and its check', async (t) => {
  const readme = await readFile(join(ROOT, 'sdk', 'README.md'), 'utf8')
  const section = /\n## A provider\n([\s\S]*?)\n## /.exec(readme)?.[1] ?? ''
  const [manifest, source, test] = [...section.matchAll(/```(?:json|ts)\n([\s\S]*?)```/g)].map(([, text]) => text ?? '')
  const sandbox = await mkdtemp(join(tmpdir(), 'playhead-readme-'))
  t.teardown(() => rm(sandbox, { recursive: true, force: true, maxRetries: 10 }))
  const folder = join(sandbox, 'shelf')
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder, 'plugin.json'), manifest ?? '')
  await writeFile(join(folder, 'index.ts'), source ?? '')
  await writeFile(join(folder, 'index.test.ts'), test ?? '')
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

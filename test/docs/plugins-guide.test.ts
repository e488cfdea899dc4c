// slow: the steps of a guide, in the whole service
// Every command of the guide for plugin authors runs unchanged in order, and its table of fields is current.
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { fieldsText } from '../../sdk/generate-fields.ts'
import { openSandbox, ROOT } from '../core/cli/support.ts'
import { startNpmRegistry } from '../upstreams/npm-registry.ts'

t.setTimeout(900_000)
const GUIDE = join(ROOT, 'docs/guide/plugins')
const PAGES = ['README.md', 'modelling.md', 'publishing.md'].map((name) => join(GUIDE, name))
const textOf = (file: string) => readFileSync(file, 'utf8')

t.test('docs/reference/fields.md is current; write it with node sdk/generate-fields.ts', async (t) => {
  t.equal(textOf(join(ROOT, 'docs/reference/fields.md')), fieldsText())
})

t.test('links of the guide resolve', async (t) => {
  for (const page of PAGES)
    for (const [, link = ''] of textOf(page).matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g))
      t.ok(existsSync(resolve(dirname(page), link)), `${page}: ${link}`)
})

t.test('every command works', async (t) => {
  await using registry = await startNpmRegistry()
  await using sandbox = await openSandbox({ PLAYHEAD_NPM_REGISTRY: registry.url })
  const home = (word: string) => word.replace(/^~/, sandbox.folder)
  let folder = sandbox.folder
  const run = promisify(execFile)
  const commands = PAGES.flatMap((page) =>
    [...textOf(page).matchAll(/```sh\n([^`]*)```/g)].flatMap(([, block = '']) => block.trim().split('\n')),
  )
  t.ok(commands.length >= 12)
  for (const command of commands) {
    const words = command.split(' ').map(home)
    if (command.startsWith('npm run playhead -- ')) {
      // Variables that npm sets for scripts.
      const { code, output, errors } = await sandbox.cli(...words.slice(4))
      t.equal(code, 0, `${command}\n${output}${errors}`)
    } else if (words[0] === 'cd') folder = words[1] as string
    else if (command.startsWith('npm publish ')) {
      const host = new URL(registry.url).host
      const to = [`--registry=${registry.url}`, `--//${host}/:_authToken=t`]
      await run('npm', [...words.slice(1), ...to], {
        cwd: sandbox.folder,
        env: { PATH: process.env['PATH'], HOME: sandbox.folder },
      })
      t.pass(command)
    } else {
      await run(words[0] as string, words.slice(1), { cwd: folder })
      t.pass(command)
    }
    // "The folder needs a LICENSE."
    if (command.includes('plugin new'))
      await writeFile(join(sandbox.folder, 'playhead-plugins/my-server/LICENSE'), 'MIT')
  }
})

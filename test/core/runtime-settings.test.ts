// The settings of V8 and of the C library: one list, which the container and the unit give as well.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { beginWithSettings, FLAGS, VARIABLES } from '../../core/runtime-settings.js'

const ROOT = join(import.meta.dirname, '../..')

t.test('the container and the unit give the same at once', async (t) => {
  for (const [name, line] of [
    ['Dockerfile', /^CMD .*/m],
    ['playhead.service', /^ExecStart=.*/m],
  ] as const) {
    const text = await readFile(join(ROOT, name), 'utf8')
    const command = line.exec(text)?.[0] ?? ''
    t.same(command.match(/--[a-z0-9-]+(=\d+)?/g), FLAGS, name)
    for (const [variable, value] of Object.entries(VARIABLES))
      t.ok(text.includes(`${variable}=${value}`), `${name} sets ${variable}`)
  }
})

/** The process that replaces a process of this kind. */
function replacementOf(more: Partial<Pick<NodeJS.Process, 'execArgv' | 'env' | 'platform'>>): unknown {
  let replacement: unknown = null
  beginWithSettings({
    platform: 'linux',
    execPath: '/node',
    argv: ['/node', 'core/start.js', '--safe'],
    execArgv: [],
    env: {},
    execve: (...given: unknown[]) => {
      replacement = given
    },
    ...more,
  } as unknown as NodeJS.Process)
  return replacement
}

t.test('a process begins again with what it lacks, once, and keeps what was given by hand', (t) => {
  const [file, args, variables] = replacementOf({ execArgv: ['--trace-gc'] }) as [string, string[], object]
  t.equal(file, '/node')
  t.strictSame(args, ['/node', '--trace-gc', ...FLAGS, 'core/start.js', '--safe'])
  t.strictSame(variables, VARIABLES)
  t.equal(replacementOf({ execArgv: [...FLAGS], env: { ...VARIABLES } }), null)
  const own = replacementOf({ env: { NODE_OPTIONS: '--max-semi-space-size=32', MALLOC_ARENA_MAX: '8' } }) as unknown[]
  t.notOk((own[1] as string[]).some((flag) => flag.startsWith('--max-semi-space-size')))
  t.match(own[2], { MALLOC_ARENA_MAX: '8' })
  t.equal(replacementOf({ platform: 'win32' }), null)
  t.end()
})

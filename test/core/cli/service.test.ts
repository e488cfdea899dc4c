import { once } from 'node:events'
import type { ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { openDataDirectory } from '../../../core/storage/data-directory.ts'
import { openSandbox } from './support.ts'

t.test('start runs the service until a signal stops it', async (t) => {
  await using sandbox = await openSandbox()
  const child = sandbox.start('start', '--safe')
  t.teardown(() => child.kill('SIGKILL'))
  const url = await addressOf(child)

  t.equal((await fetch(`${url}/api/health`)).status, 200)
  const ended = once(child, 'exit')
  child.kill('SIGTERM')

  t.strictSame(await ended, [0, null])
})

t.test('auth reset prints a token, and the next start requires a new account', async (t) => {
  await using sandbox = await openSandbox()

  const { code, output, errors } = await sandbox.program('auth', 'reset')

  t.equal(code, 0, errors)
  const token = /Setup token[^:]*: (\S+)/.exec(output)?.[1] ?? ''
  t.ok(token.length >= 16)
  t.notMatch(await readFile(join(sandbox.data, 'config.json'), 'utf8'), token, 'only its hash is stored')
})

t.test('auth reset is refused while the service runs', async (t) => {
  await using sandbox = await openSandbox()
  const directory = await openDataDirectory(sandbox.data)
  t.teardown(() => directory.close())

  t.match(await sandbox.program('auth', 'reset'), { code: 1, output: '', errors: /^playhead: [^\n]+\n$/ })
})

t.test('a reader of the output may stop early, as head does', async (t) => {
  await using sandbox = await openSandbox()
  for (const args of [['help'], ['plugin', 'list'], ['plgin', 'list']]) {
    const child = sandbox.start(...args)
    child.stdout?.destroy()
    let errors = ''
    child.stderr?.on('data', (chunk: Buffer) => {
      errors += chunk.toString()
    })
    const [code] = (await once(child, 'close')) as [number]

    t.equal(code, args[0] === 'plgin' ? 1 : 0)
    t.notMatch(errors, /EPIPE|\n {4}at /)
  }
  const child = sandbox.start('plgin')
  child.stderr?.destroy()
  t.strictSame(await once(child, 'exit'), [1, null])
})

async function addressOf(child: ChildProcess): Promise<string> {
  let output = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  for await (const chunk of child.stdout ?? []) {
    output += String(chunk)
    const url = /https?:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0]
    if (url !== undefined && output.includes('Playhead is ready')) {
      child.stdout?.resume()
      return url
    }
  }
  throw new Error(`the service did not start:\n${output}`)
}

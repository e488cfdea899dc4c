// What is set when the service starts.
import { execFile } from 'node:child_process'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'

const MEMORY = join(import.meta.dirname, '../../core/memory.ts')
const SCRIPT = `
  import { readdirSync, readFileSync } from 'node:fs'
  import { getPriority, setPriority } from 'node:os'
  import { tuneCollection } from ${JSON.stringify(MEMORY)}
  setPriority(Number(process.argv[1]))
  tuneCollection()
  const threads = readdirSync('/proc/self/task').map((thread) => ({ name: readFileSync('/proc/self/task/' + thread + '/comm', 'utf8').trim(), niceness: getPriority(Number(thread)) }))
  console.log(JSON.stringify(threads))
`

async function threadsOf(niceness: number): Promise<readonly { readonly name: string; readonly niceness: number }[]> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', SCRIPT, String(niceness)])
  return JSON.parse(stdout)
}

t.test('who marks and compiles gives way to who answers', { skip: process.platform === 'linux' ? false : 'threads have no priority of their own' }, async (t) => {
  for (const own of [getPriority(), 17, 19]) {
    const threads = await threadsOf(own)
    const helpers = threads.filter(({ name }) => name === 'node-V8Worker')
    t.ok(helpers.length > 0)
    t.strictSame(helpers.map(({ niceness }) => niceness), helpers.map(() => Math.min(19, own + 5)), `beside one of niceness ${own}`)
    t.equal(threads.find(({ name }) => name === 'node-MainThread')?.niceness, own)
  }
})

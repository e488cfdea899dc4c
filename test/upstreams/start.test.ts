import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const FILE = fileURLToPath(new URL('start.ts', import.meta.url))

t.test('the command starts a server, says where it is and how to sign in, and stops on a signal', async (t) => {
  const child = spawn(process.execPath, [FILE, 'emby', '--port', '0', '--items', '40'], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const first = (await lines.next()).value as string
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(first)?.[0]
  t.match((await lines.next()).value, 'sign in as sam, password secret (administrator)')
  t.equal((await fetch(`${url}/System/Info/Public`)).status, 200)
  child.kill('SIGTERM')
  t.same(await once(child, 'exit'), [0, null])
})

t.test('the command names the servers that there are', async (t) => {
  const child = spawn(process.execPath, [FILE, 'betamax'], { stdio: ['ignore', 'ignore', 'pipe'] })
  const [[code], text] = await Promise.all([once(child, 'exit'), Array.fromAsync(child.stderr as AsyncIterable<Buffer>)])
  t.equal(code, 1)
  t.match(Buffer.concat(text).toString(), 'jellyfin|emby')
})

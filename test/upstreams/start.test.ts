import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const FILE = fileURLToPath(new URL('start.ts', import.meta.url))

t.test('the command starts a server, prints its address and sign-in, and stops on a signal', async (t) => {
  const child = spawn(process.execPath, [FILE, 'emby', '--port', '0', '--items', '40'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const first = (await lines.next()).value as string
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(first)?.[0]
  t.match((await lines.next()).value, 'sign in as sam, password secret (administrator)')
  t.equal((await fetch(`${url}/System/Info/Public`)).status, 200)
  child.kill('SIGTERM')
  t.same(await once(child, 'exit'), [0, null])
})

for (const [name, path, pattern] of [
  ['plex', '/api/v2/pins', /the cloud at (http:\/\/127\.0\.0\.1:\d+)/],
  ['trakt', '/oauth/device/code', /Trakt at (http:\/\/127\.0\.0\.1:\d+)/],
] as const) {
  t.test(`the command starts ${name}, approves a typed code, and stops on a signal`, async (t) => {
    const child = spawn(process.execPath, [FILE, name, '--port', '0', '--items', '40'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    t.teardown(() => child.kill('SIGKILL'))
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const said: string[] = []
    while (said.at(-1) !== 'type a code here to approve it') said.push((await lines.next()).value as string)
    const url = pattern.exec(said[0] ?? '')?.[1]
    const id = /client id (\w+)/.exec(said.join(' '))?.[1]
    const begun = (await (
      await fetch(`${url}${path}`, {
        method: 'POST',
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          'x-plex-client-identifier': 'someone',
          'user-agent': 'test',
        },
        ...(id === undefined ? {} : { body: JSON.stringify({ client_id: id }) }),
      })
    ).json()) as { readonly code?: string; readonly user_code?: string }
    child.stdin.write(`${begun.code ?? begun.user_code}\n`)
    t.equal((await lines.next()).value, 'approved')
    child.stdin.write('nothing\n')
    t.match((await lines.next()).value, /nothing/)
    child.kill('SIGTERM')
    t.same(await once(child, 'exit'), [0, null])
  })
}

t.test('the command lists the available servers', async (t) => {
  const child = spawn(process.execPath, [FILE, 'betamax'], { stdio: ['ignore', 'ignore', 'pipe'] })
  const [[code], text] = await Promise.all([
    once(child, 'exit'),
    Array.fromAsync(child.stderr as AsyncIterable<Buffer>),
  ])
  t.equal(code, 1)
  t.match(Buffer.concat(text).toString(), 'jellyfin|emby|plex|trakt')
})

// slow: command lines that start the service
// A day of an author: good and bad saves while `plugin dev` runs, and a service that runs the last good version.
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { openSandbox, startDev } from './support.ts'

t.setTimeout(900_000)

t.test('each save is checked, and a failing one is reported and never replaces the live version', async (t) => {
  await using sandbox = await openSandbox()
  t.equal((await sandbox.cli('plugin', 'new', 'page', 'my-day', '--dir', '.', '--data', 'elsewhere')).code, 0)
  const _folder = join(sandbox.folder, 'my-day')
  const { child, said, save, output } = startDev(sandbox, 'my-day')
  t.teardown(() => child.kill('SIGKILL'))

  const [, url = '', username, password] = await said(/Open (\S+) \(user (\S+), password (\S+)\)/)
  await said(/Waiting for the next save/)
  t.match(output(), /ok {4}code[\s\S]*ok {4}tests[\s\S]*ok {4}live +0\.1\.0/)
  const login = await fetch(`${url}/api/app-auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  })
  const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  const last = async () => (await (await fetch(`${url}/api/my-day/last`, { headers: { cookie } })).json()) as object
  t.same(await last(), { ok: true, last: null })

  const marked = (text: string, mark: string) => text.replace(/\{ ok: true,.*last: /, `{ ok: true, ${mark}last: `)
  const GOOD = /Waiting for the next save/
  const BAD = /Not loaded/

  const types = await save('index.ts', (text) => marked(text, 'mark: 1 + nothing, '), BAD)
  t.match(types, /saved index\.ts[\s\S]*FAIL {2}code +index\.ts\(\d+,\d+\): error TS2304/)
  t.same(await last(), { ok: true, last: null }, 'the version before stays live')

  const page = await save('page/page.ts', (text) => text.replace('line.remove()', 'line.removed()'), BAD)
  t.match(page, /page\/page\.ts\(\d+,\d+\): error TS/)
  await save('page/page.ts', (text) => text.replace('line.removed()', 'line.remove()'), BAD)

  const tests = await save('index.ts', (text) => marked(text, 'mark: 1, '), BAD)
  t.match(tests, /ok {4}code[\s\S]*FAIL {2}tests[\s\S]*not ok/)
  t.same(await last(), { ok: true, last: null })

  const manifest = await save(
    'plugin.json',
    (text) => text.replace('"kind": "service"', '"kind": "servant"'),
    /FAIL +manifest.*/,
  )
  t.match(manifest, /\/kind/)
  await save('plugin.json', (text) => text.replace('"kind": "servant"', '"kind": "service"'), BAD)

  const mended = await save(
    'index.test.ts',
    (text) => text.replaceAll('{ ok: true, last', '{ ok: true, mark: 1, last'),
    GOOD,
  )
  t.match(mended, /ok {4}tests[\s\S]*ok {4}live/)
  t.same(await last(), { ok: true, mark: 1, last: null }, 'live again, with the change')

  const ended = once(child, 'exit')
  child.kill('SIGINT')
  t.same(await ended, [0, null])
  await t.rejects(last(), 'the service has ended')
  t.same(
    (await readdir(tmpdir())).filter((name) => name.startsWith('playhead-dev-my-day')),
    [],
    'its data are gone',
  )
  t.notOk(existsSync(sandbox.data), 'the own data of Playhead were not touched')
})

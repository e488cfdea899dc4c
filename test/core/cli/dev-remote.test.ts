// slow: command lines that start the service
// A day of an author with a running service: good saves are live, bad ones never, and the released version returns.
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { startService, until } from '../../harness.ts'
import { openSandbox, startDev } from './support.ts'

t.setTimeout(900_000)

t.test('a good save is live in the service of --url, a bad one never, and the previous version returns', async (t) => {
  await using sandbox = await openSandbox()
  t.equal((await sandbox.cli('plugin', 'new', 'page', 'my-day', '--dir', '.', '--data', 'elsewhere')).code, 0)
  const folder = join(sandbox.folder, 'my-day')
  const manifest = JSON.parse(await readFile(join(folder, 'plugin.json'), 'utf8'))
  await using service = await startService({
    plugins: {
      'my-day': {
        manifest: { ...manifest, ui: undefined },
        files: {
          'index.ts': `import { definePlugin } from '@playhead/sdk'
export default definePlugin({ routes(app) { app.get('/api/my-day/last', () => ({ ok: true, last: 'released' })) } })`,
        },
      },
    },
  })
  const { secret } = (await service.json('/api/tokens', { json: { name: 'laptop', scope: 'admin' } })).body
  await writeFile(join(sandbox.folder, 'token.txt'), secret)
  const last = async () => (await service.json('/api/my-day/last')).body
  t.same(await last(), { ok: true, last: 'released' })

  const begin = (...more: readonly string[]) => {
    const dev = startDev(sandbox, 'my-day', '--url', service.url, '--token-file', 'token.txt', ...more)
    t.teardown(() => dev.child.kill('SIGKILL'))
    return dev
  }
  const GOOD = /Waiting for the next save/
  const BAD = /Not loaded/

  const unasked = begin('--replace')
  await unasked.said(BAD)
  t.match(unasked.output(), /asks the service for this:[\s\S]*GET \/api\/my-day\/last[\s\S]*waits for a review/)
  t.same(await last(), { ok: true, last: 'released' })
  unasked.child.kill('SIGKILL')

  const day = begin('--replace', '--yes')
  await day.said(GOOD)
  t.match(day.output(), /ok {4}code[\s\S]*ok {4}tests[\s\S]*ok {4}live +0\.1\.0/)
  t.same(await last(), { ok: true, last: null }, 'the version of the folder is live')

  const marked = (text: string) => text.replace(/\{ ok: true,.*last: /, '{ ok: true, mark: 1, last: ')
  t.match(await day.save('index.ts', (text) => marked(text), BAD), /FAIL {2}tests/)
  t.same(await last(), { ok: true, last: null }, 'its tests fail, so the one before stays')
  const tested = (text: string) => text.replaceAll('{ ok: true, last', '{ ok: true, mark: 1, last')
  t.match(await day.save('index.test.ts', tested, GOOD), /ok {4}live/)
  t.same(await last(), { ok: true, mark: 1, last: null }, 'the new answer of the running service')
  t.match(await day.save('index.ts', (text) => `${text}\nconst broken = ;\n`, BAD), /FAIL {2}code/)
  t.same(await last(), { ok: true, mark: 1, last: null }, 'a broken build leaves the last good version')
  await day.save('index.ts', (text) => text.replace('\nconst broken = ;\n', ''), GOOD)

  const ended = once(day.child, 'exit')
  day.child.kill('SIGINT')
  t.same(await ended, [0, null])
  t.match(day.output(), /What was there before my-day is back/)
  t.same(await last(), { ok: true, last: 'released' })

  // An author's machine that crashes.
  const cut = begin('--replace', '--yes', '--lease', '2')
  await cut.said(GOOD)
  t.same(await last(), { ok: true, mark: 1, last: null })
  cut.child.kill('SIGKILL')
  await until('the released version is back', async () => (await last())?.last === 'released', 20_000)
})

t.test('a wrong token, address or option is reported before any check', async (t) => {
  await using sandbox = await openSandbox({ PLAYHEAD_TOKEN: 'plh_wrong' })
  await using service = await startService()
  t.equal((await sandbox.cli('plugin', 'new', 'service', 'my-day', '--dir', '.', '--data', 'elsewhere')).code, 0)
  const dev = (...more: readonly string[]) => sandbox.cli('plugin', 'dev', 'my-day', ...more)
  for (const [given, text] of [
    [['--url', service.url], /token/],
    [['--url', 'http://127.0.0.1:9'], /could not be reached/],
    [['--url', 'ftp://127.0.0.1'], /no address of a service/],
    [['--url', service.url, '--port', '80'], /without --url/],
    [['--url', service.url, '--lease', '1'], /2 to 3600/],
    [['--replace'], /give its --url/],
  ] as const) {
    const { code, errors } = await dev(...given)
    t.equal(code, 1, given.join(' '))
    t.match(errors, text)
  }
})

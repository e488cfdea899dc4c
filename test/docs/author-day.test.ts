// slow: the conformance kit, and the whole service
// The guide for the first provider, as it stands: its commands and its changes, until the plugin syncs three features.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { expectOk, runToEnd } from '../demo/sign-in.ts'
import { openSandbox, ROOT } from '../core/cli/support.ts'
import { startService, until } from '../harness.ts'
import type { Service as Shelf } from '../../sdk/templates/provider/conformance.ts'

t.setTimeout(900_000)
const GUIDE = readFileSync(join(ROOT, 'docs/guide/plugins/first-provider.md'), 'utf8')
const STEP =
  /```sh\n(?<commands>[^`]*)```|In `(?<file>[^`]+)`, replace\n\n```ts\n(?<from>[^`]*)```\n\nwith\n\n```ts\n(?<to>[^`]*)```/g
const ON = { enabled: true, add: true, remove: true }

t.test('the guide leads to an installed provider with three features', async (t) => {
  const startedAt = performance.now()
  await using sandbox = await openSandbox()
  const folder = join(sandbox.folder, 'playhead-plugins', 'shelf')
  const home = (text: string) => text.replaceAll('~/', `${sandbox.folder}/`)
  const run = promisify(execFile)
  let place = sandbox.folder
  const counts = { commands: 0, changes: 0 }

  for (const { groups = {} } of GUIDE.matchAll(STEP)) {
    const { commands, file, from = '', to = '' } = groups
    if (file !== undefined) {
      counts.changes += 1
      const text = await readFile(join(folder, file), 'utf8')
      t.equal(text.split(from).length, 2, `${file} has the text to replace once:\n${from}`)
      await writeFile(
        join(folder, file),
        text.replace(from, () => to),
      )
      continue
    }
    for (const command of (commands ?? '').trim().split('\n')) {
      counts.commands += 1
      const words = home(command).split(' ')
      if (words[0] === 'cd') place = words[1] as string
      else if (command.startsWith('npm run playhead -- ')) {
        // "In another one": a data directory of its own.
        const other = command.includes('plugin add') || command.includes('plugin list')
        const { code, output, errors } = await sandbox.cli(
          ...words.slice(4),
          ...(other ? ['--data', join(sandbox.folder, 'other')] : []),
        )
        t.equal(code, 0, `${command}\n${output}${errors}`)
        if (command.includes('plugin test')) t.match(output, /It conforms\.$/m)
        if (command.includes('plugin list')) t.match(output, 'shelf')
      } else {
        const env = { ...process.env, PATH: `${join(folder, 'node_modules', '.bin')}:${process.env['PATH']}` }
        await run(words[0] as string, words.slice(1), { cwd: place, env })
        t.pass(command)
      }
    }
  }
  t.match(counts, { commands: 8, changes: 4 }, 'all steps were found')
  t.comment(`the commands took ${Math.round((performance.now() - startedAt) / 1_000)} s of ten minutes`)

  // A Playhead of another machine, from the folder, as its pages do it.
  const { startService: startShelf } = (await import(join(folder, 'conformance.ts'))) as {
    startService(): Promise<Shelf>
  }
  const shelf = await startShelf()
  t.teardown(() => shelf.close())
  await using service = await startService({ shipped: true })
  await expectOk(service, '/api/plugin-folders', { folder })
  await expectOk(service, '/api/plugins/shelf/enable', {})
  await until('it runs', async () => (await service.plugin('shelf')).state === 'active')
  const { id: second } = await expectOk(service, '/api/provider-instances/SHELF/next')
  for (const [n, instance] of ['default', second].entries())
    await expectOk(service, `/api/shelf/save?instance=${instance}`, { server: shelf.url, api_key: shelf.keys[n] })
  const film = (n: number) => ({ type: 'movie', ids: { imdb: `tt${1_000_000 + n}` } }) as const
  const [ann, bob] = shelf.lists
  ann['ratings']?.set('tt1000010', { ...film(10), rating: 8 })
  ann['watchlist']?.set('tt1000012', film(12))
  ann['history']?.set('tt1000014', { ...film(14), watched: true, watched_at: '2025-06-07T08:09:10Z' })
  const pair = { source: 'SHELF', target: 'SHELF', target_instance: second, mode: 'one_way', enabled: true }
  const features = { watchlist: ON, history: ON, ratings: { ...ON, types: 'all', mode: 'all' } }
  await expectOk(service, '/api/pairs', { ...pair, features })
  t.match(await runToEnd(service), { result: 'ok' })
  t.match(Object.fromEntries(Object.entries(bob).map(([name, rows]) => [name, [...rows.values()]])), {
    ratings: [{ ids: { imdb: 'tt1000010' }, rating: 8 }],
    watchlist: [{ ids: { imdb: 'tt1000012' } }],
    history: [{ ids: { imdb: 'tt1000014' }, watched_at: '2025-06-07T08:09:10Z' }],
  })
})

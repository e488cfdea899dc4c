// slow: plugins of strangers, installed
// Two external plugins: one declares a hook and a capability and filters writes of runs, the other uses its types. Added with
// the command line, they run on threads of their own.
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { openSandbox, type Sandbox } from '../core/cli/support.ts'
import { expectOk, runToEnd, signInToEmby, signInToJellyfin } from '../demo/sign-in.ts'
import { startService, until } from '../harness.ts'
import { startEmby } from '../upstreams/emby.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'

t.setTimeout(900_000)
const ON = { enabled: true, add: true, remove: true }

/** Installed side by side, as people do, one as a dependency of the other. */
async function installed({ folder }: Sandbox) {
  for (const name of ['id-rules', 'festival'])
    await cp(join(import.meta.dirname, name), join(folder, name), { recursive: true })
  await mkdir(join(folder, 'festival/node_modules'), { recursive: true })
  // npm links a package that is a local folder.
  await symlink(join(folder, 'id-rules'), join(folder, 'festival/node_modules/playhead-plugin-id-rules'))
}

t.test('types of the package are checked: a tap with a wrong result type is an error', async (t) => {
  await using sandbox = await openSandbox()
  await installed(sandbox)
  for (const name of ['id-rules', 'festival']) {
    const { code, output, errors } = await sandbox.cli('plugin', 'check', name)
    t.equal(code, 0, `${output}${errors}`)
    t.match(output, /types +\d/)
  }
  const file = join(sandbox.folder, 'festival/index.ts')
  await writeFile(file, (await readFile(file, 'utf8')).replace("because: 'It", "why: 'It"))
  t.match(await sandbox.cli('plugin', 'check', 'festival'), { code: 1 })
})

t.test('films without an id are excluded, except those of the festival; a hanging plugin admits none', async (t) => {
  await using sandbox = await openSandbox()
  await installed(sandbox)
  for (const name of ['id-rules', 'festival']) t.match(await sandbox.cli('plugin', 'add', name), { code: 0 })
  await using jellyfin = await startJellyfin({ movies: 160, shows: 0, activity: 0.5 })
  await using emby = await startEmby({ movies: 160, shows: 0 })
  await using service = await startService({ shipped: true, directory: sandbox.folder })
  for (const id of ['id-rules', 'festival']) t.match(await service.plugin(id), { state: 'active', origin: 'user' })
  t.same((await service.json('/api/festival')).body, { needed: ['imdb'], refused: true })
  await expectOk(service, '/api/config', { plugins: { 'id-rules': { scheme: 'tmdb' } } })
  await until('the setting is there', async () => (await service.json('/api/festival')).body.needed?.[0] === 'tmdb')

  await signInToJellyfin(service, jellyfin)
  await signInToEmby(service, emby)
  await expectOk(service, '/api/pairs', {
    ...{ source: 'MEDIAB', target: 'MEDIAC', mode: 'one_way', enabled: true, features: { history: ON } },
  })
  const items = async (runId: string) => (await service.json(`/api/runs/${runId}/items?limit=200`)).body.items as any[]
  const dry = await runToEnd(service, { dry_run: true })
  const vetoed = (await items(dry.run_id)).filter(({ reason }) => reason === 'vetoed')
  t.ok(vetoed.length > 1, 'there are films without the id')
  for (const row of vetoed) t.match(row, { outcome: 'filtered', note: 'id-rules: It has no tmdb id.' })
  const [film] = vetoed

  await expectOk(service, '/api/config', {
    plugins: { festival: { titles: [film.display_title.replace(/ \(\d+\)$/, '')] } },
  })
  await until('the setting is there', async () => (await service.plugin('festival')).state === 'active')
  const source = join(sandbox.folder, 'id-rules/index.ts')
  const good = await readFile(source, 'utf8')
  const generation = (await service.plugin('id-rules')).generation
  await writeFile(
    source,
    good.replace('const judged: Judgement[] = []', 'const judged: Judgement[] = []\n      for (;;) {}'),
  )
  await until(
    'the next version is there',
    async () => (await service.plugin('id-rules')).generation > generation,
    30_000,
  )
  const hung = await runToEnd(service)
  const held = await items(hung.run_id)
  t.ok(held.length > vetoed.length)
  for (const row of held) t.match(row, { outcome: 'deferred', reason: 'veto_failed', note: 'id-rules' })
  const report = (await service.json(`/api/runs/${hung.run_id}`)).body.run
  t.match(report, { result: 'partial' })
  t.equal((await service.json('/api/festival')).status, 200, 'the service goes on')

  await writeFile(source, good)
  await until('the plugin is well again', async () => (await service.json('/api/id-rules')).status === 200, 60_000)
  const done = await runToEnd(service)
  const rows = await items(done.run_id)
  t.equal(rows.filter(({ reason }) => reason === 'vetoed').length, vetoed.length - 1)
  t.ok(rows.some(({ key, outcome }) => key === film.key && (outcome === 'applied' || outcome === 'already')))
  await until(
    'it was told of the end',
    async () => (await service.json('/api/id-rules')).body.last?.runId === done.run_id,
  )
  t.same((await service.json('/api/id-rules')).body.asks, ['festival'])
})

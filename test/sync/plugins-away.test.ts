// slow: the whole service over every combination
// Providers and features are turned off, toggled and replaced during runs, while people continue to watch: their own server
// never changes, and the other one finally matches it.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { openSandbox } from '../core/cli/support.ts'
import { expectOk, runToEnd, signInToEmby, signInToJellyfin, untilTrue } from '../demo/sign-in.ts'
import { startService } from '../harness.ts'
import { seed } from '../fast-check.ts'
import { createSeededRandom } from '../upstreams/base/index.ts'
import { startEmby } from '../upstreams/emby.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'

const ROUNDS = Number(process.env['PLAYHEAD_ROUNDS'] ?? 12)
const ON = { enabled: true, add: true, remove: true }
const PLUGINS = ['emby', 'jellyfin', 'history', 'watchlist'] as const

t.setTimeout(60_000 + ROUNDS * 20_000)

t.test('P96 a plugin that is turned off during a run removes nothing', async (t) => {
  const random = createSeededRandom(seed)
  await using jellyfin = await startJellyfin({ movies: 120, shows: 0, latencyMs: 3 })
  await using emby = await startEmby({ movies: 120, shows: 0, latencyMs: 3 })
  await using service = await startService({ shipped: true })
  await using sandbox = await openSandbox({ PLAYHEAD_DATA_DIR: join(service.directory, 'data') })
  await signInToJellyfin(service, jellyfin)
  await signInToEmby(service, emby)
  const { id: pairId } = await expectOk(service, '/api/pairs', {
    source: 'MEDIAB',
    target: 'MEDIAC',
    mode: 'two_way',
    enabled: true,
    features: { history: ON, watchlist: ON },
  })

  // Each film is watched in one place only, so that the expected result is unique.
  const onEmby = new Map<string | undefined, string[]>()
  for (const { id, providerIds } of emby.items('Movie'))
    onEmby.set(providerIds['Tmdb'], [...(onEmby.get(providerIds['Tmdb']) ?? []), id])
  const films = jellyfin.items('Movie').flatMap((film) => {
    const there = film.providerIds['Tmdb'] === undefined ? [] : (onEmby.get(film.providerIds['Tmdb']) ?? [])
    return there.length === 1 ? [{ name: film.name, jellyfin: film.id, emby: there[0]! }] : []
  })
  t.ok(films.length > 60)
  const homes = ['jellyfin', 'emby'] as const
  const servers = { jellyfin, emby }
  const lives = films.map((film, index) => ({ ...film, home: homes[index % 2]!, isPlayed: false, isFavourite: false }))
  type Life = (typeof lives)[number]
  const stateAt = (life: Life, place: (typeof homes)[number]) => {
    const { played = false, favourite = false } = servers[place].actions.userData('sam', life[place]) ?? {}
    return `${life.name} ${played} ${favourite}`
  }
  const wanted = (life: Life) => `${life.name} ${life.isPlayed} ${life.isFavourite}`

  function change(life: Life): void {
    const { actions } = servers[life.home]
    const id = life[life.home]
    if (random.chance(0.5)) {
      life.isPlayed = !life.isPlayed
      if (life.isPlayed) actions.markPlayed('sam', id, Date.now() - random.integer(60, 1_000_000) * 1_000)
      else actions.markUnplayed('sam', id)
    } else {
      life.isFavourite = !life.isFavourite
      actions.setFavourite('sam', id, life.isFavourite)
    }
  }

  for (const life of lives) for (let count = 0; count < 2; count += 1) change(life)
  for (const _ of [1, 2]) await runToEnd(service)
  const results = new Set<string>()
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let count = 0; count < 12; count += 1) change(lives[random.integer(0, lives.length - 1)]!)
    const plugin = PLUGINS[round % PLUGINS.length]!
    const { run_id: runId } = await expectOk(service, '/api/run')
    await sleep(random.integer(0, 500))
    const isReload = round % 3 === 2
    if (isReload) await service.host.reload(plugin)
    else t.equal((await sandbox.cli('plugin', 'disable', plugin)).code, 0)
    if (random.chance(0.5)) change(lives[random.integer(0, lives.length - 1)]!)
    const what = `round ${round}, ${plugin}`
    const summary = async () => (await service.json('/api/run/summary')).body
    await untilTrue(`${what}: the run ends`, async () => (await summary()).running === false)
    t.equal((await summary()).run_id, runId)
    results.add((await summary()).result)
    const check = (moment: string) => {
      t.same(
        lives.map((life) => stateAt(life, life.home)),
        lives.map(wanted),
        `${what}, ${moment}`,
      )
    }
    check('after the run')
    if (isReload) continue

    await untilTrue(`${what}: it is away`, async () => (await service.plugin(plugin)).state !== 'active')
    const without = await runToEnd(service)
    t.not(without.result, 'ok', `${what}: a run without it does not say that all is well`)
    check('after a run without it')
    t.equal((await sandbox.cli('plugin', 'enable', plugin)).code, 0)
    await untilTrue(`${what}: it is back`, async () => (await service.plugin(plugin)).state === 'active')
  }
  t.ok(results.size > 1, [...results].join())

  // Removals wait for a second read after a failure, and this many of them for approval.
  const approved = { pair_id: pairId, allow_mass_delete: true }
  for (let run = 0; run < 4; run += 1) await runToEnd(service, approved)
  const last = await runToEnd(service)
  t.match(last, { result: 'ok', added_last: 0, removed_last: 0, updated_last: 0 })
  for (const place of homes)
    t.same(
      lives.map((life) => stateAt(life, place)),
      lives.map(wanted),
      place,
    )
})

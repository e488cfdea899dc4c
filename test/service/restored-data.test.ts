// alone: services as processes
// Data older than later actions of people: a restored backup, a copied data directory, a single copied database.
import { copyFile, cp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { runsOf, seed } from '../fast-check.ts'
import { expectOk, runToEnd, signInToEmby, signInToJellyfin } from '../demo/sign-in.ts'
import { startEmby } from '../upstreams/emby.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { clientOf, spawnService } from './process.ts'

const ACCOUNT = { username: 'ada', password: 'correct horse battery' }
const ON = { enabled: true, add: true, remove: true }
const LIBRARY = 'databases/sync/library.sqlite'

t.setTimeout(900_000)

t.test('P56 an item that a person added again since a backup stays, for every way to restore', async (t) => {
  await using jellyfin = await startJellyfin({ movies: 30, shows: 1 })
  await using emby = await startEmby({ movies: 30, shows: 1 })
  const [data, saved] = [join(t.testdir(), 'data'), join(t.testdirName, 'saved')]
  let service = await spawnService(data)
  t.teardown(() => service.kill('SIGKILL'))
  await service.post('/api/app-auth/credentials', { enabled: true, ...ACCOUNT })
  let client = await clientOf(service, ACCOUNT)
  const again = async (
    end: () => Promise<unknown> = () => service.kill('SIGTERM'),
    between?: () => Promise<unknown>,
  ) => {
    await end()
    await between?.()
    service = await spawnService(data)
    client = await clientOf(service, ACCOUNT)
  }
  await signInToJellyfin(client, jellyfin)
  await signInToEmby(client, emby)
  await expectOk(client, '/api/pairs', {
    ...{ source: 'MEDIAB', target: 'MEDIAC', mode: 'two_way', enabled: true },
    features: { watchlist: ON },
  })
  const films = jellyfin.items('Movie').filter(({ providerIds: { Tmdb: id } }) => id !== undefined)
  const atEmby = (tmdb: string | undefined) =>
    emby.items('Movie').find(({ providerIds }) => providerIds['Tmdb'] === tmdb)
  const shared = films.filter(({ providerIds }) => atEmby(providerIds['Tmdb']) !== undefined)
  for (const film of shared.slice(0, 12)) jellyfin.actions.setFavourite('sam', film.id, true)
  await runToEnd(client)
  await runToEnd(client)

  const ways: Readonly<Record<string, readonly [before: Step, restore: Step]>> = {
    'a backup': [
      async () => void (backup = (await expectOk(client, '/api/backups/create', { scope: 'app_state' })).backup.path),
      async () => {
        await expectOk(client, '/api/backups/restore', { path: backup })
        await again(() => service.kill('SIGKILL'))
      },
    ],
    'a directory put in place by hand': [
      () => again(undefined, () => cp(data, saved, { recursive: true, preserveTimestamps: true })),
      () =>
        again(undefined, async () => {
          await rm(data, { recursive: true })
          await rename(saved, data)
        }),
    ],
    'one database put in place by hand': [
      () => again(undefined, () => copyFile(join(data, LIBRARY), join(t.testdirName, 'library.sqlite'))),
      () => again(undefined, () => copyFile(join(t.testdirName, 'library.sqlite'), join(data, LIBRARY))),
    ],
  }
  let backup = ''
  const order = Object.entries(ways).map((_, index, all) => all[(index + seed) % all.length]!)
  for (const [index, [way, [save, restore]]] of order.slice(0, runsOf(order.length)).entries()) {
    const film = shared[index]!
    const copy = atEmby(film.providerIds['Tmdb'])!
    await save()
    jellyfin.actions.setFavourite('sam', film.id, false)
    for (let run = 0; run < 2; run += 1) await runToEnd(client)
    t.notOk(isLiked(emby, copy.id), 'the removal reached the other side')
    emby.actions.setFavourite('sam', copy.id, true)
    await restore()
    for (let run = 0; run < 3; run += 1) await runToEnd(client)
    t.ok(isLiked(emby, copy.id), `${way}: it stays where the person put it`)
    t.ok(isLiked(jellyfin, film.id), 'and both sides have it, as after a first run')
    jellyfin.actions.setFavourite('sam', film.id, false)
    for (let run = 0; run < 2; run += 1) await runToEnd(client)
    t.notOk(isLiked(emby, copy.id), 'what is taken off from then on is taken off')
  }
})

type Step = () => Promise<unknown>
type Server = Awaited<ReturnType<typeof startJellyfin>> | Awaited<ReturnType<typeof startEmby>>

function isLiked(server: Server, id: string): boolean {
  return server.actions.userData('sam', id)?.favourite === true
}

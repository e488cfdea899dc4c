// slow: the whole service, or very many cases
// A dry run lists exactly what the action then changes: for each action of a plugin, and the routes with several actions.
import t from 'tap'
import { signInToJellyfin, untilTrue } from '../../demo/sign-in.ts'
import { startJellyfin } from '../../upstreams/jellyfin.ts'
import {
  ctx,
  differences,
  exportTracker,
  hasBackups,
  importZip,
  lookAtEverything,
  openWorld,
  runSync,
  stateFiles,
  tracker,
  zipOf,
} from './world.ts'

interface Touch {
  readonly path: string
  readonly table?: string
  readonly items: number
}

/** These run first, because other actions leave nothing for them. */
const FIRST = ['currently-watching', 'recent-scrobbles', 'sync-cache']
const LAST = ['events-rebuild']
/** The next report, and the event of the rebuild. */
const COME_AGAIN = ['currently-watching', 'events-rebuild']
const ARCHIVE = 'databases/events/archive.sqlite'

t.test('dry runs', async (t) => {
  const jellyfin = await startJellyfin({ movies: 6, shows: 1, users: [{ name: 'sam', password: 'secret' }] })
  t.teardown(() => jellyfin.close())
  const service = await openWorld(t)
  const post = async (path: string, json: object) => service.json(`/api/maintenance/${path}`, { json })
  await signInToJellyfin(service, jellyfin)
  const [film] = jellyfin.items('Movie').filter(({ runtimeTicks }) => (runtimeTicks ?? 0) > 0)
  await showAsPlaying()
  await showPicture()
  const { body: known } = await service.json('/api/maintenance/actions')
  const ids: readonly string[] = known.actions.map(({ id }: { id: string }) => id)
  const place = (id: string) => (FIRST.includes(id) ? 0 : LAST.includes(id) ? 2 : 1)

  await t.test('every action of every plugin changes exactly what its dry run lists', async (t) => {
    t.ok(ids.length > FIRST.length + LAST.length)
    for (const id of ids.toSorted((a, b) => place(a) - place(b))) {
      if (id !== 'currently-watching') await service.json('/api/watch/stop', { json: {} })
      const start = await lookAtEverything()
      const dry = await post(`actions/${id}`, { dry_run: true })
      t.equal(dry.status, 200, `${id} ${JSON.stringify(dry.body)}`)
      t.ok(dry.body.touches.length > 0, `${id} has something to do`)
      t.ok(
        dry.body.touches.every(({ items }: Touch) => items > 0),
        `${id} lists nothing that it does not touch`,
      )
      const before = await lookAtEverything()
      t.same(differences(start, before), [], `a dry run of ${id} changes nothing`)
      const sizes = await sizesOf()
      for (const { path } of dry.body.touches as readonly Touch[])
        t.ok(path === '' || sizes.has(path), `${id}: ${path} is there`)
      const done = await post(`actions/${id}`, { confirm: true })
      if (done.status === 503 && !hasBackups) continue
      t.equal(done.status, 200, `${id} ${JSON.stringify(done.body)}`)
      // The archive receives the events of this test.
      if (id === 'events-rebuild') t.same(done.body.touches.map(nameOf), dry.body.touches.map(nameOf), id)
      else t.same(done.body.touches, dry.body.touches, id)
      t.same({ ...done.body.summary, freed_bytes: 0 }, { ...dry.body.summary, freed_bytes: 0 }, id)
      const listed = (dry.body.touches as readonly Touch[]).map(nameOf).filter((name) => !name.startsWith(ARCHIVE))
      t.same(differences(before, await lookAtEverything()), listed.filter((name) => name !== '').sort(), id)
      const { body: again } = await post(`actions/${id}`, { dry_run: true })
      if (!COME_AGAIN.includes(id)) t.same(again.touches, [], `${id} has nothing left to do`)
    }
  })

  await t.test('clearing and importing the tracker', async (t) => {
    await runSync(service)
    const archive = await zipOf(await exportTracker(service))
    for (const body of [{}, { clear_state: false, clear_snapshots: true }, { clear_snapshots: true }]) {
      t.match(await importZip(service, archive), { status: 200 })
      await runSync(service)
      const start = await lookAtEverything()
      const { body: dry } = await post('svc-tracker/clear', { ...body, dry_run: true })
      const before = await lookAtEverything()
      t.same(differences(start, before), [])
      const { body: done } = await post('svc-tracker/clear', { ...body, confirm: true })
      const told = JSON.stringify(body)
      t.same({ ...done, dry_run: true, after: dry.after }, dry, `${told}: it says the same`)
      t.ok(done.summary.removed_items > 0, told)
      t.equal(done.sync_state.removed_items > 0, !('clear_state' in body), `${told}: what pairs synced`)
      const touched = differences(before, await lookAtEverything())
      t.same(
        touched.filter((name) => !/#tracker__(rows|tokens|snapshots|states)$|#sync__/.test(name)),
        [],
        `${told}: nothing else`,
      )
      t.equal(
        touched.some((name) => name.includes('#sync__')),
        done.sync_state.removed_items > 0,
        told,
      )
    }
    await runSync(service)
    const { body: dry } = await importZip(service, archive, '?dry_run=true')
    const { body: done } = await importZip(service, archive)
    t.same({ ...done, dry_run: true }, dry, 'an import')
    t.ok(done.sync_state.removed_items > 0)
    t.equal((await tracker().stats('default')).find(({ feature }) => feature === 'history')?.rows, 50)
    const json = new TextEncoder().encode(JSON.stringify(stateFiles['ratings.json']))
    const one = await importZip(service, json, '?filename=ratings.json&dry_run=true')
    t.match(one, { status: 200, body: { rows: { ratings: 20 }, sync_state: { removed_items: 0 } } })
  })

  await t.test('compacting the archive', async (t) => {
    const { body: dry } = await post('events-optimize', { dry_run: true })
    const { body: done } = await post('events-optimize', {})
    const say = ({ path, steps }: { path: string; steps: readonly string[] }) => ({ path, steps })
    t.same(say(done), say(dry))
    t.same([dry.path], [ARCHIVE])
  })

  async function showAsPlaying(): Promise<void> {
    await service.json('/api/scrobbler/settings', { json: { sources: { watcher: true }, watch_autostart: true } })
    const route = await service.json('/api/scrobbler/routes', { json: { provider: 'MEDIAB', sink: 'SVC' } })
    t.equal(route.status, 200, JSON.stringify(route.body))
    await service.json('/api/watch/start', { json: {} })
    const lengthMs = (film!.runtimeTicks ?? 0) / 10_000
    const tv = { userId: 'sam', item: film!, deviceId: 'tv', deviceName: 'TV', positionMs: lengthMs / 2 }
    await jellyfin.playback.start(tv)
    await untilTrue('it is shown', async () => {
      const { body } = await service.json('/api/watch/currently_watching')
      return body.streams[0]?.state === 'playing'
    })
  }

  async function showPicture(): Promise<void> {
    const [scheme, id] = Object.entries(film!.providerIds)[0]!
    const answer = await service.call(`/api/pictures/movie?${scheme.toLowerCase()}=${id}&width=342`)
    t.equal(answer.status, 200)
    await answer.arrayBuffer()
  }
})

async function sizesOf(): Promise<ReadonlyMap<string, number>> {
  return new Map((await ctx().data().parts()).map(({ path, sizeBytes }) => [path, sizeBytes]))
}

function nameOf({ path, table }: Touch): string {
  return table === undefined ? path : `${path}#${table}`
}

// A service full of data: three services with a second profile, pairs, runs of several kinds, scrobbling, a schedule, a
// playlist, captures and an import. Used by tests that visit all pages.
import { AREAS } from '../../ui/app/paths.ts'
import { expectOk, runToEnd, signInToEmby, signInToJellyfin, signInToTrakt } from '../demo/sign-in.ts'
import { type Service, until } from '../harness.ts'
import { startEmby } from '../upstreams/emby.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { settings } from '../../ui/texts/en/settings.ts'
import { startUi } from './harness.ts'

const ON = { enabled: true, add: true, remove: true }
// One section each of the core, a feature and a provider: their pages have the same form.
const SECTIONS: readonly string[] = ['security', 'sync', 'mediaB']
const RATINGS = [
  'Const,Your Rating,Date Rated,Title,Original Title,URL,Title Type,IMDb Rating,Runtime (mins),Year,Genres,Num Votes,Release Date,Directors',
  'tt0068646,9,2024-02-04,The Godfather,The Godfather,https://www.imdb.com/title/tt0068646/,Movie,9.2,175,1972,Crime,1,1972-03-24,Francis Ford Coppola',
].join('\n')
/** A name that a person chose; the id of the profile must not be visible. */
export const PROFILE = 'Kitchen'

/** Uploads a file of ratings without importing it. */
export function upload(service: Service, name: string) {
  const body = new FormData()
  body.append('file', new Blob([RATINGS]), name)
  return service.json('/api/import/preview', { method: 'POST', body } as never)
}

export type Filled = Awaited<ReturnType<typeof startFilled>>

export async function startFilled() {
  const jellyfin = await startJellyfin({ movies: 40, shows: 2, activity: 0.5 })
  // Some films exist only on the other server, so that something is not in the library.
  const emby = await startEmby({ movies: 32, shows: 1 })
  const trakt = await startTrakt({ movies: 60, shows: 4 })
  const ui = await startUi()
  const { service } = ui
  await signInToJellyfin(service, jellyfin)
  await signInToEmby(service, emby)
  await signInToTrakt(service, trakt)
  const { id: instance } = await expectOk(service, '/api/provider-instances/MEDIAB/next', { label: PROFILE })
  await signInToJellyfin(service, jellyfin, { user: 'kim', instance })

  const add = async (name: string, source: string, target: string, more: object) =>
    String(
      (await expectOk(service, '/api/pairs', { name, source, target, mode: 'two_way', enabled: true, ...more })).id,
    )
  const pair = await add('Attic and cellar', 'MEDIAB', 'MEDIAC', { features: { history: ON, progress: ON } })
  // An unnamed pair, shown with the names of its services.
  await add('', 'MEDIAB', 'TRACKA', {
    source_instance: instance,
    features: { history: ON, watchlist: ON, ratings: ON },
  })
  await runToEnd(service)
  emby.faults.add({ kind: 'html', status: 503 })
  await runToEnd(service)
  emby.faults.clear()
  await runToEnd(service, { dry_run: true })
  const { run_id: run } = await runToEnd(service)

  await expectOk(service, '/api/scheduling', { enabled: true, mode: 'every_n_hours', every_n_hours: 6 })
  await expectOk(service, '/api/scrobbler/routes', { provider: 'MEDIAB', sink: 'TRACKA' })
  await expectOk(service, '/api/scrobbler/webhooks/profile', { provider: 'MEDIAC', sinks: ['TRACKA'] })

  const { id: list } = emby.actions.createPlaylist('sam', 'Rainy days', [emby.items('Movie')[0]!.id])
  const ends: string[] = []
  for (const [provider, more] of [
    ['MEDIAC', { playlist_id: list }],
    ['MEDIAB', { create: true, create_name: 'Rainy days' }],
  ] as const)
    ends.push(
      (await expectOk(service, '/api/playlists/endpoints', { provider, name: 'Rainy days', ...more })).endpoint.id,
    )
  const { mapping } = await expectOk(service, '/api/playlists/mappings', {
    name: 'Rainy days',
    source_endpoint: ends[0],
    target_endpoints: ends.slice(1),
    ruleset_id: '',
    membership: 'managed_only',
    order: 'ignore',
  })
  const [older, newer] = [
    await expectOk(service, '/api/snapshots/create', { provider: 'MEDIAB', feature: 'history', label: 'Spring' }),
    await expectOk(service, '/api/snapshots/create', { provider: 'MEDIAB', feature: 'history', label: 'Summer' }),
  ].map(({ snapshot }) => encodeURIComponent(snapshot.path))
  const { import_id: imported } = (await upload(service, 'ratings.csv')).body

  await until('the library is read', async () => (await service.json('/api/library?limit=1')).body.items?.length > 0)
  const first = async (path: string, list: string, id: string): Promise<string> => {
    const { body } = await service.json(path)
    const value = body[list]?.find((one: Record<string, unknown>) => one[id] !== null)?.[id]
    if (value === undefined) throw new Error(`${path} has no ${list}`)
    return String(value)
  }
  /** Captures are selected by parameters. */
  const CHOSEN: Readonly<Record<string, string>> = {
    '/captures/view': `path=${older}`,
    '/captures/compare': `a=${older}&b=${newer}`,
    '/captures/restore': `path=${older}`,
  }
  const values: Readonly<Record<string, string>> = {
    '/connections/:provider': 'MEDIAB',
    '/pairs/:id': pair,
    '/plans/:id': await first('/api/plans?limit=1', 'plans', 'plan_id'),
    '/runs/:id': run,
    '/library/:key': await first('/api/library?limit=1', 'items', 'key'),
    '/events/groups/:id': await first('/api/events/groups?limit=1&visibility=all', 'items', 'id'),
    '/events/item/:key': await first('/api/events/groups?limit=50&domain=sync&visibility=all', 'items', 'item_key'),
    '/plugins/:id': 'sync',
    '/playlists/:id': mapping.id,
    '/import/:id': imported,
  }
  const { body: known } = await service.json('/api/config/sections')
  const sections = known.sections.filter(({ path: at }: { path: string }) => SECTIONS.includes(at))
  const settingsPages = [...Object.keys(settings.pages), ...sections.map(({ path: at }: { path: string }) => at)]
  /** The address of every page with content. */
  const paths = Object.entries(AREAS)
    .filter(([area]) => area !== 'login')
    .flatMap(([, all]) => all as readonly string[])
    .flatMap((path) => {
      const value = values[path]
      if (value !== undefined) return [path.replace(/:\w+/, encodeURIComponent(value))]
      if (path === '/settings/:section') return settingsPages.map((one) => `/settings/${one}`)
      const chosen = CHOSEN[path]
      if (chosen !== undefined) return [`${path}?${chosen}`]
      return path.includes(':') ? [] : [path]
    })
  return {
    ui,
    service,
    paths,
    pair,
    run,
    jellyfin,
    emby,
    trakt,
    async [Symbol.asyncDispose]() {
      await ui[Symbol.asyncDispose]()
      await Promise.all([jellyfin.close(), emby.close(), trakt.close()])
    },
  }
}

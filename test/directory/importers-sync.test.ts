// slow: a running service with a thread for each importer
// Each importer of the directory is added while the service runs, reads a file as its product writes it, and its plays reach
// Trakt once. A file without ids writes nothing by its titles. Removed importers leave the plays.
import { join } from 'node:path'
import t from 'tap'
import { zipSync } from 'fflate'
import { collectionOf, entry } from '../../plugins/directory/anilist-json/conformance.ts'
import { HEAT } from '../../plugins/directory/kodi-export/conformance.ts'
import { fileOf } from '../../plugins/directory/mal-xml/conformance.ts'
import { ANN, backup as playbackBackup, line } from '../../plugins/directory/playback-reporting/conformance.ts'
import ryot from '../../plugins/directory/ryot-export/conformance.ts'
import stremio from '../../plugins/directory/stremio-json/conformance.ts'
import { backup as streamystatsBackup, session } from '../../plugins/directory/streamystats/conformance.ts'
import { expectOk, signInToTrakt } from '../demo/sign-in.ts'
import { type Service, startService, until } from '../harness.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import type { Movie } from '../upstreams/trakt/catalogue.ts'
import { DIRECTORY } from './rules.ts'

t.setTimeout(900_000)

type Files = Readonly<Record<string, string>>
interface ProductFile {
  readonly files: (film: Movie) => Files
  /** Of its one play; undefined if it has only numbers that Trakt does not know. */
  readonly at: string | undefined
  /** The file has titles only: a person chooses the film. */
  readonly isChosen?: boolean
}

const OF: Readonly<Record<string, ProductFile>> = {
  movary: {
    files: ({ title, year, ids }) => ({
      'history.csv': `title,year,tmdbId,imdbId,watchedAt,comment,location\n"${title}",${year},${ids.tmdb},${ids.imdb},2024-03-20,,\n`,
    }),
    at: '2024-03-20',
  },
  'kodi-export': {
    files: ({ title, ids }) => ({
      'kodi_videodb_2026-01-01/videodb.xml': `<?xml version="1.0" encoding="UTF-8"?><videodb><version>1</version>${HEAT.replaceAll(
        'Heat',
        title,
      )
        .replaceAll('tt0113277', ids.imdb!)
        .replace('>949<', `>${ids.tmdb}<`)}</videodb>`,
    }),
    at: '2024-07-01',
  },
  'ryot-export': {
    files: ({ title, ids }) => ({
      'ryot-export.json': ryot['ryot-export.json']
        .replace('"identifier":"603"', `"identifier":"${ids.tmdb}"`)
        .replace('The Matrix', title),
    }),
    at: '2024-11-02T20:30:00.000Z',
  },
  'stremio-json': {
    files: ({ ids }) => ({ 'stremioExport.json': stremio['stremioExport.json'].replaceAll('tt0133093', ids.imdb!) }),
    at: '2025-03-23T21:31:53.450Z',
  },
  'playback-reporting': {
    files: ({ title }) => playbackBackup(line('2024-01-06 20:30:00', ANN, 'Movie', title, 100)),
    at: '2024-01-06',
    isChosen: true,
  },
  streamystats: {
    files: ({ title }) => streamystatsBackup(session('ann', title, '2026-01-04T22:00:00.000Z', 105)),
    at: '2026-01-04T22:00:00.000Z',
    isChosen: true,
  },
  'mal-xml': {
    files: ({ title }) => ({
      'animelist.xml': fileOf([{ id: 1, title, type: 'Movie', status: 'Completed', watched: 1, finish: '2024-05-01' }]),
    }),
    at: undefined,
  },
  'anilist-json': {
    files: ({ title }) => ({
      'list.json': collectionOf(
        entry(11, 'COMPLETED', { of: { title: { romaji: title, english: title, native: null } } }),
      ),
    }),
    at: undefined,
  },
}

async function add(service: Service, name: string): Promise<void> {
  await expectOk(service, '/api/plugin-folders', { folder: join(DIRECTORY, name) })
  await expectOk(service, `/api/plugins/${name}/enable`, {})
  await until(`${name} runs`, async () => (await service.plugin(name)).state === 'active')
}

async function upload(service: Service, files: Files): Promise<any> {
  const named = Object.entries(files)
  const [name, bytes]: [string, Uint8Array<ArrayBuffer>] =
    named.length === 1
      ? [named[0]![0].split('/').at(-1)!, new TextEncoder().encode(named[0]![1])]
      : ['export.zip', zipSync(Object.fromEntries(named.map(([path, text]) => [path, new TextEncoder().encode(text)])))]
  const body = new FormData()
  body.append('file', new Blob([bytes]), name)
  return (await service.json('/api/import/preview', { method: 'POST', body } as never)).body
}

/** Imports a file to the end, as the pages do. */
async function importAll(service: Service, files: Files, chosen?: Movie): Promise<any> {
  const { import_id: id } = await upload(service, files)
  const view = async () => (await service.json(`/api/import/${id}`)).body
  if (chosen !== undefined) {
    const { titles } = (await service.json(`/api/import/${id}/titles`)).body
    const { ids, title, year } = chosen
    const choice = { type: 'movie', ids: { tmdb: ids.tmdb, imdb: ids.imdb }, title, year }
    await expectOk(service, `/api/import/${id}/choices`, { choices: [{ title: titles[0].title, choice }] })
  }
  const { persons } = await view()
  await service.json('/api/import/run', {
    json: { import_id: id, provider: 'TRACKA', features: ['history'], person: persons[0]?.name ?? null },
  })
  await until('the import has ended', async () => !['previewed', 'comparing', 'running'].includes((await view()).state))
  return view()
}

t.test('a file of each product reaches a tracker once, through an importer that is added and removed', async (t) => {
  await using trakt = await startTrakt({ plan: 'vip', rateLimits: false })
  await using service = await startService({ shipped: true })
  await signInToTrakt(service, trakt)
  const films = trakt.catalogue.movies.filter(({ ids }) => ids.tmdb != null && ids.imdb != null)
  const plays = () =>
    trakt.user.plays().map(({ key, watchedAtMs }) => [key, new Date(watchedAtMs).toISOString()] as const)
  let [count, place] = [0, 0]
  for (const [name, { files, at, isChosen = false }] of Object.entries(OF)) {
    const film = films[place++]!
    const { key } = trakt.catalogue.find('movie', film.ids)!
    await add(service, name)
    if (isChosen) {
      t.match(await importAll(service, files(film)), { state: 'done' })
      t.equal(plays().length, count, `${name}: nothing is written by its title`)
    }
    t.match(await importAll(service, files(film), isChosen ? film : undefined), { state: 'done' }, name)
    count += at === undefined ? 0 : 1
    t.equal(plays().length, count, name)
    if (at !== undefined)
      t.ok(
        plays().some(([one, time]) => one === key && time.startsWith(at)),
        `${name}: ${plays().at(-1)}`,
      )
    t.match(await importAll(service, files(film), isChosen ? film : undefined), { state: 'done' }, name)
    t.equal(plays().length, count, `${name}: the same file again adds nothing`)

    t.match(await service.json(`/api/plugin-folders/${name}`, { method: 'DELETE' }), { status: 200 })
    await until(`${name} is gone`, async () => (await service.json(`/api/plugins/${name}`)).status === 404)
  }
  t.equal(plays().length, count, 'the plays stay')
})

// slow: the service as a process, killed and started again
// Imports into accounts of Trakt and Jellyfin: previewed, killed in the middle, restarted, repeated and undone, also with
// kills. The accounts are used meanwhile.
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type Client, expectOk, signInToJellyfin, signInToTrakt } from '../demo/sign-in.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { startTrakt } from '../upstreams/trakt.ts'
import { cookieOf, type ServiceProcess, spawnService } from './process.ts'

const ACCOUNT = { username: 'ada', password: 'correct horse battery' }
const KILLS = Number(process.env['PLAYHEAD_CRASHES'] ?? 3)

t.setTimeout(900_000)

interface Row {
  readonly feature: 'history' | 'ratings' | 'watchlist'
  readonly item: object
}

const timeOf = (ms: number) => new Date(ms).toISOString().replace('.000Z', 'Z')
const fileOf = (rows: readonly Row[]) => JSON.stringify({ format: 'playhead', version: 1, rows, count: rows.length })

/** The service, and actions of a person with it. */
async function open(data: string) {
  let service: ServiceProcess = await spawnService(data)
  await service.post('/api/app-auth/credentials', { enabled: true, ...ACCOUNT })
  let client = await signedIn(service)
  const view = async (id: string) => (await client.json(`/api/import/${id}`)).body
  const ended = async (id: string) => {
    for (;;) {
      const found = await view(id)
      if (!['comparing', 'running', 'undoing'].includes(found.state)) return found
      await sleep(30)
    }
  }
  const start = (request: object) => client.json('/api/import/run', { json: request })
  return {
    client: (): Client => client,
    view,
    ended,
    async upload(rows: readonly Row[]): Promise<any> {
      const body = new FormData()
      body.set('file', new Blob([fileOf(rows)]), 'export.json')
      const answer = await fetch(`${service.url}/api/import/preview`, {
        method: 'POST',
        body,
        headers: { cookie: cookieOf(await service.post('/api/app-auth/login', ACCOUNT)) },
      })
      if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
      return answer.json()
    },
    start,
    async run(request: { readonly import_id: string; readonly provider: string; readonly [name: string]: unknown }) {
      const { status, body } = await start(request)
      if (status !== 200 && status !== 202) throw new Error(`${status} ${JSON.stringify(body)}`)
      return ended(request.import_id)
    },
    async undo(id: string) {
      await client.json(`/api/import/${id}/undo`, { json: {} })
      return ended(id)
    },
    async die() {
      await service.kill('SIGKILL')
      service = await spawnService(data)
      client = await signedIn(service)
    },
    [Symbol.asyncDispose]: async () => void (await service.kill('SIGKILL')),
  }
}

async function signedIn(service: ServiceProcess): Promise<Client> {
  const cookie = cookieOf(await service.post('/api/app-auth/login', ACCOUNT))
  return {
    async json(path, { json, method } = {}) {
      const answer = await fetch(service.url + path, {
        method: method ?? (json === undefined ? 'GET' : 'POST'),
        headers: { cookie, ...(json === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      })
      return { status: answer.status, body: await answer.json() }
    },
  }
}

async function until(what: string, check: () => boolean): Promise<void> {
  for (const endsAt = performance.now() + 60_000; !check(); await sleep(1))
    if (performance.now() > endsAt) throw new Error(`${what} did not happen`)
}

function sameSet(t: Test, found: readonly string[], wanted: readonly string[], what = 'as expected'): void {
  const [has, wants] = [new Set(found), new Set(wanted)]
  t.strictSame(
    {
      count: found.length,
      extra: found.filter((one) => !wants.has(one)),
      missing: wanted.filter((one) => !has.has(one)),
    },
    { count: wanted.length, extra: [], missing: [] },
    what,
  )
}

t.test('Trakt: every play is written once despite kills, and the import is undone completely', async (t) => {
  await using trakt = await startTrakt({ movies: 1_200, shows: 4, plan: 'vip', rateLimits: false, latencyMs: 20 })
  const { user } = trakt
  // Some titles have only ids that other services lack.
  const known = trakt.catalogue.movies
    .map((_, index): any => trakt.movie(index))
    .filter(({ movie: { ids } }) => ids.tmdb != null && ids.imdb != null)
  const entry = (index: number) => known[index]
  const movie = (index: number) => entry(index).movie
  const item = (index: number, more: object) => {
    const { title, year, ids } = movie(index)
    return { type: 'movie', title, year, ids: { imdb: ids.imdb, tmdb: String(ids.tmdb) }, ...more }
  }
  const playAt = (index: number, round: number) => Date.UTC(2020, 0, 1) + index * 86_400_000 + round * 31_536_000_000
  const play = (index: number, round: number): Row => ({
    feature: 'history',
    item: item(index, { watched: true, watched_at: timeOf(playAt(index, round)) }),
  })
  const rating = (index: number): Row => ({
    feature: 'ratings',
    item: item(index, { rating: 1 + (index % 10), rated_at: '2021-01-01T00:00:00Z' }),
  })
  const listed = (index: number): Row => ({
    feature: 'watchlist',
    item: item(index, { added_at: '2021-01-01T00:00:00Z' }),
  })
  // The account already has some of the file, and other titles.
  for (let index = 0; index < 20; index += 1) user.watch(entry(index), playAt(index, 0))
  user.watch(entry(5), Date.UTC(2025, 3, 3))
  user.rate(entry(3), 10, Date.UTC(2025, 0, 1))
  user.addToWatchlist(entry(850))
  const before = holdings()

  const rows: Row[] = [
    ...Array.from({ length: 850 }, (_, index) => play(index, 0)),
    ...Array.from({ length: 600 }, (_, index) => play(index, 1)),
    ...Array.from({ length: 700 }, (_, index) => rating(index)),
    ...Array.from({ length: 300 }, (_, index) => listed(index + 600)),
    {
      feature: 'history',
      item: { type: 'movie', title: movie(890).title, ids: {}, watched_at: '2021-05-05T20:00:00Z' },
    },
    { feature: 'history', item: { type: 'movie', title: 'No such film', ids: {}, watched_at: '2021-05-06T20:00:00Z' } },
    { feature: 'history', item: item(891, {}) },
    {
      feature: 'history',
      item: { type: 'movie', title: 'Unknown there', ids: { imdb: 'tt0000099' }, watched_at: '2021-05-07T20:00:00Z' },
    },
  ]
  const plays = () => user.plays().map(({ key, watchedAtMs }) => `${key} ${watchedAtMs}`)
  const keyOf = (index: number) => entry(index).key

  await using service = await open(t.testdir())
  await signInToTrakt(service.client(), trakt)
  const preview = await service.upload(rows)
  const id = preview.import_id
  t.match(preview, { rows: rows.length, ambiguous: 2, unmatched: 1, reasons: { title_only: 2, missing_time: 1 } })
  const { titles } = (await service.client().json(`/api/import/${id}/titles`)).body
  t.equal(titles.length, 2)
  const same = titles.find((one: any) => one.about.title === movie(890).title)
  await expectOk(service.client(), `/api/import/${id}/choices`, {
    choices: [{ title: same.title, choice: { type: 'movie', ids: { tmdb: movie(890).ids.tmdb } } }],
  })
  const dry = await service.run({ import_id: id, provider: 'TRACKA', dry_run: true })
  t.match(dry, {
    state: 'planned',
    plan: {
      history: { add: 1_450 - 20 + 2, already: 20, unmatched: 1 },
      ratings: { add: 699, conflict: 1 },
      watchlist: { add: 299, already: 1 },
    },
  })
  t.same(holdings(), before, 'a look writes nothing')

  // Between the preview and the write, the person watches a title of the file, rates another, and deletes a play of the file.
  user.watch(entry(30), playAt(30, 0))
  user.rate(entry(31), 5, Date.UTC(2026, 0, 1))
  user.unwatch(entry(7))

  let interrupted = 0
  for (let kill = 0; kill < KILLS; kill += 1) {
    const sent = trakt.requests.filter(isWrite).length
    const running = service.start({ import_id: id, provider: 'TRACKA' }).catch(() => null)
    // Kill during a request, after it, and between features.
    await until('a write', () => trakt.requests.filter(isWrite).length > sent)
    await sleep([0, 25, 60][kill % 3]!)
    await service.die()
    await running
    const { state } = await service.view(id)
    t.ok(['interrupted', 'done'].includes(state), `after kill ${kill + 1} it is ${state}`)
    interrupted += state === 'interrupted' ? 1 : 0
  }
  t.ok(interrupted > 0, `${interrupted} kills were in its middle`)
  const done = await service.run({ import_id: id, provider: 'TRACKA' })
  t.match(done, {
    state: 'done',
    plan: { history: { unmatched: 1 }, ratings: { conflict: 2 } },
    outcomes: { not_found: 1 },
  })
  const wanted = [
    ...Array.from({ length: 850 }, (_, index) => `${keyOf(index)} ${playAt(index, 0)}`),
    ...Array.from({ length: 600 }, (_, index) => `${keyOf(index)} ${playAt(index, 1)}`),
    `${keyOf(5)} ${Date.UTC(2025, 3, 3)}`,
    `${keyOf(890)} ${Date.UTC(2021, 4, 5, 20)}`,
  ].sort()
  sameSet(t, plays(), wanted, 'every play once, and none by its title alone')
  t.match([ratingOf(3), ratingOf(31), ratingOf(32)], [10, 5, 3], 'ratings of the account stay')
  t.equal(user.account.ratings.size, 700)
  t.equal(user.account.watchlist.length, 300, 'also what was watched, although that takes it off')

  const again = await service.upload(rows)
  const second = await service.run({ import_id: again.import_id, provider: 'TRACKA' })
  t.match(second, { state: 'done', plan: { watchlist: { already: 300 }, ratings: { already: 698, conflict: 2 } } })
  sameSet(t, plays(), wanted, 'the same file once more adds nothing')

  for (let kill = 0; kill < KILLS; kill += 1) {
    const sent = trakt.requests.filter(isRemoval).length
    const undoing = service
      .client()
      .json(`/api/import/${id}/undo`, { json: {} })
      .catch(() => null)
    await until('a removal', () => trakt.requests.filter(isRemoval).length > sent)
    await sleep([0, 25, 60][kill % 3]!)
    await service.die()
    await undoing
    t.match(await service.view(id), { state: 'interrupted' }, `undo, after kill ${kill + 1}`)
    const { body } = await service.client().json('/api/attention')
    t.match(JSON.stringify(body), 'while it took back what it had written')
  }
  t.match(await service.undo(id), { state: 'undone', run: { plan_ids: [] } })
  sameSet(
    t,
    holdings(),
    [
      ...before.filter((one) => one !== `play ${keyOf(7)} ${playAt(7, 0)}`),
      `play ${keyOf(30)} ${playAt(30, 0)}`,
      `rating ${keyOf(31)} 5`,
    ].sort(),
    'what was there before, and what the person did meanwhile, stays',
  )
  t.match(await service.run({ import_id: id, provider: 'TRACKA' }), { state: 'done' })
  sameSet(t, plays(), wanted, 'and it can be written again')

  function isWrite({ method, path }: { method: string; path: string }): boolean {
    return method === 'POST' && path.startsWith('/sync/')
  }
  function isRemoval(request: { method: string; path: string }): boolean {
    return isWrite(request) && request.path.includes('/remove')
  }
  function ratingOf(index: number): number | undefined {
    return (user.account.ratings.get(keyOf(index)) as any)?.rating
  }
  function holdings(): readonly string[] {
    const { plays: all, watchlist, ratings } = user.account as any
    return [
      ...all.map(({ entry, watchedAtMs }: any) => `play ${entry.key} ${watchedAtMs}`),
      ...watchlist.map((one: any) => `watchlist ${one.entry?.key ?? one.key}`),
      ...[...ratings.values()].map((one: any) => `rating ${one.entry?.key ?? one.key} ${one.rating}`),
    ].sort()
  }
})

t.test('Jellyfin: only items of its library are marked, and unmarked again', async (t) => {
  await using jellyfin = await startJellyfin({ movies: 700, shows: 2, activity: 0, latencyMs: 3 })
  // As in any library, some titles have no ids, and some are duplicates.
  const copies = Map.groupBy(
    jellyfin.items('Movie').filter(({ providerIds: { Tmdb = '' } }) => Tmdb !== ''),
    ({ providerIds }) => providerIds['Tmdb']!,
  )
  const films = [...copies.values()].map((own) => own.at(-1)!)
  const last = films.length - 1
  const item = (index: number, more: object) => {
    const { name, providerIds } = films[index]!
    return { type: 'movie', title: name, ids: { tmdb: providerIds['Tmdb'], imdb: providerIds['Imdb'] }, ...more }
  }
  const playAt = (index: number) => Date.UTC(2022, 0, 1) + index * 86_400_000
  const rows: Row[] = [
    ...Array.from(
      { length: 350 },
      (_, index): Row => ({
        feature: 'history',
        item: item(index, { watched: true, watched_at: timeOf(playAt(index)) }),
      }),
    ),
    // An older play of the same film: this server keeps only one.
    { feature: 'history', item: item(0, { watched: true, watched_at: '2019-01-01T00:00:00Z' }) },
    {
      feature: 'history',
      item: { type: 'movie', title: films[last]!.name, ids: {}, watched_at: '2021-05-05T20:00:00Z' },
    },
    {
      feature: 'history',
      item: { type: 'movie', title: 'Not here', ids: { tmdb: '99999999' }, watched_at: '2021-05-07T20:00:00Z' },
    },
  ]
  jellyfin.actions.markPlayed('sam', films[0]!.id, Date.UTC(2024, 1, 1))
  jellyfin.actions.markPlayed('sam', films[last]!.id, Date.UTC(2024, 1, 2))
  await using service = await open(t.testdir())
  await signInToJellyfin(service.client(), jellyfin)
  const { import_id: id } = await service.upload(rows)
  t.match(await service.run({ import_id: id, provider: 'MEDIAB', dry_run: true }), {
    plan: { history: { add: 350, already: 2 } },
  })
  const before = played()
  for (let kill = 0; kill < 2; kill += 1) {
    const had = played().length
    const running = service.start({ import_id: id, provider: 'MEDIAB' }).catch(() => null)
    await until('a mark', () => played().length > had + 40)
    await service.die()
    await running
  }
  const done = await service.run({ import_id: id, provider: 'MEDIAB' })
  t.match(done, { state: 'done', outcomes: { not_found: 1 } })
  const wanted = [
    `${films[0]!.id} ${Date.UTC(2024, 1, 1)}`,
    `${films[last]!.id} ${Date.UTC(2024, 1, 2)}`,
    ...Array.from({ length: 349 }, (_, index) => `${films[index + 1]!.id} ${playAt(index + 1)}`),
  ].sort()
  sameSet(t, played(), wanted)
  const again = await service.upload(rows)
  t.match(await service.run({ import_id: again.import_id, provider: 'MEDIAB' }), {
    state: 'done',
    plan: { history: { already: 351 } },
  })
  sameSet(t, played(), wanted, 'the same file once more changes nothing')
  // A film is watched again, so the undo must not revert that.
  jellyfin.actions.markPlayed('sam', films[9]!.id, Date.UTC(2026, 5, 5))
  t.match(await service.undo(id), { state: 'undone' })
  sameSet(t, played(), [...before, `${films[9]!.id} ${Date.UTC(2026, 5, 5)}`].sort())

  // A film counts as watched if any copy does: a kill may happen between two copies.
  function played(): readonly string[] {
    return films
      .flatMap((film) => {
        const times = (copies.get(film.providerIds['Tmdb']!) ?? []).flatMap(({ id: copy }) => {
          const data = jellyfin.actions.userData('sam', copy)
          return data?.played === true ? [data.lastPlayedAtMs ?? 0] : []
        })
        return times.length === 0 ? [] : [`${film.id} ${Math.max(...times)}`]
      })
      .sort()
  }
})

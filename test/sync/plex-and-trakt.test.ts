// slow: the whole service over every combination
// Complete runs between stand-ins of Plex and Trakt, over HTTP.
import t from 'tap'
import { expectOk, runToEnd, signInToPlex, signInToTrakt } from '../demo/sign-in.ts'
import { startService } from '../harness.ts'
import { startPlex } from '../upstreams/plex.ts'
import { startTrakt } from '../upstreams/trakt.ts'

const DAY_MS = 86_400_000
const ON = { enabled: true, add: true, remove: true }
const MOVIES = 40

async function connected(
  features: object = { watchlist: ON, history: ON, ratings: { ...ON, types: 'all', mode: 'all' } },
) {
  const stack = new AsyncDisposableStack()
  const plex = stack.use(await startPlex({ movies: MOVIES, shows: 2, cloudTitles: 60 }))
  const trakt = stack.use(await startTrakt({ movies: 60, shows: 4, plan: 'vip', rateLimits: false }))
  const service = stack.use(await startService({ shipped: true, watch: false }))
  await signInToPlex(service, plex)
  await signInToTrakt(service, trakt)
  const films = [...plex.state.items.values()].filter(({ type }) => type === 'movie')
  const now = Date.now()
  for (let index = 0; index < 12; index += 1) {
    plex.actions.watch('owner', films[index * 2]!.ratingKey, now - (index + 2) * DAY_MS)
    trakt.user.watch(trakt.movie(index * 2 + 1), now - (index + 2) * DAY_MS)
    if (index % 3 === 0) plex.actions.rate('owner', films[index]!.ratingKey, 1 + (index % 10), now - index * DAY_MS)
    if (index % 4 === 0) trakt.user.rate(trakt.movie(index + 20), 1 + (index % 10), now - index * DAY_MS)
    if (index % 2 === 0) trakt.user.addToWatchlist(trakt.movie(30 + index), now - index * DAY_MS)
  }
  await expectOk(service, '/api/pairs', {
    source: 'MEDIAA',
    target: 'TRACKA',
    mode: 'two_way',
    enabled: true,
    features,
  })
  return { stack, plex, trakt, service, films }
}

const planned = (summary: any): number =>
  summary.pairs.flatMap((pair: any) => pair.features).reduce((sum: number, feature: any) => sum + feature.planned, 0)
const sums = ({ added_last: added, removed_last: removed, updated_last: updated }: any) => ({ added, removed, updated })

/** Runs until no change remains, except items that neither side can store. */
async function settle(service: Awaited<ReturnType<typeof connected>>['service']): Promise<any> {
  let summary = await runToEnd(service)
  for (let run = 0; run < 4 && summary.added_last + summary.updated_last + summary.removed_last > 0; run += 1)
    summary = await runToEnd(service)
  return summary
}

t.test('both accounts are synced and stay synced', async (t) => {
  const { stack, plex, trakt, service } = await connected()
  await using _stack = stack
  const first = await runToEnd(service)
  t.not(first.result, 'failed')
  t.ok(first.added_last > 20)
  await settle(service)
  const before = [plex.cloud.count() + plex.server.count(), trakt.count()] as const
  const again = await runToEnd(service)

  t.same(sums(again), { added: 0, removed: 0, updated: 0 })
  t.ok(trakt.count() - before[1] <= 10, `${trakt.count() - before[1]} requests to Trakt`)
  t.ok(
    plex.cloud.count() + plex.server.count() - before[0] <= 30,
    `${plex.cloud.count() + plex.server.count() - before[0]} requests to Plex`,
  )
  const plays = trakt.user.account.plays.map(
    ({ entry, watchedAtMs }) => `${entry.key} ${Math.floor(watchedAtMs / 60_000)}`,
  )
  t.equal(new Set(plays).size, plays.length, 'no play twice')
  const watched = new Set(plex.state.plays.map(({ ratingKey }) => ratingKey))
  t.ok(watched.size >= 20, `${watched.size} films are watched at Plex`)
})

t.test('a film in two libraries has one play at the tracker for each viewing', async (t) => {
  const { stack, plex, trakt, service, films } = await connected({ history: { ...ON, rewatches: true } })
  await using _stack = stack
  for (const film of films.slice(0, 8)) {
    const { ratingKey: _ratingKey, addedAtMs: _addedAtMs, ...copy } = film
    plex.actions.addItem(copy)
  }
  const plays = () => trakt.user.account.plays.length
  await runToEnd(service)
  await settle(service)
  const [atTrakt, viewings] = [plays(), 24]
  t.equal(atTrakt, viewings, 'twelve of each side')
  for (let run = 0; run < 2; run += 1) await runToEnd(service)
  t.equal(plays(), viewings)
})

t.test('a change by a person on either side reaches the other', async (t) => {
  const { stack, plex, trakt, service, films } = await connected()
  await using _stack = stack
  await settle(service)
  await settle(service)

  plex.actions.rate('owner', films[0]!.ratingKey, 9, Date.now() - 1_000)
  trakt.user.rate(trakt.movie(1), 2)
  const rated = await runToEnd(service)
  t.match(rated, { removed_last: 0 })
  t.equal(rated.added_last + rated.updated_last, 2)
  t.same([...trakt.user.account.ratings.values()].filter(({ rating }) => rating === 9).length >= 1, true)

  const listed = trakt.user.account.watchlist[0]!.entry
  trakt.user.removeFromWatchlist(listed)
  t.equal((await runToEnd(service)).removed_last, 0, 'a list that is shorter is read once more before it is believed')
  t.equal((await runToEnd(service)).removed_last, 1, 'what left one watchlist leaves the other')

  plex.actions.watch('owner', films[31]!.ratingKey, Date.now() - DAY_MS)
  const plays = trakt.user.account.plays.length
  await runToEnd(service)
  t.equal(trakt.user.account.plays.length, plays + 1)
  t.equal(planned(await runToEnd(service)), 0)
})

t.test('a token that expires is refreshed during a run; a revoked one stops only its pair', async (t) => {
  const { stack, trakt, service } = await connected()
  await using _stack = stack
  trakt.user.expireTokens()
  t.ok((await runToEnd(service)).added_last > 0)
  await settle(service)
  const before = JSON.stringify([
    trakt.user.account.plays.length,
    trakt.user.account.watchlist.length,
    trakt.user.account.ratings.size,
  ])
  trakt.user.revokeTokens()

  const summary = await runToEnd(service)

  t.ok(
    summary.pairs[0].features.every(({ status }: { status: string }) => status === 'skipped' || status === 'failed'),
    JSON.stringify(summary.pairs[0].features.map(({ status, reason }: any) => [status, reason])),
  )
  t.equal(
    JSON.stringify([
      trakt.user.account.plays.length,
      trakt.user.account.watchlist.length,
      trakt.user.account.ratings.size,
    ]),
    before,
  )
})

for (const fault of [
  { kind: 'status', status: 429, headers: { 'retry-after': '1' }, times: 2 },
  { kind: 'reset', times: 2 },
  { kind: 'status', status: 502, times: 3 },
] as const) {
  t.test(
    `writes that meet ${fault.kind} ${'status' in fault ? fault.status : ''} end with every play once`,
    async (t) => {
      const { stack, trakt, service } = await connected({ history: ON })
      await using _stack = stack
      trakt.faults.add({ ...fault, match: (request) => request.method === 'POST' && request.path.startsWith('/sync/') })
      await runToEnd(service)
      trakt.faults.clear()
      await settle(service)
      const plays = trakt.user.account.plays.map(
        ({ entry, watchedAtMs }) => `${entry.key} ${Math.floor(watchedAtMs / 60_000)}`,
      )
      t.equal(new Set(plays).size, plays.length)
      t.equal(plays.length, 24, 'all of both')
    },
  )
}

t.test('plays with a known day only are written at noon, as planned, and stay the same plays', async (t) => {
  await using plex = await startPlex({ movies: MOVIES, shows: 2, cloudTitles: 60 })
  await using trakt = await startTrakt({ movies: 60, shows: 4, plan: 'vip', rateLimits: false })
  await using service = await startService({ shipped: true, watch: false })
  await signInToPlex(service, plex)
  await signInToTrakt(service, trakt)
  await expectOk(service, '/api/config', { svc: { enabled: true } })
  const ids = [1, 2, 3].map((index) => String(trakt.catalogue.movies[index]!.ids.tmdb))
  const rows = [
    ...['2024-03-01', '2024-03-02'].map((at) => ({ ids: { tmdb: ids[0] }, watched_at: at })),
    { ids: { tmdb: ids[1] }, watched_at: '1999-12-31' },
    { ids: { tmdb: ids[2] } },
  ].map((item) => ({ feature: 'history', item: { type: 'movie', watched: true, ...item } }))
  async function imported(provider: string, more: object = {}) {
    const body = new FormData()
    body.set('file', new Blob([JSON.stringify({ format: 'playhead', version: 1, rows, count: rows.length })]), 'e.json')
    const preview = await service.json('/api/import/preview', { method: 'POST', body })
    const request = { import_id: preview.body.import_id, provider, ...more }
    const { body: started } = await service.json('/api/import/run', { json: request })
    let ended = started
    while (['comparing', 'running'].includes(ended.state))
      ended = (await service.json(`/api/import/${preview.body.import_id}`)).body
    return ended
  }
  const times = () => trakt.user.account.plays.map(({ watchedAtMs }) => new Date(watchedAtMs).toISOString()).sort()
  const noon = (day: string) => `${day}T12:00:00.000Z`

  t.match(await imported('SVC'), { state: 'done', outcomes: { applied: 3 } })
  const ON_ALL = { ...ON, rewatches: true, update_watched_at: true }
  const pair = await expectOk(service, '/api/pairs', {
    source: 'SVC',
    target: 'TRACKA',
    mode: 'two_way',
    enabled: true,
    features: { history: ON_ALL },
  })
  t.match(sums(await runToEnd(service)), { added: 3, removed: 0, updated: 0 }, 'every play')
  t.same(times(), ['1999-12-31', '2024-03-01', '2024-03-02'].map(noon))
  t.match(sums(await runToEnd(service)), { added: 0, removed: 0, updated: 0 }, 'and once')
  trakt.user.watch(trakt.movie(1), Date.parse('2024-03-03T10:00:00Z'))
  t.match(sums(await runToEnd(service)), { added: 1, removed: 0, updated: 0 }, 'the next one is another play')
  t.equal(planned(await runToEnd(service)), 0)
  t.equal(times().length, 4)
  await expectOk(service, `/api/pairs/${pair.id}`, { features: { history: { ...ON_ALL, rewatches: false } } }, 'PUT')
  t.match(sums(await runToEnd(service)), { added: 0, removed: 0, updated: 0 }, 'by item')
  t.equal(planned(await runToEnd(service)), 0)
  const { body: rowsOf } = await service.json('/api/editor?source=tracker&kind=history')
  t.match(JSON.stringify(rowsOf), /"1999-12-31/, 'the tracker keeps the day')

  const dry = await imported('TRACKA', { dry_run: true, undated_as: '2020-01-01' })
  t.match(dry, { state: 'planned', plan: { history: { add: 1, already: 3 } } })
  t.match(await imported('TRACKA', { undated_as: '2020-01-01' }), { state: 'done', outcomes: { applied: 1 } })
  t.equal(times().filter((at) => at === noon('2020-01-01')).length, 1, 'the day that the person enters')
  t.match(
    await imported('TRACKA', { undated_as: '2020-01-01' }),
    { state: 'done', outcomes: {} },
    'the same file again',
  )
  t.equal(times().length, 5)
})

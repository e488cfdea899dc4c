// slow: the whole service, or very many cases
// Captures and restores of accounts at the stand-ins of the products, over their own protocols, while people use the accounts.
import t, { type Test } from 'tap'
import { atEndOfFile } from '../../at-end-of-file.ts'
import { expectOk, signInToJellyfin, signInToPlex, signInToTrakt } from '../../demo/sign-in.ts'
import { startService } from '../../harness.ts'
import { startJellyfin } from '../../upstreams/jellyfin.ts'
import { startPlex } from '../../upstreams/plex.ts'
import { startTrakt } from '../../upstreams/trakt.ts'
import { API } from './world.ts'

t.setTimeout(900_000)

const jellyfin = await startJellyfin({ movies: 40, shows: 2, activity: 0.5 })
const plex = await startPlex({ movies: 40, shows: 2, cloudTitles: 30 })
const trakt = await startTrakt({ movies: 60, shows: 3, plan: 'vip', rateLimits: false })
const service = await startService({ shipped: true, watch: false })
atEndOfFile(async () => {
  await service[Symbol.asyncDispose]()
  await Promise.all([jellyfin.close(), plex.close(), trakt.close()])
})
await signInToJellyfin(service, jellyfin)
await signInToPlex(service, plex)
await signInToTrakt(service, trakt)
await expectOk(service, '/api/config', { mediaB: { max_retries: 0 } })

const capture = async (provider: string, feature: string) =>
  (await expectOk(service, `${API}/create`, { provider, feature })).snapshot
/** The identity and value of each row, without ids that the service assigns again. */
async function rows(path: string): Promise<string[]> {
  const found: string[] = []
  for (let offset = 0; ; offset += 1_000) {
    const { body } = await service.json(`${API}/read?path=${encodeURIComponent(path)}&offset=${offset}&limit=1000`)
    found.push(
      ...body.snapshot.rows.map(({ key, item }: any) =>
        [key, item.rating, item.watched_at, item.progress_ms].join(' '),
      ),
    )
    if (body.snapshot.rows.length < 1_000) return found.sort()
  }
}
const ALL = ['removals', 'empty', 'incomplete', 'account', 'scope']

async function backAndForth(t: Test, provider: string, feature: string, mode: string, change: () => void) {
  const first = await capture(provider, feature)
  t.ok(first.count > 0, `${provider} ${feature}: ${first.count} rows`)
  change()
  const changed = await capture(provider, feature)
  const { body } = await service.json(
    `${API}/diff?a=${encodeURIComponent(first.path)}&b=${encodeURIComponent(changed.path)}`,
  )
  const { added, removed, updated } = body.diff.summary
  t.ok(added + removed + updated > 0, 'something changed meanwhile')
  const answer = await service.json(`${API}/restore`, { json: { path: first.path, mode, confirm: ALL } })
  t.match([answer.status, answer.body.result?.verified], [200, true], JSON.stringify(answer.body).slice(0, 1_500))
  const last = await capture(provider, feature)
  t.same(await rows(last.path), await rows(first.path), `${provider} ${feature} is as it was captured`)
  const quiet = await service.json(`${API}/restore`, { json: { path: first.path, mode: 'merge' } })
  t.match(quiet.body.result, { added: 0, removed: 0, before_path: null }, 'property 36: nothing is left to do')
}

t.test('property 34: Trakt, with rewatches, over its protocol', async (t) => {
  const { user } = trakt
  for (let index = 0; index < 30; index += 1) {
    user.watch(trakt.movie(index), Date.UTC(2025, 0, 1 + index, 20))
    if (index % 4 === 0) user.watch(trakt.movie(index), Date.UTC(2025, 5, 1 + index, 21))
    user.rate(trakt.movie(index), (index % 10) + 1, Date.UTC(2025, 2, 1))
    if (index > 20) user.addToWatchlist(trakt.movie(index + 20), Date.UTC(2025, 2, 2))
  }
  for (const mode of ['exact', 'clear_restore']) {
    await backAndForth(t, 'TRACKA', 'history', mode, () => {
      for (let index = 0; index < 8; index += 1) user.unwatch(trakt.movie(index))
      for (let index = 40; index < 46; index += 1) user.watch(trakt.movie(index), Date.UTC(2026, 0, index - 30))
    })
    await backAndForth(t, 'TRACKA', 'ratings', mode, () => {
      for (let index = 0; index < 8; index += 1) user.rate(trakt.movie(index), index % 2 === 0 ? undefined : 10)
      user.rate(trakt.movie(50), 3)
    })
    await backAndForth(t, 'TRACKA', 'watchlist', mode, () => {
      user.removeFromWatchlist(trakt.movie(41))
      user.addToWatchlist(trakt.movie(55))
    })
  }
})

t.test('property 34: Jellyfin, whose library limits what can be watched', async (t) => {
  const films = jellyfin.items('Movie')
  for (const [place, item] of films.slice(0, 20).entries())
    jellyfin.actions.markPlayed('sam', item.id, Date.UTC(2026, 4, 1 + place))
  await backAndForth(t, 'MEDIAB', 'history', 'exact', () => {
    for (const item of films.slice(0, 6)) jellyfin.actions.markUnplayed('sam', item.id)
  })
})

t.test('a server that hides its libraries during the capture, and a restore of it', async (t) => {
  await expectOk(service, '/api/config', { runtime: { debug: true } })
  await service.json('/api/editor/state/import', { json: { provider: 'MEDIAB', features: ['history'] } })
  const sam = jellyfin.world.users.find(({ name }) => name === 'sam')!
  const { libraries } = sam
  const whole = await capture('MEDIAB', 'history')
  sam.libraries = []
  const answer = await service.json(`${API}/create`, { json: { provider: 'MEDIAB', feature: 'history' } })
  sam.libraries = libraries
  if (answer.status === 200) {
    t.match(answer.body.snapshot.doubt, /_read$/, 'it is marked')
    const { body } = await service.json(`${API}/restore`, {
      json: { path: answer.body.snapshot.path, mode: 'exact', confirm: ['removals', 'empty'] },
    })
    t.match(body, { error: 'confirmation_required', needs: ['incomplete'] })
  } else t.equal(answer.status, 502)
  t.equal((await capture('MEDIAB', 'history')).count, whole.count, 'nothing was lost')
})

t.test('property 34: Plex, and property 45: a clear at the service', async (t) => {
  const { state, actions } = plex
  const films = [...state.items.values()].filter(({ type }) => type === 'movie').slice(0, 20)
  for (const [place, { ratingKey }] of films.entries()) {
    actions.watch('owner', ratingKey, Date.UTC(2026, 3, 1 + place))
    actions.rate('owner', ratingKey, (place % 10) + 1, Date.UTC(2026, 3, 2))
  }
  await backAndForth(t, 'MEDIAA', 'ratings', 'exact', () => {
    actions.rate('owner', films[0]!.ratingKey, 10, Date.UTC(2026, 4, 1))
    actions.rate('owner', films[1]!.ratingKey, 1, Date.UTC(2026, 4, 1))
  })
  const before = await rows((await capture('MEDIAA', 'ratings')).path)
  const cleared = await service.json(`${API}/tools/clear`, {
    json: { provider: 'MEDIAA', features: ['ratings'], confirm: 'MEDIAA/default' },
  })
  t.match(
    cleared.body,
    { ok: true, result: { results: { ratings: { remaining: 0 } } } },
    JSON.stringify(cleared.body).slice(0, 800),
  )
  t.equal((await capture('MEDIAA', 'ratings')).count, 0)
  const back = await service.json(`${API}/restore`, { json: { path: cleared.body.result.before_path, mode: 'merge' } })
  t.equal(back.body.ok, true, JSON.stringify(back.body).slice(0, 800))
  t.same(await rows((await capture('MEDIAA', 'ratings')).path), before)
})

t.test("property 34: Playhead's own tracker, with equal numbers, specials and rewatches", async (t) => {
  const film = (id: number, more: object = {}) => ({
    type: 'movie',
    title: `Film ${id}`,
    year: 2001,
    ids: { tmdb: String(id) },
    ...more,
  })
  const episode = (n: number, more: object = {}) => ({
    type: 'episode',
    show_ids: { tmdb: '603' },
    ids: {},
    season: 0,
    episode: n,
    series_title: 'Twin',
    ...more,
  })
  const put = (kind: string, items: object[], original: readonly string[] = []) =>
    expectOk(service, '/api/editor', {
      kind,
      source: 'tracker',
      items,
      ...(original.length === 0 ? {} : { original_keys: original }),
    })
  const at = (day: number) => ({ watched_at: `2026-03-${String(day).padStart(2, '0')}T20:00:00Z` })
  await put('history', [film(603, at(1)), film(603, at(9)), episode(1, at(2)), episode(2, at(3))])
  await put('ratings', [
    film(603, { rating: 7, rated_at: '2026-01-02' }),
    { type: 'show', title: 'Twin', ids: { tmdb: '603' }, rating: 4 },
  ])
  await put('watchlist', [film(603), { type: 'show', title: 'Twin', year: 2001, ids: { tmdb: '603' } }])
  const bundle = await capture('SVC', 'all')
  t.match(bundle.stats.features, { history: 4, ratings: 2, watchlist: 2 })
  const child = (feature: string) => bundle.children.find((one: any) => one.feature === feature).path
  const before = await Promise.all(['history', 'ratings', 'watchlist'].map((feature) => rows(child(feature))))
  await put('history', [film(7, at(5))])
  await put('ratings', [film(603, { rating: 1 }), film(9, { rating: 2 })])
  for (const mode of ['exact', 'clear_restore']) {
    const answer = await service.json(`${API}/restore`, { json: { path: bundle.path, mode, confirm: ALL } })
    t.match([answer.status, answer.body.ok], [200, true], JSON.stringify(answer.body).slice(0, 1_500))
    const again = await capture('SVC', 'all')
    const after = await Promise.all(
      ['history', 'ratings', 'watchlist'].map((feature) =>
        rows(again.children.find((one: any) => one.feature === feature).path),
      ),
    )
    t.same(after, before, mode)
    await put('ratings', [film(603, { rating: 2 })])
  }
})

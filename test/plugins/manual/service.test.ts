// slow: the whole service, or very many cases
// Manual actions in the whole service, with stand-ins of Plex, Jellyfin, Trakt and SIMKL, and the tracker.
import t from 'tap'
import { ALL, byProvider, startRealWorld, targets } from './real-world.ts'

t.test('a film and a show with the same number are marked, rated and listed at five accounts, once', async (t) => {
  await using world = await startRealWorld()
  const { trakt, service, mark } = world
  const film = { type: 'movie', ids: { tmdb: 900_000 } }
  const at = { date_mode: 'custom', watched_on: '2026-01-05' }
  const body = {
    item: film,
    providers: targets(...ALL),
    actions: { history: true, rating: true, watchlist: true },
    rating: 8,
    ...at,
  }
  const first = await mark(body)
  t.match(first, { status: 200, body: { ok: false, watched_at: '2026-01-05T12:00:00Z', watched_on: '2026-01-05' } })
  const results = byProvider(first.body)
  t.same(Object.keys(results), ALL)
  for (const name of ALL) t.equal(results[name].history.status, 'done', name)
  t.match(results['MEDIAB'], { ok: false, rating: { status: 'skipped', reason: 'ratings_not_supported' } })
  t.match(results['TRACKB'].watchlist, { status: 'unresolved' }, 'SIMKL does not plan what was watched')
  const again = byProvider((await mark(body)).body)
  for (const name of ALL) t.equal(again[name].history.status, 'already', name)
  t.same(
    trakt.user.plays().map(({ watchedAtMs }) => watchedAtMs),
    [Date.UTC(2026, 0, 5, 12)],
    'a second click is no second play',
  )

  // The film and the show have the same TMDB number, at every account.
  const show = { item: { type: 'show', ids: { tmdb: 900_000 } }, providers: targets(...ALL), ...at }
  t.match(await mark(show), { status: 400, body: { error: 'confirmation_required', episodes: 21 } })
  const marked = byProvider((await mark({ ...show, confirm_show: true })).body)
  for (const name of ALL)
    t.match(marked[name], { ok: true, history: { status: 'done', episodes: { total: 21, done: 21 } } }, name)
  const repeated = byProvider((await mark({ ...show, confirm_show: true })).body)
  for (const name of ALL) t.match(repeated[name].history, { status: 'already', episodes: { already: 21 } }, name)
  const keys = trakt.user.plays().map(({ key }) => key.split('/')[0])
  t.same([keys.filter((kind) => kind === 'movie').length, keys.filter((kind) => kind === 'episode').length], [1, 21])

  const plans = (await service.json('/api/plans?kind=account&limit=500')).body.plans
  t.ok(
    plans.every(
      ({ cause, cause_label: label, state }: any) =>
        cause === 'manual' && label === 'Recorded by you' && state === 'done',
    ),
    'each is a plan that can be looked at',
  )
  const { plan_id: planId } = plans.findLast(
    ({ feature, sides }: any) => feature === 'history' && sides.b.provider === 'TRACKA',
  )
  const undo = (await service.json(`/api/run/${planId}/undo`, { json: { dry_run: false } })).body
  while ((await service.json(`/api/runs/${undo.run_id}`)).body.run.running)
    await new Promise((turn) => setImmediate(turn))
  t.equal(trakt.user.plays().filter(({ key }) => key.startsWith('movie')).length, 0, 'and undone')
})

t.test('an unreachable server fails alone, and the same key gives the same response when it is back', async (t) => {
  await using world = await startRealWorld({ hasKey: false })
  const { trakt, mark } = world
  trakt.faults.add({ kind: 'status', status: 503 })
  const body = {
    item: { type: 'movie', ids: { tmdb: 900_001 } },
    providers: targets('TRACKA', 'MEDIAB', 'SVC'),
    idempotency_key: 'one-click',
  }
  const first = await mark(body)
  const results = byProvider(first.body)
  t.match(results, { MEDIAB: { ok: true }, SVC: { ok: true }, TRACKA: { ok: false } })
  t.notMatch(JSON.stringify(first.body), /127\.0\.0\.1|localhost|https?:/)
  trakt.faults.clear()
  t.same((await mark(body)).body, first.body)
  const { idempotency_key: _, ...again } = body
  t.match(byProvider((await mark(again)).body), {
    MEDIAB: { history: { status: 'already' } },
    SVC: { history: { status: 'already' } },
    TRACKA: { history: { status: 'done' } },
  })
  t.equal(trakt.user.plays().length, 1)
})

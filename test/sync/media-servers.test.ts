// slow: the whole service over every combination
// Complete runs between stand-ins of Jellyfin and Emby, over HTTP.
import t from 'tap'
import { setTimeout as sleep } from 'node:timers/promises'
import { expectOk, runToEnd, signInToEmby, signInToJellyfin, untilTrue } from '../demo/sign-in.ts'
import { startService } from '../harness.ts'
import { startEmby } from '../upstreams/emby.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'

const DAY_MS = 86_400_000
const ON = { enabled: true, add: true, remove: true }
const FEATURES = { watchlist: ON, history: ON, progress: ON }

async function connected({
  mode = 'two_way',
  activity = 0.4,
  movies = 60,
  shows = 4,
}: {
  mode?: string
  activity?: number
  movies?: number
  shows?: number
} = {}) {
  const stack = new AsyncDisposableStack()
  const jellyfin = stack.use(await startJellyfin({ movies, shows, activity }))
  const emby = stack.use(await startEmby({ movies, shows }))
  const service = stack.use(await startService({ shipped: true, watch: false }))
  await signInToJellyfin(service, jellyfin)
  await signInToEmby(service, emby)
  const { id } = await expectOk(service, '/api/pairs', {
    source: 'MEDIAB',
    target: 'MEDIAC',
    mode,
    enabled: true,
    features: FEATURES,
  })
  return { stack, jellyfin, emby, service, pairId: String(id) }
}

type Connected = Awaited<ReturnType<typeof connected>>

/** The first user's data by title: day of the play, position, favourite. */
function holds(server: Connected['jellyfin'] | Connected['emby']): string[] {
  const counted = new Map<string, number>()
  return server
    .items()
    .flatMap((item) => {
      const data = server.actions.userData('sam', item.id)
      if (data === undefined || Object.keys(item.providerIds).length === 0) return []
      const name = [item.type, item.name, item.year ?? '', item.parentIndex ?? '', item.index ?? ''].join(' ')
      counted.set(name, (counted.get(name) ?? 0) + 1)
      const facts = [
        data.played ? `played ${Math.floor((data.lastPlayedAtMs ?? 0) / 60_000)}` : '',
        data.positionTicks ? `at ${Math.floor(data.positionTicks / 10_000_000)}` : '',
        data.favourite && item.type === 'Movie' ? 'favourite' : '',
      ]
      return facts.some((fact) => fact !== '') ? [`${name}: ${facts.join(' ')}`] : []
    })
    .toSorted()
    .filter((text, index, all) => all.indexOf(text) === index)
}

/** Events of the last run in order, without summaries. */
async function eventsOf(service: Connected['service']): Promise<any[]> {
  const reader = (await service.call('/api/run/summary/stream')).body!.getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (!/^event: run:done\n.*\n\n/ms.test(text)) text += decoder.decode((await reader.read()).value, { stream: true })
  await reader.cancel()
  return text.split('\n\n').flatMap((frame) => {
    const data = /^event: (?!ping).*?^data: ([^\n]*)$/ms.exec(frame)?.[1]
    return data === undefined ? [] : [JSON.parse(data)]
  })
}

const planned = (summary: any): number =>
  summary.pairs.flatMap((pair: any) => pair.features).reduce((sum: number, feature: any) => sum + feature.planned, 0)

t.test('the first run syncs both servers, the second has no changes', async (t) => {
  const { stack, jellyfin, emby, service } = await connected()
  await using _stack = stack

  const first = await runToEnd(service)
  t.match(first, { result: 'ok', exit_code: 0 })
  const before = [jellyfin.count(), emby.count()] as const
  const second = await runToEnd(service)

  t.equal(planned(second), 0)
  t.match(second, { result: 'ok', added_last: 0, removed_last: 0, updated_last: 0 })
  t.ok(jellyfin.count() - before[0] <= 12, `${jellyfin.count() - before[0]} requests to Jellyfin`)
  t.ok(emby.count() - before[1] <= 12, `${emby.count() - before[1]} requests to Emby`)
  t.ok(holds(emby).length > 20)
  t.same(holds(emby), holds(jellyfin))
})

t.test('a change by a person on either side reaches the other', async (t) => {
  const { stack, jellyfin, emby, service } = await connected()
  await using _stack = stack
  await runToEnd(service)
  await runToEnd(service)
  const film = (server: Connected['emby'] | Connected['jellyfin'], index: number) =>
    server.items('Movie').filter(({ providerIds }) => providerIds['Tmdb'] !== undefined)[index]!
  const playedThere = (server: Connected['emby'] | Connected['jellyfin'], index: number) =>
    server.actions.userData('sam', film(server, index).id)?.played === true

  for (const [here, there] of [
    [jellyfin, emby],
    [emby, jellyfin],
  ] as const) {
    const fresh = Array.from({ length: 30 }, (_, index) => index).find(
      (index) => !playedThere(here, index) && !playedThere(there, index),
    )!
    here.actions.markPlayed('sam', film(here, fresh).id, Date.now() - DAY_MS)
    here.actions.setFavourite('sam', film(here, fresh).id, true)
    await runToEnd(service)
    t.match(there.actions.userData('sam', film(there, fresh).id), { played: true, favourite: true })

    await runToEnd(service)
    here.actions.setFavourite('sam', film(here, fresh).id, false)
    const removed = await runToEnd(service)
    t.equal(removed.removed_last, 1)
    t.match(there.actions.userData('sam', film(there, fresh).id), { played: true, favourite: false })
  }
})

for (const fault of [
  { kind: 'status', status: 500, times: 50 },
  { kind: 'status', status: 401, times: 50 },
] as const) {
  t.test(`a server that answers ${fault.status} makes the run fail or skip, and changes nothing`, async (t) => {
    const { stack, jellyfin, emby, service } = await connected()
    await using _stack = stack
    await runToEnd(service)
    await runToEnd(service)
    const before = holds(emby)
    jellyfin.faults.add(fault)

    const summary = await runToEnd(service)

    t.not(summary.result, 'ok')
    t.same(holds(emby), before)
  })
}

t.test(
  'P90 a favourite that is removed, and added again after the removal reached the other server, stays on both',
  async (t) => {
    const { stack, jellyfin, emby, service } = await connected()
    await using _stack = stack
    const tmdbOf = ({ providerIds }: { readonly providerIds: Readonly<Record<string, string>> }) => providerIds['Tmdb']
    const there = emby.items('Movie').map(tmdbOf)
    const films = jellyfin
      .items('Movie')
      .filter((film) => tmdbOf(film) !== undefined && there.filter((id) => id === tmdbOf(film)).length === 1)
      .slice(0, 30)
    for (const { id } of films) jellyfin.actions.setFavourite('sam', id, true)
    await runToEnd(service)
    await runToEnd(service)
    const everything = holds(emby)
    t.same(everything, holds(jellyfin))
    const subject = films[7]!.id

    jellyfin.actions.setFavourite('sam', subject, false)
    t.equal((await runToEnd(service)).removed_last, 1, 'removed from the other server')
    jellyfin.actions.setFavourite('sam', subject, true)
    for (let run = 0; run < 3; run += 1) t.equal((await runToEnd(service)).removed_last, 0)

    t.same(holds(jellyfin), everything)
    t.same(holds(emby), everything)
  },
)

t.test('a film that left the library of one server is not treated as unwatched', async (t) => {
  const { stack, jellyfin, emby, service } = await connected()
  await using _stack = stack
  await runToEnd(service)
  await runToEnd(service)
  const played = jellyfin
    .items('Movie')
    .filter(
      ({ id, providerIds }) =>
        providerIds['Tmdb'] !== undefined && jellyfin.actions.userData('sam', id)?.played === true,
    )
  const before = holds(emby)
  for (const item of played.slice(0, 3)) jellyfin.actions.removeItem(item.id)

  for (let run = 0; run < 3; run += 1) t.equal((await runToEnd(service)).removed_last, 0)

  t.same(holds(emby), before)
})

t.test('a sign-in that expires during a run is reported, and nothing is lost', async (t) => {
  const { stack, jellyfin, emby, service } = await connected()
  await using _stack = stack
  await runToEnd(service)
  await runToEnd(service)
  const before = holds(jellyfin)
  emby.actions.expireTokens()

  const summary = await runToEnd(service)

  t.same(
    summary.pairs[0].features.map(({ status }: { status: string }) => status),
    ['skipped', 'skipped', 'skipped'],
  )
  t.same(holds(jellyfin), before)
})

t.test('P76 a plugin reload and a server restart during a run end in a run that can be repeated', async (t) => {
  const { stack, jellyfin, emby, service } = await connected({ movies: 200 })
  await using _stack = stack
  const { run_id: runId } = await expectOk(service, '/api/run')
  await sleep(150)
  await service.host.reload('emby')
  emby.actions.restart({ startingRequests: 3 })
  await untilTrue('the run', async () => (await service.json('/api/run/summary')).body.running === false)
  t.equal((await service.json('/api/run/summary')).body.run_id, runId)
  for (let run = 0; run < 3; run += 1) await runToEnd(service)

  t.equal(planned(await runToEnd(service)), 0)
  t.same(holds(emby), holds(jellyfin))
})

t.test('a run can be cancelled, undone, planned and followed through the API', async (t) => {
  const { stack, jellyfin, emby, service, pairId } = await connected()
  await using _stack = stack
  const dry = await runToEnd(service, { dry_run: true })
  t.equal(emby.items().filter(({ id }) => emby.actions.userData('sam', id)?.played === true).length, 0)
  const history = dry.pairs[0].features.find(({ feature }: { feature: string }) => feature === 'history')
  const plan = (await service.json(`/api/run/plan/${history.plan_id}?op=add&side=b&limit=5`)).body
  t.match(plan, { ok: true, pair_id: pairId, feature: 'history' })
  t.equal(plan.items.length, 5)

  const real = await runToEnd(service, { pair_id: pairId })
  t.ok(real.added_last > 0)
  const told = await eventsOf(service)
  const all = (name: string) => told.filter(({ event }) => event === name)
  t.match(
    all('health').map(({ provider, api }) => [provider, api]),
    [
      ['MEDIAB', null],
      ['MEDIAC', null],
    ],
  )
  t.match(
    all('api:totals').map(({ provider, requests, failed }) => [provider, requests > 3, failed]),
    [
      ['MEDIAB', true, 0],
      ['MEDIAC', true, 0],
    ],
  )
  t.match(all('http:overview'), [
    {
      requests: all('api:totals').reduce((sum, { requests }) => sum + requests, 0),
      failed: 0,
      statuses: { 200: Number },
      methods: { GET: Number, POST: Number },
    },
  ])
  t.match(all('stats:overview'), [{ features: { history: { added: Number, removed: 0 } } }])
  t.match(all('run:done'), [
    {
      run_id: real.run_id,
      added: real.added_last,
      added_provider_reported: real.added_last,
      skipped_exact: real.skipped,
      skipped_inferred: 0,
    },
  ])
  t.same(
    told.slice(-4).map(({ event }) => event),
    ['api:totals', 'http:overview', 'stats:overview', 'run:done'],
  )

  const preview = (await service.json(`/api/run/${real.run_id}/undo`, { json: { dry_run: true } })).body
  t.equal(preview.ok, true)
  const undo = (await service.json(`/api/run/${real.run_id}/undo`, { json: { dry_run: false } })).body
  t.equal(undo.ok, true)
  await untilTrue('the undoing', async () => (await service.json('/api/run/summary')).body.running === false)
  t.equal(
    emby.items().filter(({ id }) => emby.actions.userData('sam', id)?.played === true).length,
    0,
    'what the run marked is unmarked',
  )
  const before = holds(jellyfin)
  const after = await runToEnd(service)
  t.equal(planned(after), 0, 'and stays so')
  t.same(holds(jellyfin), before)

  t.equal((await service.json('/api/run/cancel', { json: {} })).status, 409)
  t.equal((await service.json('/api/run', { json: { pair_id: 'pair_none' } })).status, 404)
})

t.test('P72 a pair between two profiles of one server works with the credentials of two people', async (t) => {
  await using jellyfin = await startJellyfin({ movies: 40, shows: 2, activity: 0.3 })
  await using service = await startService({ shipped: true, watch: false })
  await signInToJellyfin(service, jellyfin)
  const { id } = await expectOk(service, '/api/provider-instances/mediaB/next', { label: 'Kim' })
  await signInToJellyfin(service, jellyfin, { user: 'kim', instance: String(id) })
  // A film with two copies is marked twice.
  const played = (user: string) =>
    [
      ...new Set(
        jellyfin
          .items()
          .filter(
            (item) =>
              jellyfin.actions.userData(user, item.id)?.played === true &&
              Object.values(item.providerIds).some((value) => value !== ''),
          )
          .map((item) =>
            [item.name, item.year ?? '', item.seriesId ?? '', item.parentIndex ?? '', item.index ?? ''].join(' '),
          ),
      ),
    ].toSorted()
  const mine = played('sam')
  t.same(played('kim'), [])
  t.equal(
    (await service.json('/api/pairs', { json: { source: 'MEDIAB', target: 'MEDIAB', target_instance: 'default' } }))
      .status,
    422,
    'one account with itself is no pair',
  )
  await expectOk(service, '/api/pairs', {
    source: 'MEDIAB',
    target: 'MEDIAB',
    target_instance: id,
    mode: 'one_way',
    enabled: true,
    features: { history: ON },
  })

  t.match(await runToEnd(service), { result: 'ok' })

  t.same(played('kim'), mine)
  t.same(played('sam'), mine)
})

t.test('P70 a second start is refused while a run is active', async (t) => {
  const { stack, service } = await connected({ movies: 150 })
  await using _stack = stack
  const answers = await Promise.all(Array.from({ length: 5 }, () => service.json('/api/run', { json: {} })))
  t.same(answers.map(({ status }) => status).toSorted(), [200, 409, 409, 409, 409])
  t.match(answers.find(({ status }) => status === 409)?.body, {
    ok: false,
    status: 'skipped',
    error: 'already_running',
  })
  await untilTrue('the run', async () => (await service.json('/api/run/summary')).body.running === false)
})

t.test('episodes watched at an unknown time are listed with their show and numbers', async (t) => {
  const { stack, jellyfin, service } = await connected({ activity: 0 })
  await using _stack = stack
  const user = jellyfin.world.users.find(({ name }) => name === 'sam')!
  const episodes = jellyfin
    .items('Episode')
    .filter(({ virtual }) => virtual !== true)
    .slice(0, 3)
  for (const { id } of episodes)
    user.data.set(id, { played: true, playCount: 1, positionTicks: 0, favourite: false, savedAtMs: Date.now() })
  await runToEnd(service)
  const { body } = await service.json('/api/run/unresolved?feature=history&limit=50')
  const listed = body.items.filter(
    ({ reason_code: reason }: { reason_code: string }) => reason === 'missing_watched_at',
  )
  t.same(
    listed.map(({ code }: { code: string }) => code),
    episodes.map(
      ({ parentIndex = 0, index = 0 }) => `S${String(parentIndex).padStart(2, '0')}E${String(index).padStart(2, '0')}`,
    ),
  )
  t.same(
    listed.map(({ title }: { title: string }) => title),
    episodes.map(({ seriesId }) => jellyfin.items('Series').find(({ id }) => id === seriesId)?.name),
  )
  t.equal(new Set(listed.map(({ key }: { key: string }) => key)).size, 3, 'each is an item of its own')
})

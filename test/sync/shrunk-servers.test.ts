// slow: the whole service over every combination
// Servers and services that suddenly return less than before, over HTTP: no person removed anything, so nothing is removed.
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { expectOk, runToEnd, signInToEmby, signInToJellyfin, signInToPlex, signInToTrakt } from '../demo/sign-in.ts'
import { startService } from '../harness.ts'
import { startEmby } from '../upstreams/emby.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { startPlex } from '../upstreams/plex.ts'
import { startTrakt } from '../upstreams/trakt.ts'

const DAY_MS = 86_400_000
const ON = { enabled: true, add: true, remove: true }
const FEATURES = { watchlist: ON, history: ON, progress: ON }
const RUNS = 5

async function servers() {
  const stack = new AsyncDisposableStack()
  const jellyfin = stack.use(await startJellyfin({ movies: 40, shows: 3, activity: 0.5 }))
  const emby = stack.use(await startEmby({ movies: 40, shows: 3 }))
  const service = stack.use(await startService({ shipped: true, watch: false }))
  await signInToJellyfin(service, jellyfin)
  await signInToEmby(service, emby)
  await expectOk(service, '/api/pairs', {
    source: 'MEDIAB',
    target: 'MEDIAC',
    mode: 'two_way',
    enabled: true,
    features: FEATURES,
  })
  await runToEnd(service)
  await runToEnd(service)
  return { stack, jellyfin, emby, service }
}

type Server = Awaited<ReturnType<typeof servers>>['emby'] | Awaited<ReturnType<typeof servers>>['jellyfin']

const holds = ({ world }: Server) =>
  JSON.stringify(
    world.users.map(({ name, data }) => [
      name,
      [...data].map(([id, { played, positionTicks, favourite }]) => [id, played, positionTicks, favourite]),
    ]),
  )
const sam = ({ world }: Server) => world.users.find(({ name }) => name === 'sam')!

const SHRINKS: Readonly<Record<string, (server: Server) => Promise<unknown> | void>> = {
  'whose libraries are hidden from the user': (server) => {
    sam(server).libraries = []
  },
  'one of whose libraries is hidden from the user': (server) => {
    sam(server).libraries = server.world.libraries.slice(0, 1).map(({ name }) => name)
  },
  'whose library was wiped': (server) =>
    server.items().forEach(({ id }) => {
      if (server.world.items.has(id)) server.actions.removeItem(id)
    }),
  'that lost half of its films': (server) =>
    server.items('Movie').forEach(({ id }, index) => {
      if (index % 2 === 0) server.actions.removeItem(id)
    }),
}

for (const [what, shrink] of Object.entries(SHRINKS)) {
  t.test(`P93 a media server ${what} causes no removal at the other`, async (t) => {
    const { stack, jellyfin, emby, service } = await servers()
    await using _stack = stack
    const before = holds(emby)
    await shrink(jellyfin)
    for (let run = 0; run < RUNS; run += 1) t.equal((await runToEnd(service)).removed_last, 0)
    t.equal(holds(emby), before)
  })
}

for (const [what, seed] of [
  ['the server, set up anew with the same ids,', 1],
  ['another server', 2],
] as const)
  t.test(`P93 ${what} at the same address causes no removal`, async (t) => {
    const { stack, jellyfin, emby, service } = await servers()
    await using _stack = stack
    const before = holds(emby)
    const port = Number(new URL(jellyfin.url).port)
    await jellyfin.close()
    await using other = await startJellyfin({ movies: 40, shows: 3, seed, port })
    t.equal(other.world.serverId === jellyfin.world.serverId, seed === 1)
    await runToEnd(service)
    await signInToJellyfin(service, other)
    for (let run = 0; run < RUNS; run += 1) t.equal((await runToEnd(service)).removed_last, 0)
    t.equal(holds(emby), before)
  })

/** Ratings of twenty films at Plex, synced with Trakt, which only has lists. */
async function rated() {
  const stack = new AsyncDisposableStack()
  const plex = stack.use(await startPlex({ movies: 40, shows: 2, cloudTitles: 60 }))
  const trakt = stack.use(await startTrakt({ movies: 60, shows: 4, plan: 'vip', rateLimits: false }))
  const service = stack.use(await startService({ shipped: true, watch: false }))
  await signInToPlex(service, plex)
  await signInToTrakt(service, trakt)
  const films = [...plex.state.items.values()]
    .filter(({ type, guids }) => type === 'movie' && guids.length > 0)
    .slice(0, 20)
  for (const [index, { ratingKey }] of films.entries())
    plex.actions.rate('owner', ratingKey, 1 + (index % 10), Date.now() - (index + 2) * DAY_MS)
  const { id } = await expectOk(service, '/api/pairs', {
    source: 'MEDIAA',
    target: 'TRACKA',
    mode: 'two_way',
    enabled: true,
    features: { ratings: { ...ON, types: 'all', mode: 'all' } },
  })
  await runToEnd(service)
  await runToEnd(service)
  const atPlex = () =>
    [...plex.state.playStates].flatMap(([account, states]) =>
      [...states].flatMap(([item, { userRating }]) => (userRating == null ? [] : [`${account} ${item} ${userRating}`])),
    )
  return { stack, trakt, service, pairId: String(id), atPlex }
}

t.test(
  'P93 a tracker list that lost half, with matching headers, is held and reported, however often it is read',
  async (t) => {
    const { stack, trakt, service, atPlex } = await rated()
    await using _stack = stack
    const ratings = trakt.user.account.ratings
    const whole = new Map(ratings)
    t.ok(whole.size >= 16, `${whole.size} ratings`)
    const before = atPlex()

    for (const [index, { entry }] of [...whole.values()].entries())
      if (index % 2 === 0) trakt.user.rate(entry, undefined)
    let held = 0
    for (let run = 0; run < RUNS; run += 1) {
      const summary = await runToEnd(service)
      t.equal(summary.removed_last, 0)
      held = Number(summary.held)
    }
    t.ok(held > 0, 'they are held')
    t.same(atPlex(), before)
    const { body } = await service.json('/api/attention')
    t.ok(JSON.stringify(body).includes('removals'), 'and people are told')

    for (const { entry, rating, ratedAtMs } of whole.values()) trakt.user.rate(entry, rating, ratedAtMs)
    t.match(await runToEnd(service), { removed_last: 0, held: 0 })
    t.equal(ratings.size, whole.size)
    t.same(atPlex(), before)
  },
)

t.test('P97 items that a server hides while removals are approved are not removed', async (t) => {
  const { stack, trakt, service, pairId, atPlex } = await rated()
  await using _stack = stack
  const [...all] = trakt.user.account.ratings.values()
  const count = atPlex().length
  const [gone, lost] = [all.slice(0, 5), all.slice(5, 13)]
  for (const { entry } of gone) trakt.user.rate(entry, undefined)
  const held = await runToEnd(service)
  t.match(held, { removed_last: 0, held: 5 })
  const shown = (await service.json('/api/held')).body
  t.equal(shown.total, 5)
  for (const { entry } of lost) trakt.user.rate(entry, undefined)

  const approved = await runToEnd(service, shown.held[0].approve.body)

  t.equal(approved.removed_last, 5)
  t.equal(atPlex().length, count - 5, 'nothing but what was shown')
  t.equal(approved.held, 8, 'the rest waits')
  const { body: status } = await service.json('/api/pairs/status')
  t.match(status.pairs[0].features, [{ reason_text: 'Changes that you have not approved yet need your approval.' }])
  t.equal((await service.json('/api/held')).body.total, 8)
  t.equal((await runToEnd(service, { pair_id: pairId, allow_mass_delete: true })).removed_last, 8)
})

t.test(
  'P98 a rating that is removed before the next run stays removed, and is removed at the other side',
  async (t) => {
    const { stack, trakt, service, atPlex } = await rated()
    await using _stack = stack
    const [...all] = trakt.user.account.ratings.values()
    const count = atPlex().length
    const { entry, rating } = all[0]!
    trakt.user.rate(entry, rating === 10 ? 9 : rating + 1)
    // Plex sets the time of a write itself, in seconds.
    await sleep(1_100)
    t.equal((await runToEnd(service)).updated_last, 1)
    trakt.user.rate(entry, undefined)
    for (let run = 0; run < 4; run += 1) await runToEnd(service)
    t.equal(trakt.user.account.ratings.size, all.length - 1, 'off')
    t.equal(atPlex().length, count - 1, 'and there too')
  },
)

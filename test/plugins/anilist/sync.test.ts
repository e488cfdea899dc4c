// slow: the whole service, or very many cases
// Runs of the whole service with AniList as a side of a pair.
import t from 'tap'
import { expectOk, runToEnd, signInToJellyfin } from '../../demo/sign-in.ts'
import { type Service, startService } from '../../harness.ts'
import { type AniList, startAniList } from '../../upstreams/anilist.ts'
import { startJellyfin } from '../../upstreams/jellyfin.ts'
import { addressesOf, authorize } from './support.ts'

const ON = { enabled: true, add: true, remove: true }
const FEATURES = { watchlist: ON, ratings: { ...ON, mode: 'all' } }

const planned = (summary: any): number =>
  summary.pairs.flatMap((pair: any) => pair.features).reduce((sum: number, feature: any) => sum + feature.planned, 0)

async function signIn(service: Service, anilist: AniList, name: string, instance = 'default'): Promise<void> {
  const settings = {
    ...addressesOf(anilist),
    client_id: anilist.clientId,
    client_secret: anilist.clientSecret,
    requests_per_minute: 0,
  }
  await expectOk(service, '/api/config', {
    animeA: instance === 'default' ? settings : { instances: { [instance]: addressesOf(anilist) } },
  })
  const { authorize_url: address } = await expectOk(service, `/api/animeA/authorize?instance=${instance}`, {
    origin: service.url,
  })
  const { status } = await authorize(service, anilist, String(address), name)
  if (status !== 200) throw new Error(`the sign-in ended with ${status}`)
}

/** The data of an account, by work. */
function holds(anilist: AniList, name: string): string[] {
  return [...anilist.userNamed(name).account.entries.values()]
    .map(({ media, status, scoreRaw }) => `${media.id} ${status} ${scoreRaw}`)
    .toSorted()
}

async function twoAccounts(mode: string) {
  const stack = new AsyncDisposableStack()
  const anilist = stack.use(await startAniList({ names: ['ada', 'bob'], rateLimits: false, movies: 30 }))
  const service = stack.use(await startService({ shipped: true, watch: false }))
  await signIn(service, anilist, 'ada')
  const { id: instance } = await expectOk(service, '/api/provider-instances/animeA/next', { label: 'Bob' })
  await signIn(service, anilist, 'bob', String(instance))
  await expectOk(service, '/api/pairs', {
    source: 'ANIMEA',
    target: 'ANIMEA',
    target_instance: instance,
    mode,
    enabled: true,
    features: FEATURES,
  })
  return { stack, anilist, service, ada: anilist.userNamed('ada'), bob: anilist.userNamed('bob') }
}

t.test('two accounts are synced, the second run has no changes, and changes are followed', async (t) => {
  const { stack, anilist, service, ada, bob } = await twoAccounts('two_way')
  await using _stack = stack
  for (const media of anilist.catalogue.slice(0, 20)) ada.save(media, { status: 'PLANNING' })
  for (const media of anilist.catalogue.slice(15, 26)) bob.save(media, { status: 'PLANNING' })
  const rated = anilist.catalogue.slice(26, 30)
  for (const media of rated) {
    ada.save(media, { status: 'COMPLETED', scoreRaw: 85 })
    bob.save(media, { status: 'COMPLETED' })
  }

  const first = await runToEnd(service)
  const before = anilist.count()
  const second = await runToEnd(service)

  t.match(first, { result: 'ok' })
  t.equal(planned(second), 0)
  t.ok(anilist.count() - before <= 8, `${anilist.count() - before} requests`)
  t.equal([...ada.account.entries.values()].filter(({ status }) => status === 'PLANNING').length, 26)
  t.equal([...bob.account.entries.values()].filter(({ status }) => status === 'PLANNING').length, 26)
  t.ok(rated.every((media) => bob.entry(media)?.scoreRaw === 90))

  bob.save(rated[0]!, { scoreRaw: 40 })
  await runToEnd(service)
  t.equal(ada.entry(rated[0]!)?.scoreRaw, 40)
  t.equal(ada.entry(rated[1]!)?.scoreRaw, 85, 'a finer score is not made coarser')
  t.equal(planned(await runToEnd(service)), 0)
})

t.test('an entry that is deleted, moved or hidden on one side never removes data on the other', async (t) => {
  const { stack, anilist, service, ada, bob } = await twoAccounts('two_way')
  await using _stack = stack
  for (const media of anilist.catalogue.slice(0, 12)) ada.save(media, { status: 'PLANNING' })
  await runToEnd(service)
  await runToEnd(service)
  const before = holds(anilist, 'bob')
  ada.remove(anilist.catalogue[0]!)
  ada.save(anilist.catalogue[1]!, { status: 'CURRENT', progress: 1 })
  for (let run = 0; run < 3; run += 1) t.equal((await runToEnd(service)).removed_last, 0)
  t.same(holds(anilist, 'bob'), before)
  t.match(ada.entry(anilist.catalogue[1]!), { status: 'CURRENT', progress: 1 })
  t.equal(bob.account.entries.size, 12)
})

t.test(
  'without mapping data no title of a media server counts as anime, and AniList gets no request for it',
  async (t) => {
    await using anilist = await startAniList({ rateLimits: false })
    await using jellyfin = await startJellyfin({ movies: 30, shows: 3, activity: 0.5 })
    await using service = await startService({ shipped: true, watch: false })
    await signInToJellyfin(service, jellyfin)
    await signIn(service, anilist, 'ada')
    anilist.user.save(anilist.films[0]!, { status: 'PLANNING' })
    anilist.user.save(anilist.series[0]!, { status: 'COMPLETED', scoreRaw: 80 })
    const before = holds(anilist, 'ada')
    await expectOk(service, '/api/pairs', {
      source: 'MEDIAB',
      target: 'ANIMEA',
      mode: 'two_way',
      enabled: true,
      features: { watchlist: ON },
    })

    for (let run = 0; run < 3; run += 1) await runToEnd(service)

    t.same(holds(anilist, 'ada'), before)
    t.ok(anilist.count('/') <= 1 + 3 * 4)
  },
)

t.test('a title that a media server names by its AniList id is planned once, and stays planned', async (t) => {
  await using anilist = await startAniList({ rateLimits: false })
  await using jellyfin = await startJellyfin({ movies: 10, shows: 1, activity: 0 })
  await using service = await startService({ shipped: true, watch: false })
  await signInToJellyfin(service, jellyfin)
  await signIn(service, anilist, 'ada')
  const [film, watched] = jellyfin.items('Movie')
  for (const [index, item] of [film, watched].entries()) {
    Object.assign(item!.providerIds, { AniList: String(anilist.films[index]!.id) })
    jellyfin.actions.setFavourite('sam', item!.id, true)
  }
  anilist.user.save(anilist.films[1]!, { status: 'COMPLETED', scoreRaw: 95 })
  await expectOk(service, '/api/pairs', {
    source: 'MEDIAB',
    target: 'ANIMEA',
    mode: 'one_way',
    enabled: true,
    features: { watchlist: ON },
  })

  const first = await runToEnd(service)
  // A refused write is retried once, and then at growing intervals.
  await runToEnd(service)
  const third = await runToEnd(service)

  t.equal(first.added_last, 1)
  t.equal(planned(third), 0)
  t.same(holds(anilist, 'ada'), [`${anilist.films[0]!.id} PLANNING 0`, `${anilist.films[1]!.id} COMPLETED 95`])
})

t.test("with Playhead's own tracker, which has no AniList ids, both sides stay unchanged", async (t) => {
  await using anilist = await startAniList({ rateLimits: false })
  await using service = await startService({ shipped: true, watch: false })
  await signIn(service, anilist, 'ada')
  for (const media of anilist.catalogue.slice(0, 10)) anilist.user.save(media, { status: 'PLANNING' })
  const before = holds(anilist, 'ada')
  await expectOk(service, '/api/pairs', {
    source: 'ANIMEA',
    target: 'SVC',
    mode: 'two_way',
    enabled: true,
    features: FEATURES,
  })

  const first = await runToEnd(service)
  const second = await runToEnd(service)

  t.match(first, { added_last: 0, removed_last: 0, updated_last: 0 })
  t.equal(
    first.pairs[0].features.find(({ feature }: { feature: string }) => feature === 'watchlist').unresolved,
    10,
    'which is told',
  )
  t.equal(planned(second), 0)
  t.same(holds(anilist, 'ada'), before)
})

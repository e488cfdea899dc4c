// The service follows playback and is killed repeatedly, while the tracker fails at times.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { type Client, expectOk, signInToJellyfin, signInToTrakt } from '../demo/sign-in.ts'
import { until } from '../harness.ts'
import { createSeededRandom, type SeededRandom } from '../upstreams/base/index.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import type { Item } from '../upstreams/media-browser/world.ts'
import { startTrakt, type Trakt } from '../upstreams/trakt.ts'
import { cookieOf, type ServiceProcess, spawnService } from './process.ts'
import { type Sitting, startDay, USERS } from './scrobble-day.ts'

const ACCOUNT = { username: 'ada', password: 'correct horse battery' }
/** A service that runs this long after an event has stored it, also on a busy machine. */
const GRACE_MS = 2_000
/** Plays are recorded live for this long after their end. */
const LATE_MS = 10 * 60_000
const STUCK_MS = 60_000
/** People with an account at the tracker. */
const PEOPLE: ReadonlySet<string> = new Set(['sam', 'kim'])
/** This day has more writes than one per second allows. */
const UNLIMITED = { get_per_sec: 0, post_per_sec: 0 }

/** A period in which the service followed the sessions. */
interface Followed {
  readonly fromMs: number
  readonly toMs: number
}

/**
 * The expected result for the two people with an account at the tracker:
 *
 * - `must`: a position beyond the threshold was shown to a service that lived for `GRACE_MS` after it. The play is at the
 *   tracker once, whether the service lived to see its end or not.
 * - `may`: it was watched, but the service did not see it beyond the threshold for that long: it was down for the end of
 *   the film, or was killed just then. The play is there once, or not at all.
 * - Nothing else is there: no play of what was aborted, and none of the third person.
 */
export async function killAgainAndAgain(t: Test, kills: number, seed = Date.now() % 1_000_000): Promise<void> {
  t.comment(`seed ${seed}`)
  const random = createSeededRandom(seed)
  await using jellyfin = await startJellyfin({ movies: 40 + kills * 6, shows: 10 + kills, users: USERS })
  await using trakt = await startTrakt({
    movies: 40 + kills * 6,
    shows: 10 + kills,
    usernames: ['ada', 'kim'],
    plan: 'vip',
    rateLimits: false,
  })
  const keys = new Map<Item, string>()
  const taken = new Set<string>()
  for (const item of jellyfin.items()) {
    const key = keyAt(trakt, item)
    // Some films exist twice.
    if (key === undefined || item.virtual === true || taken.has(key)) continue
    keys.set(item, key)
    taken.add(key)
  }
  const data = join(t.testdir(), 'data')
  let service = await spawnService(data)
  t.teardown(() => service.kill('SIGKILL'))
  await service.post('/api/app-auth/credentials', { enabled: true, ...ACCOUNT })
  let client = await signedIn(service)
  await signInToJellyfin(client, jellyfin)
  await expectOk(client, '/api/config', { trackA: { rate_limit: UNLIMITED } })
  await signInToTrakt(client, trakt)
  const { id: instance } = await expectOk(client, '/api/provider-instances/trackA/next', {
    template: { api_url: trakt.url, oauth_url: trakt.url, rate_limit: UNLIMITED },
  })
  await signInToTrakt(client, trakt, { username: 'kim', instance })
  await expectOk(client, '/api/scrobbler/settings', {
    sources: { watcher: true, webhook: true },
    watch_autostart: true,
  })
  await expectOk(client, '/api/scrobbler/routes', { provider: 'MEDIAB', sink: 'TRACKA' })
  await expectOk(client, '/api/scrobbler/routes', {
    provider: 'MEDIAB',
    sink: 'TRACKA',
    sink_instance: instance,
    filters: { username_whitelist: ['kim'] },
  })
  await expectOk(client, '/api/watch/start')
  // Sam's playback is reported twice: webhooks arrive while the service runs.
  const { webhooks } = await expectOk(client, '/api/scrobbler/webhooks/profile', {
    provider: 'MEDIAB',
    provider_instance: 'default',
    sinks: ['TRACKA'],
  })
  const { pathname, search } = new URL(webhooks[0].endpoint_url)
  let silence = jellyfin.webhooks(`${service.url}${pathname}${search}`)

  const subscriptions = () => jellyfin.push.heard.filter((text) => text.includes('SessionsStart')).length
  let subscribed = 0
  const followedAt = async () => {
    await until('the watcher follows', () => subscriptions() > subscribed, 60_000)
    return Date.now()
  }
  await followedAt()
  const day = startDay(jellyfin, [...keys.keys()], seed)
  const followed: Followed[] = []
  let startedAtMs = Date.now()
  const failing = failNowAndThen(trakt, random)
  let heardStop = () => {}
  trakt.onAnswer(({ request }) => {
    if (request.path === '/scrobble/stop') heardStop()
  })

  for (let kill = 0; kill < kills; kill += 1) {
    const moment = random.pick(['any', 'any', 'end', 'request', 'start'] as const)
    let fromMs: number | undefined
    if (moment === 'start') await sleep(random.integer(0, 1_500))
    else {
      fromMs = await followedAt()
      // On a slow machine the service runs longer, so that playback does not stay unwatched all day.
      await sleep(random.integer(100, Math.max(3_000, fromMs - startedAtMs)))
      // Kill at critical moments: a film ends, or the tracker has stored a play and its response is lost.
      const { promise, resolve } = Promise.withResolvers<void>()
      if (moment === 'end') day.onEnd = resolve
      if (moment === 'request') heardStop = resolve
      if (moment !== 'any') await Promise.race([promise, sleep(6_000)])
      if (moment === 'end') await sleep(random.integer(0, 60))
    }
    day.onEnd = heardStop = () => {}
    if (subscriptions() > subscribed) followed.push({ fromMs: fromMs ?? Date.now(), toMs: Date.now() })
    await service.kill('SIGKILL')
    subscribed = subscriptions()
    if (random.chance(0.3)) await sleep(random.integer(200, 3_000))
    startedAtMs = Date.now()
    service = await spawnService(data)
    silence()
    silence = jellyfin.webhooks(`${service.url}${pathname}${search}`)
    t.ok(service.url, `it starts after kill ${kill + 1} (${moment})`)
  }
  const fromMs = await followedAt()
  // A short day continues until the result is conclusive.
  await until(
    'enough was watched, and enough was aborted',
    () => {
      const shown = [...followed, { fromMs, toMs: Date.now() }]
      const own = day.sittings.filter(({ person, endedAtMs }) => PEOPLE.has(person) && endedAtMs < Infinity)
      const must = own.filter((sitting) => wasShown(sitting, shown))
      const aborted = own.filter(({ watchedAtMs }) => watchedAtMs === null)
      return must.length >= kills / 10 && aborted.length >= kills / 10
    },
    120_000,
  )
  await day.end()
  await sleep(GRACE_MS)
  followed.push({ fromMs, toMs: Date.now() })
  await failing.end()
  client = await signedIn(service)
  await delivered(client)

  const people = [
    ['sam', 'ada', 'default'],
    ['kim', 'kim', instance],
  ] as const
  const { body: activity } = await client.json('/api/activity/history?limit=500')
  const counts = { must: 0, may: 0, recorded: 0, aborted: 0 }
  for (const [person, username, profile] of people) {
    const own = day.sittings.filter((sitting) => sitting.person === person)
    const watched = own.filter(({ watchedAtMs }) => watchedAtMs !== null)
    const must = watched.filter((sitting) => wasShown(sitting, followed))
    const plays = trakt.userNamed(username).plays()
    const sittingOf = new Map(watched.map((sitting) => [keys.get(sitting.item)!, sitting]))
    const found = new Set(plays.map(({ key }) => key))
    t.equal(found.size, plays.length, `${person}: no play twice`)
    t.same(named([...found].filter((key) => !sittingOf.has(key))), [], `${person}: nothing that was not watched`)
    t.same(
      must.filter(({ item }) => !found.has(keys.get(item)!)).map((sitting) => described(sitting, followed)),
      [],
      `${person}: everything that was shown to the service as watched`,
    )
    for (const { key, watchedAtMs } of plays) {
      const sitting = sittingOf.get(key)
      if (sitting !== undefined && (watchedAtMs < sitting.startedAtMs || watchedAtMs > sitting.endedAtMs + LATE_MS))
        t.fail(`${person}: the time of a play is not that of the sitting`, {
          watchedAtMs,
          ...described(sitting, followed),
        })
    }
    const rows = activity.items.filter((row: any) => row.kind === 'scrobble' && row.target_instance === profile)
    t.equal(rows.length, plays.length, `${person}: each play is in the activity once`)
    counts.must += must.length
    counts.may += watched.length - must.length
    counts.recorded += plays.length
    counts.aborted += own.length - watched.length
  }
  t.comment(`${kills} kills`, counts)
  await service.kill('SIGKILL')

  function named(found: readonly string[]): readonly string[] {
    return found.map((key) => [...keys].find(([, one]) => one === key)?.[0].name ?? key)
  }
}

/** Whether the service received a position beyond the threshold and lived long enough to store it. */
function wasShown({ watchedAtMs, endedAtMs }: Sitting, followed: readonly Followed[]): boolean {
  return (
    watchedAtMs !== null &&
    followed.some(({ fromMs, toMs }) => {
      const shownMs = Math.max(watchedAtMs, fromMs)
      return shownMs < endedAtMs && shownMs + GRACE_MS <= toMs
    })
  )
}

function described({ item, startedAtMs, watchedAtMs, endedAtMs }: Sitting, followed: readonly Followed[]): object {
  return {
    item: item.name,
    startedAtMs,
    watchedAtMs,
    endedAtMs,
    followed: followed.filter(({ fromMs, toMs }) => toMs >= startedAtMs && fromMs <= endedAtMs + 10_000),
  }
}

/** The tracker is down for a moment, or stores a write and its response is lost. */
function failNowAndThen(trakt: Trakt, random: SeededRandom) {
  let isOver = false
  const failing = (async () => {
    while (!isOver) {
      await sleep(random.integer(300, 2_500))
      const match = { match: /^\/(?:scrobble|sync)\// }
      trakt.faults.add(
        random.chance(0.5)
          ? { ...match, kind: 'status', status: 503, times: 1 }
          : { ...match, kind: 'reset', times: 1 },
      )
    }
  })()
  return {
    async end() {
      isOver = true
      await failing
      trakt.faults.clear()
    },
  }
}

/** Waits until the delivery queue is empty, as long as it shrinks; queued plays are retried at once. */
async function delivered(client: Client): Promise<void> {
  let least = Infinity
  for (let endsAtMs = Date.now() + STUCK_MS; ; await sleep(1_000)) {
    const { items, total } = (await client.json('/api/scrobbler/queue?limit=500')).body
    if (total === 0) return
    if (total < least) endsAtMs = Date.now() + STUCK_MS
    least = Math.min(least, total)
    if (Date.now() > endsAtMs) throw new Error(`${total} are not delivered: ${JSON.stringify(items.slice(-20))}`)
    for (const { id, state } of items)
      if (state === 'waiting') await client.json(`/api/scrobbler/queue/${id}/retry`, { json: {} })
  }
}

function keyAt(trakt: Trakt, { type, providerIds }: Item): string | undefined {
  if (type !== 'Movie' && type !== 'Episode') return undefined
  const ids = Object.fromEntries(
    Object.entries(providerIds)
      .filter(([, id]) => id !== '')
      .map(([scheme, id]) => [scheme.toLowerCase(), id]),
  )
  return trakt.catalogue.find(type === 'Movie' ? 'movie' : 'episode', ids)?.key
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

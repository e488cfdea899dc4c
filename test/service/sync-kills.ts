// Whole services that are killed during runs while people continue to watch, unwatch, restore and list at every account. After
// each kill, all accounts are compared with what people intended.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import {
  type Client,
  expectOk,
  runToEnd,
  saveSettings,
  signInToEmby,
  signInToJellyfin,
  signInToTrakt,
} from '../demo/sign-in.ts'
import { createSeededRandom } from '../upstreams/base/index.ts'
import { startEmby } from '../upstreams/emby.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import type { MediaServer } from '../upstreams/media-browser/server.ts'
import { type Entry, startTrakt, type Trakt } from '../upstreams/trakt.ts'
import { clientOf, spawnService } from './process.ts'

const ACCOUNT = { username: 'ada', password: 'correct horse battery' }
const ON = { enabled: true, add: true, remove: true }
const LATENCY_MS = 5
const AFTER = 5
const MINUTE_MS = 60_000

type Feature = 'history' | 'watchlist' | 'ratings' | 'progress'

/** A person's account at a service, as its owner sees it. Films are identified by TMDB id. */
interface Place {
  readonly name: string
  readonly features: readonly Feature[]
  /** Values by film: the time of a play if the accounts keep single plays, otherwise an empty string. */
  holds(feature: Feature): ReadonlyMap<string, readonly string[]>
  put(feature: Feature, film: string, what: { readonly atMs: number; readonly value: number }): void
  take(feature: Feature, film: string, value: string): void
  readonly upstream: MediaServer | Trakt
}

interface House extends AsyncDisposable {
  readonly films: readonly string[]
  /** Accounts that people use; their actions there reach all others. */
  readonly used: readonly Place[]
  readonly places: readonly Place[]
  /** Plays are distinguished by their times. */
  readonly plays: boolean
  readonly pairs: readonly object[]
  /** Signs in to all services. */
  connect(client: Client): Promise<void>
}

const SIZE = { movies: 400, shows: 2, latencyMs: LATENCY_MS }

export const WORLDS: Readonly<Record<string, () => Promise<House>>> = {
  /** Two media servers in both directions, and a tracker that follows one of them. */
  house: () => servers([{ from: 'MEDIAB', to: 'TRACKA', instance: 'default' }]),
  /** The tracker follows the second server, whose plays come from the first. */
  chain: () => servers([{ from: 'MEDIAC', to: 'TRACKA', instance: 'default' }]),
  /** Both accounts of a tracker follow the same server. */
  trackers: () =>
    servers([
      { from: 'MEDIAB', to: 'TRACKA', instance: 'default' },
      { from: 'MEDIAB', to: 'TRACKA', instance: 'TRACKA-P01' },
    ]),
  /** Two accounts of a tracker, play by play, with ratings and lists. */
  plays: () => accounts(true),
  /** Like `plays`, item by item. */
  items: () => accounts(false),
}

interface Follows {
  readonly from: string
  readonly to: string
  readonly instance: string
}

async function servers(follows: readonly Follows[]): Promise<House> {
  const jellyfin = await startJellyfin({ ...SIZE, activity: 0.5 })
  const emby = await startEmby(SIZE)
  const trakt = await startTrakt({ ...SIZE, usernames: ['ada', 'kim'], plan: 'vip', rateLimits: false })
  const both = [serverPlace('Jellyfin', jellyfin), serverPlace('Emby', emby)]
  const users = ['ada', 'kim'].slice(0, follows.length)
  const trackers = users.map((name, index) => trackerPlace(`Trakt ${index + 1}`, trakt, name, ['history'], false))
  const films = [...both[0]!.films.keys()].filter(
    (film) => both.every((one) => one.films.has(film)) && movieOf(trakt, film) !== undefined,
  )
  return {
    films,
    used: both,
    places: [...both, ...trackers],
    plays: false,
    pairs: [
      {
        source: 'MEDIAB',
        target: 'MEDIAC',
        mode: 'two_way',
        enabled: true,
        features: { history: ON, watchlist: ON, progress: ON },
      },
      ...follows.map(({ from, to, instance }) => ({
        source: from,
        target: to,
        target_instance: instance,
        mode: 'one_way',
        enabled: true,
        features: { history: ON },
      })),
    ],
    async connect(client) {
      await signInToJellyfin(client, jellyfin)
      await signInToEmby(client, emby)
      for (const [index, { instance }] of follows.entries())
        await signInToTracker(client, trakt, instance, users[index]!)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([jellyfin.close(), emby.close(), trakt.close()])
    },
  }
}

async function accounts(plays: boolean): Promise<House> {
  const trakt = await startTrakt({ ...SIZE, usernames: ['ada', 'kim'], plan: 'vip', rateLimits: false })
  const films = trakt.catalogue.movies.flatMap(({ ids }) => (ids.tmdb == null ? [] : [String(ids.tmdb)]))
  const features = ['history', 'watchlist', 'ratings'] as const
  const both = ['ada', 'kim'].map((name) => trackerPlace(name, trakt, name, features, plays))
  for (const [index, film] of films.slice(0, 150).entries())
    both[0]!.put('history', film, { atMs: Date.now() - (index + 2) * 86_400_000, value: 0 })
  return {
    films,
    used: both,
    places: both,
    plays,
    pairs: [
      {
        source: 'TRACKA',
        target: 'TRACKA',
        target_instance: 'TRACKA-P01',
        mode: 'two_way',
        enabled: true,
        features: {
          history: { ...ON, rewatches: plays },
          watchlist: ON,
          ratings: { ...ON, types: ['movies'], mode: 'all' },
        },
      },
    ],
    async connect(client) {
      await signInToTracker(client, trakt, 'default', 'ada')
      await signInToTracker(client, trakt, 'TRACKA-P01', 'kim')
    },
    async [Symbol.asyncDispose]() {
      await trakt.close()
    },
  }
}

async function signInToTracker(client: Client, trakt: Trakt, instance: string, username: string): Promise<void> {
  if (instance !== 'default') {
    const settings = { api_url: trakt.url, oauth_url: trakt.url }
    await saveSettings(client, 'trackA', { instances: { [instance]: settings } })
  }
  await signInToTrakt(client, trakt, { instance, username })
}

function serverPlace(name: string, server: MediaServer): Place & { readonly films: ReadonlyMap<string, string> } {
  const byId = new Map<string, string[]>()
  for (const { id, providerIds } of server.items('Movie')) {
    const film = providerIds['Tmdb']
    if (film) byId.set(film, [...(byId.get(film) ?? []), id])
  }
  const films = new Map([...byId].flatMap(([film, ids]) => (ids.length === 1 ? [[film, ids[0]!] as const] : [])))
  const { actions } = server
  return {
    name,
    films,
    features: ['history', 'watchlist', 'progress'],
    upstream: server,
    holds(feature) {
      const found = new Map<string, readonly string[]>()
      for (const [film, id] of films) {
        const data = actions.userData('sam', id)
        if (data === undefined) continue
        if (feature === 'history' && data.played) found.set(film, [''])
        if (feature === 'watchlist' && data.favourite) found.set(film, [''])
        if (feature === 'progress' && data.positionTicks > 0)
          found.set(film, [String(data.positionTicks / 600_000_000)])
      }
      return found
    },
    put(feature, film, { atMs, value }) {
      const id = films.get(film)!
      if (feature === 'history') actions.markPlayed('sam', id, atMs)
      else if (feature === 'watchlist') actions.setFavourite('sam', id, true)
      else actions.setPosition('sam', id, value * MINUTE_MS)
    },
    take(feature, film) {
      const id = films.get(film)!
      if (feature === 'history') actions.markUnplayed('sam', id)
      else if (feature === 'watchlist') actions.setFavourite('sam', id, false)
      else actions.setPosition('sam', id, 0)
    },
  }
}

function trackerPlace(
  name: string,
  trakt: Trakt,
  username: string,
  features: readonly Feature[],
  plays: boolean,
): Place {
  const user = trakt.userNamed(username)
  const entry = (film: string) => movieOf(trakt, film)!
  const { account } = user
  const filmOf = (of: Entry) => (of.type === 'movie' ? String(of.movie.ids.tmdb) : of.key)
  return {
    name,
    features,
    upstream: trakt,
    holds(feature) {
      const found = new Map<string, readonly string[]>()
      if (feature === 'history')
        for (const play of account.plays) {
          if (play.entry.type !== 'movie') continue
          const film = filmOf(play.entry)
          found.set(film, [...(found.get(film) ?? []), plays ? secondsOf(play.watchedAtMs) : ''])
        }
      if (feature === 'watchlist') for (const row of account.watchlist) found.set(filmOf(row.entry), [''])
      if (feature === 'ratings')
        for (const { entry: of, rating } of account.ratings.values()) found.set(filmOf(of), [String(rating)])
      return found
    },
    put(feature, film, { atMs, value }) {
      if (feature === 'history') user.watch(entry(film), atMs)
      else if (feature === 'watchlist') user.addToWatchlist(entry(film))
      else user.rate(entry(film), value, atMs)
    },
    take(feature, film, value) {
      if (feature === 'watchlist') user.removeFromWatchlist(entry(film))
      else if (feature === 'ratings') user.rate(entry(film), undefined)
      else if (!plays) user.unwatch(entry(film))
      else {
        const { key } = entry(film)
        const own = account.plays.find((play) => play.entry.key === key && secondsOf(play.watchedAtMs) === value)
        if (own !== undefined) user.removePlay(own.id)
      }
    },
  }
}

const secondsOf = (atMs: number) => String(Math.floor(atMs / 1_000))

function movieOf(trakt: Trakt, film: string) {
  return trakt.catalogue.find('movie', { tmdb: Number(film) })
}

/** The intended state: values by feature and film, as `Place.holds` returns them. */
type Meant = Record<Feature, Map<string, readonly string[]>>

export interface KillOptions {
  readonly world: string
  readonly seed: number
  readonly kills: number
  /** Runs are not killed: differences in this mode are not caused by kills. */
  readonly calm?: boolean
  readonly say?: (text: string) => void
}

export interface Killed {
  /** Number of runs that a kill interrupted. */
  readonly interrupted: number
  readonly kills: number
  readonly lost: readonly string[]
  readonly doubled: readonly string[]
  /** Differences from the intended state that are not losses. */
  readonly different: readonly string[]
  /** The differences that the service lists as unsynced. */
  readonly listed: number
}

const isWrite = ({ method, path }: { readonly method: string; readonly path: string }) =>
  (method === 'POST' || method === 'DELETE') && !/oauth|Authenticate|Sessions|Capabilities/i.test(path)

export async function killRuns(
  t: Test,
  { world, seed, kills, calm = false, say = () => {} }: KillOptions,
): Promise<Killed> {
  const random = createSeededRandom(seed)
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random.next() * values.length)]!
  const upTo = (most: number) => Math.floor(random.next() * (most + 1))
  await using house = await WORLDS[world]!()
  const { films, used, places, plays } = house
  const data = join(t.testdir(), 'data')
  let service = await spawnService(data)
  await service.post('/api/app-auth/credentials', { enabled: true, ...ACCOUNT })
  await using _stopped = { [Symbol.asyncDispose]: async () => void (await service.kill('SIGKILL')) }
  let client = await clientOf(service, ACCOUNT)
  await house.connect(client)
  for (const pair of house.pairs) await expectOk(client, '/api/pairs', pair)
  // Raise the limit, because large removals wait for approval, which is not tested here.
  await expectOk(client, '/api/config', { sync: { removal_min: 100 } })

  const meant: Meant = { history: new Map(), watchlist: new Map(), ratings: new Map(), progress: new Map() }
  for (const feature of used[0]!.features)
    for (const [film, values] of used[0]!.holds(feature)) if (films.includes(film)) meant[feature].set(film, values)
  // Separate films for lists and positions, because a play would clear them.
  const own = {
    progress: films.slice(0, 25),
    watchlist: films.slice(25, 60),
    history: films.slice(60),
    ratings: films.slice(60),
  }
  for (const film of own.progress)
    for (const place of used) for (const feature of ['history', 'progress'] as const) take(place, feature, film, '')
  const farthest = new Map<string, number>()
  const isOut = new Set<string>()
  const taken = new Map<string, { readonly film: string; readonly atMs: number; readonly value: string }>()

  function put(place: Place, feature: Feature, film: string, atMs: number, value: number): void {
    place.put(feature, film, { atMs, value })
    const text = feature === 'history' ? (plays ? secondsOf(atMs) : '') : feature === 'watchlist' ? '' : String(value)
    const before = feature === 'history' && plays ? (meant.history.get(film) ?? []) : []
    meant[feature].set(film, [...before.filter((one) => one !== text), text])
    // A play clears the position, and so does removing the play.
    if (feature === 'history') meant.progress.delete(film)
    if (feature === 'progress') farthest.set(film, value)
  }

  function take(place: Place, feature: Feature, film: string, value: string): void {
    if (!place.features.includes(feature) || !place.holds(feature).has(film)) return
    place.take(feature, film, value)
    const left = (meant[feature].get(film) ?? []).filter((one) => one !== value && (plays || feature !== 'history'))
    if (feature === 'history') meant.progress.delete(film)
    if (left.length === 0 || feature !== 'history') meant[feature].delete(film)
    else meant[feature].set(film, left)
  }

  const placedIn = new Map<string, number>()
  let round = 0

  /** @param at films that were changed since the last completed run, with the account */
  function act(at: Map<string, Place>, share = 1): void {
    const mayAct = (place: Place, film: string) => !isOut.has(film) && (at.get(film) ?? place) === place
    const some = (count: number) => Math.round(count * share)
    for (const [index, place] of used.entries()) {
      const most = index === 0 ? 5 + upTo(20) : upTo(10)
      for (let count = some(most); count > 0; count -= 1) {
        // Restore some of the removed values.
        const again = random.next() < 0.4 && taken.size > 0 ? pick([...taken.values()]) : undefined
        const film = again?.film ?? pick(own.history)
        if (!mayAct(place, film)) continue
        if (!plays && (meant.history.has(film) || place.holds('history').has(film))) continue
        const atMs = again !== undefined && random.next() < 0.3 ? again.atMs : Date.now() - upTo(20) * 1_000
        // Most services merge two plays of one film within a few minutes.
        if (
          plays &&
          place
            .holds('history')
            .get(film)
            ?.some((one) => Math.abs(Number(one) * 1_000 - atMs) < 600_000)
        )
          continue
        put(place, 'history', film, atMs, 0)
        at.set(film, place)
        taken.delete(film)
      }
    }
    // A larger number of removals that only a list read shows waits for hours.
    for (let count = some(('playback' in used[0]!.upstream) ? 9 : 2); count > 0; count -= 1) {
      const place = pick(used)
      const held = [...place.holds('history').keys()].filter(
        (film) => own.history.includes(film) && meant.history.has(film) && mayAct(place, film),
      )
      if (held.length === 0) continue
      const film = pick(held)
      const value = pick(place.holds('history').get(film)!)
      if (!meant.history.get(film)!.includes(value)) continue
      take(place, 'history', film, value)
      at.set(film, place)
      const atMs = value === '' ? Date.now() - 3_600_000 : Number(value) * 1_000
      taken.set(film, { film, atMs, value })
    }
    for (const feature of ['watchlist', 'ratings', 'progress'] as const)
      for (let count = some(4); count > 0; count -= 1) {
        const place = pick(used)
        if (!place.features.includes(feature)) continue
        const film = pick(own[feature])
        if (!mayAct(place, film)) continue
        const held = place.holds(feature).get(film)?.[0]
        if ((held === undefined) !== (meant[feature].get(film) === undefined)) continue
        // Do not clear a position before a run saw it everywhere: services set their own time for Playhead's write.
        if (feature === 'progress' && held !== undefined && round - (placedIn.get(film) ?? 0) < 3) continue
        if (feature === 'progress') placedIn.set(film, round)
        if (held !== undefined && (feature === 'watchlist' || random.next() < 0.5)) take(place, feature, film, held)
        // Do not rewind: services set their own time for Playhead's write.
        else if (feature === 'progress') put(place, feature, film, Date.now(), (farthest.get(film) ?? 9) + 1 + upTo(2))
        else put(place, feature, film, Date.now(), 1 + upTo(9))
        at.set(film, place)
      }
  }

  interface Wrong {
    readonly kind: 'lost' | 'doubled' | 'different'
    readonly film: string
    readonly text: string
  }

  function compare(): Wrong[] {
    const wrong: Wrong[] = []
    for (const place of places)
      for (const feature of place.features) {
        const holds = place.holds(feature)
        for (const film of films) {
          if (isOut.has(film)) continue
          const [here, there] = [holds.get(film) ?? [], meant[feature].get(film) ?? []]
          const text = `${place.name} ${feature} ${film}: [${here}] instead of [${there}]`
          const isLost = there.some((one) => !here.includes(one) && feature !== 'ratings' && feature !== 'progress')
          if (new Set(here).size < here.length) wrong.push({ kind: 'doubled', film, text })
          else if (isLost || (here.length === 0 && there.length > 0)) wrong.push({ kind: 'lost', film, text })
          else if (here.toSorted().join() !== there.toSorted().join()) wrong.push({ kind: 'different', film, text })
        }
      }
    return wrong
  }

  const settle = async (most: number) => {
    let summary: any
    for (let run = 0; run < most; run += 1) {
      summary = await runToEnd(client)
      if (compare().length === 0) break
    }
    return summary
  }
  await settle(3)
  await settle(AFTER)
  say(`begins: ${JSON.stringify(compare().map(({ text }) => text))}`)

  // Kill after a service stored a write, before it answers.
  let aimed: Place['upstream'] | undefined
  let untilWrite = Number.POSITIVE_INFINITY
  const upstreams = [...new Set(places.map(({ upstream }) => upstream))]
  for (const upstream of upstreams)
    upstream.onAnswer(({ request }) => {
      if (!isWrite(request)) return
      if (upstream !== aimed) return
      untilWrite -= 1
      if (untilWrite < 0) void service.kill('SIGKILL')
    })
  const found: Record<Wrong['kind'], string[]> = { lost: [], doubled: [], different: [] }
  let interrupted = 0
  let listed = 0
  let tookMs = 600
  for (let kill = 0; kill < kills; kill += 1) {
    const at = new Map<string, Place>()
    round = kill + 1
    act(at)
    const how = pick(['moment', 'stored', 'unstored'] as const)
    const byWrite = how !== 'moment'
    const begunMs = Date.now()
    if (byWrite) {
      aimed = pick(upstreams)
      // Trackers accept many items per request.
      if (!calm) untilWrite = upTo('playback' in aimed ? 15 : 2)
      if (!calm && how === 'stored') aimed.faults.add({ kind: 'lag', delayMs: 100, match: isWrite })
    }
    if (!calm && how === 'unstored') {
      // The request arrives, but is not processed.
      let left = untilWrite
      untilWrite = Number.POSITIVE_INFINITY
      const isLast = (request: Parameters<typeof isWrite>[0]) => {
        if (!isWrite(request) || left-- > 0) return false
        void service.kill('SIGKILL')
        return true
      }
      aimed!.faults.add({ kind: 'hang', match: isLast })
    }
    const hasEnded = () =>
      client.json('/api/run/summary').then(
        ({ body }) => body?.running === false,
        () => true,
      )
    // The response may not arrive.
    if (calm) await runToEnd(client)
    else await client.json('/api/run', { json: {} }).catch(() => {})
    const endMs = begunMs + (byWrite ? 5_000 : random.next() * tookMs * 1.1)
    while (!calm && Date.now() < endMs && untilWrite >= 0) {
      await sleep(Math.min(25, Math.max(1, endMs - Date.now())))
      if (byWrite && (await hasEnded())) break
    }
    if (!calm) await service.kill('SIGKILL')
    untilWrite = Number.POSITIVE_INFINITY
    for (const { faults } of upstreams) faults.clear()
    if (random.next() < 0.3) {
      say(`${kill + 1}: before the restart`)
      act(at, 0.3)
    }
    if (!calm) {
      service = await spawnService(data)
      client = await clientOf(service, ACCOUNT)
    }
    const [last] = (await client.json('/api/runs')).body.runs
    if (last?.reason === 'interrupted') {
      interrupted += 1
      for (const pair of (await client.json('/api/pairs/status')).body.pairs) {
        const features = pair.features.map(() => ({
          status: 'failed',
          reason_text: 'Playhead stopped during the run.',
        }))
        t.match(pair, { last_run_id: last.run_id, features }, 'each pair says so')
      }
    }
    const first = Date.now()
    await settle(1)
    tookMs = tookMs * 0.7 + (Date.now() - first) * 0.3
    const summary = compare().length === 0 ? undefined : await settle(AFTER - 1)
    const wrong = compare()
    if (wrong.length === 0) continue
    const open = JSON.stringify((await client.json('/api/run/unresolved?scope=all&accepted=false')).body.items)
    for (const { kind, film, text } of wrong) {
      const isListed = new RegExp(`\\b${film}\\b`).test(open)
      if (isListed) listed += 1
      else found[kind].push(`kill ${kill + 1}, ${how}: ${text} (${summary?.result})`)
      say(`${kill + 1} ${how} ${kind} ${isListed ? 'listed' : 'unlisted'} ${text}`)
      isOut.add(film)
    }
  }
  return { kills, interrupted, ...found, listed }
}

// The media server, the tracker and the players of the scrobble bench in a separate process.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Jellyfin, startJellyfin } from '../upstreams/jellyfin.ts'
import { encoded, jellyfinBodies } from '../upstreams/media-browser/playback/webhooks.ts'
import type { Item, PlaybackEvent } from '../upstreams/media-browser/world.ts'
import { startTrakt, type Trakt } from '../upstreams/trakt.ts'
import { answerQuestions } from './child.ts'

type Player = Awaited<ReturnType<Jellyfin['playback']['start']>>

/** Length of the films that are played quickly. */
const LENGTH_MS = 480_000
const HOUR_MS = 3_600_000
const WAIT_MS = 120_000
/** Interval of player reports. */
const REPORT_MS = 5_000

let jellyfin: Jellyfin
let trakt: Trakt
let films: Item[] = []
let players: Player[] = []
let reporting: NodeJS.Timeout | undefined

const ANSWERS: Readonly<Record<string, (argument: any) => unknown>> = {
  async start({ latencyMs, movies }) {
    // The first user plays everything.
    jellyfin = await startJellyfin({ movies, shows: 1, latencyMs })
    trakt = await startTrakt({ movies, shows: 1, latencyMs, plan: 'vip', rateLimits: false })
    // Some films exist twice.
    const byKey = new Map(jellyfin.items('Movie').map((item) => [keyOf(item), item]))
    byKey.delete(undefined)
    films = [...byKey.values()]
    return { jellyfin: jellyfin.url, trakt: trakt.url, clientId: trakt.clientId, clientSecret: trakt.clientSecret }
  },
  approve: (code) => trakt.approve(String(code)),
  /** Milliseconds from sending the webhook to the request at the tracker. */
  async latencies({ url, count }) {
    const taken: Record<'start' | 'stop', number[]> = { start: [], stop: [] }
    let sent: Promise<unknown> = Promise.resolve()
    const stop = hear(async (event) => void (sent = post(url, event)))
    async function time(kind: 'start' | 'stop', act: () => Promise<unknown>): Promise<void> {
      const before = trakt.count(`/scrobble/${kind}`)
      const sentAtMs = Date.now()
      await act()
      await until(() => trakt.count(`/scrobble/${kind}`) > before)
      taken[kind].push(trakt.requests.findLast(({ path }) => path === `/scrobble/${kind}`)!.atMs - sentAtMs)
      await sent
      await sleep(50)
    }
    const started: Player[] = []
    for (let n = 0; n < count; n += 1)
      await time('start', async () => started.push(await play(take(LENGTH_MS), `device-${n}`, 0.5 * LENGTH_MS)))
    // A stop right after the start counts as accidental.
    await sleep(2_100)
    for (const player of started) await time('stop', () => player.stop(0.51 * LENGTH_MS))
    stop()
    return taken
  },
  /** Events of many players, each in order, all concurrent. */
  async burst({ url, events, sessions }) {
    const statuses: Record<string, number> = {}
    const each = events / sessions
    const own = Array.from({ length: sessions }, () => take(LENGTH_MS))
    const answers: number[] = []
    const startedAt = performance.now()
    const stop = hear(async (event) => {
      const sentAt = performance.now()
      const status = await post(url, event)
      answers.push(performance.now() - sentAt)
      statuses[status] = (statuses[status] ?? 0) + 1
    })
    await Promise.all(
      own.map(async (film, n) => {
        const player = await play(film, `burst-${n}`)
        for (let step = 1; step < each - 1; step += 1) await player.at((LENGTH_MS * 0.96 * step) / each)
        await player.finish()
      }),
    )
    stop()
    const answeredMs = performance.now() - startedAt
    const keys = new Set(own.map(keyOf))
    const counts = () =>
      [...Map.groupBy(trakt.user.plays(), ({ key }) => key)]
        .filter(([key]) => keys.has(key))
        .map(([, { length }]) => length)
    await until(() => counts().length === sessions).catch(() => {})
    const deliveredMs = performance.now() - startedAt
    return {
      statuses,
      answers,
      answeredMs,
      deliveredMs,
      lost: sessions - counts().length,
      doubled: counts().filter((count) => count > 1).length,
    }
  },
  /** Plays this many films concurrently in real time. */
  async playMany(count) {
    for (let n = 0; n < count; n += 1)
      players.push(await play(take(2 * HOUR_MS), `many-${n}`, (0.02 + 0.2 * (n / count)) * 2 * HOUR_MS))
    // Reports in the middle of a film are sent with the next regular message, not at once.
    reporting = setInterval(() => {
      for (const session of jellyfin.world.sessions) {
        session.positionTicks = (session.positionTicks ?? 0) + REPORT_MS * 10_000
        session.reportedAtMs = Date.now()
      }
    }, REPORT_MS)
  },
  async stopMany() {
    clearInterval(reporting)
    for (const player of players) player.vanish()
    players = []
  },
  /** The server refuses sockets from now on. */
  refuseSocket() {
    jellyfin.faults.add({ match: /socket/, kind: 'status', status: 403 })
    for (const socket of [...jellyfin.push.open]) socket.close()
  },
  /** One film from start to end; returns the requests to both servers until the tracker has it. */
  async playOne({ url }) {
    const film = take(LENGTH_MS)
    const before = paths()
    let webhooks = 0
    const stop =
      url === null
        ? () => {}
        : hear(async (event) => {
            webhooks += 1
            await post(url, event)
          })
    const player = await play(film, `one-${url === null ? 'watched' : 'told'}`)
    for (let percent = 1.5; percent < 99; percent += 1.5) {
      await sleep(140)
      await player.at((percent / 100) * LENGTH_MS)
    }
    await player.finish()
    await until(() => trakt.user.plays().some(({ key }) => key === keyOf(film)))
    // Follow-up work of the play: confirmation, lists.
    await sleep(2_000)
    stop()
    const after = paths()
    return {
      webhooks,
      paths: Object.fromEntries(
        Object.entries(after)
          .map(([path, count]) => [path, count - (before[path] ?? 0)] as const)
          .filter(([, count]) => count > 0),
      ),
    }
  },
  counts: () => ({ jellyfin: jellyfin.count(), trakt: trakt.count() }),
  sockets: () => jellyfin.push.open.length,
}

function keyOf({ providerIds }: Item): string | undefined {
  const ids = Object.entries(providerIds).map(([scheme, id]) => [scheme.toLowerCase(), id])
  return trakt.catalogue.find('movie', Object.fromEntries(ids))?.key
}

/** A film that was not played yet. */
function take(lengthMs: number): Item {
  const film = films.shift()
  if (film === undefined) throw new Error('the library is too small')
  return Object.assign(film, { runtimeTicks: lengthMs * 10_000 })
}

function play(item: Item, deviceId: string, positionMs = 0): Promise<Player> {
  return jellyfin.playback.start({ userId: 'sam', item, deviceId, deviceName: deviceId, positionMs })
}

function hear(listener: (event: PlaybackEvent) => Promise<void>): () => void {
  jellyfin.world.onPlayback.add(listener)
  return () => void jellyfin.world.onPlayback.delete(listener)
}

async function post(url: string, event: PlaybackEvent): Promise<number> {
  const [body] = jellyfinBodies(jellyfin.world, event)
  const answer = await fetch(url, { method: 'POST', ...encoded(body, 'text') })
  await answer.arrayBuffer()
  return answer.status
}

function paths(): Record<string, number> {
  const of = (name: string, requests: Jellyfin['requests']) =>
    requests.map(({ method, path }) => `${name} ${method} ${path.replace(/[0-9a-f]{32}|(?<=\/)\d+/g, ':id')}`)
  const all = [...of('Jellyfin', jellyfin.requests), ...of('Trakt', trakt.requests)]
  return Object.fromEntries([...Map.groupBy(all, (path) => path)].map(([path, { length }]) => [path, length]))
}

async function until(check: () => boolean): Promise<void> {
  for (const endsAtMs = Date.now() + WAIT_MS; !check(); await sleep(1))
    if (Date.now() > endsAtMs) throw new Error(`it did not happen within ${WAIT_MS / 1_000} s`)
}

answerQuestions(ANSWERS)

// A household as a model: people, devices and player reports; and, independently of the scrobbler, the plays that people
// watched.
import fc from '../../fast-check.ts'
import type { Observation } from '../../../plugins/services/scrobble/contract.ts'
import { movie, START_MS } from './support.ts'

/** An action at a player, in seconds of the film or of time. */
export type Step =
  | { readonly does: 'watch'; readonly seconds: number }
  | { readonly does: 'pause'; readonly seconds: number }
  | { readonly does: 'seek'; readonly percent: number }
  | { readonly does: 'skip_credits' }
  | { readonly does: 'finish' }

export interface Sitting {
  readonly person: number
  readonly device: number
  readonly film: number
  /** Seconds after the previous sitting of this device ended. */
  readonly afterSeconds: number
  readonly fromPercent: number
  readonly steps: readonly Step[]
  /** The player is switched off without reporting its stop. */
  readonly vanishes: boolean
  /** The player reports the end of the film on every stop. */
  readonly lies: boolean
}

/** How reports reach the service. */
export interface Wire {
  readonly watcher: boolean
  readonly webhook: boolean
  /** Seconds between two reports of the watcher. */
  readonly everySeconds: number
  /** The server reports once that an item counts as watched, while playback continues. */
  readonly marks: boolean
  /** Each webhook is sent once for each of these delays; consecutive webhooks use consecutive lists. */
  readonly lateSeconds: readonly (readonly number[])[]
  /** Webhooks are queued with their arrival times until a multiple of this many seconds has passed. */
  readonly keptSeconds: number
  /** Each webhook is repeated after this delay. 0: never. */
  readonly againSeconds: number
}

export const LENGTH_SECONDS = 6_000
/** Beyond this percentage, a player that reports the end cannot be distinguished from skipped credits. */
const LIES_BELOW = 78
const PERSONS = 2
/** The server of each device. */
const SERVERS = ['MEDIAA', 'MEDIAA', 'MEDIAB']
const FILMS = 3
/** A position after a seek counts after this many seconds of playback. */
const SETTLED_SECONDS = 60
/** At the beginning of a film, a longer pause separates it from the viewing. */
const AWAY_SECONDS = 600
const STILL_PAUSED_SECONDS = 300
const MEMORY_MS = 48 * 3_600_000
/** Time between the counting position of a film and its last credits. */
const CLOSE_MS = 3_600_000
/** A second viewing below this length is too short to count. */
const BRIEF_MS = LENGTH_SECONDS * 1_000 * 0.45

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ does: fc.constant('watch' as const), seconds: fc.integer({ min: 61, max: 6_500 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('pause' as const), seconds: fc.integer({ min: 6, max: 18_000 }) }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('seek' as const), percent: fc.integer({ min: 0, max: 88 }) }) },
  { weight: 1, arbitrary: fc.constant({ does: 'skip_credits' as const }) },
  { weight: 2, arbitrary: fc.constant({ does: 'finish' as const }) },
)

export const sitting: fc.Arbitrary<Sitting> = fc.record({
  person: fc.nat(PERSONS - 1),
  device: fc.nat(SERVERS.length - 1),
  film: fc.nat(FILMS - 1),
  afterSeconds: fc.oneof(fc.integer({ min: 5, max: 600 }), fc.integer({ min: 600, max: 90_000 })),
  fromPercent: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 10, max: 85 })),
  steps: fc.array(step, { minLength: 1, maxLength: 6 }),
  vanishes: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
  lies: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
})

export const wire: fc.Arbitrary<Wire> = fc
  .record({
    watcher: fc.boolean(),
    webhook: fc.boolean(),
    everySeconds: fc.constantFrom(6, 10, 30),
    marks: fc.boolean(),
    lateSeconds: fc.oneof(
      fc.constant([[0]]),
      fc.array(fc.array(fc.constantFrom(0, 0.2, 0.7, 1.4, 4), { minLength: 1, maxLength: 3 }), {
        minLength: 1,
        maxLength: 4,
      }),
    ),
    keptSeconds: fc.constantFrom(0, 0, 0, 0, 3_600, 47 * 3_600, 49 * 3_600),
    againSeconds: fc.constantFrom(0, 0, 0, 20, 90, 240),
  })
  .filter(({ watcher, webhook }) => watcher || webhook)
  // Without positions and marks, a delayed webhook is the only information.
  .map((way) => (way.watcher || way.marks ? way : { ...way, lateSeconds: [[way.lateSeconds[0]![0]!]] }))

export interface Report {
  readonly atMs: number
  readonly observation: Observation
}

export interface WatchedPlay {
  readonly person: number
  readonly film: number
  readonly startedAtMs: number
  readonly endedAtMs: number
}

/** All player reports, in order of arrival, and the plays that people watched. */
export function live(
  sittings: readonly Sitting[],
  way: Wire,
): {
  readonly reports: readonly Report[]
  readonly plays: readonly WatchedPlay[]
  /**
   * A viewing starts while the credits of the same film run elsewhere, ends when an earlier play is forgotten, or is too
   * short to be certain.
   */
  readonly isAmbiguous: boolean
} {
  const reports: Report[] = []
  const viewings: Viewed[] = []
  const freeAtMs = new Map<number, number>()
  const unfinished: Unfinished = new Map()
  let session = 0
  for (const one of sittings) {
    const beginMs = (freeAtMs.get(one.device) ?? START_MS) + one.afterSeconds * 1_000
    session += 1
    freeAtMs.set(one.device, sit(one, way, beginMs, `s${session}`, reports, viewings, unfinished))
  }
  reports.sort((a, b) => a.atMs - b.atMs || a.observation.atMs - b.observation.atMs)
  const isAmbiguous = viewings.some((one) =>
    viewings.some(
      (other) =>
        other !== one &&
        other.person === one.person &&
        other.film === one.film &&
        (one.countsAtMs - one.startedAtMs < BRIEF_MS ||
          Math.abs(one.endedAtMs - other.endedAtMs - MEMORY_MS) < MEMORY_MS / 2 ||
          (one.device !== other.device && Math.abs(one.startedAtMs - other.countsAtMs) < CLOSE_MS)),
    ),
  )
  return { reports, plays: countPlays(viewings), isAmbiguous }
}

/** A film that a person stopped early on a device; resumed there, it is the same viewing. */
type Unfinished = Map<string, { readonly startedAtMs: number; readonly fresh: boolean }>

interface Viewed {
  readonly person: number
  readonly device: number
  readonly film: number
  readonly startedAtMs: number
  /** The time at which enough was played to count. */
  readonly countsAtMs: number
  readonly endedAtMs: number
  readonly fresh: boolean
}

function sit(
  { person, device, film, fromPercent, steps, vanishes, lies }: Sitting,
  way: Wire,
  beginMs: number,
  session: string,
  reports: Report[],
  viewings: Viewed[],
  unfinished: Unfinished,
): number {
  let atMs = beginMs
  let position = (fromPercent / 100) * LENGTH_SECONDS
  let reached = position
  let countsAtMs = Infinity
  let settledFor = SETTLED_SECONDS
  const name = `${person} ${device} ${film}`
  const before = fromPercent > 5 ? unfinished.get(name) : undefined
  let startedAtMs = before?.startedAtMs ?? beginMs
  let fresh = before?.fresh ?? fromPercent <= 5
  let sent = 0
  const percent = () => (position / LENGTH_SECONDS) * 100
  const kept = (arrivesMs: number) =>
    way.keptSeconds === 0 ? arrivesMs : Math.ceil(arrivesMs / (way.keptSeconds * 1_000)) * way.keptSeconds * 1_000
  const again = (lateSeconds: number) => (way.againSeconds === 0 ? [] : [lateSeconds + way.againSeconds])
  const base = (): Omit<Observation, 'kind' | 'state' | 'method' | 'session'> => ({
    source: { provider: SERVERS[device]!, instance: 'default' },
    atMs,
    item: { ...movie(film + 1), native: { item_id: `${SERVERS[device]} ${film}` } },
    account: { id: `p${person}`, name: `p${person}`, relation: 'other' },
    deviceId: `d${device}`,
    positionMs: Math.round(position * 1_000),
    durationMs: LENGTH_SECONDS * 1_000,
  })
  const event = (state: 'playing' | 'paused' | 'stopped') => {
    if (!way.webhook) return
    const observation: Observation = { ...base(), method: 'webhook', kind: 'event', session: `w-${device}`, state }
    sent += 1
    const times = way.lateSeconds[sent % way.lateSeconds.length]!
    for (const lateSeconds of [...times, ...again(times[0]!)]) {
      const arrivesMs = atMs + lateSeconds * 1_000
      reports.push({ atMs: kept(arrivesMs), observation: { ...observation, atMs: arrivesMs } })
    }
  }
  let isMarked = false
  const mark = () => {
    if (!way.webhook || !way.marks || isMarked || (reached / LENGTH_SECONDS) * 100 < 90) return
    isMarked = true
    const { positionMs: _unknown, ...rest } = base()
    const observation = { ...rest, method: 'webhook', kind: 'event', session: `w-${device}`, state: 'playing' } as const
    for (const lateSeconds of [0, ...again(0)]) {
      const arrivesMs = atMs + lateSeconds * 1_000
      reports.push({ atMs: kept(arrivesMs), observation: { ...observation, atMs: arrivesMs, completed: true } })
    }
  }
  const level = (state: 'playing' | 'paused' | 'stopped') => {
    if (way.watcher)
      reports.push({ atMs, observation: { ...base(), method: 'watcher', kind: 'level', session, state } })
  }
  const close = () => {
    if ((reached / LENGTH_SECONDS) * 100 >= 90) {
      unfinished.delete(name)
      viewings.push({ person, device, film, startedAtMs, countsAtMs, endedAtMs: atMs, fresh })
    } else unfinished.set(name, { startedAtMs, fresh })
  }
  const play = (seconds: number) => {
    let left = Math.min(seconds, LENGTH_SECONDS - position)
    while (left > 0) {
      const step = Math.min(left, way.everySeconds)
      atMs += step * 1_000
      position += step
      settledFor += step
      left -= step
      if (settledFor >= SETTLED_SECONDS) reached = Math.max(reached, position)
      if ((reached / LENGTH_SECONDS) * 100 >= 90) countsAtMs = Math.min(countsAtMs, atMs)
      if (percent() < 99) level('playing')
      mark()
    }
  }
  const seek = (to: number) => {
    // Without position reports, at least the pause before the seek is reported.
    if (!way.watcher) event('paused')
    atMs += 2_000
    if (to <= 5) {
      if ((reached / LENGTH_SECONDS) * 100 >= 90) {
        close()
        reached = 0
        countsAtMs = Infinity
        isMarked = false
      }
      if (percent() > 5) {
        startedAtMs = atMs
        fresh = true
      }
    }
    position = (to / 100) * LENGTH_SECONDS
    settledFor = to < (reached / LENGTH_SECONDS) * 100 ? SETTLED_SECONDS : 0
    // A player pauses and resumes when it seeks.
    event('playing')
    level('playing')
    play(SETTLED_SECONDS + way.everySeconds)
  }

  event('playing')
  level('playing')
  for (const step of steps) {
    if (position >= LENGTH_SECONDS) break
    if (step.does === 'watch') play(step.seconds)
    else if (step.does === 'finish') play(LENGTH_SECONDS)
    else if (step.does === 'seek') seek(step.percent)
    else if (step.does === 'skip_credits') {
      if (percent() >= 85 && percent() < 95) seek(96)
    } else {
      event('paused')
      level('paused')
      // Sessions that are paused are still reported.
      for (let left = step.seconds; left > 0; left -= STILL_PAUSED_SECONDS) {
        atMs += Math.min(left, STILL_PAUSED_SECONDS) * 1_000
        level('paused')
      }
      // A film that is paused at its beginning has not started.
      if (step.seconds > AWAY_SECONDS && percent() <= 5) {
        startedAtMs = atMs
        fresh = true
      }
      event('playing')
      level('playing')
      // The first seconds after a pause are always played.
      play(way.everySeconds)
    }
  }
  atMs += 1_000
  // Webhooks alone do not contain the position.
  if (!vanishes || !way.watcher) {
    if (lies && way.watcher && percent() < LIES_BELOW) position = LENGTH_SECONDS
    event('stopped')
    level('stopped')
  }
  close()
  return atMs + 2_000
}

/** Concurrent viewings of one person and film, or the rest of a counted viewing, are one play. */
function countPlays(viewings: readonly Viewed[]): readonly WatchedPlay[] {
  const plays: Viewed[] = []
  for (const one of viewings.toSorted((a, b) => a.countsAtMs - b.countsAtMs)) {
    const isCounted = plays.some(
      (play) =>
        play.person === one.person &&
        play.film === one.film &&
        ((!one.fresh && one.endedAtMs - play.endedAtMs < MEMORY_MS) ||
          (one.startedAtMs < play.countsAtMs && play.startedAtMs < one.countsAtMs)),
    )
    if (!isCounted) plays.push(one)
  }
  return plays
}

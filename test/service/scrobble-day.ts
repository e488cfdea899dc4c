// A compressed day at a media server: three people and four devices, while a service follows them and is killed repeatedly.
// Only the players know the truth.
import { setTimeout as sleep } from 'node:timers/promises'
import { createSeededRandom } from '../upstreams/base/index.ts'
import type { Jellyfin } from '../upstreams/jellyfin.ts'
import type { Item } from '../upstreams/media-browser/world.ts'

export interface Sitting {
  readonly person: string
  readonly item: Item
  readonly startedAtMs: number
  /** Infinity while it is playing. */
  endedAtMs: number
  /** When the server first showed a position beyond the threshold; null: never. */
  watchedAtMs: number | null
}

export interface Day {
  readonly sittings: readonly Sitting[]
  /** Called when a player stopped or switched to another item. */
  onEnd: () => void
  /** Starts no new playback; resolves when all playback has ended. */
  end(): Promise<void>
}

export const USERS = [
  { name: 'sam', password: 'secret', administrator: true },
  { name: 'kim', password: 'secret' },
  { name: 'lee', password: 'secret' },
]
const DEVICES = [
  ['sam', 'tv'],
  ['sam', 'tablet'],
  ['kim', 'phone'],
  ['lee', 'laptop'],
] as const

/**
 * All films last 8 minutes and play in about 10 seconds. A step between two reports is small enough to count as playback,
 * so that the scrobbler sees only real jumps. Interruptions are short compared with a film, as in reality.
 */
const LENGTH_MS = 480_000
const STEP = 1.5
const STEP_MS = 140
/** From this percentage it is a play: the threshold of the settings and of the media server. */
const WATCHED = 90
/** Playback does not stop between these two percentages, where a few seconds decide. */
const GREATEST_ABORT = 85
const LEAST_WATCHED = 93

type End = 'finish' | 'credits' | 'abort'

export function startDay(jellyfin: Jellyfin, items: readonly Item[], seed: number): Day {
  const random = createSeededRandom(seed)
  for (const item of items) Object.assign(item, { runtimeTicks: LENGTH_MS * 10_000 })
  const sittings: Sitting[] = []
  /** Each person finishes an item at most once, so that a play identifies its playback. */
  const fresh = new Map(USERS.map(({ name }) => [name, [...items]]))
  const halfway = new Map<string, { readonly item: Item; readonly percent: number }[]>(
    USERS.map(({ name }) => [name, []]),
  )
  const seen = new Map<string, Item[]>(USERS.map(({ name }) => [name, []]))
  let isOver = false

  function choose(person: string): { readonly item: Item; readonly from: number; readonly isAgain: boolean } {
    const [resumed, again] = [halfway.get(person)!, seen.get(person)!]
    if (resumed.length > 0 && random.chance(0.4)) {
      const { item, percent } = resumed.shift()!
      return { item, from: percent, isAgain: false }
    }
    if (again.length > 0 && random.chance(0.1)) return { item: again.shift()!, from: 0, isAgain: true }
    return { item: next(person), from: 0, isAgain: false }
  }

  function next(person: string): Item {
    const left = fresh.get(person)!
    const item = left.splice(random.integer(0, left.length - 1), 1)[0]
    if (item === undefined) throw new Error('the library is too small for this day')
    return item
  }

  async function use(person: string, device: string): Promise<void> {
    let { item, from, isAgain } = choose(person)
    // Before the first report, because a step of a player resolves when its webhooks were answered.
    let startedAtMs = Date.now()
    const player = await jellyfin.playback.start({
      userId: person,
      item,
      deviceId: device,
      deviceName: device,
      positionMs: (from / 100) * LENGTH_MS,
    })
    for (;;) {
      const sitting: Sitting = { person, item, startedAtMs, endedAtMs: Infinity, watchedAtMs: null }
      sittings.push(sitting)
      const end = isAgain ? 'abort' : random.pick<End>(['finish', 'finish', 'credits', 'abort', 'abort'])
      const reached = await play(sitting, player, from, end)
      const vanishes = random.chance(0.15)
      const goesOn = end === 'finish' && !vanishes && !isOver && random.chance(0.3)
      sitting.endedAtMs = Date.now()
      if (sitting.watchedAtMs !== null) seen.get(person)!.push(item)
      else if (!isAgain) halfway.get(person)!.push({ item, percent: reached })
      if (!goesOn) {
        if (vanishes) player.vanish()
        else if (end === 'finish') await player.finish()
        else await player.stop()
        day.onEnd()
        return
      }
      item = next(person)
      from = 0
      isAgain = false
      startedAtMs = Date.now()
      await player.next(item)
      day.onEnd()
    }
  }

  async function play(
    sitting: Sitting,
    player: Awaited<ReturnType<Jellyfin['playback']['start']>>,
    from: number,
    end: End,
  ): Promise<number> {
    const last =
      end === 'abort'
        ? random.integer(Math.min(from + 3, GREATEST_ABORT), GREATEST_ABORT)
        : end === 'credits'
          ? random.integer(LEAST_WATCHED, 97)
          : 99
    let percent = from
    while (percent < last) {
      await sleep(STEP_MS)
      const does = random.next()
      if (does < 0.015) {
        await player.pause()
        await sleep(random.integer(200, 1_500))
        await player.resume()
        continue
      }
      // People seek back for a missed sentence, or skip a scene.
      if (does > 0.99) percent = Math.max(0, percent - 10)
      else if (does > 0.98 && percent < 60) percent = Math.min(last, percent + 10)
      else percent = Math.min(last, percent + STEP)
      if (percent > WATCHED) sitting.watchedAtMs ??= Date.now()
      await player.at((percent / 100) * LENGTH_MS)
    }
    return percent
  }

  const day: Day = {
    sittings,
    onEnd: () => {},
    async end() {
      isOver = true
      await Promise.all(playing)
    },
  }
  const playing = DEVICES.map(async ([person, device]) => {
    while (!isOver) {
      await use(person, device)
      await sleep(random.integer(50, 1_000))
    }
  })
  // Awaited at the end.
  for (const one of playing) one.catch(() => {})
  return day
}

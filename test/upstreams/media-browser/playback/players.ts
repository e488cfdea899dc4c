// Playback by people: player reports, their effect on the server, and the notified listeners.
import { notePlaybackStart, notePosition } from '../user-data.ts'
import { announce, findUser, type Item, type PlaybackEvent, type PlaySession, type User, type World } from '../world.ts'

export interface StartOptions {
  /** Name or id. */
  readonly userId: string
  /** The item, or its id. */
  readonly item: Pick<Item, 'id'> | string
  readonly deviceId: string
  readonly deviceName: string
  /** Default 0. undefined if given: the player does not report it. */
  readonly positionMs?: number | undefined
  /** Names or ids of users who watch along. */
  readonly along?: readonly string[]
  /** The server shows the session without the shared ids. */
  readonly withoutIds?: boolean
}

/** The change is applied at once; the steps resolve when its webhooks were answered. */
export interface PlaybackHandle {
  /** Id of the session. */
  readonly key: string
  /** The player reports its position, as players do every few seconds. */
  at(positionMs: number): Promise<void>
  pause(): Promise<void>
  resume(): Promise<void>
  seek(positionMs: number): Promise<void>
  /** Stops at the current or given position. The server marks the item watched beyond 90 %. */
  stop(positionMs?: number): Promise<void>
  /** Plays to the last second and stops. */
  finish(): Promise<void>
  /** The player continues with another item: a stop and a start in the same session. */
  next(item: Pick<Item, 'id'> | string): Promise<void>
  /** The session disappears without a report, as when a player loses power. */
  vanish(): void
}

export interface Playback {
  start(options: StartOptions): Promise<PlaybackHandle>
}

const TICKS_PER_MS = 10_000

export function createPlayback(world: World, { countsAtStart }: { readonly countsAtStart: boolean }): Playback {
  const itemOf = (item: Pick<Item, 'id'> | string): Item =>
    found(world.items.get(typeof item === 'string' ? item : item.id), 'item')
  const userOf = (name: string): User => found(findUser(world, name), `user ${name}`)

  async function start(options: StartOptions): Promise<PlaybackHandle> {
    const { deviceId, deviceName, along = [], withoutIds = false } = options
    const session: PlaySession = {
      id: world.random.hex(32),
      userId: userOf(options.userId).id,
      itemId: itemOf(options.item).id,
      paused: false,
      device: deviceName,
      deviceId,
      along: along.map((name) => userOf(name).id),
      withoutIds,
      reportedAtMs: world.nowMs(),
    }
    const users = [session.userId, ...session.along].map(userOf)
    const positionMs = 'positionMs' in options ? options.positionMs : 0
    if (positionMs !== undefined) session.positionTicks = positionMs * TICKS_PER_MS
    world.sessions.push(session)

    async function emit(kind: PlaybackEvent['kind'], completed = false): Promise<void> {
      session.reportedAtMs = world.nowMs()
      announce(world.onSessions)
      const event = { kind, session: { ...session }, completed }
      await Promise.all([...world.onPlayback].map((listener) => listener(event)))
    }

    function begin(): Promise<void> {
      const item = itemOf(session.itemId)
      for (const user of users) {
        notePlaybackStart(world, user, item, countsAtStart)
        announce(world.onUserData, user, item)
      }
      return emit('start')
    }

    function report(kind: 'progress' | 'pause' | 'resume', newPositionMs?: number): Promise<void> {
      if (!world.sessions.includes(session)) throw new Error('the session is over')
      if (newPositionMs !== undefined) session.positionTicks = newPositionMs * TICKS_PER_MS
      if (kind !== 'progress') session.paused = kind === 'pause'
      const item = itemOf(session.itemId)
      for (const user of users) notePosition(world, user, item, session.positionTicks ?? 0, countsAtStart)
      return emit(kind)
    }

    function remove(): void {
      const index = world.sessions.indexOf(session)
      if (index >= 0) world.sessions.splice(index, 1)
    }

    function end(): Promise<void> {
      const item = itemOf(session.itemId)
      let completed = false
      for (const user of users) {
        completed = notePosition(world, user, item, session.positionTicks, countsAtStart)
        announce(world.onUserData, user, item)
      }
      return emit('stop', completed)
    }

    function stop(positionMs?: number): Promise<void> {
      if (positionMs !== undefined) session.positionTicks = positionMs * TICKS_PER_MS
      remove()
      return end()
    }

    await begin()
    return {
      key: session.id,
      at: (ms) => report('progress', ms),
      pause: () => report('pause'),
      resume: () => report('resume'),
      seek: (ms) => report('progress', ms),
      stop,
      finish: () => stop((itemOf(session.itemId).runtimeTicks ?? 0) / TICKS_PER_MS),
      async next(item) {
        const ended = end()
        Object.assign(session, { itemId: itemOf(item).id, positionTicks: 0, paused: false })
        await Promise.all([ended, begin()])
      },
      vanish() {
        remove()
        announce(world.onSessions)
      },
    }
  }

  return { start }
}

function found<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`the stand-in has no ${what}`)
  return value
}

// People at players: sessions that start, move, pause and end, as `/status/sessions`, the socket and webhooks report them.
// Beyond 90 % the server counts one play per session: view count, time and a row of the play log.
import { accountOf } from './actions.ts'
import type { Notifications } from './notifications.ts'
import { PLAYED_SHARE, play, setOffset } from './play-state.ts'
import { type Account, type Item, type PlexState, type Session, takeId } from './state.ts'
import type { Row } from './wire.ts'
import type { Webhooks } from './webhooks.ts'

export interface PlaybackStart {
  /** A role, a cloud id as number or text, or an unknown id: a guest. */
  readonly userId: string | number
  /** Name of a guest. Default `Guest`. */
  readonly userName?: string
  /** A rating key, or an item. */
  readonly item: string | Pick<Item, 'ratingKey'>
  readonly deviceId: string
  readonly deviceName?: string
  readonly positionMs?: number
  /** Overrides fields in the rows of the session and of webhooks: `{ live: '1' }`. */
  readonly row?: Row
}

/** All methods resolve when the webhooks of the change were answered. */
export interface PlaySessionHandle {
  /** The key of the session at the service. */
  readonly key: string
  /** The player reports a position, as players do every few seconds. */
  at(positionMs: number): Promise<void>
  pause(): Promise<void>
  resume(): Promise<void>
  /** Like `at`, but without a webhook. */
  seek(positionMs: number): Promise<void>
  /** The player is buffering. */
  buffer(): Promise<void>
  /** Stops the session at its current position. */
  stop(): Promise<void>
  /** Plays to the last second and stops. */
  finish(): Promise<void>
}

export interface Playback {
  start(start: PlaybackStart): Promise<PlaySessionHandle>
}

export function createPlayback(state: PlexState, notifications: Notifications, webhooks: Webhooks): Playback {
  return {
    async start({ userId, userName = 'Guest', item: wanted, deviceId, deviceName, positionMs = 0, row = {} }) {
      const item = state.items.get(typeof wanted === 'string' ? wanted : wanted.ratingKey)
      if (item === undefined) throw new Error('no such item in the library')
      const known = personOf(state, userId)
      const account = known ?? guest(Number(userId), userName)
      const session: Session = {
        sessionKey: String(takeId(state)),
        accountId: account.id,
        ratingKey: item.ratingKey,
        clientIdentifier: deviceId,
        ...(deviceName === undefined ? {} : { device: deviceName }),
        ...(known === undefined ? { guest: account } : {}),
        row,
        state: 'playing',
        viewOffsetMs: positionMs,
        counted: false,
      }
      const id = `${deviceId} ${account.id} ${session.sessionKey}`
      state.sessions.set(id, session)

      const hook = (event: string, withOffset = true) =>
        webhooks.send(event, account, item, {
          session,
          // The server counts the play before it sends the event, and clears the resume position.
          row: { viewOffset: withOffset ? session.viewOffsetMs : undefined, ...row },
        })

      async function report(atMs = session.viewOffsetMs ?? 0): Promise<void> {
        session.viewOffsetMs = atMs
        const isEnd = item !== undefined && atMs >= (item.durationMs ?? Infinity) * PLAYED_SHARE
        const counts = isEnd && !session.counted
        if (counts) {
          session.counted = true
          play(state, account, item, state.now())
        } else if (!isEnd && item !== undefined) setOffset(state, account, item, atMs, state.now())
        notifications.playing(session)
        if (counts) await hook('media.scrobble', false)
      }

      async function change(to: string, event?: string): Promise<void> {
        session.state = to
        notifications.playing(session)
        if (event !== undefined) await hook(event)
      }

      const handle: PlaySessionHandle = {
        key: session.sessionKey,
        at: report,
        seek: report,
        pause: () => change('paused', 'media.pause'),
        resume: () => change('playing', 'media.resume'),
        buffer: () => change('buffering'),
        async stop() {
          state.sessions.delete(id)
          await change('stopped', 'media.stop')
        },
        async finish() {
          await report(item.durationMs ?? session.viewOffsetMs)
          await handle.stop()
        },
      }
      notifications.playing(session)
      // The owner also gets an event for the start of other people's playback.
      if (account.role !== 'owner') await hook('playback.started')
      await hook('media.play', positionMs > 0)
      return handle
    },
  }
}

function personOf(state: PlexState, userId: string | number): Account | undefined {
  const id = Number(userId)
  if (!Number.isNaN(id)) return state.accounts.find((account) => account.id === id)
  return accountOf(state, userId as Account['role'])
}

function guest(id: number, title: string): Account {
  const uuid = id.toString(16).padStart(16, '0')
  return { id, localId: id, uuid, role: 'friend', username: null, title, email: null, sections: [] }
}

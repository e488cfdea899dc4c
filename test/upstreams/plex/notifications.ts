// Messages that the media server pushes over `/:/websockets/notifications`: playing sessions and unrelated events. The messages
// contain no user and no length.
import type { UpstreamReply, UpstreamRequest, UpstreamSocket } from '../base/index.ts'
import type { PlexState, Session } from './state.ts'
import { plexValue } from './wire.ts'

export interface PlexSockets {
  /** Number of open connections. */
  count(): number
  /** Cuts all connections without a close frame. */
  drop(): void
  /** Closes all connections properly, as a restarting server does. */
  close(): void
  /** Refuses further connections with this status, as a proxy without WebSocket support does; null accepts them again. */
  refuse(status: number | null): void
  /** Sends a message unchanged to all connections. */
  send(message: unknown): void
  /** Sends invalid JSON, JSON of other shapes, and containers without rows. */
  garbage(): void
}

export interface Notifications {
  readonly sockets: PlexSockets
  upgrade(request: UpstreamRequest): UpstreamReply | ((socket: UpstreamSocket) => void)
  /** A session changed. */
  playing(session: Session, state?: string): void
}

const PATHS = ['/:/websockets/notifications', '/:/websocket/notifications']

export function createNotifications(state: PlexState): Notifications {
  const open = new Set<UpstreamSocket>()
  let refusal: number | null = null

  function sendText(text: string): void {
    for (const socket of open) socket.send(text)
  }

  function container(type: string, rows: Readonly<Record<string, readonly unknown[]>>): void {
    const size = Object.values(rows)[0]?.length ?? 0
    sendText(JSON.stringify({ NotificationContainer: { type, size, ...rows } }))
  }

  function noise({ ratingKey, sessionKey, viewOffsetMs = 0 }: Session): void {
    const item = state.items.get(ratingKey)
    container('activity', {
      ActivityNotification: [
        { event: 'updated', uuid: `activity-${sessionKey}`, Activity: { type: 'library.refresh.items', progress: 40 } },
      ],
    })
    container('timeline', {
      TimelineEntry: [
        { identifier: 'com.plexapp.plugins.library', itemID: Number(ratingKey), sectionID: item?.sectionKey, state: 5 },
      ],
    })
    // Progress of a scan, not of a player.
    container('progress', { ProgressNotification: [{ message: `Scanning ${viewOffsetMs}` }] })
  }

  return {
    upgrade(request) {
      if (!PATHS.includes(request.path)) return { status: 404 }
      if (refusal !== null) return { status: refusal }
      const token = state.tokens.get(plexValue(request, 'X-Plex-Token') ?? '')
      const account = state.accounts.find(({ id }) => id === token?.accountId)
      if (token === undefined || token.expired || account === undefined) return { status: 401 }
      if (account.role !== 'owner') return { status: 403 }
      return (socket) => {
        open.add(socket)
        socket.onClose(() => open.delete(socket))
      }
    },
    playing(session, playing = session.state) {
      container('playing', {
        PlaySessionStateNotification: [
          {
            sessionKey: session.sessionKey,
            clientIdentifier: session.clientIdentifier,
            guid: '',
            ratingKey: session.ratingKey,
            url: '',
            key: `/library/metadata/${session.ratingKey}`,
            viewOffset: session.viewOffsetMs ?? 0,
            playQueueItemID: 901,
            playQueueID: 31,
            state: playing,
          },
        ],
      })
      noise(session)
    },
    sockets: {
      count: () => open.size,
      drop() {
        for (const socket of open) socket.drop()
      },
      close() {
        for (const socket of open) socket.close(1_001)
      },
      refuse(status) {
        refusal = status
      },
      send: (message) => sendText(typeof message === 'string' ? message : JSON.stringify(message)),
      garbage() {
        for (const text of ['', 'not json', '[]', '7', 'null', '{}', '{"NotificationContainer":7}']) sendText(text)
        const container_ = { type: 'playing', size: 1 }
        for (const rows of [undefined, null, 7, [null], [7], [{}], [{ sessionKey: {}, ratingKey: [], state: 1 }]])
          sendText(JSON.stringify({ NotificationContainer: { ...container_, PlaySessionStateNotification: rows } }))
      },
    },
  }
}

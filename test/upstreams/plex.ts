// A stand-in for Plex: the cloud (plex.tv, discover and metadata on one address) and a media server that belongs to its
// owner.
//
// Playing: `playback.start` starts a session and returns a handle to seek, pause, and end it.
// Sessions, the socket, webhooks, the play log and resume points all follow from it; the server counts a play at 90 %.
//
//   plex.webhooks(url)                      // sends the webhooks of everything that happens from now on
//   const play = await plex.playback.start({ userId: 'owner', item: key, deviceId: 'tv', deviceName: 'Living room' })
//   await play.at(600_000)                  // each step resolves when its webhooks were answered
//   await play.pause(); await play.resume(); await play.seek(5_000_000); await play.stop() // or finish()
//   plex.sockets.drop()                     // or close(), refuse(403), send(message), garbage()
import { startUpstream, type Upstream } from './base/index.ts'
import { accountOf, createActions, type PlexActions, type Who } from './plex/actions.ts'
import { collectionRoutes } from './plex/collections.ts'
import { discoverRoutes } from './plex/discover.ts'
import { historyRoutes } from './plex/history.ts'
import { libraryRoutes } from './plex/library.ts'
import { createNotifications, type PlexSockets } from './plex/notifications.ts'
import { peopleRoutes } from './plex/people.ts'
import { createPlayback, type Playback } from './plex/playback.ts'
import { playingRoutes } from './plex/playing.ts'
import { playlistRoutes } from './plex/playlists.ts'
import { createRouter } from './plex/router.ts'
import { createState, type PlexWorld } from './plex/seed.ts'
import { signInRoutes } from './plex/sign-in.ts'
import { type PlexState, serverToken } from './plex/state.ts'
import { createWebhooks, type Delivery } from './plex/webhooks.ts'
import { cloudError, serverError } from './plex/wire.ts'

export type { PlexActions, Who } from './plex/actions.ts'
export type { Playback, PlaybackStart, PlaySessionHandle } from './plex/playback.ts'
export type { PlexWorld } from './plex/seed.ts'
export type { Account, CloudItem, Item, PlexState } from './plex/state.ts'

export interface PlexOptions extends PlexWorld {
  readonly latencyMs?: number
  /** Port of the cloud; the media server listens on the next one. Default: any free ports. */
  readonly port?: number
}

export interface Plex extends AsyncDisposable {
  /** plex.tv, discover.provider.plex.tv and metadata.provider.plex.tv. */
  readonly cloud: Upstream
  readonly server: Upstream
  /** For inspection by tests; people change it through `actions`. */
  readonly state: PlexState
  readonly actions: PlexActions
  readonly playback: Playback
  /** Sends webhooks for every event from now on. */
  webhooks(url: string): void
  /** Responses of the webhook receivers. */
  readonly deliveries: readonly Delivery[]
  readonly sockets: PlexSockets
  /** A valid token for the cloud. */
  accountToken(who?: Who): string
  /** A valid token for the media server. */
  serverToken(who?: Who): string
  close(): Promise<void>
}

/**
 * @example
 * await using plex = await startPlex({ movies: 5 })
 * plex.actions.watch('owner', [...plex.state.items.keys()][0], Date.now())
 */
export async function startPlex({ latencyMs, port = 0, ...world }: PlexOptions = {}): Promise<Plex> {
  const state = createState(world)
  const delay = latencyMs === undefined ? {} : { latencyMs }
  const cloud = await startUpstream({ name: 'Plex cloud', handler: cloudHandler(state), port, ...delay })
  const notifications = createNotifications(state)
  const webhooks = createWebhooks(state)
  const server = await startUpstream({
    name: 'Plex server',
    handler: serverHandler(state),
    upgrade: notifications.upgrade,
    port: port === 0 ? 0 : port + 1,
    ...delay,
  })
  state.serverUrl = server.url

  async function close(): Promise<void> {
    await Promise.all([cloud.close(), server.close()])
  }

  return {
    cloud,
    server,
    state,
    actions: createActions(state, webhooks),
    playback: createPlayback(state, notifications, webhooks),
    webhooks: webhooks.add,
    deliveries: webhooks.deliveries,
    sockets: notifications.sockets,
    accountToken: (who = 'owner') => liveAccountToken(state, who),
    serverToken: (who = 'owner') => serverToken(state, accountOf(state, who)).value,
    close,
    [Symbol.asyncDispose]: close,
  }
}

function cloudHandler(state: PlexState): ReturnType<typeof createRouter> {
  const route = createRouter({
    state,
    routes: [...signInRoutes, ...peopleRoutes, ...discoverRoutes],
    accepts: ({ host }) => host === 'cloud',
    refuse: {
      unauthorized: (call) => cloudError(call, 401, 1001, 'User could not be authenticated'),
      forbidden: (call) => cloudError(call, 403, 1006, 'Forbidden'),
      notFound: (call) => cloudError(call, 404, 1007, 'Not found'),
    },
  })
  return (request) => {
    const { throttle } = state
    if (throttle.requests <= 0) return route(request)
    throttle.requests -= 1
    const refusal = cloudError({ request }, 429, 1008, 'Too many requests')
    const wait: Record<string, string> =
      throttle.retryAfterS === undefined ? {} : { 'retry-after': String(throttle.retryAfterS) }
    return { ...refusal, headers: { ...refusal.headers, ...wait } }
  }
}

function serverHandler(state: PlexState): ReturnType<typeof createRouter> {
  return createRouter({
    state,
    routes: [...libraryRoutes, ...historyRoutes, ...playingRoutes, ...playlistRoutes, ...collectionRoutes],
    // The owner's account token opens the owner's server; everyone else needs a server token.
    accepts: ({ host }, { role }) => host === 'server' || role === 'owner',
    refuse: {
      unauthorized: () => serverError(401),
      forbidden: () => serverError(403),
      notFound: () => serverError(404),
    },
  })
}

function liveAccountToken(state: PlexState, who: Who): string {
  const { id } = accountOf(state, who)
  const token = [...state.tokens.values()].find(
    ({ accountId, host, expired }) => accountId === id && host === 'cloud' && !expired,
  )
  if (token === undefined) throw new Error(`${who} has no account token that still works; sign in with a PIN`)
  return token.value
}

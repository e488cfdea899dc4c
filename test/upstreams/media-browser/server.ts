// Starts a media server of either kind: its data, its routes, and its start time.
//
// Playback: sessions, the WebSocket (`server.push`), user data and webhooks follow from what people play; the server marks
// an item watched beyond 90 %.
//
//   server.webhooks(url)               // sends the webhooks of everything that happens from now on
//   const play = await server.playback.start({ userId: 'sam', item, deviceId: 'tv', deviceName: 'Living room' })
//   await play.at(600_000)             // each step resolves when its webhooks were answered
import { startUpstream, type Upstream, type UpstreamReply, type UpstreamRequest } from '../base/index.ts'
import { type Actions, createActions } from './actions.ts'
import type { Dialect } from './dialect.ts'
import { populate, type UserOptions } from './populate.ts'
import { createPlayback, type Playback } from './playback/players.ts'
import { createPush, type Push } from './playback/push.ts'
import { createRouter, type Route } from './router.ts'
import { type Delivery, sendWebhooks, type WebhookOptions } from './playback/webhooks.ts'
import { createWorld, type Item, type ItemType, type World } from './world.ts'

export interface MediaServerOptions {
  readonly seed?: number
  /** Films. Default 40. */
  readonly movies?: number
  /** Shows, each with its seasons and episodes. Default 5. */
  readonly shows?: number
  /** Default: `sam` (administrator) and `kim`, both with the password `secret`. */
  readonly users?: readonly UserOptions[]
  /** Fraction of films and episodes that the first user has already played. Default 0. */
  readonly activity?: number
  readonly serverName?: string
  readonly version?: string
  readonly latencyMs?: number
  readonly port?: number
  /** The server's clock. Default: the real one. */
  readonly nowMs?: () => number
}

export interface MediaServer extends Upstream {
  readonly actions: Actions
  readonly world: World
  readonly playback: Playback
  readonly push: Push
  /** Sends a webhook for every event from now on, as the product does. Returns a function that stops it. */
  webhooks(url: string, options?: WebhookOptions): () => void
  /** Responses of the webhook receivers. */
  readonly deliveries: readonly Delivery[]
  /** All items, or those of one type, in the order of the library. */
  items(type?: ItemType): readonly Item[]
}

export interface MediaServerKind {
  readonly dialect: Dialect
  readonly serverName: string
  readonly version: string
  readonly routes: readonly Route[]
  /** Removes an optional prefix of every path. */
  readonly stripPath?: (path: string) => string
  readonly forgetOnRestart?: () => void
}

const USERS: readonly UserOptions[] = [
  { name: 'sam', password: 'secret', administrator: true },
  { name: 'kim', password: 'secret' },
]

const STARTING: UpstreamReply = {
  status: 503,
  headers: { 'content-type': 'text/html; charset=utf-8', 'retry-after': '5' },
  text: '<html><body>The server is loading. Please try again shortly.</body></html>',
}

export async function startMediaServer(kind: MediaServerKind, options: MediaServerOptions): Promise<MediaServer> {
  const { seed = 1, movies = 40, shows = 5, users = USERS, activity = 0, latencyMs, port, nowMs = Date.now } = options
  const { dialect, stripPath = (path: string) => path } = kind
  const serverName = options.serverName ?? kind.serverName
  const world = createWorld({ serverName, version: kind.version, seed, ids: dialect.ids, nowMs })
  populate(world, { seed, movies, shows, users, activity })
  const route = createRouter(kind.routes, world, dialect)
  const push = createPush(world, dialect)
  const deliveries: Delivery[] = []
  const playback = createPlayback(world, { countsAtStart: dialect.product === 'jellyfin' })
  let starting = 0

  function handler(request: UpstreamRequest): UpstreamReply | Promise<UpstreamReply> {
    if (starting === 0) return route(request, stripPath(request.path))
    starting -= 1
    return STARTING
  }

  function restart(startingRequests: number): void {
    starting = startingRequests
    world.sessions.splice(0)
    for (const socket of [...push.open]) socket.drop()
    kind.forgetOnRestart?.()
  }

  const upstream = await startUpstream({
    name: dialect.product,
    handler,
    upgrade: (request) => (starting === 0 ? push.upgrade(request, stripPath(request.path)) : STARTING),
    latencyMs,
    port,
  })
  return {
    ...upstream,
    world,
    actions: createActions(world, restart),
    playback,
    push,
    webhooks: (url, options) => sendWebhooks({ world, dialect }, url, deliveries, options),
    deliveries,
    items: (type) => [...world.items.values()].filter((item) => type === undefined || item.type === type),
  }
}

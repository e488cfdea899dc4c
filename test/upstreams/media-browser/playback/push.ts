// The WebSocket of the servers: sessions for subscribers, changed user data for its user, and keep-alives.
import type { UpstreamReply, UpstreamRequest, UpstreamSocket } from '../../base/index.ts'
import { readCredentials } from '../access.ts'
import type { Dialect } from '../dialect.ts'
import { sessionsFor } from './sessions.ts'
import { userDataDto } from '../user-data.ts'
import type { Item, Token, User, World } from '../world.ts'

export interface Push {
  upgrade(request: UpstreamRequest, path: string): UpstreamReply | ((socket: UpstreamSocket) => void)
  /** The open sockets, oldest first: `drop()` or `close()` them, or `send()` anything. */
  readonly open: readonly UpstreamSocket[]
  /** Messages of clients, oldest first. */
  readonly heard: readonly string[]
  /** Messages of the server, oldest first. */
  readonly said: readonly string[]
  /** Whether sessions are sent. A server behind a caching proxy, or a broken one, keeps the socket open and sends nothing. */
  sendsSessions: boolean
}

/** The server closes a connection after this many seconds without a message. */
const KEEP_ALIVE_SECONDS = 60

export function createPush(world: World, dialect: Dialect): Push {
  const open: UpstreamSocket[] = []
  const heard: string[] = []
  const said: string[] = []
  const push: Push = { upgrade, open, heard, said, sendsSessions: true }

  function upgrade(request: UpstreamRequest, path: string) {
    const paths = dialect.product === 'jellyfin' ? ['/socket'] : ['/embywebsocket', '/socket']
    if (!paths.includes(path.toLowerCase())) return { status: 404 }
    const token = world.tokens.get(readCredentials(request, dialect).token ?? '')
    if (token === undefined || token.user?.disabled === true) return { status: 401 }
    return (socket: UpstreamSocket) => serve(socket, token)
  }

  function serve(socket: UpstreamSocket, token: Token): void {
    open.push(socket)
    const say = (MessageType: string, Data?: unknown): void => {
      if (!socket.isOpen) return
      const message = { MessageType, MessageId: world.random.hex(32), ...(Data === undefined ? {} : { Data }) }
      said.push(JSON.stringify(message))
      socket.send(said.at(-1)!)
    }
    let isSubscribed = false
    let timer: NodeJS.Timeout | undefined
    const sayAll = (): void => {
      if (isSubscribed && push.sendsSessions) say('Sessions', sessionsFor({ world, dialect, token }))
    }
    const sayData = (user: User, item: Item): void => {
      if (user !== token.user) return
      say('UserDataChanged', { UserId: user.id, UserDataList: [userDataDto(world, user, item, dialect.showsLikes)] })
    }

    function subscribe(data: unknown): void {
      // Jellyfin fails on such a message; the socket stays open.
      if (dialect.product === 'jellyfin' && token.user?.administrator === false) return
      const [delayMs = 0, intervalMs = 1_500] = String(data).split(',').map(Number)
      isSubscribed = true
      clearInterval(timer)
      setTimeout(sayAll, delayMs).unref()
      timer = setInterval(() => {
        if (world.sessions.length > 0) sayAll()
      }, intervalMs).unref()
    }

    function unsubscribe(): void {
      isSubscribed = false
      clearInterval(timer)
    }

    say('ForceKeepAlive', KEEP_ALIVE_SECONDS)
    world.onSessions.add(sayAll)
    world.onUserData.add(sayData)
    socket.onMessage((text) => {
      heard.push(text)
      const { MessageType, Data } = JSON.parse(text) as { readonly MessageType?: string; readonly Data?: unknown }
      if (MessageType === 'KeepAlive') say('KeepAlive')
      else if (MessageType === 'SessionsStart') subscribe(Data)
      else if (MessageType === 'SessionsStop') unsubscribe()
    })
    socket.onClose(() => {
      unsubscribe()
      world.onSessions.delete(sayAll)
      world.onUserData.delete(sayData)
      open.splice(open.indexOf(socket), 1)
    })
  }

  return push
}

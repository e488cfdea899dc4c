// Sockets that a plugin opens beside ctx.upstream are checked against its declared hosts before they connect.
// Node announces every client socket of the process, whichever module asked for it (also the built-in fetch); the owner in
// the asynchronous context says whose it is.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { PlayheadError } from '@playhead/sdk'
import { currentOwner, type Owner } from './attribution.ts'

export interface NetworkGuardDependencies {
  /** May this plugin reach this host? */
  readonly isAllowed: (plugin: string, host: string, port: number) => boolean
  readonly report: (owner: Owner, what: string, error: unknown) => void
}

type Connect = (...args: unknown[]) => Socket

/** Starts watching; the result stops it. */
export function startNetworkGuard({ isAllowed, report }: NetworkGuardDependencies): () => void {
  const onSocket = (message: unknown) => {
    const owner = currentOwner()
    if (owner === undefined) return
    const { socket } = message as { socket: Socket & { connect: Connect } }
    const connect = socket.connect
    // The announcement comes before the address is known; `connect` is the next thing that is called on the socket.
    socket.connect = function guardedConnect(this: Socket, ...args: unknown[]): Socket {
      const { host, port } = destinationOf(args)
      if (host === null || isAllowed(owner.plugin, host, port)) return Reflect.apply(connect, this, args) as Socket
      const error = new PlayheadError('PLH_HOST_DENIED', `Plugin "${owner.plugin}" opened a connection to ${host}:${port}, which is not among its declared hosts.`)
      report(owner, 'a network connection', error)
      process.nextTick(() => this.destroy(error))
      return this
    } as never
  }
  subscribe('net.client.socket', onSocket)
  return () => void unsubscribe('net.client.socket', onSocket)
}

// connect(options), connect([options, callback]) or connect(port, host); a path is a local pipe, which counts as a host too.
function destinationOf(args: readonly unknown[]): { host: string | null; port: number } {
  const first = Array.isArray(args[0]) ? args[0][0] as unknown : args[0]
  if (typeof first === 'object' && first !== null) {
    const { host, port, path } = first as { host?: string; port?: number | string; path?: string }
    if (typeof path === 'string') return { host: `pipe:${path}`, port: 0 }
    return { host: host ?? 'localhost', port: Number(port ?? 0) }
  }
  return { host: typeof args[1] === 'string' ? args[1] : 'localhost', port: Number(first) }
}

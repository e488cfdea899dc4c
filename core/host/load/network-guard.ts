// Checks sockets that a plugin opens outside of ctx.upstream against its declared hosts. Every client socket, including
// TLS and fetch, goes through Socket.prototype.connect; the async context identifies the plugin. Node's diagnostics
// channel does not report the destination. Addresses that ctx.upstream never contacts are refused here as well, as
// written and as resolved.
import { isIP, type LookupFunction, Socket } from 'node:net'
import { PlayheadError } from '@playhead/sdk'
import { guardLookup, refusalOf } from '../../upstream/addresses.ts'
import { currentOwner, type Owner } from '../run/attribution.ts'

interface NetworkGuardDependencies {
  /** Whether the plugin may connect to this host. */
  readonly isAllowed: (plugin: string, host: string, port: number) => boolean
  readonly report: (owner: Owner, what: string, error: unknown) => void
}

type Connect = (this: Socket, ...args: unknown[]) => Socket

/** The guards of all hosts in this process, in the order of their start; tests have several, which end in any order. */
const guards = new Set<NetworkGuardDependencies>()
const prototype = Socket.prototype as unknown as { connect: Connect }
const { connect } = prototype

/** Starts the guard; returns the function that stops it. */
export function startNetworkGuard(guard: NetworkGuardDependencies): () => void {
  guards.add(guard)
  prototype.connect = guardedConnect
  return () => {
    guards.delete(guard)
    if (guards.size === 0) prototype.connect = connect
  }
}

function guardedConnect(this: Socket, ...args: unknown[]): Socket {
  const owner = currentOwner()
  if (owner === undefined) return Reflect.apply(connect, this, args)
  const { host, port } = destinationOf(args)
  const judging = [...guards]
  if (!judging.some(({ isAllowed }) => isAllowed(owner.plugin, host, port))) {
    const error = new PlayheadError(
      'PLH_HOST_DENIED',
      `Plugin "${owner.plugin}" opened a connection to ${host}:${port}, which is not among its declared hosts.`,
    )
    judging.at(-1)?.report(owner, 'a network connection', error)
    process.nextTick(() => this.destroy(error))
    return this
  }
  const refusal = isIP(host) === 0 ? undefined : refusalOf(host, host, false)
  if (refusal !== undefined) {
    process.nextTick(() => this.destroy(refusal))
    return this
  }
  return Reflect.apply(connect, this, withGuardedLookup(args))
}

// connect(options), connect([options, callback]) or connect(port, host); a path is a local socket, which is checked
// too.
function destinationOf(args: readonly unknown[]): { host: string; port: number } {
  const first = Array.isArray(args[0]) ? (args[0][0] as unknown) : args[0]
  if (isPath(first)) return { host: `pipe:${first}`, port: 0 }
  if (typeof first === 'object' && first !== null) {
    const { host, port, path } = first as { host?: string | null; port?: number | string; path?: string | null }
    if (typeof path === 'string') return { host: `pipe:${path}`, port: 0 }
    return { host: host ?? 'localhost', port: Number(port ?? 0) }
  }
  return { host: typeof args[1] === 'string' ? args[1] : 'localhost', port: Number(first) }
}

/** connect('/run/a.sock'), unlike connect('25'). */
function isPath(first: unknown): first is string {
  return typeof first === 'string' && Number.isNaN(Number(first))
}

/** The host is the same, but its name is checked when resolved: covers 2852039166 and names with two addresses. */
function withGuardedLookup(args: readonly unknown[]): readonly unknown[] {
  const guarded = (options: object) => ({
    ...options,
    lookup: guardLookup((options as { lookup?: LookupFunction }).lookup, false),
  })
  const [first, ...rest] = args
  if (Array.isArray(first)) {
    // Node marks arrays that it created itself, so modify the array in place.
    if (typeof first[0] === 'object' && first[0] !== null) first[0] = guarded(first[0] as object)
    return args
  }
  if (typeof first === 'object' && first !== null) return [guarded(first), ...rest]
  if (isPath(first)) return args
  const [host, ...after] = typeof rest[0] === 'string' ? rest : ['localhost', ...rest]
  return [guarded({ port: first, host }), ...after]
}

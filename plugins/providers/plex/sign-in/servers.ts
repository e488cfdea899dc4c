// Selects servers and addresses of an account. Pure.
import type { Connection, Resource } from '../wire.ts'

interface Candidate {
  readonly server: Resource
  readonly connection: Connection
}

/**
 * Addresses to try, best first: the previous server, own servers, then secure and local addresses. Addresses without
 * TLS are only tried on this machine, because the token would be readable; others must be entered by a person.
 */
export function candidates(servers: readonly Resource[], machineId: string): readonly Candidate[] {
  const all = servers.flatMap((server) => server.connections.map((connection) => ({ server, connection })))
  return all
    .filter(
      ({ connection }) =>
        URL.canParse(connection.uri) && (connection.protocol === 'https' || isLoopback(connection.uri)),
    )
    .map((candidate) => ({ candidate, score: scoreOf(candidate, machineId) }))
    .sort(
      (a, b) =>
        b.score - a.score ||
        compareText(a.candidate.server.name, b.candidate.server.name) ||
        compareText(a.candidate.connection.uri, b.candidate.connection.uri),
    )
    .map(({ candidate }) => candidate)
}

/** The server with this address: host and port must match; a matching scheme is preferred. */
export function serverAt(servers: readonly Resource[], address: string): Resource | undefined {
  const url = URL.parse(address)
  if (url === null) return undefined
  const hits = servers.flatMap((server) =>
    server.connections.flatMap((connection) => {
      const other = URL.parse(connection.uri)
      const sameHost = other?.hostname === url.hostname || connection.address === url.hostname
      return sameHost && String(connection.port) === portOf(url)
        ? [{ server, same: connection.protocol === url.protocol.slice(0, -1) }]
        : []
    }),
  )
  return (hits.find(({ same }) => same) ?? hits[0])?.server
}

/** The address to show: the one in use, else the most secure remote one. */
export function bestUrl({ connections }: Resource, inUse: string): string {
  const url = URL.parse(inUse)
  const found =
    connections.find(
      ({ uri, address, port }) =>
        url !== null &&
        (URL.parse(uri)?.hostname === url.hostname || address === url.hostname) &&
        String(port) === portOf(url),
    ) ??
    connections.find(({ protocol, local, relay }) => protocol === 'https' && !local && !relay) ??
    connections.find(({ protocol, relay }) => protocol === 'https' && !relay) ??
    connections.find(({ relay }) => !relay) ??
    connections[0]
  return found?.uri ?? ''
}

export function originOf(address: string): string {
  return URL.parse(address)?.origin ?? ''
}

function scoreOf({ server, connection }: Candidate, machineId: string): number {
  return (
    (server.clientIdentifier === machineId ? 100 : 0) +
    (server.owned ? 50 : 0) +
    (connection.relay ? 0 : 20) +
    (connection.local ? 10 : 0) +
    (connection.protocol === 'https' ? 6 : 0) +
    (connection.uri.includes('.plex.direct') ? 2 : 0)
  )
}

function isLoopback(uri: string): boolean {
  const host = URL.parse(uri)?.hostname ?? ''
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

function portOf(url: URL): string {
  return url.port !== '' ? url.port : url.protocol === 'https:' ? '443' : '80'
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

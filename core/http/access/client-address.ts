// The caller's address, scheme and host as the client used them. Forwarding headers count only if sent by a configured
// proxy, because any client can send them.
import ipaddr from 'ipaddr.js'
import type { IncomingHttpHeaders } from 'node:http'
import { perDocument, sectionOf } from '../../auth/per-document.ts'
import type { ConfigService } from '../../config/contract.ts'
import type { GateRequest } from './access.ts'
import { isOwnHost } from './own-host.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6

export interface Client {
  readonly address: string
  readonly secure: boolean
  readonly host: string
  /** A trusted proxy is in between, so TLS may have ended there. */
  readonly proxied: boolean
}

/** True for a peer whose forwarding headers are trusted. */
type ProxyTrust = (address: string) => boolean

/** The configured trust (`security.trusted_proxies`). */
export function createProxyTrust(config: Pick<ConfigService, 'current'>): () => ProxyTrust {
  return perDocument(config, (document) => compileTrust(sectionOf(document, 'security')['trusted_proxies']))
}

/** Trusted addresses and networks (`10.0.0.0/8`). Invalid entries are ignored. */
export function compileTrust(entries: unknown): ProxyTrust {
  const networks = (Array.isArray(entries) ? entries : [entries])
    .map(parseNetwork)
    .filter((network) => network !== undefined)
  if (networks.length === 0) return trustNobody
  return (text) => {
    const address = parseAddress(text)
    return (
      address !== undefined &&
      networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network as never, bits))
    )
  }
}

export function describeClient(request: GateRequest, trust: ProxyTrust): Client {
  const peer = plainAddress(request.remoteAddress)
  const host = request.headers.host ?? ''
  if (trust === trustNobody || !trust(peer)) return { address: peer, secure: request.encrypted, host, proxied: false }
  return {
    address: forwardedAddress(request.headers, trust) ?? peer,
    secure: request.encrypted || first(request.headers['x-forwarded-proto'])?.toLowerCase() === 'https',
    host: first(request.headers['x-forwarded-host']) || host,
    proxied: true,
  }
}

/**
 * True for a client on this machine. A local proxy connects from loopback too, so any forwarding header makes the
 * client remote, and so does a public name: some proxies pass on the name alone.
 */
export function isLocalCaller(address: string, headers: IncomingHttpHeaders): boolean {
  if (FORWARDING_HEADERS.some((name) => headers[name] !== undefined)) return false
  if (!isOwnHost(headers.host ?? '', [])) return false
  return parseAddress(address)?.range() === 'loopback'
}

const FORWARDING_HEADERS = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
  'cf-connecting-ip',
]

const trustNobody: ProxyTrust = () => false

// From right to left, because each proxy appends the address it saw: the first untrusted one is the client. Anything
// further left was sent by the client.
function forwardedAddress(headers: IncomingHttpHeaders, trust: ProxyTrust): string | undefined {
  const header = headers['x-forwarded-for']
  if (header === undefined) return undefined
  let nearest: string | undefined
  for (const part of String(header).split(',').reverse()) {
    const address = parseAddress(part.trim())
    if (address === undefined) return undefined
    nearest = address.toString()
    if (!trust(nearest)) return nearest
  }
  return nearest
}

function first(header: string | string[] | undefined): string | undefined {
  return (
    String(header ?? '')
      .split(',')[0]
      ?.trim() || undefined
  )
}

// Dual-stack sockets report IPv4 peers as ::ffff:a.b.c.d, which IPv4 rules would not match.
function plainAddress(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
}

function parseAddress(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  return ipaddr.IPv6.isValid(text) ? ipaddr.process(text) : undefined
}

function parseNetwork(entry: unknown): readonly [Address, number] | undefined {
  if (typeof entry !== 'string') return undefined
  const [text = '', bits, ...rest] = entry.trim().split('/')
  const address = parseAddress(text)
  if (address === undefined || rest.length > 0) return undefined
  const size = address.kind() === 'ipv4' ? 32 : 128
  if (bits === undefined) return [address, size]
  if (!/^\d{1,3}$/.test(bits)) return undefined
  const wanted = address.kind() === 'ipv4' && text.includes(':') ? Number(bits) - 96 : Number(bits)
  return wanted >= 0 && wanted <= size ? [address, wanted] : undefined
}

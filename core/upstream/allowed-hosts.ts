// The hosts that a plugin may reach. An entry is a name (`api.example.org`, any port), a name with a port,
// `*.example.org` (any subdomain), or an origin (`http://nas.lan:8096`) from the settings.
import { ENTERED } from '@playhead/sdk/host'
import { LRUCache } from 'lru-cache'

/** A destination. Without `protocol` an origin's scheme is not compared. */
interface Destination {
  readonly protocol?: string
  readonly hostname: string
  readonly port: number
}

export function isHostAllowed(entries: readonly string[], destination: Destination): boolean {
  const hostname = normalizeHostname(destination.hostname)
  return entries.some((entry) => {
    const wanted = entryOf(entry)
    if (wanted === null || entry === ENTERED) return false
    if (wanted.port !== undefined && wanted.port !== destination.port) return false
    if (wanted.protocol !== undefined && destination.protocol !== undefined && wanted.protocol !== destination.protocol)
      return false
    return wanted.hostname.startsWith('*.') ? hostname.endsWith(wanted.hostname.slice(1)) : hostname === wanted.hostname
  })
}

export function destinationOf(url: URL): Destination & { readonly protocol: string } {
  return {
    protocol: url.protocol,
    hostname: url.hostname,
    port: url.port === '' ? defaultPort(url.protocol) : Number(url.port),
  }
}

/**
 * Replaces `config:<path>` entries by the origins in the settings. For a path in a provider's section, the same setting
 * of each further profile (`<section>.instances.<id>`) counts too.
 */
export function resolveAllowedHosts(entries: readonly string[], document: unknown): readonly string[] {
  return entries.flatMap((entry) => {
    if (!entry.startsWith('config:')) return [entry]
    return originsAt(document, entry.slice('config:'.length).split('.'))
  })
}

function originsAt(value: unknown, path: readonly string[]): readonly string[] {
  if (path.length === 0) return texts(value).flatMap((text) => originOf(text) ?? [])
  if (typeof value !== 'object' || value === null) return []
  const object = value as Readonly<Record<string, unknown>>
  const profiles =
    path[0] !== 'instances' && typeof object['instances'] === 'object' && object['instances'] !== null
      ? Object.values(object['instances']).flatMap((profile) => originsAt(profile, path))
      : []
  return [...originsAt(object[path[0] as string], path.slice(1)), ...profiles]
}

function texts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.flatMap(texts) : []
}

// Without a scheme both are allowed.
function originOf(text: string): readonly string[] | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  const urls = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? [trimmed] : [`https://${trimmed}`, `http://${trimmed}`]
  return urls.flatMap((url) =>
    URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) ? [new URL(url).origin] : [],
  )
}

interface Entry {
  readonly protocol?: string
  readonly hostname: string
  readonly port?: number
}

// Cached: checked for every request, with few distinct entries.
const entries = new LRUCache<string, { readonly entry: Entry | null }>({
  max: 1_000,
  memoMethod: (text) => ({ entry: parseEntry(text) }),
})

function entryOf(text: string): Entry | null {
  return entries.memo(text).entry
}

function parseEntry(entry: string): Entry | null {
  if (entry.includes('://')) {
    if (!URL.canParse(entry)) return null
    const origin = destinationOf(new URL(entry))
    return { ...origin, hostname: normalizeHostname(origin.hostname) }
  }
  const match = /^((?:\*\.)?[^:]+|\[[^\]]+\])(?::(\d+))?$/.exec(entry)
  if (match === null) return null
  return {
    hostname: normalizeHostname(match[1] as string),
    ...(match[2] === undefined ? {} : { port: Number(match[2]) }),
  }
}

function normalizeHostname(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
}

function defaultPort(protocol: string): number {
  return protocol === 'https:' ? 443 : 80
}

// Authentication: the header that names the client and its token, in the formats that each server accepts.
import type { UpstreamRequest } from '../base/index.ts'
import type { Dialect } from './dialect.ts'

export interface Credentials {
  readonly token?: string
  readonly client?: string
  readonly device?: string
  readonly deviceId?: string
  readonly version?: string
}

export function readCredentials(request: UpstreamRequest, dialect: Dialect): Credentials {
  const header = (name: string): string | undefined => {
    const value = request.headers[name]
    return typeof value === 'string' ? value : undefined
  }
  const legacy = dialect.legacyCredentials
  const schemes = legacy ? ['mediabrowser', 'emby'] : ['mediabrowser']
  const older = legacy ? parseHeader(header('x-emby-authorization') ?? '', schemes) : undefined
  const named = parseHeader(header('authorization') ?? '', schemes) ?? older
  const elsewhere = legacy
    ? (header('x-emby-token') ?? header('x-mediabrowser-token') ?? fromQuery(request, 'api_key'))
    : undefined
  // Only one of the two servers accepts the query name without the underscore.
  const inQuery = dialect.product === 'jellyfin' ? fromQuery(request, 'apikey') : undefined
  return {
    token: named?.['token'] || elsewhere || inQuery,
    client: named?.['client'],
    device: named?.['device'],
    deviceId: named?.['deviceid'],
    version: named?.['version'],
  }
}

/** `Scheme Name="value", …` with percent-encoded values; undefined for another scheme. */
function parseHeader(text: string, schemes: readonly string[]): Record<string, string> | undefined {
  const [, scheme, rest] = /^(\w+)\s+(.*)$/.exec(text) ?? []
  if (scheme === undefined || rest === undefined || !schemes.includes(scheme.toLowerCase())) return undefined
  const pairs = [...rest.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [
    name?.toLowerCase(),
    decode(value ?? ''),
  ])
  return Object.fromEntries(pairs) as Record<string, string>
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

function fromQuery({ query }: UpstreamRequest, name: string): string | undefined {
  for (const [key, value] of query) if (key.toLowerCase() === name) return value
  return undefined
}

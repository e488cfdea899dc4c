// Requests to services since the start: totals per provider, the latest ones, and the latest per endpoint.
import { type AccountStats, defined, type HostFacts, type UpstreamCall } from '@playhead/sdk'

interface HttpEvent {
  /** Epoch seconds. */
  readonly ts: number
  readonly provider: string
  readonly endpoint: string
  readonly method: string
  readonly status: number
  readonly ok: boolean
  readonly ms: number
  readonly bytes_in: number
  readonly bytes_out: number
  readonly rate_remaining?: number
  readonly rate_reset?: number
}

interface HttpFacts {
  /** Oldest first. */
  readonly events: readonly HttpEvent[]
  readonly counters: Readonly<Record<string, object>>
  readonly last: Readonly<Record<string, HttpEvent>>
}

const NAME = /^(?:v\d+|[a-z][a-z_-]{0,40})$/i
/** Path segments that are followed by a name. */
const COLLECTIONS = new Set(['users', 'user', 'lists', 'playlists', 'people', 'profiles'])
const COMMON = new Set(['me', 'settings', 'search', 'items'])
// Connection tests at an entered address are not accounts.
const isAccount = (account: string) => !account.includes('~')

export function httpOf({
  upstream,
  upstreamCalls,
  redact,
}: Pick<HostFacts, 'upstream' | 'upstreamCalls' | 'redact'>): HttpFacts {
  // Redaction is the expensive part, and thousands of paths belong to a few endpoints.
  const redacted = new Map<string, string>()
  const endpointFor = (path: string) => {
    const endpoint = endpointOf(path)
    const known = redacted.get(endpoint) ?? redact(endpoint)
    redacted.set(endpoint, known)
    return known
  }
  const events = upstreamCalls()
    .filter(({ account }) => isAccount(account))
    .map((call) => eventOf(call, endpointFor))
  const accounts = upstream().filter(({ account, calls }) => isAccount(account) && calls.count > 0)
  return {
    events,
    counters: Object.fromEntries(
      [...Map.groupBy(accounts, ({ account }) => providerOf(account))].map(([provider, own]) => [
        provider,
        countersOf(own),
      ]),
    ),
    last: Object.fromEntries(events.map((event) => [`${event.provider} ${event.method} ${event.endpoint}`, event])),
  }
}

function countersOf(accounts: readonly AccountStats[]) {
  const sum = (of: (stats: AccountStats) => number) => accounts.reduce((total, stats) => total + of(stats), 0)
  const last = accounts
    .flatMap(({ lastCall }) => lastCall ?? [])
    .toSorted((x, y) => x.atMs - y.atMs)
    .at(-1)
  const remaining = accounts.flatMap(({ quota }) => quota.remaining ?? []).at(-1)
  const [calls, failed] = [sum(({ calls: { count } }) => count), sum(({ calls: { failed: bad } }) => bad)]
  return {
    calls,
    ok: calls - failed,
    err: failed,
    bytes_in: sum((stats) => stats.calls.bytesIn),
    bytes_out: sum((stats) => stats.calls.bytesOut),
    ms_sum: sum((stats) => stats.calls.ms),
    last_status: last?.status ?? null,
    last_ok: last?.ok ?? null,
    last_at: last === undefined ? null : toSeconds(last.atMs),
    last_rate_remaining: remaining ?? null,
  }
}

function eventOf(
  { atMs, account, method, path, status, ok, ms, bytesIn, bytesOut, remaining, resetAtMs }: UpstreamCall,
  endpointFor: (path: string) => string,
): HttpEvent {
  return {
    ts: toSeconds(atMs),
    provider: providerOf(account),
    endpoint: endpointFor(path),
    method,
    status,
    ok,
    ms,
    bytes_in: bytesIn,
    bytes_out: bytesOut,
    ...defined({ rate_remaining: remaining }),
    ...(resetAtMs === undefined ? {} : { rate_reset: toSeconds(resetAtMs) }),
  }
}

/** @example endpointOf('/users/ada/lists/17/items') // '/users/:id/lists/:id/items' */
export function endpointOf(path: string): string {
  const parts = path.split('/')
  return parts
    .map((part, index) => {
      const isNamed = COLLECTIONS.has(parts[index - 1]?.toLowerCase() ?? '') && !COMMON.has(part.toLowerCase())
      return part === '' || (NAME.test(part) && !isNamed) ? part : ':id'
    })
    .join('/')
}

function providerOf(account: string): string {
  return (account.split('@')[0] ?? account).toUpperCase()
}

function toSeconds(atMs: number): number {
  return Math.floor(atMs / 1_000)
}

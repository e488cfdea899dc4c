// Parses rate-limit headers in their various formats. Waits are capped at a day.
import type { AccountStats } from '@playhead/sdk'
import { defined } from '@playhead/sdk/host'
import type { HttpHeaders } from './headers.ts'

const MAX_PAUSE_MS = 24 * 3_600_000

export type Quota = AccountStats['quota']

/** Milliseconds of a `Retry-After` header (seconds or a date), undefined if unusable. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined
  const text = value.trim()
  const waitMs = /^\d+(\.\d+)?$/.test(text)
    ? Number(text) * 1_000
    : /[A-Za-z]/.test(text)
      ? Date.parse(text) - nowMs
      : Number.NaN
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(0, Math.ceil(waitMs)), MAX_PAUSE_MS)
}

/** The quota reported by the service. */
export function parseQuota(headers: HttpHeaders, nowMs: number): Quota | undefined {
  const [limit, remaining, reset] = fromJson(headers) ?? fromStandard(headers) ?? fromSeparate(headers)
  if (limit === undefined && remaining === undefined && reset === undefined) return undefined
  return { ...defined({ limit, remaining }), ...(reset === undefined ? {} : { resetAtMs: toEpochMs(reset, nowMs) }) }
}

/** Milliseconds until an exhausted quota resets. */
export function exhaustedMs(quota: Quota | undefined, nowMs: number): number | undefined {
  if (quota?.remaining !== 0 || quota.resetAtMs === undefined || quota.resetAtMs <= nowMs) return undefined
  return Math.min(quota.resetAtMs - nowMs, MAX_PAUSE_MS)
}

type Numbers = readonly [limit: number | undefined, remaining: number | undefined, reset: number | undefined]

const spellings = (name: string) => [`x-ratelimit-${name}`, `ratelimit-${name}`, `x-rate-limit-${name}`]
const LIMIT = spellings('limit')
const REMAINING = spellings('remaining')
const RESET = spellings('reset')

// Three headers that each start with a number (policies may follow).
function fromSeparate(headers: HttpHeaders): Numbers {
  const read = (names: readonly string[]) => {
    const name = names.find((each) => headers[each] !== undefined)
    return name === undefined ? undefined : number(/^\s*(\d+(?:\.\d+)?)/.exec(headers[name] as string)?.[1])
  }
  return [read(LIMIT), read(REMAINING), read(RESET)]
}

// RateLimit: limit=100, remaining=50, reset=5, or its newer form "default";r=50;t=5 with the limit in RateLimit-Policy.
function fromStandard(headers: HttpHeaders): Numbers | undefined {
  const text = headers['ratelimit']
  if (text === undefined) return undefined
  const read = (source: string, names: string) =>
    number(new RegExp(`(?:^|[;,\\s])(?:${names})\\s*=\\s*(\\d+)`).exec(source)?.[1])
  return [
    read(text, 'limit') ?? read(headers['ratelimit-policy'] ?? '', 'q'),
    read(text, 'remaining|r'),
    read(text, 'reset|t'),
  ]
}

// As JSON: X-Ratelimit: {"name":"…","period":300,"limit":1000,"remaining":0,"until":"2026-10-10T00:24:00Z"}
function fromJson(headers: HttpHeaders): Numbers | undefined {
  const text = headers['x-ratelimit']
  if (text === undefined || !text.startsWith('{')) return undefined
  try {
    const { limit, remaining, until } = JSON.parse(text) as Readonly<Record<string, unknown>>
    return [number(limit), number(remaining), typeof until === 'string' ? number(Date.parse(until)) : undefined]
  } catch {
    // An unreadable header is ignored.
    return undefined
  }
}

function number(value: unknown): number | undefined {
  const result = typeof value === 'string' ? Number(value) : value
  return typeof result === 'number' && Number.isFinite(result) ? result : undefined
}

// A reset is epoch milliseconds, epoch seconds, or relative seconds, distinguished by size.
function toEpochMs(reset: number, nowMs: number): number {
  if (reset > 1e11) return reset
  return reset > 1e9 ? reset * 1_000 : nowMs + reset * 1_000
}

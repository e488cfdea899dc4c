// Rate limit for starting sign-ins: each start calls Plex and uses memory.
import { PlayheadError, isRecent } from '@playhead/sdk'

const STARTS = 10
const WINDOW_MS = 600_000
const MAX_CLIENTS = 10_000

export interface StartLimit {
  /** Counts one start. Throws PLH_TOO_MANY with the time to wait after ten within ten minutes. */
  count(address: string): void
}

export function createStartLimit(now: () => number = () => Date.now()): StartLimit {
  // Ordered by the last start, oldest first.
  const clients = new Map<string, readonly number[]>()

  return {
    count(address) {
      const nowMs = now()
      const client = clientOf(address)
      const recent = (clients.get(client) ?? []).filter((atMs) => isRecent(atMs, nowMs, WINDOW_MS))
      const [first] = recent
      if (recent.length >= STARTS && first !== undefined) {
        throw new PlayheadError('PLH_TOO_MANY', 'Too many sign-ins were started from here. Try again later.', {
          retryAfterMs: first + WINDOW_MS - nowMs,
        })
      }
      clients.delete(client)
      clients.set(client, [...recent, nowMs])
      for (const oldest of clients.keys()) {
        if (clients.size <= MAX_CLIENTS) break
        clients.delete(oldest)
      }
    },
  }
}

/** A client with one IPv6 address controls its whole /64. */
export function clientOf(address: string): string {
  // The URL parser normalizes the address.
  const hostname = URL.parse(`http://[${address}]`)?.hostname
  if (hostname === undefined) return address
  const [head = '', tail] = hostname.slice(1, -1).split('::')
  const parts = head === '' ? [] : head.split(':')
  const behind = tail === undefined || tail === '' ? [] : tail.split(':')
  const all =
    tail === undefined ? parts : [...parts, ...Array<string>(8 - parts.length - behind.length).fill('0'), ...behind]
  return `${all.slice(0, 4).join(':')}::/64`
}

// A limit per client for public requests that cost something, or that could be guesses.
import { clientGroup } from './addresses.ts'
import { PlayheadError } from './errors.ts'
import { isRecent } from './moments.ts'

const MAX_CLIENTS = 10_000

export interface ClientLimit {
  /** Counts one request of this address. Throws `PLH_TOO_MANY` with the time to wait if there were too many. */
  count(address: string): void
}

interface ClientLimitOptions {
  /** Requests of one client within `withinMs`. */
  readonly most: number
  readonly withinMs: number
  /** A sentence for the person. */
  readonly message: string
  readonly now?: () => number
}

/** @example const limit = createClientLimit({ most: 10, withinMs: 600_000, message: 'Too many sign-ins were started.' }) */
export function createClientLimit({
  most,
  withinMs,
  message,
  now = () => Date.now(),
}: ClientLimitOptions): ClientLimit {
  // Ordered by the last request, oldest first.
  const clients = new Map<string, readonly number[]>()
  return {
    count(address) {
      const nowMs = now()
      const client = clientGroup(address)
      const recent = (clients.get(client) ?? []).filter((atMs) => isRecent(atMs, nowMs, withinMs))
      const [first] = recent
      if (recent.length >= most && first !== undefined)
        throw new PlayheadError('PLH_TOO_MANY', message, { retryAfterMs: first + withinMs - nowMs })
      clients.delete(client)
      clients.set(client, [...recent, nowMs])
      for (const oldest of clients.keys()) {
        if (clients.size <= MAX_CLIENTS) break
        clients.delete(oldest)
      }
    },
  }
}

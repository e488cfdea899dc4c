// Rate limit for wrong tokens per client, so that guessing is slow. Valid tokens are never rejected: the limit only applies to
// responses for wrong ones.
import { clientGroup } from '@playhead/sdk'

const PER_MINUTE = 20
const MINUTE_MS = 60_000
const MAX_CLIENTS = 1_000

interface TokenVerdict {
  /** Whether the client exceeds the limit. */
  readonly isOver: boolean
  /** Set for the first request above the limit, so that a flood leaves one line in the log. */
  readonly isFirst: boolean
  readonly retryAfterMs: number
}

interface TokenLimit {
  /** Counts a wrong token. */
  note(address: string): TokenVerdict
}

export function createTokenLimit(now: () => number = Date.now): TokenLimit {
  // Evicts the least recently seen client first.
  const clients = new Map<string, { count: number; endsAtMs: number }>()
  return {
    note(address) {
      const client = clientGroup(address)
      const nowMs = now()
      const known = clients.get(client)
      // Also resets after the clock was set back.
      const isCurrent = known !== undefined && known.endsAtMs > nowMs && known.endsAtMs <= nowMs + MINUTE_MS
      const entry = isCurrent ? known : { count: 0, endsAtMs: nowMs + MINUTE_MS }
      entry.count += 1
      clients.delete(client)
      clients.set(client, entry)
      const [oldest] = clients.keys()
      if (clients.size > MAX_CLIENTS && oldest !== undefined) clients.delete(oldest)
      return {
        isOver: entry.count > PER_MINUTE,
        isFirst: entry.count === PER_MINUTE + 1,
        retryAfterMs: entry.endsAtMs - nowMs,
      }
    },
  }
}

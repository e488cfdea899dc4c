// Follows sessions by polling: often while something plays, less often while nothing does.
import { sleep as wait, type Sleep } from '../../waiting.ts'
import type { PlaySession, WatchPart } from './playback.ts'
import { defined } from '../../defined.ts'

export interface PollSessionsOptions {
  readonly read: (signal: AbortSignal) => Promise<readonly PlaySession[]>
  /** The account sees the sessions of other users. */
  readonly others: boolean
  /** Why sessions are polled although the service can push. */
  readonly reason?: string
  readonly signal: AbortSignal
  readonly now?: () => number
  readonly sleep?: Sleep
}

const ACTIVE_MS = 1_500
const IDLE_MS = 6_000

/** Throws errors of `read`. */
export async function* pollSessions({
  read,
  others,
  reason,
  signal,
  now = Date.now,
  sleep = wait,
}: PollSessionsOptions): AsyncGenerator<WatchPart> {
  let idle = 0
  for (let isFirst = true; ; isFirst = false) {
    const sessions = await read(signal)
    if (isFirst) yield { type: 'connected', by: 'poll', others, ...defined({ reason }) }
    yield { type: 'sessions', sessions, atMs: now() }
    idle = sessions.length > 0 ? 0 : idle + 1
    await sleep(Math.min(ACTIVE_MS * (1 + idle / 2), IDLE_MS), signal)
  }
}

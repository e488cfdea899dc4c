// At most one credential refresh per account, across callers and generations: with rotating refresh tokens, two
// concurrent refreshes would sign the account out.
import { AsyncLocalStorage } from 'node:async_hooks'
import {
  PlayheadError,
  type PlayheadErrorCode,
  type PlayheadErrorOptions,
  isPlayheadError,
  untilAborted,
  isRecent,
} from '@playhead/sdk'
import { createLimit } from './limit.ts'

const REFRESH_LIMIT_MS = 30_000
/** After a failure, further refreshes are refused for this long. */
export const REFRESH_AGAIN_AFTER_MS = 10_000

export interface RefreshJob {
  readonly work: (signal: AbortSignal) => Promise<void>
  /** Enters the async context of the generation that runs it. */
  readonly run: <Result>(work: () => Result) => Result
  /** Ends with the generation that runs it. */
  readonly signal: AbortSignal
}

export interface Refresher {
  /** Joins or starts a refresh. Fails with `PLH_AUTH_FAILED` or the refresh's error. */
  refresh(job: RefreshJob, waiter: AbortSignal): Promise<void>
  /** End of the last refresh, successful or not; -Infinity before the first. */
  endedAtMs(): number
}

interface RefresherDependencies {
  readonly account: string
  readonly now: () => number
  /** Blocks other requests of the account until the result is called. */
  readonly hold: () => () => void
  /** A refresh ended. */
  readonly onEnd: (error: PlayheadError | null) => void
}

// Marks the refresh's own async context, whose requests must not wait for it. The context may outlive the refresh, for
// example in a reload, so `isRunning` is cleared at the end.
const refreshing = new AsyncLocalStorage<{ readonly account: string; isRunning: boolean }>()

export function isInsideRefresh(account: string): boolean {
  const refresh = refreshing.getStore()
  return refresh?.account === account && refresh.isRunning
}

export function createRefresher({ account, now, hold, onEnd }: RefresherDependencies): Refresher {
  let running: { readonly outcome: Promise<void>; readonly signal: AbortSignal } | null = null
  let failure: (() => PlayheadError) | null = null
  let endedAtMs = -Infinity

  async function perform(job: RefreshJob): Promise<void> {
    const release = hold()
    const mark = { account, isRunning: true }
    const limit = createLimit([job.signal], () => aborted(account), job.run)
    limit.start(
      REFRESH_LIMIT_MS,
      () =>
        new PlayheadError(
          'PLH_UPSTREAM_TIMEOUT',
          `${account}: the credential was not refreshed within ${REFRESH_LIMIT_MS / 1_000} s.`,
        ),
    )
    try {
      await untilAborted(
        refreshing.run(mark, () => job.run(async () => job.work(limit.signal))),
        limit.signal,
      )
      failure = null
      onEnd(null)
    } catch (error) {
      // Plain data: the error's objects belong to a generation that may end.
      const remake = copyOf(account, error)
      failure = job.signal.aborted ? null : remake
      onEnd(remake())
      throw remake()
    } finally {
      mark.isRunning = false
      limit.release()
      endedAtMs = now()
      running = null
      release()
    }
  }

  return {
    async refresh(job, waiter) {
      for (;;) {
        if (running === null && failure !== null && isRecent(endedAtMs, now(), REFRESH_AGAIN_AFTER_MS)) throw failure()
        running ??= { outcome: perform(job), signal: job.signal }
        const { outcome, signal } = running
        try {
          return await untilAborted(outcome, waiter)
        } catch (error) {
          // The generation of the refresh ended; a remaining caller retries it.
          if (!signal.aborted || job.signal.aborted || waiter.aborted) throw error
        }
      }
    },
    endedAtMs: () => endedAtMs,
  }
}

function aborted(account: string): PlayheadError {
  return new PlayheadError('PLH_ABORTED', `${account}: the plugin ended while it refreshed the credential.`)
}

function copyOf(account: string, error: unknown): () => PlayheadError {
  const [code, message, options]: [PlayheadErrorCode, string, PlayheadErrorOptions] = isPlayheadError(error)
    ? [error.code, error.message, { retryAfterMs: error.retryAfterMs, details: error.details } as PlayheadErrorOptions]
    : ['PLH_AUTH_FAILED', `${account}: the credential could not be refreshed. Sign in again.`, { details: { account } }]
  return () => new PlayheadError(code, message, options)
}

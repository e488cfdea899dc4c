// Follows the sessions of one source account, and reconnects with growing delays.
import { type AccountName, isPlayheadError, type Logger, type Remote, sleep as wait, type Sleep } from '@playhead/sdk'
import { healthOfError, type PlaySession, type Provider, type WatchOptions } from '@playhead/sdk/provider'
import type { GroupStatus, Observation } from '../contract.ts'
import { createFollower, type KnownSession } from './follow.ts'

interface GroupOptions {
  readonly source: AccountName
  /** `mediaA` */
  readonly token: string
  readonly routes: readonly string[]
  readonly needs: WatchOptions
  readonly provider: () => Remote<Required<Pick<Provider, 'watch'>>> | undefined
  /** Sessions that were open when the service ended. */
  readonly remembered: readonly KnownSession[]
  /** Does not throw. */
  readonly observe: (observation: Observation) => Promise<void>
  readonly log: Logger
  readonly now: () => number
  readonly sleep?: Sleep
}

export interface Group {
  status(): GroupStatus
  sessions(): readonly PlaySession[]
  /** Resolves when the group has ended. */
  stop(): Promise<void>
}

/** A short interruption must not lose the end of a film; a server that is off is polled rarely. */
const RETRY_MS = [2_000, 10_000, 30_000, 60_000, 120_000, 240_000, 300_000]
/** A connection that lasted this long resets the delay. */
const STEADY_MS = 60_000
const JITTER = 0.2
/** Error codes that no retry resolves until the settings change. */
const REFUSALS: ReadonlySet<string> = new Set(['PLH_UNSUPPORTED', 'PLH_NOT_READY'])

export function startGroup(options: GroupOptions): Group {
  const { source, token, routes, needs, provider, remembered, observe, log, now, sleep = wait } = options
  const end = new AbortController()
  const follower = createFollower(source)
  follower.remember(remembered)
  let status: GroupStatus = {
    id: `${token}:${source.instance}`,
    ...source,
    state: 'connecting',
    by: null,
    others: null,
    lastEventAtMs: null,
    lastError: null,
    retryAtMs: null,
    failures: 0,
    routes,
  }

  function set(change: Partial<GroupStatus>): void {
    status = { ...status, ...change }
  }

  async function follow(): Promise<void> {
    const watcher = provider()
    if (watcher === undefined) throw new Error('plugin_unavailable')
    for await (const part of watcher.watch(source.instance, needs, end.signal)) {
      if (part.type === 'connected') {
        if (status.failures > 0) log.info({ ...source, by: part.by }, 'the media server responds again')
        else log.info({ ...source, by: part.by, others: part.others }, 'playback is followed')
        set({
          state: 'connected',
          by: part.by,
          others: part.others,
          lastError: part.reason ?? null,
          retryAtMs: null,
          failures: 0,
        })
        continue
      }
      set({ lastEventAtMs: part.atMs })
      const [unseen, seen] = split(follower.take(part))
      // Resolve unseen ends first: a session that starts now may play the same item again.
      for (const observation of unseen) await observe(observation)
      // Decided in order, stored together.
      await Promise.all(seen.map(observe))
    }
  }

  async function run(): Promise<void> {
    while (!end.signal.aborted) {
      const startedAtMs = now()
      let reason = 'connection_lost'
      try {
        await follow()
      } catch (error) {
        if (end.signal.aborted) break
        reason = reasonOf(error)
        if (isPlayheadError(error) && REFUSALS.has(error.code)) {
          log.warn({ ...source, reason }, 'playback cannot be followed with this account')
          set({ state: 'failed', by: null, lastError: reason, failures: status.failures + 1 })
          return
        }
      }
      if (end.signal.aborted) break
      const failures = now() - startedAtMs > STEADY_MS ? 1 : status.failures + 1
      const waitMs = RETRY_MS[Math.min(failures, RETRY_MS.length) - 1]! * (1 - JITTER * Math.random())
      if (failures === 1) log.warn({ ...source, reason }, 'the media server cannot be followed; it is tried again')
      set({ state: 'offline', by: null, lastError: reason, failures, retryAtMs: Math.round(now() + waitMs) })
      await sleep(waitMs, end.signal).catch(() => {})
      if (!end.signal.aborted) set({ state: 'connecting', retryAtMs: null })
    }
    set({ state: 'stopped', by: null, retryAtMs: null })
  }

  const running = run().catch((error: unknown) => {
    log.error({ err: error, ...source }, 'a watcher ended unexpectedly')
    set({ state: 'failed', lastError: 'internal_error' })
  })
  return {
    status: () => status,
    sessions: () => follower.sessions(),
    async stop() {
      set({ state: 'stopping' })
      end.abort()
      await running
    },
  }
}

function reasonOf(error: unknown): string {
  if (isPlayheadError(error, 'PLH_UNSUPPORTED')) return error.wire
  if (error instanceof Error && error.message === 'plugin_unavailable') return 'plugin_unavailable'
  return healthOfError(error, '').reasonCode ?? 'upstream_error'
}

function split(observations: readonly Observation[]): readonly [readonly Observation[], readonly Observation[]] {
  return [
    observations.filter(({ unseen }) => unseen !== undefined),
    observations.filter(({ unseen }) => unseen === undefined),
  ]
}

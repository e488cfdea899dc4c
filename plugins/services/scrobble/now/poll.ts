// Polls accounts for their current sessions: in parallel, rate limited per account, shared between callers, with a
// timeout. A failing account keeps its last sessions until they are too old.
import { defined, isPlayheadError, type Logger } from '@playhead/sdk'
import { healthOfError, type PlaySession } from '@playhead/sdk/provider'
import type { SessionSource } from './session-sources.ts'

interface SeenSession {
  readonly session: PlaySession
  /** When this item was first seen in this session, epoch milliseconds. */
  readonly sinceMs: number
}

export interface PolledAccount {
  readonly source: SessionSource
  readonly sessions: readonly SeenSession[]
  /** When the sessions were read, epoch milliseconds. */
  readonly atMs: number
  /** Reason code of the last failure. */
  readonly reason?: string
}

export interface SessionPoller {
  /** Failing accounts do not make it throw. Forgets accounts that are not in the list. */
  poll(sources: readonly SessionSource[]): Promise<readonly PolledAccount[]>
  snapshot(): readonly CachedSessions[]
  restore(cached: readonly CachedSessions[]): void
}

export interface CachedSessions {
  readonly name: string
  readonly fingerprint: string
  readonly polledAtMs: number
  readonly sessions: readonly SeenSession[]
  readonly readAtMs: number
  readonly reason?: string
}

interface PollerOptions {
  readonly log: Logger
  readonly signal: AbortSignal
  readonly now?: () => number
  readonly timeoutMs?: number
}

interface Entry {
  readonly cached: CachedSessions
  readonly running?: Promise<void>
}

export const POLL_INTERVAL_MS = 10_000
/** Older sessions are not shown. */
export const MAX_AGE_MS = 600_000
const TIMEOUT_MS = 4_000
/** Errors that clear the cached sessions of an account. */
const REFUSALS: readonly unknown[] = ['PLH_UNSUPPORTED', 'PLH_AUTH_FAILED', 'PLH_FORBIDDEN', 'PLH_NOT_READY']

export function createSessionPoller({
  log,
  signal,
  now = Date.now,
  timeoutMs = TIMEOUT_MS,
}: PollerOptions): SessionPoller {
  const entries = new Map<string, Entry>()

  async function refresh(source: SessionSource, before: CachedSessions | undefined): Promise<void> {
    const { provider, instance, fingerprint } = source
    const name = nameOf(source)
    const base = { name, fingerprint, polledAtMs: now() }
    let cached: CachedSessions
    try {
      const sessions = await readSessions(source)
      const readAtMs = now()
      cached = {
        ...base,
        sessions: sessions.map((session) => continued(session, before?.sessions ?? [], readAtMs)),
        readAtMs,
      }
    } catch (error) {
      const reason = error instanceof TimeoutError ? 'timeout' : reasonOf(error)
      log.debug({ provider, instance, reason }, 'the current sessions of an account could not be read')
      if (!(error instanceof TimeoutError) && !isPlayheadError(error))
        log.error({ err: error, provider, instance }, 'reading the current sessions of an account failed')
      const isRefused = isPlayheadError(error) && REFUSALS.includes(error.code)
      cached = {
        ...base,
        reason,
        ...(before === undefined || isRefused
          ? { sessions: [], readAtMs: 0 }
          : { sessions: before.sessions, readAtMs: before.readAtMs }),
      }
    }
    // Skip if the account was removed or replaced meanwhile.
    if (entries.get(name)?.cached.fingerprint === fingerprint) entries.set(name, { cached })
  }

  async function readSessions({ playing }: SessionSource): Promise<readonly PlaySession[]> {
    const { promise: timeout, reject } = Promise.withResolvers<never>()
    const end = new AbortController()
    const timer = setTimeout(() => {
      reject(new TimeoutError())
      end.abort()
    }, timeoutMs)
    try {
      return await Promise.race([playing(AbortSignal.any([end.signal, signal])), timeout])
    } finally {
      clearTimeout(timer)
    }
  }

  async function pollOne(source: SessionSource): Promise<void> {
    const name = nameOf(source)
    const known = entries.get(name)
    const entry = known?.cached.fingerprint === source.fingerprint ? known : undefined
    if (entry?.running !== undefined) return entry.running
    const ageMs = entry === undefined ? Infinity : now() - entry.cached.polledAtMs
    // If the clock was set back, a cached result must not stay valid forever.
    if (ageMs >= 0 && ageMs < POLL_INTERVAL_MS) return
    const running = refresh(source, entry?.cached)
    const cached = entry?.cached ?? {
      name,
      fingerprint: source.fingerprint,
      polledAtMs: now(),
      sessions: [],
      readAtMs: 0,
    }
    entries.set(name, { cached, running })
    return running
  }

  return {
    async poll(sources) {
      const wanted = new Set(sources.map(nameOf))
      for (const name of entries.keys()) if (!wanted.has(name)) entries.delete(name)
      await Promise.all(sources.map(pollOne))
      return sources.flatMap((source): PolledAccount[] => {
        const cached = entries.get(nameOf(source))?.cached
        if (cached === undefined || cached.fingerprint !== source.fingerprint) return []
        const { sessions, readAtMs: atMs, reason } = cached
        return [{ source, sessions: now() - atMs > MAX_AGE_MS ? [] : sessions, atMs, ...defined({ reason }) }]
      })
    },
    snapshot: () => [...entries.values()].map(({ cached }) => cached),
    restore(all) {
      for (const cached of all) entries.set(cached.name, { cached })
    },
  }
}

class TimeoutError extends Error {}

function nameOf({ provider, instance }: SessionSource): string {
  return `${provider}@${instance}`
}

/** Carries over the start of a continued session, and its duration if the service stopped reporting it. */
function continued(session: PlaySession, before: readonly SeenSession[], atMs: number): SeenSession {
  const known = before.find((one) => one.session.key === session.key && idOf(one.session) === idOf(session))
  if (known === undefined) return { session, sinceMs: atMs }
  const { durationMs } = known.session
  const keepsDuration =
    session.durationMs === undefined && durationMs !== undefined && durationMs >= (session.positionMs ?? 0)
  return { session: keepsDuration ? { ...session, durationMs } : session, sinceMs: known.sinceMs }
}

function idOf({ item }: PlaySession): string {
  return item.native?.item_id ?? JSON.stringify([item.type, item.title, item.season, item.episode])
}

function reasonOf(error: unknown): string {
  if (isPlayheadError(error, 'PLH_UNSUPPORTED')) return error.wire
  return healthOfError(error, '').reasonCode ?? 'upstream_error'
}

// Asks accounts what is playing: side by side, each at most once in a while, together for all who want to know, and not
// for long. An account that fails keeps what it told before, until that is too old.
import { healthOfError, isPlayheadError, type Logger, type PlaySession } from '@playhead/sdk'
import type { Teller } from './tellers.ts'

export interface Seen {
  readonly session: PlaySession
  /** When this item was first seen in this session, epoch milliseconds. */
  readonly sinceMs: number
}

/** What is known of one account. */
export interface Told {
  readonly teller: Teller
  readonly sessions: readonly Seen[]
  /** When it told them, epoch milliseconds. */
  readonly atMs: number
  /** Why it did not answer when it was asked last: a code. */
  readonly reason?: string
}

export interface Asking {
  /** Never throws for what an account does. Accounts that are not among them are forgotten. */
  ask(tellers: readonly Teller[]): Promise<readonly Told[]>
  /** All that is remembered, as plain data. */
  give(): readonly Kept[]
  take(kept: readonly Kept[]): void
}

export interface Kept {
  readonly name: string
  readonly fingerprint: string
  readonly askedAtMs: number
  readonly sessions: readonly Seen[]
  readonly toldAtMs: number
  readonly reason?: string
}

export interface AskingOptions {
  readonly log: Logger
  /** Ends what is being asked. */
  readonly signal: AbortSignal
  /** Epoch milliseconds. */
  readonly now?: () => number
  readonly limitMs?: number
}

interface Entry {
  readonly kept: Kept
  readonly running?: Promise<void>
}

export const KEPT_MS = 10_000
/** What was told longer ago is not shown. */
export const OLDEST_MS = 600_000
const LIMIT_MS = 4_000
/** Who says this may not know what plays, whatever they told before. */
const REFUSALS: readonly unknown[] = ['PLH_UNSUPPORTED', 'PLH_AUTH_FAILED', 'PLH_FORBIDDEN', 'PLH_NOT_READY']

export function createAsking({ log, signal, now = Date.now, limitMs = LIMIT_MS }: AskingOptions): Asking {
  const entries = new Map<string, Entry>()

  async function renew(teller: Teller, before: Kept | undefined): Promise<void> {
    const { provider, instance, fingerprint } = teller
    const name = nameOf(teller)
    const base = { name, fingerprint, askedAtMs: now() }
    let kept: Kept
    try {
      const sessions = await answerOf(teller)
      const toldAtMs = now()
      kept = {
        ...base,
        sessions: sessions.map((session) => seenAgain(session, before?.sessions ?? [], toldAtMs)),
        toldAtMs,
      }
    } catch (error) {
      const reason = error instanceof Late ? 'timeout' : reasonOf(error)
      log.debug({ provider, instance, reason }, 'an account did not tell what is playing')
      if (!(error instanceof Late) && !isPlayheadError(error))
        log.error({ err: error, provider, instance }, 'an account could not be asked what is playing')
      const isRefused = isPlayheadError(error) && REFUSALS.includes(error.code)
      kept = {
        ...base,
        reason,
        ...(before === undefined || isRefused
          ? { sessions: [], toldAtMs: 0 }
          : { sessions: before.sessions, toldAtMs: before.toldAtMs }),
      }
    }
    // Another may stand there by now: the account was forgotten, or is another one.
    if (entries.get(name)?.kept.fingerprint === fingerprint) entries.set(name, { kept })
  }

  async function answerOf({ playing }: Teller): Promise<readonly PlaySession[]> {
    const { promise: late, reject } = Promise.withResolvers<never>()
    const end = new AbortController()
    const timer = setTimeout(() => {
      reject(new Late())
      end.abort()
    }, limitMs)
    try {
      return await Promise.race([playing(AbortSignal.any([end.signal, signal])), late])
    } finally {
      clearTimeout(timer)
    }
  }

  async function settle(teller: Teller): Promise<void> {
    const name = nameOf(teller)
    const known = entries.get(name)
    const entry = known?.kept.fingerprint === teller.fingerprint ? known : undefined
    if (entry?.running !== undefined) return entry.running
    const ageMs = entry === undefined ? Infinity : now() - entry.kept.askedAtMs
    // A clock that was put back must not keep an answer for ever.
    if (ageMs >= 0 && ageMs < KEPT_MS) return
    const running = renew(teller, entry?.kept)
    const kept = entry?.kept ?? { name, fingerprint: teller.fingerprint, askedAtMs: now(), sessions: [], toldAtMs: 0 }
    entries.set(name, { kept, running })
    return running
  }

  return {
    async ask(tellers) {
      const wanted = new Set(tellers.map(nameOf))
      for (const name of entries.keys()) if (!wanted.has(name)) entries.delete(name)
      await Promise.all(tellers.map(settle))
      return tellers.flatMap((teller): Told[] => {
        const kept = entries.get(nameOf(teller))?.kept
        if (kept === undefined || kept.fingerprint !== teller.fingerprint) return []
        const { sessions, toldAtMs: atMs, reason } = kept
        return [
          {
            teller,
            sessions: now() - atMs > OLDEST_MS ? [] : sessions,
            atMs,
            ...(reason === undefined ? {} : { reason }),
          },
        ]
      })
    },
    give: () => [...entries.values()].map(({ kept }) => kept),
    take(all) {
      for (const kept of all) entries.set(kept.name, { kept })
    },
  }
}

class Late extends Error {}

function nameOf({ provider, instance }: Teller): string {
  return `${provider}@${instance}`
}

/** The same item in the same session goes on; a length that is not told any more stays what it was. */
function seenAgain(session: PlaySession, before: readonly Seen[], atMs: number): Seen {
  const known = before.find((one) => one.session.key === session.key && idOf(one.session) === idOf(session))
  if (known === undefined) return { session, sinceMs: atMs }
  const { durationMs } = known.session
  const isKept = session.durationMs === undefined && durationMs !== undefined && durationMs >= (session.positionMs ?? 0)
  return { session: isKept ? { ...session, durationMs } : session, sinceMs: known.sinceMs }
}

function idOf({ item }: PlaySession): string {
  return item.native?.item_id ?? JSON.stringify([item.type, item.title, item.season, item.episode])
}

function reasonOf(error: unknown): string {
  if (isPlayheadError(error, 'PLH_UNSUPPORTED')) return error.wire
  return healthOfError(error, '').reasonCode ?? 'upstream_error'
}

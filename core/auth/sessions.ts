// Sessions: issued at login, checked on every request, ended by logout or expiry. The table survives restarts; the map
// in memory answers lookups synchronously.
//
// A session is bound to the credentials it was issued for (`credentialsId`), so new credentials end all older sessions
// at once, even if the process dies before the rows are deleted.
import { randomBytes } from 'node:crypto'
import type { Logger, Tables } from '@playhead/sdk'
import type { Clock } from '../clock.ts'
import type { ConfigService } from '../config/contract.ts'
import { ADMIN_USER_ID, fromRow, sessionTable, tokenHash, toRow, type Session } from './session-table.ts'

export interface NewSession {
  readonly username: string
  readonly credentialsId: string
  readonly method: string
  readonly persistent: boolean
  readonly address: string
  readonly userAgent: string
  /** Sessions that end when this one starts: an id, or all. */
  readonly replaces?: string | 'all'
  /** Evaluated inside the write: false cancels the session. */
  readonly isStillValid?: () => boolean
}

type EndReason = 'logout' | 'expired' | 'replaced'

export interface Sessions {
  /** The valid session of a token; synchronous, without I/O. */
  find(token: string): Session | undefined
  /** All valid sessions, newest first. */
  list(): readonly Session[]
  /** Undefined if `isStillValid` returned false. */
  issue(request: NewSession): Promise<{ readonly token: string; readonly session: Session } | undefined>
  end(id: string): Promise<void>
  endAll(): Promise<void>
  endOthers(id: string): Promise<void>
  /** Ends the sessions opened by this method, except the one with the id. */
  endMethod(method: string, exceptId?: string): Promise<void>
  /** Ends expired sessions. Run it every minute: expiry also closes open streams. */
  prune(): Promise<void>
  onStarted(listener: (session: Session) => void): () => void
  onEnded(listener: (session: Session, reason: EndReason) => void): () => void
  /** Writes buffered changes. */
  close(): Promise<void>
}

interface SessionDependencies {
  readonly db: Tables
  readonly clock: Clock
  readonly config: Pick<ConfigService, 'at'>
  readonly log: Logger
}

const DAY_MS = 86_400_000
const BROWSER_SESSION_IDLE_MS = DAY_MS
const BROWSER_SESSION_MAX_MS = 7 * DAY_MS
const LAST_SEEN_WRITE_MS = 5 * 60_000
const MAX_SESSIONS = 10
const TOKEN_BYTES = 32
const MAX_USER_AGENT_LENGTH = 240
const DEFAULT_REMEMBER_DAYS = 30

// The hash is separate, because sessions are passed to request handlers.
interface StoredSession {
  readonly session: { -readonly [Key in keyof Session]: Session[Key] }
  readonly hash: string
  writtenSeenAtMs: number
}

export async function createSessions({ db, clock, config, log }: SessionDependencies): Promise<Sessions> {
  const table = sessionTable(db)
  const byHash = new Map<string, StoredSession>()
  // Cache of known tokens since the last ended session: avoids a hash per request.
  const known = new Map<string, StoredSession>()
  const startedListeners = new Set<(session: Session) => void>()
  const endedListeners = new Set<(session: Session, reason: EndReason) => void>()
  let lastWrite: Promise<unknown> = Promise.resolve()

  for (const row of await table.selectFrom('core__sessions').selectAll().execute()) {
    byHash.set(row.token_hash, { session: fromRow(row), hash: row.token_hash, writtenSeenAtMs: row.last_seen_at_ms })
  }

  return {
    find(token) {
      const kept = known.get(token) ?? recognize(token)
      if (kept === undefined) return undefined
      const now = clock.now()
      if (now >= sessionEndsAtMs(kept.session)) return undefined
      kept.session.lastSeenAtMs = now
      if (now - kept.writtenSeenAtMs >= LAST_SEEN_WRITE_MS) writeLastSeen(kept)
      return kept.session
    },
    list: () =>
      oldestFirst()
        .map(({ session }) => session)
        .filter((session) => !hasEnded(session))
        .reverse(),
    issue,
    end: (id) => remove((session) => session.id === id, 'logout'),
    endAll: () => remove(() => true, 'logout'),
    endOthers: (id) => remove((session) => session.id !== id, 'logout'),
    endMethod: (method, exceptId) =>
      remove((session) => session.method === method && session.id !== exceptId, 'logout'),
    prune: () => remove(hasEnded, 'expired'),
    onStarted: (listener) => subscribe(startedListeners, listener),
    onEnded: (listener) => subscribe(endedListeners, listener),
    async close() {
      for (const kept of byHash.values()) if (kept.session.lastSeenAtMs !== kept.writtenSeenAtMs) writeLastSeen(kept)
      await lastWrite
    },
  }

  function recognize(token: string): StoredSession | undefined {
    const kept = byHash.get(tokenHash(token))
    if (kept !== undefined && known.size < MAX_SESSIONS) known.set(token, kept)
    return kept
  }

  function issue(request: NewSession): ReturnType<Sessions['issue']> {
    return write(async () => {
      if (request.isStillValid?.() === false) return undefined
      const token = randomBytes(TOKEN_BYTES).toString('base64url')
      const session = toSession(request)
      const kept: StoredSession = { session, hash: tokenHash(token), writtenSeenAtMs: session.lastSeenAtMs }
      const leaving = leavingFor(request)

      await table.transaction().execute(async (transaction) => {
        if (leaving.size > 0) await transaction.deleteFrom('core__sessions').where('id', 'in', idsOf(leaving)).execute()
        await transaction.insertInto('core__sessions').values(toRow(session, kept.hash)).execute()
      })
      forget(leaving)
      byHash.set(kept.hash, kept)
      notify(startedListeners, (listener) => listener(session))
      return { token, session }
    })
  }

  // Expired and replaced sessions, and the oldest ones beyond the limit.
  function leavingFor(request: NewSession): Map<StoredSession, EndReason> {
    const leaving = new Map<StoredSession, EndReason>()
    for (const kept of byHash.values()) {
      if (hasEnded(kept.session)) leaving.set(kept, 'expired')
      else if (request.replaces === 'all' || request.replaces === kept.session.id) leaving.set(kept, 'replaced')
    }
    const staying = oldestFirst().filter((kept) => !leaving.has(kept))
    for (const kept of staying.slice(0, Math.max(0, staying.length + 1 - MAX_SESSIONS))) leaving.set(kept, 'replaced')
    return leaving
  }

  // The sort is stable, so the order of issue decides within a millisecond.
  function oldestFirst(): StoredSession[] {
    return [...byHash.values()].sort((a, b) => a.session.createdAtMs - b.session.createdAtMs)
  }

  function remove(applies: (session: Session) => boolean, reason: EndReason): Promise<void> {
    return write(async () => {
      const leaving = new Map<StoredSession, EndReason>()
      for (const kept of byHash.values()) if (applies(kept.session)) leaving.set(kept, reason)
      if (leaving.size === 0) return
      await table.deleteFrom('core__sessions').where('id', 'in', idsOf(leaving)).execute()
      forget(leaving)
    })
  }

  function forget(leaving: ReadonlyMap<StoredSession, EndReason>): void {
    for (const { hash } of leaving.keys()) byHash.delete(hash)
    known.clear()
    for (const [{ session }, reason] of leaving) notify(endedListeners, (listener) => listener(session, reason))
  }

  // Serialized, so that the map and the table change in the same order.
  function write<T>(change: () => Promise<T>): Promise<T> {
    const done = lastWrite.then(change)
    // The caller gets the failure; the next change only waits.
    lastWrite = done.catch(() => undefined)
    return done
  }

  function writeLastSeen(kept: StoredSession): void {
    const { session } = kept
    const seenAtMs = session.lastSeenAtMs
    kept.writtenSeenAtMs = seenAtMs
    write(() =>
      table.updateTable('core__sessions').set({ last_seen_at_ms: seenAtMs }).where('id', '=', session.id).execute(),
    ).catch((error: unknown) =>
      log.warn({ err: error, session: session.id }, 'the time a session was last seen could not be stored'),
    )
  }

  function toSession(request: NewSession): Session {
    const now = clock.now()
    const lifeMs = request.persistent
      ? rememberDays(config.at('app_auth.remember_session_days')) * DAY_MS
      : BROWSER_SESSION_MAX_MS
    return {
      id: randomBytes(8).toString('hex'),
      userId: ADMIN_USER_ID,
      username: request.username,
      credentialsId: request.credentialsId,
      method: request.method,
      persistent: request.persistent,
      address: request.address,
      userAgent: request.userAgent.slice(0, MAX_USER_AGENT_LENGTH),
      createdAtMs: now,
      latestEndAtMs: now + lifeMs,
      lastSeenAtMs: now,
    }
  }

  function hasEnded(session: Session): boolean {
    return clock.now() >= sessionEndsAtMs(session)
  }

  function notify<Listener>(listeners: ReadonlySet<Listener>, call: (listener: Listener) => void): void {
    for (const listener of listeners) {
      try {
        call(listener)
      } catch (error) {
        log.error({ err: error }, 'a listener for sessions failed')
      }
    }
  }
}

/** Expiry without further use. */
export function sessionEndsAtMs(session: Session): number {
  return session.persistent
    ? session.latestEndAtMs
    : Math.min(session.latestEndAtMs, session.lastSeenAtMs + BROWSER_SESSION_IDLE_MS)
}

export function rememberDays(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value)
    ? Math.min(365, Math.max(1, Math.trunc(value)))
    : DEFAULT_REMEMBER_DAYS
}

function idsOf(kept: ReadonlyMap<StoredSession, unknown>): string[] {
  return [...kept.keys()].map(({ session }) => session.id)
}

function subscribe<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

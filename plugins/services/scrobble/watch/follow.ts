// Turns reports of sessions into observations, including ends and item changes. Pure except for its memory of the
// sessions.
import { type AccountName, defined, type PlaybackAccount, type PlaySession, type WatchPart } from '@playhead/sdk'
import type { Observation } from '../contract.ts'
import { isSameItem } from '../decide/viewing.ts'

interface Follower {
  /** The observations from a part of the stream, in order. */
  take(part: Exclude<WatchPart, { readonly type: 'connected' }>): readonly Observation[]
  /** Sessions of an earlier run of the service, so that their ends are noticed. */
  remember(sessions: readonly KnownSession[]): void
  sessions(): readonly PlaySession[]
}

export interface KnownSession {
  readonly session: PlaySession
  /** When the item was first and last reported, epoch milliseconds. */
  readonly sinceMs: number
  readonly atMs: number
  /** Restored from before a restart. */
  readonly remembered?: true
}

/** Sessions without a report for this long are forgotten. */
const MEMORY_MS = 6 * 3_600_000
/** A playing session is assumed to have played between two reports, up to this duration. */
const EXTRAPOLATE_MS = 30_000
/** After a longer gap between reports, the end was not observed. */
const UNSEEN_MS = 60_000

export function createFollower(source: AccountName): Follower {
  const known = new Map<string, KnownSession>()

  function observe(session: PlaySession, atMs: number): Observation[] {
    const before = known.get(session.key)
    const observations: Observation[] = []
    const isSame = before !== undefined && isContinued(before.session, session)
    if (before !== undefined && !isSame) {
      // A late report: only a watched mark is still relevant.
      const isLate = session.state === 'stopped'
      const isOver = isLate && isSameItem(before.session.item, session.item)
      if (!isLate || isOver) observations.push(ended(before, atMs))
      if (isOver) known.delete(session.key)
      if (isLate)
        return session.completed === true ? [...observations, toObservation(source, session, atMs)] : observations
    }
    if (session.state === 'stopped') known.delete(session.key)
    else known.set(session.key, { session: carried(session, before), sinceMs: isSame ? before.sinceMs : atMs, atMs })
    observations.push(toObservation(source, carried(session, before), atMs))
    return observations
  }

  function ended({ session, sinceMs, atMs: seenAtMs, remembered }: KnownSession, atMs: number): Observation {
    const isUnseen = remembered === true || atMs - seenAtMs > UNSEEN_MS
    const { positionMs, durationMs, state } = session
    const playedMs = state === 'playing' ? Math.min(Math.max(atMs - seenAtMs, 0), EXTRAPOLATE_MS) : 0
    const reachedMs =
      positionMs === undefined ? undefined : Math.min(positionMs + playedMs, durationMs ?? positionMs + playedMs)
    return {
      ...toObservation(source, { ...session, state: 'stopped', ...defined({ positionMs: reachedMs }) }, atMs),
      synthetic: true,
      ...(isUnseen ? { unseen: { sinceMs, lastAtMs: seenAtMs } } : {}),
    }
  }

  return {
    take(part) {
      const { atMs } = part
      for (const [key, one] of known) if (atMs - one.atMs > MEMORY_MS) known.delete(key)
      if (part.type === 'session') return observe(part.session, atMs)
      const current = new Set(part.sessions.map(({ key }) => key))
      const gone = [...known].filter(([key, { atMs: seenAtMs }]) => !current.has(key) && atMs - seenAtMs >= 0)
      const ends = gone.map(([key, one]) => {
        known.delete(key)
        return ended(one, atMs)
      })
      return [...ends, ...part.sessions.flatMap((session) => observe(session, atMs))]
    },
    remember(sessions) {
      for (const one of sessions) if (!known.has(one.session.key)) known.set(one.session.key, one)
    },
    sessions: () => [...known.values()].map(({ session }) => session),
  }
}

/** People who share a player may switch profiles there, even in the middle of an item. */
function isContinued(before: PlaySession, session: PlaySession): boolean {
  return isSameItem(before.item, session.item) && isSamePerson(before.account, session.account)
}

/** Assumes the same person unless a report contradicts: not every report names its person, or all of the person's data. */
function isSamePerson(one: PlaybackAccount, other: PlaybackAccount): boolean {
  for (const key of ['id', 'uuid', 'name'] as const)
    if (one[key] !== undefined && other[key] !== undefined) return one[key] === other[key]
  return one.relation === other.relation || one.relation === 'unknown' || other.relation === 'unknown'
}

/** Reports of a change may lack fields that an earlier report of the same item had. */
function carried(session: PlaySession, before: KnownSession | undefined): PlaySession {
  if (before === undefined || !isContinued(before.session, session)) return session
  const { durationMs, positionMs, libraries, files } = before.session
  return {
    ...(durationMs === undefined || durationMs < (session.positionMs ?? 0) ? {} : { durationMs }),
    ...defined({ positionMs, libraries, files }),
    ...session,
  }
}

function toObservation(source: AccountName, session: PlaySession, atMs: number): Observation {
  const { key, ...rest } = session
  return { method: 'watcher', kind: 'level', source, session: key, atMs, ...rest }
}

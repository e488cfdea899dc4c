// Turns what a service reports of its sessions into observations: ends and changes of items included. Pure but for its
// memory of the sessions.
import type { AccountName, PlaybackAccount, PlaySession, WatchPart } from '@playhead/sdk'
import type { Observation } from '../contract.ts'
import { isSameItem } from '../decide/viewing.ts'

interface Follower {
  /** The observations that a part of the stream contains, in order. */
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
  /** From before a restart. */
  readonly remembered?: true
}

/** Sessions that were not reported for this long are forgotten. */
const MEMORY_MS = 6 * 3_600_000
/** A session that plays on is assumed to have done so between two reports, but not longer than this. */
const EXTRAPOLATE_MS = 30_000
/** Without a report for longer, its end was not seen. */
const UNSEEN_MS = 60_000

export function createFollower(source: AccountName): Follower {
  const known = new Map<string, KnownSession>()

  function observe(session: PlaySession, atMs: number): Observation[] {
    const before = known.get(session.key)
    const observations: Observation[] = []
    const isSame = before !== undefined && isContinued(before.session, session)
    if (before !== undefined && !isSame) {
      // Late: only that it was watched still matters.
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
      ...toObservation(
        source,
        { ...session, state: 'stopped', ...(reachedMs === undefined ? {} : { positionMs: reachedMs }) },
        atMs,
      ),
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

/** People who share a player change their profiles there, also in the middle of an item. */
function isContinued(before: PlaySession, session: PlaySession): boolean {
  return isSameItem(before.item, session.item) && isSamePerson(before.account, session.account)
}

/** Unless a report says that it is another: not every report names its person, or with everything that is known. */
function isSamePerson(one: PlaybackAccount, other: PlaybackAccount): boolean {
  for (const key of ['id', 'uuid', 'name'] as const)
    if (one[key] !== undefined && other[key] !== undefined) return one[key] === other[key]
  return one.relation === other.relation || one.relation === 'unknown' || other.relation === 'unknown'
}

/** Reports of a change may lack what an earlier one said of the same item. */
function carried(session: PlaySession, before: KnownSession | undefined): PlaySession {
  if (before === undefined || !isContinued(before.session, session)) return session
  const { durationMs, positionMs, libraries, files } = before.session
  return {
    ...(durationMs === undefined || durationMs < (session.positionMs ?? 0) ? {} : { durationMs }),
    ...(positionMs === undefined ? {} : { positionMs }),
    ...(libraries === undefined ? {} : { libraries }),
    ...(files === undefined ? {} : { files }),
    ...session,
  }
}

function toObservation(source: AccountName, session: PlaySession, atMs: number): Observation {
  const { key, ...rest } = session
  return { method: 'watcher', kind: 'level', source, session: key, atMs, ...rest }
}

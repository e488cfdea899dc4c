// In-memory copy of the account's library: read in full once, then updated with changes. All features except progress
// are views of it. It belongs to one sign-in.
import type { UpstreamAccount } from '@playhead/sdk'
import { isFullReadRecent, type Stamps } from '@playhead/sdk/provider'
import { type Activities, isSame, isSettled, stampsOf, timeOf } from './activities.ts'
import { GROUP_OF, isWhole, type Part, PARTS, STATUSES } from './entries.ts'
import { type Answered, readEntries, readIds, readRatings } from './library-wire.ts'

/** Changes are filtered by the time of a play, not by the time it was recorded. */
const OVERLAP_MS = 24 * 3_600_000
/** The change time of a list may be this much later than the removal. */
const LATE_MS = 60_000
/** SIMKL blocks clients that repeat full reads, so the features of a run share a doubtful read. */
const DOUBTED_MS = 60_000

interface Snapshot {
  readonly parts: Readonly<Record<Part, Answered>>
  readonly stamps: Stamps
  /** Time of the last full read. */
  readonly fullAtMs: number
  /** Why it may be incomplete. */
  readonly flaw?: string
}

export interface Library {
  /** Updates the copy, reading only what changed. */
  refresh(signal: AbortSignal): Promise<Snapshot>
  /** Announces a write that the change times do not cover: plays from this time on, or everything if undefined. */
  expect(parts: readonly Part[], fromMs: number | undefined): void
}

export function createLibrary(upstream: UpstreamAccount, activities: Activities, now: () => number): Library {
  let known: Snapshot | undefined
  let doubted: { readonly snapshot: Snapshot; readonly untilMs: number } | undefined
  let queue: Promise<unknown> = Promise.resolve()
  /** Earliest time to read again, by part; -Infinity: everything. */
  const expected = new Map<Part, number>()

  async function refreshNow(signal: AbortSignal): Promise<Snapshot> {
    const stamps = stampsOf(
      await activities.get(),
      (group, name) => group !== 'settings' && name !== 'playback' && name !== 'all',
    )
    const before = known
    if (before !== undefined && isFullReadRecent(before.fullAtMs, now()) && isSame(before.stamps, stamps)) return before
    if (doubted !== undefined && now() < doubted.untilMs && isSame(doubted.snapshot.stamps, stamps))
      return doubted.snapshot
    const isUsable = before !== undefined && isFullReadRecent(before.fullAtMs, now())
    const startedAtMs = now()
    const awaited = new Map(expected)
    const parts: Partial<Record<Part, Answered>> = {}
    for (const part of PARTS) {
      parts[part] = isUsable
        ? await bringUpToDate(
            upstream,
            { part, before: before.parts[part], old: before.stamps, stamps, fromMs: awaited.get(part) },
            signal,
          )
        : await readEntries(upstream, part, undefined, signal)
    }
    const asked = { parts: parts as Record<Part, Answered>, stamps, fullAtMs: isUsable ? before.fullAtMs : startedAtMs }
    // The service returns an empty body both for an empty part and on failure.
    const isDoubtful = PARTS.some((part) => isEmpty(asked.parts[part]) && !mayBeEmpty(part, before, stamps))
    doubted = isDoubtful
      ? { snapshot: { ...asked, flaw: 'empty_unexplained' }, untilMs: now() + DOUBTED_MS }
      : undefined
    if (doubted !== undefined) return doubted.snapshot
    // Only a complete read is stored.
    known = asked
    for (const part of PARTS) {
      const isRead = !isUsable || isMoved(part, before.stamps, stamps)
      // Keep an expectation that was added meanwhile.
      if (isRead && expected.get(part) === awaited.get(part)) expected.delete(part)
    }
    return known
  }

  return {
    refresh(signal) {
      const mine = queue.then(() => refreshNow(signal))
      // Callers get the error; the next refresh retries.
      queue = mine.catch(() => {})
      return mine
    },
    expect(parts, fromMs = -Infinity) {
      for (const part of parts) expected.set(part, Math.min(expected.get(part) ?? Infinity, fromMs))
    },
  }
}

interface Change {
  readonly part: Part
  readonly before: Answered
  readonly old: Stamps
  readonly stamps: Stamps
  readonly fromMs: number | undefined
}

async function bringUpToDate(upstream: UpstreamAccount, change: Change, signal: AbortSignal): Promise<Answered> {
  const { part, before, old, stamps, fromMs } = change
  if (!isMoved(part, old, stamps)) return before
  const everything = () => readEntries(upstream, part, undefined, signal)
  const since = startOf(part, old, fromMs)
  if (since === undefined) return everything()

  const entries = new Map(before.entries)
  const ids = hasMoved(part, 'removed_from_list', old, stamps) ? await readIds(upstream, part, signal) : undefined
  if (ids !== undefined) for (const id of entries.keys()) if (!ids.has(id)) entries.delete(id)

  const moved = STATUSES.filter((status) => hasMoved(part, status, old, stamps))
  if (moved.length > 0) {
    const delta = await readEntries(upstream, part, since, signal)
    const shown = new Set<string>()
    for (const [id, entry] of delta.entries) {
      const was = entries.get(id)
      if (part !== 'movies' && !isWhole(entry, was)) return everything()
      if (JSON.stringify(was) !== JSON.stringify(entry))
        for (const status of [was?.status, entry.status]) shown.add(status ?? '')
      entries.set(id, entry)
    }
    // Something changed that a delta read does not show: an unwatched episode, or an old play.
    const isHidden = (status: string) =>
      timeOf(stampOf(part, status, old)) !== timeOf(stampOf(part, status, stamps)) && !shown.has(status)
    if (delta.unreadable.length > 0 || moved.some(isHidden)) return everything()
    for (const status of moved) {
      const ids = await readIds(upstream, part, signal, status)
      if (
        !isSameList(
          [...entries.values()].filter((entry) => entry.status === status).map(({ id }) => id),
          ids,
        )
      )
        return everything()
    }
  }

  if (hasMoved(part, 'rated_at', old, stamps)) {
    const ratings = await readRatings(upstream, part, signal)
    // The entries confirm it: none of them has a rating.
    if (ratings.size === 0 && [...entries.values()].some(({ rating }) => rating !== undefined)) return everything()
    for (const id of ratings.keys()) if (!entries.has(id)) return everything()
    for (const [id, entry] of entries) {
      const { rating, ratedAt } = ratings.get(id) ?? { rating: undefined, ratedAt: undefined }
      entries.set(id, { ...entry, rating, ratedAt })
    }
  }
  if (ids !== undefined) for (const id of ids) if (!entries.has(id)) return everything()
  return { entries, unreadable: before.unreadable }
}

function isEmpty({ entries, unreadable }: Answered): boolean {
  return entries.size === 0 && unreadable.length === 0
}

/** The part was always empty, or its last change was a removal. */
function mayBeEmpty(part: Part, before: Snapshot | undefined, stamps: Stamps): boolean {
  const atMs = (name: string) => Date.parse(timeOf(stampOf(part, name, stamps)))
  const changes = STATUSES.map(atMs).filter(Number.isFinite)
  if (changes.length === 0) return true
  if (!(atMs('removed_from_list') + LATE_MS >= Math.max(...changes))) return false
  return (
    before === undefined || isEmpty(before.parts[part]) || hasMoved(part, 'removed_from_list', before.stamps, stamps)
  )
}

function isSameList(ids: readonly string[], others: ReadonlySet<string>): boolean {
  return ids.length === others.size && ids.every((id) => others.has(id))
}

/** Start time of the delta; undefined: from the beginning. */
function startOf(part: Part, old: Stamps, fromMs: number | undefined): string | undefined {
  const times = Object.entries(old)
    .filter(([key, at]) => key.startsWith(`${GROUP_OF[part]}.`) && at !== '')
    .map(([, at]) => Date.parse(timeOf(at)))
  if (times.length === 0 || fromMs === -Infinity) return undefined
  // Later changes cannot be older than the last known one, except our own writes.
  const start = Math.min(Math.max(...times), fromMs ?? Infinity) - OVERLAP_MS
  return Number.isFinite(start) ? new Date(start).toISOString().replace(/\.\d+Z$/, 'Z') : undefined
}

function stampOf(part: Part, name: string, stamps: Stamps): string {
  return stamps[`${GROUP_OF[part]}.${name}`] ?? ''
}

function hasMoved(part: Part, name: string, old: Stamps, stamps: Stamps): boolean {
  const [was, is] = [stampOf(part, name, old), stampOf(part, name, stamps)]
  return was !== is || !isSettled(was)
}

function isMoved(part: Part, old: Stamps, stamps: Stamps): boolean {
  return [...STATUSES, 'rated_at', 'removed_from_list'].some((name) => hasMoved(part, name, old, stamps))
}

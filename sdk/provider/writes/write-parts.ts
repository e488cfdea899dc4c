// Helpers for batch writes: ids and times of items in bodies, and outcomes per item.
import type { Logger } from '../../logger.ts'
import type { Item } from '../../items/item.ts'
import type { IdScheme, Ids } from '../../items/id-schemes.ts'
import { isRating } from '../../items/rating.ts'
import { formatTime, parseTime, type Time } from '../../items/time.ts'
import { isPlayheadError } from '../../errors.ts'
import type { FeatureSupport } from '../contract.ts'
import type { WriteItem, WriteResult } from './contract.ts'
import type { ItemOutcome } from './write-in-turn.ts'
import { defined } from '../../defined.ts'

/** Tolerates a fast clock, but not a play of tomorrow. */
const AHEAD_AT_MOST_MS = 3_600_000
const SECOND_MS = 1_000
/** Services round to minutes, and the rounded time is of the same day. */
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** Items without an outcome were not sent. */
export const NOT_SENT: ItemOutcome = { outcome: 'failed', reason: 'not_sent' }

/** Why an item is not sent. */
export interface NotSent {
  readonly refused: ItemOutcome
}

/** One outcome per item, in request order; items without one were not sent. */
export function writeResult(
  items: readonly WriteItem[],
  outcomes: ReadonlyMap<string, ItemOutcome>,
  retryAfterMs?: number,
): WriteResult {
  return {
    outcomes: items.map(({ key }) => ({ key, ...(outcomes.get(key) ?? NOT_SENT) })),
    ...defined({ retryAfterMs }),
  }
}

/**
 * The time of a play, to the second, for a service without days. Services replace a missing time with now, so it is
 * refused (`missing_watched_at`), as are future times (`watched_in_future`). A day is its noon, see `noonOf`.
 */
export function playTime({ watched_at: text }: Item, nowMs: number): Time | NotSent {
  const time = parseTime(text)
  if (time === undefined) return { refused: { outcome: 'rejected', reason: 'missing_watched_at' } }
  if (isInFuture(time, nowMs)) return { refused: { outcome: 'rejected', reason: 'watched_in_future' } }
  return time.precision === 'date' ? noonOf(time, nowMs) : time
}

/**
 * The instant for a day at a service that only has instants: noon in the time zone of this service (`TZ`), the
 * convention of Trakt's own importers. It is moved into the same day in UTC, so that it is read as a time of that day
 * in every zone; for today it is not later than now.
 */
export function noonOf(day: Time, nowMs: number): Time {
  const noonMs = Temporal.PlainDate.from(formatTime({ ...day, precision: 'date' }))
    .toZonedDateTime({ timeZone: Temporal.Now.timeZoneId(), plainTime: '12:00' })
    .toInstant().epochMilliseconds
  const latestMs = Math.min(day.atMs + DAY_MS - MINUTE_MS, Math.floor(nowMs / SECOND_MS) * SECOND_MS)
  return { atMs: Math.max(day.atMs + MINUTE_MS, Math.min(noonMs, latestMs)), precision: 'second' }
}

/** A day is in the future if it begins in the future there. */
export function isInFuture({ atMs }: Time, nowMs: number): boolean {
  return atMs > nowMs + AHEAD_AT_MOST_MS
}

/**
 * Why a play is not written to a provider, for plans: `day_unsupported`, `watched_in_future`. A provider that keeps days
 * takes any time.
 */
export function playRefusal(
  { days = 'kept' }: Pick<FeatureSupport, 'days'>,
  { watched_at: text }: Item,
  nowMs: number,
): 'day_unsupported' | 'watched_in_future' | undefined {
  const time = parseTime(text)
  if (time === undefined || days === 'kept') return undefined
  if (time.precision === 'date' && days === 'none') return 'day_unsupported'
  return isInFuture(time, nowMs) ? 'watched_in_future' : undefined
}

/** `rating`, and `rated_at` if known to the second; refused without a rating (`missing_rating`). */
export function ratingFields({
  rating,
  rated_at: text,
}: Item): { readonly rating: number; readonly rated_at?: string } | NotSent {
  if (!isRating(rating)) return { refused: { outcome: 'rejected', reason: 'missing_rating' } }
  const time = parseTime(text)
  return { rating, ...(time === undefined || time.precision === 'date' ? {} : { rated_at: formatTime(time) }) }
}

/** Ids under a service's names. */
export type WireIds = Readonly<Record<string, string | number>>

/**
 * The ids that a service accepts, in its order and under its names. Unsafe integers are dropped.
 * @param schemes our name, theirs, and whether it is a number there
 */
export function wireIds(
  ids: Ids,
  schemes: readonly (readonly [scheme: IdScheme, name: string, isNumber: boolean])[],
): WireIds {
  return Object.fromEntries(
    schemes.flatMap(([scheme, name, isNumber]) => {
      const id = ids[scheme]
      if (id === undefined || (isNumber && !Number.isSafeInteger(Number(id)))) return []
      return [[name, isNumber ? Number(id) : id]]
    }),
  )
}

export interface PartOfShow {
  readonly season?: number
  /** Absent: the whole season. */
  readonly episode?: number
  /** Additional fields beside the number. */
  readonly extra: Readonly<Record<string, unknown>>
}

/** Parts of one show as `seasons` of a body: whole seasons first, then episodes grouped by season. */
export function seasonsOf(parts: readonly PartOfShow[]): readonly object[] {
  const whole = parts
    .filter(({ episode }) => episode === undefined)
    .map(({ season, extra }) => ({ number: season, ...extra }))
  const bySeason = Map.groupBy(
    parts.filter(({ episode }) => episode !== undefined),
    ({ season }) => season,
  )
  return [
    ...whole,
    ...[...bySeason].map(([number, episodes]) => ({
      number,
      episodes: episodes.map(({ episode, extra }) => ({ number: episode, ...extra })),
    })),
  ]
}

export interface PlayRemoval {
  /** Plays per request. */
  readonly chunk: number
  /** Removes plays and returns an outcome for each. */
  readonly remove: (ids: readonly number[]) => Promise<(id: number) => ItemOutcome>
  /** The outcome of plays in a failed request; undefined for a bug. */
  readonly outcomeOf: (error: unknown) => ItemOutcome | undefined
  readonly log: Logger
}

/**
 * Removes single plays by their ids (`native.event_id`), leaving the item's other plays. A play without an id is
 * `rejected` (`exact_play_unknown`). Stops after a failed request. A bug is thrown, or logged if plays were already
 * removed.
 */
export async function removePlays(
  items: readonly WriteItem[],
  { chunk, remove, outcomeOf, log }: PlayRemoval,
): Promise<WriteResult> {
  const outcomes = new Map<string, ItemOutcome>()
  const byId = new Map<number, string[]>()
  for (const { key, item, current } of items) {
    const id = Number(item.native?.event_id ?? current?.native?.event_id)
    if (Number.isSafeInteger(id) && id > 0) byId.set(id, [...(byId.get(id) ?? []), key])
    else outcomes.set(key, { outcome: 'rejected', reason: 'exact_play_unknown' })
  }
  const settle = (ids: readonly number[], outcomeFor: (id: number) => ItemOutcome) => {
    for (const id of ids) for (const key of byId.get(id) ?? []) outcomes.set(key, outcomeFor(id))
  }
  const all = [...byId.keys()]
  for (let from = 0; from < all.length; from += chunk) {
    const ids = all.slice(from, from + chunk)
    try {
      settle(ids, await remove(ids))
    } catch (error) {
      const outcome = outcomeOf(error)
      // Outcomes of removed plays must be returned; a bug is thrown only before the first removal.
      if (outcome === undefined && from === 0) throw error
      if (outcome === undefined)
        log.error({ err: error }, 'a write failed unexpectedly; the outcome of its plays is unknown')
      settle(ids, () => outcome ?? { outcome: 'unknown', reason: 'internal' })
      return writeResult(items, outcomes, isPlayheadError(error) ? error.retryAfterMs : undefined)
    }
  }
  return writeResult(items, outcomes)
}

// What writes in batches share: how an item is named and dated in a body, and one outcome for each item of the request.
import type { Logger } from '../../context.ts'
import type { Item } from '../../items/item.ts'
import type { IdScheme, Ids } from '../../items/id-schemes.ts'
import { isRating } from '../../items/rating.ts'
import { formatTime, parseTime, type Time } from '../../items/time.ts'
import { isPlayheadError } from '../../errors.ts'
import type { WriteItem, WriteResult } from '../contract.ts'
import type { ItemOutcome } from './write-in-turn.ts'

/** A clock may be a little fast; a play of tomorrow is a mistake. */
const AHEAD_AT_MOST_MS = 3_600_000

/** What was not sent has not happened. */
export const NOT_SENT: ItemOutcome = { outcome: 'failed', reason: 'not_sent' }

/** Why an item is not sent. */
export interface NotSent {
  readonly refused: ItemOutcome
}

/** One outcome per item in the order of the request; an item without one was not sent. */
export function writeResult(
  items: readonly WriteItem[],
  outcomes: ReadonlyMap<string, ItemOutcome>,
  retryAfterMs?: number,
): WriteResult {
  return {
    outcomes: items.map(({ key }) => ({ key, ...(outcomes.get(key) ?? NOT_SENT) })),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

/**
 * When a play was, to the second. Services take the present moment for a time that is missing and the first of the day
 * for a date: neither is when it was watched, so both are refused (`missing_watched_at`), as is what is still to come
 * (`watched_in_future`).
 */
export function playTime({ watched_at: text }: Item, nowMs: number): Time | NotSent {
  const time = parseTime(text)
  if (time === undefined || time.precision === 'date')
    return { refused: { outcome: 'rejected', reason: 'missing_watched_at' } }
  if (time.atMs > nowMs + AHEAD_AT_MOST_MS) return { refused: { outcome: 'rejected', reason: 'watched_in_future' } }
  return time
}

/** `rating`, and `rated_at` where the second is known; without a rating the item is refused (`missing_rating`). */
export function ratingFields({
  rating,
  rated_at: text,
}: Item): { readonly rating: number; readonly rated_at?: string } | NotSent {
  if (!isRating(rating)) return { refused: { outcome: 'rejected', reason: 'missing_rating' } }
  const time = parseTime(text)
  return { rating, ...(time === undefined || time.precision === 'date' ? {} : { rated_at: formatTime(time) }) }
}

/** Ids under the names that a service gives them. */
export type WireIds = Readonly<Record<string, string | number>>

/**
 * The ids that a service knows, in its order and under its names. A number that is too large to be exact is left out.
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
  /** What is sent beside the number. */
  readonly extra: Readonly<Record<string, unknown>>
}

/** Parts of one show as `seasons` of a body: whole seasons first, then the episodes of each season together. */
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
  /** Plays in one request. */
  readonly chunk: number
  /** Takes the plays away, and gives what became of each. */
  readonly remove: (ids: readonly number[]) => Promise<(id: number) => ItemOutcome>
  /** What a request that failed means for its plays; undefined for a fault of the code. */
  readonly outcomeOf: (error: unknown) => ItemOutcome | undefined
  readonly log: Logger
}

/**
 * Takes single plays away by their own numbers (`native.event_id`), so that the others of the item stay. A play without
 * one is `rejected` (`exact_play_unknown`). After a request that failed nothing more is sent. A fault of the code is
 * thrown, or logged where plays were taken away before it.
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
      // What was taken away must be told; only a fault before anything happened may be thrown.
      if (outcome === undefined && from === 0) throw error
      if (outcome === undefined)
        log.error({ err: error }, 'a write failed unexpectedly; what became of its plays is not known')
      settle(ids, () => outcome ?? { outcome: 'unknown', reason: 'internal' })
      return writeResult(items, outcomes, isPlayheadError(error) ? error.retryAfterMs : undefined)
    }
  }
  return writeResult(items, outcomes)
}

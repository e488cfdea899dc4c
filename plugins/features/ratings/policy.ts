// Ratings policy: which of two ratings is the latest.
import type { FeatureSupport } from '@playhead/sdk'
import { isRating, type Item, kindOf, shownAs } from '@playhead/sdk/items'
import {
  type Appearance,
  decideGroups,
  isTransient,
  type Pending,
  type Row,
  type Seen,
  type Shape,
  shapeOf,
  type SyncFeature,
  timeMs,
} from '@playhead/sdk/sync'
import { decideRating } from './decide-rating.ts'
import { fromMs, kindsOf, normalizeRatings, RatingsOptions } from './options.ts'

/** A service with five stars returns a rating that is off by up to one point. */
const ROUNDING = 1
/** A service may set the time of a rating to the time of the write, by its own clock. */
const CLOCK_MS = 60_000

export function createRatings(now: () => number = Date.now): SyncFeature {
  return {
    describe: () => ({ feature: 'ratings', label: 'Ratings', options: RatingsOptions, after: [] }),
    normalize: (options) => normalizeRatings(options, now()),
    compare: ({ options }) => ({ identity: 'item', toleranceMs: 0, kinds: kindsOf(options), variant: 'item' }),
    shape: (rows, { options }) => {
      const kinds = kindsOf(options)
      const startMs = fromMs(options)
      return rows.map((item): Shape => {
        const reason = isTransient(item) ? 'transient' : whyOutOfScope(item, kinds, startMs)
        return reason === undefined ? shapeOf(String(item.rating), timeMs(item.rated_at)) : { skip: reason }
      })
    },
    decide: (groups, rules) => decideGroups(groups, rules, recognise, decideRating),
  }
}

function whyOutOfScope(
  item: Item,
  kinds: readonly string[] | undefined,
  startMs: number | undefined,
): string | undefined {
  if (!isRating(item.rating)) return 'not_rated'
  if (kinds !== undefined && !kinds.includes(kindOf(item))) return 'out_of_scope'
  const ratedMs = timeMs(item.rated_at)
  return startMs !== undefined && ratedMs !== undefined && ratedMs < startMs ? 'before_from_date' : undefined
}

function recognise(row: Row, pending: Pending, seen: Seen | null, { ratingScale }: FeatureSupport): Appearance {
  const isSince = row.evidenceMs !== undefined && row.evidenceMs > pending.atMs + CLOCK_MS
  if (row.value === pending.value) return 'shown'
  if (!isSince && row.value === String(shownAs(Number(pending.value), ratingScale))) return 'shown'
  // A person who gave it after the write would have given it a later time, so a service without a declared scale rounds.
  const isRounded = Math.abs(Number(row.value) - Number(pending.value)) <= ROUNDING
  if (isRounded && row.value !== seen?.value && (row.evidenceMs ?? Infinity) <= pending.atMs) return 'shown'
  // The old value with another time was given again.
  const isGivenAgain = isSince || (row.evidenceMs ?? -Infinity) > (seen?.evidenceMs ?? Infinity)
  return row.value === seen?.value && !isGivenAgain ? 'not_yet' : 'changed'
}

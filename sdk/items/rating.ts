// Ratings are integers from 1 to 10. Each provider declares its scale. Converting to a scale and back yields the same
// rating; otherwise two accounts would update each other endlessly.
export interface RatingScale {
  /** The best value. 0 and below mean unrated. */
  readonly max: number
  /** The step between values. */
  readonly step: number
}

/** Common scales. A provider may declare another. */
export const RATING_SCALES = {
  tenPoints: { max: 10, step: 1 },
  tenPointsHalves: { max: 10, step: 0.5 },
  hundredPoints: { max: 100, step: 1 },
  fiveStars: { max: 5, step: 1 },
  fiveStarsHalves: { max: 5, step: 0.5 },
} as const satisfies Record<string, RatingScale>

/**
 * The rating for a provider's value, rounded half up, at least 1. Undefined if unrated, unreadable or out of range.
 *
 * @example ratingFrom(75, RATING_SCALES.hundredPoints) // 8
 */
export function ratingFrom(value: unknown, { max }: RatingScale): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number !== 'number' || !(number > 0 && number <= max)) return undefined
  return Math.max(1, roundHalfUp((number * 10) / max))
}

/** The provider's value for a rating: the nearest on its scale, never 0. Throws a RangeError for an invalid rating. */
export function ratingTo(rating: number, { max, step }: RatingScale): number {
  if (!isRating(rating)) throw new RangeError(`${rating} is not a rating; expected an integer from 1 to 10`)
  const steps = Math.max(1, roundHalfUp((rating * max) / 10 / step))
  return Math.min(max, Number((steps * step).toFixed(6)))
}

/** The rating that an account shows after this one was written. `scale` absent: the same. */
export function shownAs(rating: number, scale: RatingScale | undefined): number {
  return scale === undefined || !isRating(rating) ? rating : (ratingFrom(ratingTo(rating, scale), scale) ?? rating)
}

/** Whether a provider's value already equals the rating, so that no write is needed. */
export function holdsRating(value: unknown, rating: number, scale: RatingScale): boolean {
  const current = ratingFrom(value, scale)
  return current !== undefined && (current === rating || current === ratingFrom(ratingTo(rating, scale), scale))
}

/** One account's rating. */
export interface RatingRow {
  readonly rating: number
  /** Epoch milliseconds; null if the account reports none. */
  readonly atMs: number | null
  /** The row of Playhead's own tracker, in which people correct services. */
  readonly isTracker: boolean
}

/**
 * Selects the row to show among different accounts' ratings of one film, show or episode; undefined without rows. The
 * tracker's wins, else the newest. Of equal ratings the earliest row counts: the others are copies. For display: the
 * sync decides what is written.
 */
export function shownRating<Row>(rows: readonly Row[], ratingOf: (row: Row) => RatingRow): Row | undefined {
  const all = rows.map((row) => ({ row, ...ratingOf(row) }))
  const own = all.filter(({ isTracker }) => isTracker)
  const earliest = new Map<number, (typeof all)[number]>()
  for (const one of own.length > 0 ? own : all) {
    const known = earliest.get(one.rating)
    if (known === undefined || (one.atMs ?? Infinity) < (known.atMs ?? Infinity)) earliest.set(one.rating, one)
  }
  return [...earliest.values()].sort((a, b) => (b.atMs ?? 0) - (a.atMs ?? 0))[0]?.row
}

export function isRating(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 10
}

// Floating point: 0.35 * 10 may be slightly above or below 3.5.
function roundHalfUp(value: number): number {
  return Math.floor(Number(value.toFixed(9)) + 0.5)
}

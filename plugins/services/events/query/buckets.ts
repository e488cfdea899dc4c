// Time buckets: hours, days and weeks in a given time zone.

export type BucketSize = 'hour' | 'day' | 'week'

export const BUCKET_SECONDS: Readonly<Record<BucketSize, number>> = { hour: 3_600, day: 86_400, week: 604_800 }
const MAX_BUCKETS = 10_000

/** Starts of the buckets that overlap a time range, in seconds, ascending. Weeks begin on Monday. */
export function bucketStarts(since: number, until: number, size: BucketSize, timeZone: string): readonly number[] {
  const starts: number[] = []
  let at = startOf(since, size, timeZone)
  while (at.epochMilliseconds / 1_000 < until && starts.length < MAX_BUCKETS) {
    starts.push(Math.floor(at.epochMilliseconds / 1_000))
    at = next(at, size)
  }
  return starts
}

function startOf(seconds: number, size: BucketSize, timeZone: string): Temporal.ZonedDateTime {
  const at = Temporal.Instant.fromEpochMilliseconds(seconds * 1_000).toZonedDateTimeISO(timeZone)
  if (size === 'hour') return at.round({ smallestUnit: 'hour', roundingMode: 'floor' })
  const day = at.startOfDay()
  return size === 'day' ? day : day.subtract({ days: day.dayOfWeek - 1 }).startOfDay()
}

function next(at: Temporal.ZonedDateTime, size: BucketSize): Temporal.ZonedDateTime {
  // Hours are absolute; days follow the calendar of the zone.
  if (size === 'hour') return at.add({ hours: 1 })
  return at.add({ days: size === 'day' ? 1 : 7 }).startOfDay()
}

/** Index of the bucket that contains a moment. */
export function bucketAt(starts: readonly number[], seconds: number): number {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] as number) <= seconds) low = middle
    else high = middle - 1
  }
  return low
}

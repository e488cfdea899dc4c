// Kodi stores times as local times of the box, to the second and without a zone (`lastplayed`: `2024-05-06 21:04:05`).

/**
 * The time in UTC. In the hour that the clock repeats in autumn two times are possible, and then it is the day alone.
 * Undefined if the text is empty or not a time.
 *
 * @example fromLocal('2024-05-06 21:04:05', 'Europe/Berlin') // '2024-05-06T19:04:05Z'
 */
export function fromLocal(text: string, zone: string): string | undefined {
  if (!/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(text)) return undefined
  try {
    const local = Temporal.PlainDateTime.from(text.replace(' ', 'T'))
    if (local.year < 1970) return undefined
    const [first, last] = (['earlier', 'later'] as const).map((disambiguation) =>
      local.toZonedDateTime(zone, { disambiguation }).toInstant(),
    ) as [Temporal.Instant, Temporal.Instant]
    return first.equals(last) ? first.toString() : local.toPlainDate().toString()
  } catch {
    return undefined
  }
}

/** @param atMs epoch milliseconds */
export function toLocal(atMs: number, zone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(Math.floor(atMs / 1_000) * 1_000).toZonedDateTimeISO(zone)
  return local.toPlainDateTime().toString({ smallestUnit: 'second' }).replace('T', ' ')
}

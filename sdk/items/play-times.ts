// How far two times of plays may be apart and still mean one play. Each number is one fact about services; code that
// compares plays uses these, so that two places never answer differently. Milliseconds.

/** Services that keep seconds cut the rest off: a time that was written is read back within this. */
export const KEPT_TIME_MS = 1_000

/**
 * Two times of one play that was reported or copied to two services: some round to minutes, or note when the request
 * ended. Decides what is written: a play this close to one that an account has is not added again.
 */
export const REPORTED_PLAY_MS = 60_000

/** Two recorders that note one play by their own clocks: a minute of rounding and a minute between the clocks. */
export const CLOCKS_MS = 2 * 60_000

/**
 * Rows of one film or episode that are shown as one play: services store the end of a playback by different rules (at
 * 90 %, at the last second, when it was closed). Display only; too wide to decide what is written.
 */
export const SHOWN_PLAY_MS = 5 * 60_000

/** A delivered play may be dated by the service as late as this after the playback, or as early before it. */
export const DELIVERED_PLAY_MS = 10 * 60_000

/**
 * Times of one viewing at services that note different moments of it: its start, its end, or when they noticed it.
 * Longer than nearly all films with breaks, shorter than the time until an item is watched again.
 */
export const VIEWING_MS = 6 * 3_600_000

/** A day of an unknown time zone begins up to this long before or after the day in UTC (zones are -12 to +14). */
export const ZONES_MS = 14 * 3_600_000

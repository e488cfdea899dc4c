// The short name of an episode, as people and players write it.

/** `S01E02`; `S01` for a season, and without a season an empty text. */
export function episodeCode({
  season,
  episode,
}: {
  readonly season?: number | null | undefined
  readonly episode?: number | null | undefined
}): string {
  if (season == null) return ''
  return `S${twoDigits(season)}${episode == null ? '' : `E${twoDigits(episode)}`}`
}

/** `7` is `07`. */
export function twoDigits(number: number): string {
  return String(number).padStart(2, '0')
}

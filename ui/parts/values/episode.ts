/** `S01E03`; empty without the numbers. */
export function episodeCode(season: number | null | undefined, episode: number | null | undefined): string {
  return season == null || episode == null ? '' : `${seasonCode(season)}E${String(episode).padStart(2, '0')}`
}

/** `S01` */
export function seasonCode(season: number): string {
  return `S${String(season).padStart(2, '0')}`
}

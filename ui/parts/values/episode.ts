/** `S01E03`; empty without the numbers. */
export function episodeCode(season: number | null | undefined, episode: number | null | undefined): string {
  if (season == null || episode == null) return ''
  return `S${String(season).padStart(2, '0')}E${String(episode).padStart(2, '0')}`
}

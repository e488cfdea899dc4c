// Reason codes in words. A code that is not here is shown as it is.
const LABELS: readonly (readonly [pattern: RegExp, label: string])[] = [
  [/^(?:not_in_library|not_in_catalog)$/, 'Not in library'],
  [/episode_missing/, 'Show found - episode missing'],
  [/ambiguous/, 'Ambiguous match'],
  [/missing_watched_at/, 'Missing watched date'],
  [/^(?:missing_ids|missing_ids_for_key|missing_tmdb_id|no_external_ids|no_id|unmatched|no_confirmations|provider_unresolved|id_mismatch)$/, 'ID mismatch'],
  [/^provider_down:|unavailable/, 'provider unavailable'],
  [/not_removed/, 'not removed'],
  [/exception/, 'error'],
  [/failed|^http:\d/, 'request failed'],
  [/fallback|unconfirmed/, 'unconfirmed'],
  [/^quarantined$/, 'Left alone after several failures'],
  [/^(?:held_mass_delete|held)/, 'Removal held for approval'],
  [/^write_not_visible$/, 'Written, but it never appeared'],
  [/^exact_play_unknown$/, 'The exact play is not known'],
  [/^provider_limit$/, 'Limit of the account reached'],
]

/**
 * @example
 * labelOf('episode_missing') // 'Show found - episode missing'
 */
export function labelOf(code: string): string {
  return LABELS.find(([pattern]) => pattern.test(code))?.[1] ?? code
}

// Reason codes in words, for everybody who shows one. Codes are neutral: the service has a field of its own, detail follows a colon.
const LABELS: readonly (readonly [pattern: RegExp, label: string])[] = [
  // What a run wanted.
  [/^new_on_[ab]$/, 'New on the other side'],
  [/^changed_on_[ab]$/, 'Changed on the other side'],
  [/^newer_on_[ab]$/, 'Newer on the other side'],
  [/^removed_on_[ab]$/, 'Removed on the other side'],
  [/^restored_from_[ab]$/, 'Restored from the other side'],
  [/^undo$/, 'A run was undone'],
  [/^mirror$/, 'Not in the source'],
  [/^already$/, 'Was so already'],
  // What became of it.
  [/^(?:not_in_library|not_in_catalog)$/, 'Not in library'],
  [/episode_missing/, 'Show found - episode missing'],
  [/^ambiguous_response$/, 'Ambiguous response'],
  [/ambiguous/, 'Ambiguous match'],
  [/^(?:target_)?not_found\b/, 'Not found at target'],
  [/anime_unmapped|anime_only_unmapped/, 'Anime episode mapping missing'],
  [/missing_watched_at/, 'Missing watched date'],
  [/missing_id|no_id|missing_tmdb_id|missing_supported_ids|no_external_ids|^unmatched$|no_confirmations|provider_unresolved|id_mismatch/, 'ID mismatch'],
  [/^provider_down\b|unavailable|unreachable/, 'provider unavailable'],
  [/^(?:auth_failed|missing_auth|token_rejected)/, 'Sign-in failed'],
  [/^rate_limited/, 'The service asked to wait'],
  [/^(?:provider|target)_limit/, 'Limit of the account reached'],
  [/^unsupported/, 'Unsupported'],
  [/^malformed_response|^invalid_(?:json|response)/, 'Malformed response'],
  [/not_removed/, 'not removed'],
  [/^date_mismatch/, 'Another date at the target'],
  [/^quarantined$/, 'Left alone after several failures'],
  [/^(?:flapper|blackbox|phantom)/, 'Quarantined'],
  [/^(?:held_mass_delete|held|mass_delete)/, 'Removal held for approval'],
  [/^write_not_visible$/, 'Written, but it never appeared'],
  [/^exact_play_unknown$/, 'The exact play is not known'],
  [/^removals_off$/, 'Removals are switched off'],
  [/^interrupted$/, 'The service ended during it'],
  [/^cancelled$/, 'Cancelled'],
  [/exception/, 'error'],
  [/^verify_failed|fallback|unconfirmed/, 'unconfirmed'],
  [/failed|^http[:_]\d/, 'request failed'],
  [/^errors$/, 'Errors'],
]

// Few codes are asked for again and again.
const MOST_KNOWN = 1_000
const known = new Map<string, string>()

/**
 * A short label for people. A code that nobody knows is shown as it is.
 * @example
 * reasonLabel('episode_missing') // 'Show found - episode missing'
 */
export function reasonLabel(code: string): string {
  let label = known.get(code)
  if (label === undefined) {
    const plain = code.toLowerCase()
    label = LABELS.find(([pattern]) => pattern.test(plain))?.[1] ?? (code === '' ? 'Unresolved' : code)
    if (known.size >= MOST_KNOWN) known.clear()
    known.set(code, label)
  }
  return label
}

// Labels of reason codes. Codes are provider-neutral; detail follows a colon.
const LABELS: readonly (readonly [pattern: RegExp, label: string])[] = [
  // Why a run plans an operation.
  [/^new_on_[ab]$/, 'New on the other service'],
  [/^changed_on_[ab]$/, 'Changed on the other service'],
  [/^newer_on_[ab]$/, 'Newer on the other service'],
  [/^removed_on_[ab]$/, 'Removed from the other service'],
  [/^restored_from_[ab]$/, 'Restored from the other service'],
  [/^finished_on_[ab]$/, 'Finished on the other service'],
  [/^undo$/, 'A run was undone'],
  [/^mirror$/, 'Not on the source'],
  [/^already$/, 'Already up to date'],
  // Why an operation was not done.
  [/^(?:not_in_library|not_in_catalog)$/, 'Not in library'],
  [/episode_missing/, 'Show found - episode missing'],
  [/^ambiguous_response$/, 'Ambiguous response'],
  [/ambiguous/, 'Ambiguous match'],
  [/^(?:target_)?not_found\b/, 'Not found at target'],
  [/^anime_(?:no_|outside_|unmapped)|anime_only_unmapped/, 'Not in the anime mapping'],
  [/^anime_/, 'The anime mapping is ambiguous'],
  [/missing_watched_at/, 'Missing watched date'],
  [
    /missing_id|no_id|missing_tmdb_id|missing_supported_ids|no_external_ids|^unmatched$|no_confirmations|provider_unresolved|id_mismatch/,
    'ID mismatch',
  ],
  [/^provider_down\b|unavailable|unreachable/, 'provider unavailable'],
  [/^(?:auth_failed|missing_auth|token_rejected)/, 'Sign-in failed'],
  [/^rate_limited/, 'The service limits requests'],
  [/^(?:provider|target)_limit/, 'The account is full'],
  [/^unsupported/, 'Unsupported'],
  [/^malformed_response|^invalid_(?:json|response)/, 'Malformed response'],
  [/not_removed/, 'not removed'],
  [/^date_mismatch/, 'Different date on the target'],
  [/^quarantined$/, 'On hold after several failures'],
  [/^(?:flapper|blackbox|phantom)/, 'Quarantined'],
  [/^(?:held_mass_delete|held|mass_delete)/, 'Needs your approval'],
  [/^write_not_visible$/, 'Written, but did not appear'],
  [/^exact_play_unknown$/, 'The matching play could not be found'],
  [/^removals_off$/, 'Removals are not synced'],
  [/^interrupted$/, 'Playhead was stopped during the run'],
  [/^cancelled$/, 'Cancelled'],
  [/exception/, 'error'],
  [/^verify_failed|fallback|unconfirmed/, 'unconfirmed'],
  [/failed|^http[:_]\d/, 'request failed'],
  [/^errors$/, 'Errors'],
]

/** Exact codes. */
const WORDS: Readonly<Record<string, string>> = {
  // Why an item is left unchanged.
  active_session: 'Playing now',
  out_of_scope: 'Not read by the pair on this service',
  list_limit: 'The list only shows its newest titles',
  left_library: 'No longer in the library, or not known to the service',
  plays_unavailable: 'Single plays are not available at the moment',
  mass_update: 'Many updates in a short time',
  absence_not_proven: 'The removal is not confirmed yet',
  absence_unconfirmed: 'Missing; the next read confirms it',
  add_disabled: 'Additions are not synced',
  adds_off: 'Additions are not synced',
  seen_once: 'Not seen long enough to confirm it',
  not_anime: 'Not anime',
  only_on_b: 'Only on the target',
  recorded_only: 'Was there before the first run',
  unchanged: 'Not changed since',
  cleared_on_b: 'Cleared on the target',
  mirror_not_confirmed: 'The change was not confirmed',
  write_not_visible_yet: 'Written, but not visible yet',
  remove_disabled: 'Removals are not synced',
  changed_since_plan: 'Changed since the plan was created',
  changed_since_approval: 'Not one of the approved removals',
  changed_since_run: 'Changed since the run',
  changed_since_read: 'Changed in the meantime',
  changed_while_reading: 'Changed while it was read',
  item_changed: 'Changed in the meantime',
  status_changed: 'Changed in the meantime',
  consumed: 'Watched since it was added',
  manual_block: 'Blocked by you',
  manual_add: 'Added by you, so it is not changed',
  manual_add_withdrawn: 'You removed what you had added; nothing is changed',
  never_linked: 'Was never on both services',
  settled: 'Kept as you left it',
  tombstone: 'Was removed before, and not added again since',
  backoff: 'Waiting for the next try',
  renamed: 'It may have another number or time on the other service now',
  other_title: 'Not the title that the run was for',
  not_in_plan: 'Not part of the approved plan',
  not_there: 'Nothing to change',
  not_settled: 'Not decided yet',
  own_write: 'Only written by Playhead',
  recorded_soon: 'A scrobble is going to record it',
  recorded_before: 'Already recorded by a scrobble',
  one_way: 'Nothing is written to the source',
  first_run: 'The first run removes nothing',
  unknown_presence: 'Not known whether it is on the service',
  presence_unknown: 'Not known whether it is on the service',
  not_understood: 'The current value could not be read',
  diverged: 'Different on both services',
  read_only: 'The service is read only',
  needs_own_sign_in: 'It needs a sign-in of this person, or an API key',
  // Incomplete or failed reads.
  account_changed: 'Another account is signed in',
  account_unknown: 'The signed-in account is not known',
  same_account: 'Both services are the same account',
  empty_read: 'The service suddenly returned no items',
  shrunk_read: 'The service suddenly returned far fewer items',
  unreadable_rows: 'Some items could not be read',
  read_incomplete: 'Not read completely',
  incomplete: 'Not read completely',
  truncated: 'Not read completely',
  lookup_incomplete: 'Not read completely',
  repeated_page: 'Not read completely',
  too_many_pages: 'Not read completely',
  count_mismatch: 'Fewer items than announced',
  total_mismatch: 'Fewer items than announced',
  connection_lost: 'The connection was lost',
  connect_timeout: 'Could not be reached in time',
  timeout: 'Did not respond in time',
  tls_error: 'The secure connection failed',
  blocked: 'The service is blocking Playhead',
  down: 'Not reachable',
  provider_missing: 'Its plugin is not running',
  upstream_error: 'The service had an error',
  ok: 'OK',
  degraded: 'Partly working',
  unknown: 'Not known',
  // Sign-in and permissions.
  not_configured: 'Not signed in',
  not_connected: 'Not signed in',
  not_authorized: 'Not allowed',
  forbidden: 'Not allowed',
  owner_only: 'Only for the server owner',
  vip_only: 'Only for paying members',
  login_unknown: 'Sign-in not known',
  // Items.
  ids_unknown: 'ID mismatch',
  kind_mismatch: 'Another type of title',
  unknown_type: 'Type of title not known',
  no_match: 'No match',
  title_only: 'Only the title is known',
  episode_mismatch: 'Another episode',
  row_unknown: 'The item is not on the service',
  entry_unknown: 'The item is not on the service',
  old_value_unknown: 'The previous value is not known',
  missing_rating: 'No rating',
  invalid_rating: 'Not a rating',
  missing_duration: 'Length not known',
  duration_missing: 'Length not known',
  no_position: 'No position',
  invalid_position: 'Not a position',
  invalid_duration: 'Not a length',
  position_too_small: 'Too near the beginning',
  below_minimum: 'Too near the beginning',
  near_the_end: 'Too near the end',
  place_unknown: 'Position not known',
  time_unknown: 'Time not known',
  older: 'The position on the other service is newer',
  not_ahead: 'The position on the other service is further along',
  not_comparable: 'The positions cannot be compared',
  date_unproven: 'Date not confirmed',
  date_not_kept: 'The service stores no date',
  time_in_future: 'In the future',
  watched_in_future: 'In the future',
  shared_file: 'In one file with other episodes that are not all watched',
  day_unsupported: 'Only the day is known, and the service needs a time',
  watched_just_now: 'Watched just now',
  already_on_list: 'Already up to date',
  already_there: 'Already up to date',
  already_gone: 'Was already gone',
  pair_not_found: 'The pair was deleted',
  not_attempted: 'Not tried',
  already_watching_or_watched: 'Being watched, or already watched',
  counts_as_watched: 'Counts as watched on the service',
  completed_by_service: 'Completed by the service itself',
  status_rewritten: 'Changed by the service itself',
  deleted_from_library: 'Deleted from the library',
  duplicate_in_batch: 'Twice in the same request',
  duplicate_target: 'The service treats two titles as one',
  one_position_per_show: 'The service stores one position for each show',
  would_complete: 'It would count as watched on the service',
  would_remove_history: 'It would also remove history',
  would_remove_rating: 'It would also remove a rating',
  removal_side_effects: 'It would also remove other data',
  // Answers of plugins about operations.
  vetoed: 'Skipped by a plugin',
  veto_failed: 'A plugin did not answer whether to allow it',
  // Anime mapping.
  mapping_off: 'The anime mapping is off',
  no_index: 'No anime mapping data yet',
  not_mappable: 'Not mapped for this kind',
  specials_off: 'Specials are not mapped',
  no_mapping: 'Anime episode mapping missing',
  outside_ranges: 'Anime episode mapping missing',
  ratio_unsupported: 'Episodes are split or joined differently',
  disagreement: 'Conflicting mappings',
  // Callers of changes to one account.
  editor: 'Editor',
  manual: 'Recorded by you',
  watchlist_tool: 'Watchlist tool',
  scrobble: 'Playback',
  // Responses of services.
  no_outcome: 'unconfirmed',
  not_confirmed: 'unconfirmed',
  not_verified: 'unconfirmed',
  not_checked: 'unconfirmed',
  outcome_unknown: 'unconfirmed',
  contradicting_outcomes: 'Conflicting responses',
  refused_by_service: 'Refused by the service',
  rejected: 'Refused by the service',
  not_on_list: 'Not on the list',
  not_sent: 'Not sent',
  unresolved_cleared: 'Resolved',
}

const NOT_IN_LIBRARY =
  /^(?:not_in_library|not_in_catalog|out_of_scope|list_limit|left_library|(?:target_)?not_found\b.*|.*episode_missing)$/

/**
 * The service lacks the title or the episode, or does not show it to the pair. This is not an error, and a later run may find it.
 */
export function isNotInLibrary(code: string | null | undefined): boolean {
  return code !== null && code !== undefined && NOT_IN_LIBRARY.test(code)
}

/** Codes of `isAccepted`. */
export const ACCEPTED: readonly string[] = [
  // As a setting of the pair, or a person, wants it.
  'adds_off',
  'add_disabled',
  'one_way',
  'manual_block',
  'manual_add',
  'consumed',
  'below_minimum',
  'near_the_end',
  'unchanged',
  'finished_on_a',
  'finished_on_b',
  'not_anime',
  'recorded_before',
  // Ends by itself.
  'recorded_soon',
  'active_session',
  'write_not_visible_yet',
  'seen_once',
  'first_run',
]
const accepted = new Set(ACCEPTED)

/**
 * A title differs as a setting or a person wants it, or until a later run: it is listed, but is not a problem. Differences that
 * the mode of a pair allows, such as rows that only the target of a one-way pair has, are not listed.
 */
export function isAccepted(code: string | null | undefined): boolean {
  return code !== null && code !== undefined && accepted.has(code)
}

// Cache of computed labels.
const MAX_CACHED_LABELS = 1_000
const known = new Map<string, string>()

/**
 * A short label. Unknown codes are returned unchanged.
 *
 * @example
 * reasonLabel('episode_missing') // 'Show found - episode missing'
 */
export function reasonLabel(code: string): string {
  let label = known.get(code)
  if (label === undefined) {
    const plain = code.toLowerCase()
    label =
      (Object.hasOwn(WORDS, plain) ? WORDS[plain] : undefined) ??
      LABELS.find(([pattern]) => pattern.test(plain))?.[1] ??
      (code === '' ? 'Unresolved' : code)
    if (known.size >= MAX_CACHED_LABELS) known.clear()
    known.set(code, label)
  }
  return label
}

/** Every label, for tests of translations. */
export function knownLabels(): readonly string[] {
  return [...new Set([...LABELS.map(([, label]) => label), ...Object.values(WORDS)])]
}

/** Counts by reason, as in responses. */
export function labelledReasons(counts: Readonly<Record<string, number>>) {
  return Object.entries(counts).map(([reason, count]) => ({ reason, reason_label: reasonLabel(reason), count }))
}

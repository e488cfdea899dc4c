// Labels of reason codes. Codes are provider-neutral; detail follows a colon.
const LABELS: readonly (readonly [pattern: RegExp, label: string])[] = [
  // Why a run plans an operation.
  [/^new_on_[ab]$/, 'New on the other side'],
  [/^changed_on_[ab]$/, 'Changed on the other side'],
  [/^newer_on_[ab]$/, 'Newer on the other side'],
  [/^removed_on_[ab]$/, 'Removed on the other side'],
  [/^restored_from_[ab]$/, 'Restored from the other side'],
  [/^finished_on_[ab]$/, 'Finished on the other side'],
  [/^undo$/, 'A run was undone'],
  [/^mirror$/, 'Not in the source'],
  [/^already$/, 'Was so already'],
  // Why an operation was not done.
  [/^(?:not_in_library|not_in_catalog)$/, 'Not in library'],
  [/episode_missing/, 'Show found - episode missing'],
  [/^ambiguous_response$/, 'Ambiguous response'],
  [/ambiguous/, 'Ambiguous match'],
  [/^(?:target_)?not_found\b/, 'Not found at target'],
  [/^anime_(?:no_|outside_|unmapped)|anime_only_unmapped/, 'The anime mapping does not know it'],
  [/^anime_/, 'The anime mapping cannot tell'],
  [/missing_watched_at/, 'Missing watched date'],
  [
    /missing_id|no_id|missing_tmdb_id|missing_supported_ids|no_external_ids|^unmatched$|no_confirmations|provider_unresolved|id_mismatch/,
    'ID mismatch',
  ],
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
  [/^(?:held_mass_delete|held|mass_delete)/, 'Held for approval'],
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

/** Exact codes. */
const WORDS: Readonly<Record<string, string>> = {
  // Why an item is left unchanged.
  active_session: 'It is being played right now',
  out_of_scope: 'Not in what the pair reads there',
  list_limit: 'The list only shows its newest titles',
  left_library: 'Left the library there, or not known there',
  plays_unavailable: 'Single plays cannot be used right now',
  mass_update: 'Many updates in a short time',
  absence_not_proven: 'That it is gone is not proven yet',
  absence_unconfirmed: 'Missing there; another reading has to confirm it',
  add_disabled: 'Adding is switched off',
  adds_off: 'Adding is switched off',
  seen_once: 'Not seen long enough to be sure',
  not_anime: 'No anime',
  only_on_b: 'Only on the target, where it stays',
  recorded_only: 'Was there before the pair began',
  unchanged: 'Not changed there since',
  cleared_on_b: 'Cleared at the target',
  mirror_not_confirmed: 'Taking over was not confirmed',
  write_not_visible_yet: 'Written, and not visible yet',
  remove_disabled: 'Removing is switched off',
  changed_since_plan: 'Changed since the plan was made',
  changed_since_approval: 'Not among the removals that were approved',
  changed_since_run: 'Changed since the run',
  changed_since_read: 'Changed in the meantime',
  changed_while_reading: 'Changed while it was read',
  item_changed: 'Changed in the meantime',
  status_changed: 'Changed in the meantime',
  consumed: 'Watched since it was added',
  manual_block: 'Blocked by hand',
  manual_add: 'Added by hand, so it is not changed',
  manual_add_withdrawn: 'The manual add is gone; both sides stay as they are',
  never_linked: 'Never seen on both sides',
  settled: 'Left as a person wanted it',
  tombstone: 'Removed before, and not wanted back since',
  backoff: 'Waits before it is tried again',
  renamed: 'It may have another number or time at the other side now',
  other_title: 'Another title than those of this run',
  not_in_plan: 'Not in the plan that was approved',
  not_there: 'Nothing to change there',
  not_settled: 'Not settled yet',
  own_write: 'Only written by Playhead itself',
  recorded_soon: 'A scrobble is going to record it',
  recorded_before: 'Recorded there before, by a scrobble',
  one_way: 'The pair goes the other way',
  first_run: 'Nothing is removed in the first run',
  unknown_presence: 'Not known whether it is there',
  presence_unknown: 'Not known whether it is there',
  not_understood: 'Not understood',
  diverged: 'Different on both sides',
  read_only: 'The service takes no changes',
  // Incomplete or failed reads.
  account_changed: 'Another account is signed in',
  account_unknown: 'Not known who is signed in',
  same_account: 'Both sides are the same account',
  empty_read: 'Suddenly empty',
  shrunk_read: 'Suddenly much less than before',
  unreadable_rows: 'Some rows could not be read',
  read_incomplete: 'Not read completely',
  incomplete: 'Not read completely',
  truncated: 'Not read completely',
  lookup_incomplete: 'Not read completely',
  repeated_page: 'Not read completely',
  too_many_pages: 'Not read completely',
  count_mismatch: 'Not as many rows as announced',
  total_mismatch: 'Not as many rows as announced',
  connection_lost: 'The connection broke off',
  connect_timeout: 'Could not be reached in time',
  timeout: 'Not answered in time',
  tls_error: 'The secure connection failed',
  blocked: 'The service is blocking Playhead',
  down: 'Not reachable',
  provider_missing: 'Its plugin does not run',
  upstream_error: 'The service had a failure of its own',
  ok: 'OK',
  degraded: 'Works in part',
  unknown: 'Not known',
  // Sign-in and permissions.
  not_configured: 'Not signed in',
  not_connected: 'Not signed in',
  not_authorized: 'Not allowed',
  forbidden: 'Not allowed',
  owner_only: 'Only for the owner of the server',
  vip_only: 'Only for paying members',
  login_unknown: 'Sign-in not known',
  // Items.
  ids_unknown: 'ID mismatch',
  kind_mismatch: 'Another kind of title',
  unknown_type: 'Kind of title not known',
  no_match: 'No match',
  title_only: 'Only the title is known',
  episode_mismatch: 'Another episode',
  row_unknown: 'The row is not known there',
  entry_unknown: 'The entry is not known there',
  old_value_unknown: 'The value before is not known',
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
  older: 'The position at the other side is newer',
  not_ahead: 'The position at the other side is farther',
  not_comparable: 'The positions cannot be compared',
  date_unproven: 'Date not proven',
  date_not_kept: 'The service keeps no date',
  time_in_future: 'In the future',
  watched_in_future: 'In the future',
  shared_file: 'One file with other episodes, and not all of them are watched',
  day_unsupported: 'Only the day is known, and the service needs a time',
  watched_just_now: 'Watched just now',
  already_on_list: 'Was so already',
  already_there: 'Was so already',
  already_gone: 'Was gone already',
  pair_not_found: 'The pair was deleted',
  not_attempted: 'Not tried',
  already_watching_or_watched: 'Being watched, or watched already',
  counts_as_watched: 'Counts as watched there',
  completed_by_service: 'Completed by the service itself',
  status_rewritten: 'Changed by the service itself',
  deleted_from_library: 'Deleted from the library',
  duplicate_in_batch: 'Twice in one request',
  duplicate_target: 'Two titles mean the same there',
  one_position_per_show: 'The service keeps one position for each show',
  would_complete: 'It would count as watched there',
  would_remove_history: 'It would remove history',
  would_remove_rating: 'It would remove a rating',
  removal_side_effects: 'It would remove more than this',
  // Answers of plugins about operations.
  vetoed: 'Left out by a plugin',
  veto_failed: 'A plugin did not say whether it may be done',
  // Anime mapping.
  mapping_off: 'The anime mapping is switched off',
  no_index: 'No anime mapping data yet',
  not_mappable: 'Not mapped for this kind',
  specials_off: 'Specials are not mapped',
  no_mapping: 'Anime episode mapping missing',
  outside_ranges: 'Anime episode mapping missing',
  ratio_unsupported: 'Episodes are split or joined differently',
  disagreement: 'Contradicting mappings',
  // Callers of changes to one account.
  editor: 'Editor',
  manual: 'Marked by hand',
  watchlist_tool: 'Watchlist tool',
  scrobble: 'Playback',
  // Responses of services.
  no_outcome: 'unconfirmed',
  not_confirmed: 'unconfirmed',
  not_verified: 'unconfirmed',
  not_checked: 'unconfirmed',
  outcome_unknown: 'unconfirmed',
  contradicting_outcomes: 'Contradicting answers',
  refused_by_service: 'Refused by the service',
  rejected: 'Refused by the service',
  not_on_list: 'Not on the list',
  not_sent: 'Not sent',
  unresolved_cleared: 'No longer open',
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

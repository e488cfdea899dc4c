// The events that rules can select.
export const KNOWN_EVENTS = {
  run_failed: 'A sync failed',
  run_partial: 'A sync was done in part',
  run_done: 'A sync is done and changed something',
  sign_in_lost: 'A sign-in is not accepted any more',
  sign_in_ending: 'A sign-in ends within days',
  held_removals: 'Removals wait for approval',
  service_down: 'A service cannot be reached for a while',
  plugin_stopped: 'A plugin does not run: it failed, or was quarantined',
  backup_failed: 'A backup failed',
  database_damaged: 'A database is damaged',
  disk_low: 'The disk is almost full, so new work is held',
  play_recorded: 'A play was recorded',
  weekly_digest: 'What happened in the week',
} as const
type KnownEvent = keyof typeof KNOWN_EVENTS

/** Rules with these events need a check of the open problems. */
export const FROM_PROBLEMS: Readonly<Record<string, KnownEvent>> = {
  sign_in: 'sign_in_lost',
  sign_in_expiring: 'sign_in_ending',
  held_removals: 'held_removals',
  unreachable: 'service_down',
}

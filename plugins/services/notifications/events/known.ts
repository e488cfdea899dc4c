// The events that rules can select.
export const KNOWN_EVENTS = {
  run_failed: 'A sync failed',
  run_partial: 'A sync finished with problems',
  run_done: 'A sync finished and made changes',
  sign_in_lost: 'A sign-in is no longer valid',
  sign_in_ending: 'A sign-in expires soon',
  held_removals: 'Changes need your approval',
  service_down: 'A service has been unreachable for a while',
  plugin_stopped: 'A plugin is not running',
  backup_failed: 'A backup failed',
  database_damaged: 'A database is damaged',
  disk_low: 'The disk is almost full, so runs and backups wait',
  play_recorded: 'A play was recorded',
  weekly_digest: 'Weekly summary',
} as const
type KnownEvent = keyof typeof KNOWN_EVENTS

/** Rules with these events need a check of the open problems. */
export const FROM_PROBLEMS: Readonly<Record<string, KnownEvent>> = {
  sign_in: 'sign_in_lost',
  sign_in_expiring: 'sign_in_ending',
  held_removals: 'held_removals',
  unreachable: 'service_down',
}

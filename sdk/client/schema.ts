// Written by ui/generate-client.ts from the service's description; do not edit.
export type ActivityRow = {
  id: string
  kind: string
  event: string
  status: string
  source: string
  source_instance: string
  target: string
  target_instance: string
  targets: ({
    target: string
    target_instance: string
  })[]
  /** `movie` or `episode`. */
  media_type: string
  title: string
  year?: number
  season?: number
  episode?: number
  /** Epoch seconds. */
  watched_at: number
  /** YYYY-MM-DD, where the time of day is not known. */
  watched_on?: string
  /** Epoch seconds. */
  captured_at: number
  /** Percent. */
  progress?: number
  runtime_minutes?: number
  method?: string
  account?: string
  ids?: Record<string, string>
} & Record<string, unknown>
export type AnalyzerRow = {
  provider: string
  provider_base: string
  instance: string | null
  feature: string
  key: string
  flags: (string)[]
  title?: string | null
  year?: number | null
  type?: string | null
  series_title?: string | null
  season?: number | null
  episode?: number | null
  ids?: Record<string, string>
  provider_label?: string
  watched_at?: string | null
  rating?: number | null
  rated_at?: string | null
  progress?: number | null
  added_at?: string | null
} & Record<string, unknown>
export type AnimeMappingStatus = {
  ok: true
  enabled: boolean
  auto_update: boolean
  provider: string
  release_tag: string
  /** Data set and index are there. */
  installed: boolean
  /** Release of the data that is in use; empty if there is none. */
  installed_tag: string
  index_ready: boolean
  /** stale_schema: the index is built again soon. error: missing, and the last try failed. */
  status: "installed" | "missing" | "stale_schema" | "updating" | "error"
  /** ISO 8601; empty if there is none. */
  dataset_generated_on: string
  age_hours: number | null
  /** Older than stale_after_days. */
  stale: boolean
  stale_after_days: number
  /** Epoch seconds; 0: never. */
  last_checked_at: number
  /** Epoch seconds; 0: never. */
  last_updated_at: number
  /** Epoch seconds; 0: never. */
  index_built_at: number
  source_count: number
  edge_count: number
  pair_count: number
  identity_count: number
  /** Rows of the data sets that are of no known form. */
  skipped_count: number
  identity_installed: boolean
  identity_error: string
  /** Bytes. */
  mappings_size: number
  /** Bytes. */
  identity_size: number
  /** Bytes. */
  db_size: number
  mappings_sha256: string
  /** Number of rules. */
  overrides: number
  /** stats.json of the data set. */
  stats: Record<string, unknown>
  auto_update_status: {
    running: boolean
    enabled: boolean
    /** Epoch seconds; 0: never. */
    last_check_at: number
    /** Epoch seconds; 0: never. */
    last_update_at: number
    /** Epoch seconds; 0: never. */
    next_check_at: number
    /** Code and text of the last failure; empty since the last success. */
    last_error: string
  }
}
export type ApiToken = {
  id: string
  name: string
  /** What it may do; each includes the ones before it. */
  scope: "read" | "run" | "write" | "admin"
  /** Epoch seconds. */
  created_at: number
  /** The person or the token that made it. */
  created_by: string
  expires_at: number | null
  expired: boolean
  last_used_at: number | null
  last_used_from: string | null
}
export type AttentionRow = {
  feature: string
  provider: string
  key: string
  title?: string | null
  year?: number | null
  type?: string | null
  series_title?: string | null
  season?: number | null
  episode?: number | null
  ids?: Record<string, string>
  target?: string | null
  reason?: string | null
  current_mismatch?: boolean
  unresolved?: boolean
  blocked?: boolean
  keys?: (string)[]
} & Record<string, unknown>
export type BackupCheck = {
  ok: boolean
  path: string
  encrypted: boolean
  manifest: {
    kind: "svc_backup"
    schema_version: number
    /** ISO time, UTC. */
    created_at: string
    app_version: string
    min_app_version: string
    scope: "config_only" | "app_state" | "full"
    label: string
    /** manual, scheduler, pre_restore, upgrade, maintenance_… */
    trigger: string
    /** Never deleted by retention. */
    pinned: boolean
    file_count: number
    total_size: number
    config_encrypted: boolean
    master_key_included: boolean
    /** The settings have encrypted values whose key or passphrase is not inside. */
    external_key_required: boolean
    env_key_configured: boolean
    /** The groups of data that a restore replaces. */
    groups: ("config" | "key" | "tls" | "state" | "tracker" | "captures" | "reports" | "exports" | "imports" | "cache" | "backups")[]
    files: ({
      path: string
      size: number
      sha256: string
      group: "config" | "key" | "tls" | "state" | "tracker" | "captures" | "reports" | "exports" | "imports" | "cache" | "backups"
    })[]
    /** Databases, copied while they were in use. */
    database_snapshots: (string)[]
    /** Number of migrations by database and owner. */
    db_schema_versions: Record<string, Record<string, number>>
    plugins: ({
      id: string
      version: string
    })[]
    warnings: (string)[]
  } | {
    kind: "svc_backup_encrypted"
    schema_version: number
    /** ISO time, UTC. */
    created_at: string
    app_version: string
    min_app_version: string
    scope: "config_only" | "app_state" | "full"
    label: string
    /** manual, scheduler, pre_restore, upgrade, maintenance_… */
    trigger: string
    /** Never deleted by retention. */
    pinned: boolean
    file_count: number
    total_size: number
    config_encrypted: boolean
    master_key_included: boolean
    /** The settings have encrypted values whose key or passphrase is not inside. */
    external_key_required: boolean
    env_key_configured: boolean
    encryption: "age-passphrase"
  } | null
  errors: ({
    code: string
    path?: string
    message?: string
  })[]
  warnings: ({
    code: string
    path?: string
    message?: string
  })[]
  checks: {
    archive: "ok" | "failed" | "warning" | "not_checked"
    members: "ok" | "failed" | "warning" | "not_checked"
    manifest: "ok" | "failed" | "warning" | "not_checked"
    hashes: "ok" | "failed" | "warning" | "not_checked"
    versions: "ok" | "failed" | "warning" | "not_checked"
    key: "ok" | "failed" | "warning" | "not_checked"
  }
  restorable: boolean
}
export type BackupRequest = {
  /** config_only, app_state, full; default app_state */
  scope?: string
  label?: string
  include_snapshots?: boolean
  include_reports?: boolean
  include_cache?: boolean
  /** Includes the key file of encrypted settings. Default true. */
  include_key?: boolean
  /** Retention never deletes it. */
  pinned?: boolean
  passphrase?: string
}
export type BackupScheduleRequest = {
  enabled?: boolean
  scope?: string
  /** HH:MM, in the zone of the scheduling. */
  at?: string
  /** 1 is Monday; empty: every day. Others are left out. */
  days?: (number)[]
  label_template?: string
  /** 0: no limit. */
  retention_days?: number
  /** 0: no limit. */
  max_backups?: number
  auto_delete_old?: boolean
  include_snapshots?: boolean
  include_reports?: boolean
  include_cache?: boolean
  /** Run later if the service was off at the scheduled time. Default true. */
  catch_up?: boolean
}
export type Capture = {
  path: string
  size: number
  /** Epoch seconds. */
  mtime: number
  stamp: string
  provider: string
  instance: string
  feature: string
  label: string
  created_at: string
  count: number
  /** `manual`, `schedule`, `pre_restore` or `pre_clear`. */
  trigger: string
  /** False: no capture, or a damaged one. */
  valid: boolean
  complete: boolean | null
  doubt: string | null
  unreadable?: number | null
  schema_version?: number | null
  stats?: {
    feature: string
    count: number
    by_type?: Record<string, number>
    /** Rows that are plays of an item that is there already. */
    collapsed?: number
    features?: Record<string, number>
  } & Record<string, unknown> | null
  is_bundle: boolean
  is_child: boolean
  bundle_path: string | null
} & Record<string, unknown>
export type CaptureProgress = {
  id: string
  ok: boolean
  done: boolean
  /** `queued`, `running`, `succeeded`, `failed` or `cancelled`. */
  state?: string
  /** `capture`, `restore` or `cleanup`. */
  operation?: string
  stage: string
  percent: number
  message: string
  current_feature?: string | null
  provider?: string
  instance?: string
  feature?: string
  feature_index?: number
  feature_total?: number
  feature_items?: number
  items_done?: number
  total_items?: number | null
  bytes_written?: number
  added?: number
  removed?: number
  started_at?: number | null
  updated_at?: number | null
  result_path?: string | null
  on_hold?: {
    reason: string
    detail: string
    /** Epoch seconds. */
    since: number
  } | null
  error?: string
  result?: CaptureResult | RestoreResult | ClearResult | {
    ok: false
  } & Record<string, unknown>
} & Record<string, unknown>
export type CaptureRequest = {
  provider: string
  instance?: string | null
  instance_id?: string | null
  profile?: string | null
  /** watchlist, history, ratings, progress, or all (default). */
  feature?: string
  label?: string | null
  /** 8 to 64 letters, digits, `_`, `-`. Default: one is made. */
  progress_id?: string | null
  /** Answer 202 at once. */
  background?: boolean
  async?: boolean
  async_job?: boolean
} & Record<string, unknown>
export type CaptureResult = {
  /** False with `partial`: some features of the bundle could not be read. */
  ok: boolean
  partial?: boolean
  error?: string
  progress_id: string
  snapshot: MadeCapture
  path?: string
} & Record<string, unknown>
export type CapturedItem = {
  type: "movie" | "show" | "season" | "episode" | "anime"
  title?: string | null
  year?: number | null
  ids?: {
    tmdb?: string
    imdb?: string
    tvdb?: string
    tracka?: string
    mal?: string
    anilist?: string
    kitsu?: string
    anidb?: string
    trackb?: string
    guid?: string
    slug?: string
    mediaa?: string
    mediab?: string
    mediac?: string
    lista?: string
  }
  /** Ids of the show that a season or episode belongs to. */
  show_ids?: {
    tmdb?: string
    imdb?: string
    tvdb?: string
    tracka?: string
    mal?: string
    anilist?: string
    kitsu?: string
    anidb?: string
    trackb?: string
    guid?: string
    slug?: string
    mediaa?: string
    mediab?: string
    mediac?: string
    lista?: string
  }
  /** 0 holds the specials. */
  season?: number
  episode?: number
  series_title?: string | null
  series_year?: number | null
  /** For anime: the mapping data knows the entry to be a film. */
  film?: boolean
  watched?: boolean
  /** ISO 8601, UTC; a date alone where the time is not known. */
  watched_at?: string
  rating?: number
  /** ISO 8601, UTC; a date alone where the time is not known. */
  rated_at?: string
  progress_ms?: number
  duration_ms?: number
  progress_percent?: number
  /** ISO 8601, UTC; a date alone where the time is not known. */
  progress_at?: string
  /** Set when the time was not reported by the provider, for example first_observed. */
  progress_at_source?: string
  library_id?: string
  /** ISO 8601, UTC; a date alone where the time is not known. */
  added_at?: string
  /** Ids that mean something to the account that the item was read from, and to no other. */
  native?: {
    event_id?: string
    item_id?: string
    list_item_id?: string
  }
  /** Helps to match, and is never stored. */
  transient?: boolean
  /** The times of all plays of the item. */
  watched_ats?: (string)[]
}
export type ClearRequest = {
  provider: string
  instance?: string | null
  instance_id?: string | null
  profile?: string | null
  features: (string)[]
  /** `<PROVIDER>/<instance>`, typed by a person. */
  confirm?: string | null
  /** Only read and count. */
  dry_run?: boolean
  /** 8 to 64 letters, digits, `_`, `-`. Default: one is made. */
  progress_id?: string | null
  /** Answer 202 at once. */
  background?: boolean
  async?: boolean
  async_job?: boolean
} & Record<string, unknown>
export type ClearResult = {
  ok: boolean
  provider: string
  instance: string
  dry_run: boolean
  before_path: string | null
  results: Record<string, {
      /** Nothing remains. */
      ok: boolean
      removed?: number
      count?: number | null
      remaining?: number | null
      /** Set in a dry run. */
      would_remove?: number
      passes?: number
      unresolved_count?: number
    } & Record<string, unknown>>
} & Record<string, unknown>
export type ComparedCapture = {
  path: string
  provider: string
  instance: string
  feature: string
  label: string
  created_at: string
  count: number
  by_type: Record<string, number>
} & Record<string, unknown>
export type CredentialsRequest = {
  enabled: boolean
  username?: string
  /** May be left out to keep the stored one. */
  password?: string
  /** Needed to change name or password, and to switch off or on. */
  current_password?: string
  /** Needed for the first account unless the caller sits at the machine. */
  setup_token?: string
  remember_session_enabled?: boolean
  /** Brought into the range of 1 to 365. */
  remember_session_days?: number
}
export type DirectoryListing = {
  id: string
  name: string
  description: string
  kind: "provider" | "feature" | "analyzer" | "exporter" | "importer" | "notifier" | "service"
  mark: Mark | null
  author: string
  license: string
  source: string | null
  state: "available" | "installed" | "update" | "withdrawn" | "built_in" | "unlisted" | "unsupported"
  version: string | null
  previous: string | null
  staged: string | null
  origin: "npm" | "file" | "directory" | "folder" | null
  folder: string | null
  newest: DirectoryVersion | null
  withdrawn: {
    /** A day in UTC. */
    date: string
    why: string
  } | null
}
export type DirectoryVersion = {
  version: string
  date: string | null
  /** With this version of Playhead. */
  works: boolean
  /** It can be installed without a network. */
  ships: boolean
  /** What is new. */
  changes: (string)[]
  /** What it asks for, in words. */
  asks: (string)[]
  level: "bronze" | "silver" | "gold" | "platinum" | null
  /** The checks that the next level asks for. */
  missing: (string)[]
  conformance: {
    points: number
    possible: number
    sdk: string
    /** A day in UTC. */
    date: string
  } | null
  size: number | null
  withdrawn: {
    /** A day in UTC. */
    date: string
    why: string
  } | null
}
export type EditableList = {
  id: string
  name: string
  provider: string
  provider_label: string
  instance: string
  playlist_id: string
  playlist_name: string
  playlist_type: string
  item_count?: number | null
  last_synced?: number | null
} & Record<string, unknown>
export type EditorRow = {
  type: "movie" | "show" | "season" | "episode" | "anime"
  title?: string | null
  year?: number | null
  ids?: {
    tmdb?: string
    imdb?: string
    tvdb?: string
    tracka?: string
    mal?: string
    anilist?: string
    kitsu?: string
    anidb?: string
    trackb?: string
    guid?: string
    slug?: string
    mediaa?: string
    mediab?: string
    mediac?: string
    lista?: string
  }
  /** Ids of the show that a season or episode belongs to. */
  show_ids?: {
    tmdb?: string
    imdb?: string
    tvdb?: string
    tracka?: string
    mal?: string
    anilist?: string
    kitsu?: string
    anidb?: string
    trackb?: string
    guid?: string
    slug?: string
    mediaa?: string
    mediab?: string
    mediac?: string
    lista?: string
  }
  /** 0 holds the specials. */
  season?: number
  episode?: number
  series_title?: string | null
  series_year?: number | null
  /** For anime: the mapping data knows the entry to be a film. */
  film?: boolean
  watched?: boolean
  /** ISO 8601, UTC; a date alone where the time is not known. */
  watched_at?: string
  rating?: number
  /** ISO 8601, UTC; a date alone where the time is not known. */
  rated_at?: string
  progress_ms?: number
  duration_ms?: number
  progress_percent?: number
  /** ISO 8601, UTC; a date alone where the time is not known. */
  progress_at?: string
  /** Set when the time was not reported by the provider, for example first_observed. */
  progress_at_source?: string
  library_id?: string
  /** ISO 8601, UTC; a date alone where the time is not known. */
  added_at?: string
  /** Helps to match, and is never stored. */
  transient?: boolean
  key: string
  /** Position of an entry in a list. */
  position?: number
  _playlist_item_id?: string | null
  _provider_media_id?: string | null
  _position?: number
}
export type EditorSaveRequest = {
  /** Rows by key, or an array with `key`. Absent: unchanged. */
  items?: unknown
  /** The keys of the loaded rows. Only these rows are removed. */
  original_keys?: unknown
  /** The ids of the loaded entries; they distinguish copies of an item. */
  original_ids?: unknown
  checkpoint?: string | null
  /** Save although the list changed since it was loaded. */
  force?: boolean
  /** Confirms that the list is meant to be empty. */
  confirm_clear?: boolean
  /** Confirms many removals. */
  confirm_removals?: boolean
  /** Losses that are accepted. */
  confirm?: ("list" | "entries" | "order" | "added_at" | "status" | "watchlist" | "history" | "ratings" | "progress")[]
  /** Only plan and count. */
  dry_run?: boolean
  kind?: string
  source?: string
  provider?: string | null
  provider_instance?: string | null
  endpoint?: string | null
  workspace?: string | null
  snapshot?: string | null
  /** All blocks. Absent: unchanged. */
  blocks?: unknown
  /** The loaded blocks. Only these blocks are removed. */
  original_blocks?: unknown
  revision?: string | null
} & Record<string, unknown>
export type Error = {
  ok?: false
  /** The reason: a code that programs can rely on, or a sentence where `reason` is the code. */
  error: string
  /** A code, in answers of sign-ins and of services. */
  reason?: string
  /** One sentence for people: what failed and what to do. */
  detail?: string
  message?: string
  /** With `insufficient_scope`: what the API token needs. */
  needed_scope?: string
  /** With `insufficient_scope`: what the API token has. */
  scope?: string
  /** Seconds to wait; also in the header `Retry-After`. */
  retry_after?: number
  /** With `internal`: names the request in the log. */
  request_id?: string
}
export type Event = {
  id: number
  domain: string
  item_key: string | null
  title: string | null
  year: number | null
  media_type: string | null
  season: number | null
  episode: number | null
  source_provider: string | null
  source_instance: string | null
  destination_provider: string | null
  destination_instance: string | null
  origin_provider: string | null
  origin_instance: string | null
  pair_key: string | null
  direction: string | null
  feature: string | null
  operation: string | null
  severity: string
  reason_code: string | null
  reason: string | null
  reason_label?: string
  acknowledged_at: number | null
  acknowledged_by: string | null
  run_id: string | null
  created_at: number
  event_type: string
  group_id: number
  old_value: string | null
  new_value: string | null
  value_type: string | null
  detail: Record<string, unknown> | null
  origin?: EventOrigin | null
  origin_label?: string | null
  origin_carrier?: {
    provider: string
    instance: string
  } | null
  match_basis: string | null
  event_hash?: string
  origin_confidence?: string | null
  /** `runtime`, or where it was imported from. */
  source_kind?: string | null
  session_key?: string | null
  /** The source file of an imported event. */
  source_file?: string | null
  source_mtime?: number | null
} & Record<string, unknown>
export type EventGroup = {
  id: number
  domain: string
  item_key: string | null
  title: string | null
  year: number | null
  media_type: string | null
  season: number | null
  episode: number | null
  source_provider: string | null
  source_instance: string | null
  destination_provider: string | null
  destination_instance: string | null
  origin_provider: string | null
  origin_instance: string | null
  pair_key: string | null
  direction: string | null
  feature: string | null
  operation: string | null
  severity: string
  reason_code: string | null
  reason: string | null
  reason_label?: string
  acknowledged_at: number | null
  acknowledged_by: string | null
  run_id: string | null
  created_at: number
  updated_at: number
  first_event_at: number | null
  last_event_at: number | null
  event_count: number
  status: string
  summary: string
  summary_parts: EventSummary
  owner_run_group_id: number | null
  group_hash?: string
} & Record<string, unknown>
export type EventOrigin = {
  provider: string
  instance: string
  act: "set" | "remove"
  at: string | null
  by: "person" | "written" | "undo" | "requested" | "unknown"
  value?: string
  from_at?: string
  to_at?: string
}
export type EventSummary = {
  kind: string
  status: string
  item: string | null
  route: string | null
  reason_code: string | null
  change: {
    old: string | null
    new: string | null
    type: string | null
  } | null
  note: string | null
  steps?: (string)[]
}
export type ExportRequest = {
  /** Id or token of the provider. */
  provider?: string
  /** A profile, or all (default). */
  provider_instance?: string
  /** watchlist (default), history, ratings, combined; progress and all as JSON. */
  feature?: string
  /** Default letterboxd. */
  format?: string
  /** movie, show, season, episode. Default: all. */
  media_types?: (string)[] | string
  include_watched_date?: boolean
  /** Otherwise only the latest play of an item. */
  include_rewatches?: boolean
  /** Cells that begin like a formula get an apostrophe. */
  spreadsheet?: boolean
  /** Zone whose days the file has, as Europe/Berlin. Default: the setting. */
  tz?: string
  /** Words in key, title, year, show and ids. */
  q?: string
  /** A ZIP archive of parts that the other side accepts. */
  split?: boolean
  ids?: (string)[]
}
export type FeatureReport = {
  feature: "watchlist" | "history" | "ratings" | "progress" | "playlists"
  status: "ok" | "nothing_to_do" | "partial" | "skipped" | "failed" | "cancelled"
  reason?: string
  /** The accounts that the reason is about. */
  about?: ({
    provider: string
    instance: string
  })[]
  plan_id: string | null
  read: {
    a: number | null
    b: number | null
  }
  planned: number
  applied: number
  already: number
  held: number
  deferred: number
  unresolved: number
  errors: number
  added: number
  updated: number
  removed: number
  not_in_library?: number
}
export type FieldChange = {
  /** Field of the item, dotted. */
  path: string
  old: string | number | boolean | null | (string)[] | Record<string, string>
  new: string | number | boolean | null | (string)[] | Record<string, string>
}
export type ImportRow = {
  n: number
  feature: string
  title: number | null
  person: string | null
  key: string
  item: Item
  state: string
  reason: string | null
  file: string
  plan: string | null
  plan_reason: string | null
  outcome: string | null
  outcome_reason: string | null
} & Record<string, unknown>
export type ImportRun = {
  provider: string
  instance: string
  dry_run: boolean
  features: (string)[]
  options?: {
    ratings?: string | null
    undated_as?: string | null
    person?: string | null
  }
  /** The plans of the account that were made, in order; see /api/plans. */
  plan_ids: (string)[]
  /** Epoch milliseconds. */
  started_at: number
  ended_at: number | null
  error: string | null
  message: string | null
  /** The rows that an undo left unchanged, by reason. */
  not_undone: ({
    reason: string
    reason_label: string
    count: number
  })[]
  /** How many of these another undo may revert. */
  left_to_undo: number
} & Record<string, unknown>
export type ImportRunRequest = {
  import_id: string
  provider: string
  provider_instance?: string
  features?: ("history" | "ratings" | "progress" | "watchlist")[]
  ratings?: "newer" | "keep" | "file"
  undated_as?: string | null
  person?: string | null
  /** An account that shows suspiciously few rows is written to. */
  approved?: boolean
  /** The accounts belong to several persons, and all of them are meant. */
  across_persons?: boolean
  /** Only compare; /rows lists the rows that would be written. */
  dry_run?: boolean
}
export type Item = {
  type: "movie" | "show" | "season" | "episode" | "anime"
  title?: string | null
  year?: number | null
  ids?: {
    tmdb?: string
    imdb?: string
    tvdb?: string
    tracka?: string
    mal?: string
    anilist?: string
    kitsu?: string
    anidb?: string
    trackb?: string
    guid?: string
    slug?: string
    mediaa?: string
    mediab?: string
    mediac?: string
    lista?: string
  }
  /** Ids of the show that a season or episode belongs to. */
  show_ids?: {
    tmdb?: string
    imdb?: string
    tvdb?: string
    tracka?: string
    mal?: string
    anilist?: string
    kitsu?: string
    anidb?: string
    trackb?: string
    guid?: string
    slug?: string
    mediaa?: string
    mediab?: string
    mediac?: string
    lista?: string
  }
  /** 0 holds the specials. */
  season?: number
  episode?: number
  series_title?: string | null
  series_year?: number | null
  /** For anime: the mapping data knows the entry to be a film. */
  film?: boolean
  watched?: boolean
  /** ISO 8601, UTC; a date alone where the time is not known. */
  watched_at?: string
  rating?: number
  /** ISO 8601, UTC; a date alone where the time is not known. */
  rated_at?: string
  progress_ms?: number
  duration_ms?: number
  progress_percent?: number
  /** ISO 8601, UTC; a date alone where the time is not known. */
  progress_at?: string
  /** Set when the time was not reported by the provider, for example first_observed. */
  progress_at_source?: string
  library_id?: string
  /** ISO 8601, UTC; a date alone where the time is not known. */
  added_at?: string
  /** Ids that mean something to the account that the item was read from, and to no other. */
  native?: {
    event_id?: string
    item_id?: string
    list_item_id?: string
  }
  /** Helps to match, and is never stored. */
  transient?: boolean
}
export type ItemBrief = {
  type?: string
  title?: string
  year?: number | null
  ids: Record<string, string>
} & Record<string, unknown>
export type ListedProblem = {
  id: string
  cause: string
  title: string
  text: string
  need_you: number
  key: string | null
  type: string | null
  year: number | null
  feature: "watchlist" | "history" | "ratings" | "progress" | "playlists" | null
  pair_id: string | null
  accounts: ({
    provider: string
    instance: string
  })[]
  since: number | null
  attempts: number | null
  origin: Origin | null
  origin_carrier: {
    provider: string
    instance: string
  } | null
  /** The first one is the main action. */
  actions: (ProblemAction)[]
}
export type MadeCapture = {
  ok: boolean
  path: string
  provider: string
  instance: string
  feature: string
  label: string
  created_at: string
  complete?: boolean | null
  doubt?: string | null
  /** Rows that the service shows without an identity. */
  unreadable?: number
  count?: number
  stats: {
    feature: string
    count: number
    by_type?: Record<string, number>
    /** Rows that are plays of an item that is there already. */
    collapsed?: number
    features?: Record<string, number>
  } & Record<string, unknown>
  children?: ({
    feature: string
    path?: string
    error?: string
  } & Record<string, unknown>)[]
} & Record<string, unknown>
export type MaintenanceResult = {
  ok: boolean
  dry_run: boolean
  /** The affected data; in a dry run, the data that would be affected. */
  touches: (MaintenanceTouch)[]
  summary: MaintenanceSummary
  backup_path: string | null
  advice: "dry_run" | null
  /** By action. */
  details: Record<string, unknown>
} & Record<string, unknown>
export type MaintenanceRun = {
  state: "idle" | "running" | "succeeded" | "failed"
  started_at: number | null
  finished_at: number | null
  percent: number
  message: string
  result?: unknown
  error?: string
}
export type MaintenanceSummary = {
  removed_files: number
  /** Rows, and entries of memory. */
  removed_items: number
  changed_items: number
  /** Measured on disk, of what was there before. */
  freed_bytes: number
}
export type MaintenanceTouch = {
  action: string
  /** In the data directory; empty for memory. */
  path: string
  table?: string
  label: string
  op: "delete" | "change"
  items: number
  bytes?: number
}
export type MappingEnd = {
  endpoint_id: string
  name: string
  provider: string
  instance: string
  playlist_name: string
  label: string
} & Record<string, unknown>
export type Mark = {
  color: string
  path?: string
}
export type MatchRequest = {
  provider: string
  instance?: string
  /** The ids that the account has for the title. */
  from: {
    type: "movie" | "show"
    /** By scheme: tmdb, imdb, tvdb, … */
    ids: Record<string, string | number>
    season?: number
    /** With the season: only this episode of the show. */
    episode?: number
  }
  /** The correct title. */
  to: {
    type: "movie" | "show"
    /** By scheme: tmdb, imdb, tvdb, … */
    ids: Record<string, string | number>
    season?: number
    /** With the season: only this episode of the show. */
    episode?: number
    title?: string | null
    year?: number | null
  }
  /** Only say what would be moved. Writes nothing. */
  dry_run?: boolean
}
export type Metadata = {
  type: "movie" | "tv"
  resolved_type: "movie" | "show"
  ids: Record<string, string>
  title?: string
  year?: number | null
  overview?: string
  tagline?: string
  genres?: (string)[]
  cast?: ({
    name: string
    character: string
  })[]
  videos?: (Video)[]
  certification?: string
  release?: {
    date: string
    country: string
  } | null
  runtime_minutes?: number | null
  score?: number | null
  vote_count?: number | null
  /** By `poster`, `backdrop`, `logo`. */
  images?: Record<string, ({
      url: string
      w: number | null
      h: number | null
      lang: string | null
    })[]>
  detail?: {
    release_date?: string | null
    first_air_date?: string | null
    /** Minutes. */
    episode_run_time?: (number)[]
    status?: string | null
    number_of_seasons?: number | null
    number_of_episodes?: number | null
    next_episode_to_air?: {
      season_number?: number | null
      episode_number?: number | null
    } & Record<string, unknown> | null
    last_episode_to_air?: {
      season_number?: number | null
      episode_number?: number | null
    } & Record<string, unknown> | null
  }
} & Record<string, unknown>
export type NotificationDelivery = {
  id: string
  state: "queued" | "sending" | "sent" | "failed"
  target: string
  target_name: string
  rule: string | null
  rule_name: string | null
  /** Epoch milliseconds. */
  created_at: number
  /** Epoch milliseconds. */
  due_at: number
  ended_at: number | null
  attempts: number
  /** An earlier try may have arrived. */
  may_be_repeat: boolean
  reason: string | null
  /** The number of its messages; `messages` has the first of them. */
  count: number
  messages: ({
    event: string
    title: string
    text: string
    severity: string
    /** Epoch milliseconds. */
    at: number
  })[]
}
export type NotificationRuleRequest = {
  /** Id of the rule to change; absent for a new rule. */
  id?: string
  name: string
  enabled?: boolean
  /** The events to send, from GET /api/notifications or from plugins. */
  events: (string)[]
  /** IDs of channels. */
  targets: (string)[]
  /** For service_down: how long the service must be unreachable. */
  down_minutes?: number
  /** The first message waits this long, and later messages are added to it. */
  group_minutes?: number
  /** The most messages to each channel, retries included. The rest is sent later as one message. */
  max_per_hour?: number
  /** For example Europe/Paris. Leave empty to use the time zone of the server. */
  time_zone?: string
  quiet?: {
    enabled?: boolean
    from?: string
    to?: string
    /** The days on which quiet hours start. Leave empty for every day. */
    days?: (number)[]
    /** Errors are also sent during quiet hours. */
    except_errors?: boolean
  }
  /** For weekly_digest: when it is sent, in the time zone of the rule. */
  digest?: {
    weekday?: number
    at?: string
  }
}
export type NotificationTarget = {
  id: string
  notifier: string
  name: string
  enabled: boolean
  /** Secrets are masked; a mask that is sent back keeps them. */
  settings: Record<string, unknown>
}
export type NotificationTargetRequest = {
  /** Id of the target to change; absent for a new target. */
  id?: string
  notifier: string
  name: string
  enabled?: boolean
  settings: Record<string, unknown>
}
export type Origin = {
  provider: string
  instance: string
  act: "set" | "remove"
  at: string | null
  /** How it is known. person: a person acted there. written: the account shows what Playhead wrote because of it. undo: an undo. requested: a change that a person made through Playhead. unknown: nothing but what the account shows is known. */
  by: "person" | "written" | "undo" | "requested" | "unknown"
  /** The rating. */
  value?: string
  /** The act is later than this; ISO 8601. */
  from_at?: string
  /** The act is earlier than this; ISO 8601. */
  to_at?: string
}
export type Pair = {
  id: string
  name: string
  source: string
  source_instance: string
  target: string
  target_instance: string
  mode: "one_way" | "two_way"
  enabled: boolean
  features: {
    watchlist?: PairFeature
    history?: PairFeature
    ratings?: PairFeature
    progress?: PairFeature
    playlists?: PairFeature
  } & Record<string, unknown>
  /** Options of one service in this pair; free-form, because its plugin names them. */
  providers?: Record<string, Record<string, unknown>>
  profile_id?: string
  /** The plugin that manages the pair. */
  owner?: string
} & Record<string, unknown>
export type PairFeature = {
  enabled: boolean
  add: boolean
  remove: boolean
  /** One of the accounts lacks this ability. */
  supported?: false
} & Record<string, unknown>
export type PairRequest = {
  id?: string | null
  name?: string | null
  source?: string | null
  source_instance?: string | null
  target?: string | null
  target_instance?: string | null
  mode?: "one_way" | "two_way" | "one-way" | "two-way" | null
  enabled?: boolean | null
  features?: Record<string, boolean | string | Record<string, unknown>> | null
  providers?: Record<string, boolean | Record<string, unknown>> | null
  profile_id?: string | null
  /** The accounts belong to several persons, and all of them are meant. */
  across_persons?: boolean
} & Record<string, unknown>
export type PlanItem = {
  n: number
  side: "a" | "b"
  op: "add" | "update" | "remove"
  key: string
  value: string
  before: string | null
  cause: string
  cause_label: string
  reason: string | null
  reason_label: string | null
  note: string | null
  display_title: string
  type: string
  year: number | null
  origin: Origin | null
  origin_label: string | null
  origin_carrier: {
    provider: string
    instance: string
  } | null
  state: string
  item?: PlannedItem
}
export type PlannedItem = {
  type: "movie" | "show" | "season" | "episode" | "anime"
  title?: string | null
  year?: number | null
  ids?: {
    tmdb?: string
    imdb?: string
    tvdb?: string
    tracka?: string
    mal?: string
    anilist?: string
    kitsu?: string
    anidb?: string
    trackb?: string
    guid?: string
    slug?: string
    mediaa?: string
    mediab?: string
    mediac?: string
    lista?: string
  }
  /** Ids of the show that a season or episode belongs to. */
  show_ids?: {
    tmdb?: string
    imdb?: string
    tvdb?: string
    tracka?: string
    mal?: string
    anilist?: string
    kitsu?: string
    anidb?: string
    trackb?: string
    guid?: string
    slug?: string
    mediaa?: string
    mediab?: string
    mediac?: string
    lista?: string
  }
  /** 0 holds the specials. */
  season?: number
  episode?: number
  series_title?: string | null
  series_year?: number | null
  /** For anime: the mapping data knows the entry to be a film. */
  film?: boolean
  watched?: boolean
  /** ISO 8601, UTC; a date alone where the time is not known. */
  watched_at?: string
  rating?: number
  /** ISO 8601, UTC; a date alone where the time is not known. */
  rated_at?: string
  progress_ms?: number
  duration_ms?: number
  progress_percent?: number
  /** ISO 8601, UTC; a date alone where the time is not known. */
  progress_at?: string
  /** Set when the time was not reported by the provider, for example first_observed. */
  progress_at_source?: string
  library_id?: string
  /** ISO 8601, UTC; a date alone where the time is not known. */
  added_at?: string
  /** Ids that mean something to the account that the item was read from, and to no other. */
  native?: {
    event_id?: string
    item_id?: string
    list_item_id?: string
  }
  /** Helps to match, and is never stored. */
  transient?: boolean
  /** Position of an entry in a list. */
  position?: number
} & Record<string, unknown>
export type PlaylistEndpoint = {
  id: string
  name: string
  provider: string
  instance: string
  /** Kind and ID of the list, `playlist:12`. Leave empty to create it with the first item. */
  playlist_id: string
  playlist_name: string
  playlist_type: "list" | "playlist" | "collection" | "status"
  media_types: (string)[]
  can_add: boolean
  can_remove: boolean
  can_reorder: boolean
  smart: boolean
  destructive_remove: boolean
  remove_warning: string
  warnings: (string)[]
  item_count?: number
  /** The time of the last successful sync, in seconds since 1970. */
  last_synced?: number
  last_error?: {
    code: string
    at: number
  }
  /** A run created the list, or will create it with its first item. */
  made_by_run?: boolean
  provider_label?: string
} & Record<string, unknown>
export type PlaylistEndpointRequest = {
  id?: string | null
  name?: string | null
  provider?: string | null
  instance?: string | null
  playlist_id?: string | null
  playlist_name?: string | null
  playlist_type?: string | null
  endpoint_type?: string | null
  create?: boolean | null
  create_name?: string | null
  media_type?: string | null
  library?: string | null
  /** The accounts belong to several persons, and all of them are meant. */
  across_persons?: boolean
} & Record<string, unknown>
export type PlaylistEntry = {
  key: string
  title: string | null
  year: number | null
  media_type: string
} & Record<string, unknown>
export type PlaylistMapping = {
  id: string
  name: string
  source_endpoint: string
  target_endpoints: (string)[]
  /** Leave empty to sync the whole source to one target. */
  ruleset_id: string
  membership: "add_only" | "managed_only" | "mirror"
  order: "ignore" | "preserve"
  enabled: boolean
  allow_mass_delete?: boolean
  confirm_destructive?: boolean
  valid: boolean
  /** Why the mapping cannot run. */
  problem?: string
  running: boolean
  source: MappingEnd | null
  target: MappingEnd | null
  targets: (MappingEnd)[]
  ruleset: Ruleset | null
  assigned_pair: string | null
  assigned_pair_label: string
  last_result: PlaylistResult | null
  /** Set for the mappings of a pair: the mapping runs with it. */
  selected?: boolean
} & Record<string, unknown>
export type PlaylistMappingRequest = {
  id?: string | null
  name?: string | null
  source_endpoint?: string | {
    id?: string
  } & Record<string, unknown> | null
  target_endpoints?: (string | {
    id?: string
  } & Record<string, unknown>)[] | null
  ruleset_id?: string | null
  membership?: string | null
  order?: string | null
  enabled?: boolean | null
  allow_mass_delete?: boolean | null
  confirm_destructive?: boolean | null
  /** The accounts belong to several persons, and all of them are meant. */
  across_persons?: boolean
  mapping?: {
    id?: string | null
    name?: string | null
    source_endpoint?: string | {
      id?: string
    } & Record<string, unknown> | null
    target_endpoints?: (string | {
      id?: string
    } & Record<string, unknown>)[] | null
    ruleset_id?: string | null
    membership?: string | null
    order?: string | null
    enabled?: boolean | null
    allow_mass_delete?: boolean | null
    confirm_destructive?: boolean | null
    /** The accounts belong to several persons, and all of them are meant. */
    across_persons?: boolean
  } & Record<string, unknown>
} & Record<string, unknown>
export type PlaylistResult = {
  ok: boolean
  partial: boolean
  mapping_id: string
  ruleset_id: string
  job_id: string
  dry_run: boolean
  added: number
  removed: number
  reordered: number
  already: number
  plan_ids: (string)[]
  finished_at?: number
  message?: string
  run_id?: string
  membership?: string
  order?: string
  source_count?: number
  target_count?: number
  planned_additions?: number
  planned_removals?: number
  /** Removals that wait for a confirmation. */
  blocked_removals?: number
  /** The items that `blocked_removals` counts; at most 200. */
  blocked_items?: (PlaylistEntry)[]
  reorder_count?: number
  manual_affected?: boolean
  managed_count?: number
  /** At most 200. */
  unresolved?: (UnresolvedEntry)[]
  unresolved_count?: number
  resolved_count?: number
  duplicates?: ({
    key: string
    endpoints: (string)[]
  })[]
  warnings?: (string)[]
  initial?: boolean
  blocked?: boolean
  error?: string
  losses?: (string)[]
  overflow_count?: number
  total_capacity?: number | null
  available_capacity?: number | null
  per_target?: ({
    endpoint_id: string
  } & Record<string, unknown>)[]
  additions?: (string)[]
  removals?: (string)[]
  /** At most 200; of a mapping without rules. */
  addition_items?: (PlaylistEntry)[]
  /** At most 200; of a mapping without rules. */
  removal_items?: (PlaylistEntry)[]
} & Record<string, unknown>
export type Plugin = {
  id: string
  name: string
  version: string | null
  description: string
  notice: string | null
  kind: "provider" | "feature" | "analyzer" | "exporter" | "importer" | "notifier" | "service" | null
  origin: "bundled" | "user"
  enabled: boolean
  state: "discovered" | "disabled" | "blocked" | "building" | "staging" | "active" | "dormant" | "failed" | "quarantined" | "stuck"
  generation: number | null
  reloads: number
  faults: number
  last_error: {
    phase: string
    code: string
    message: string
    file: string | null
    line: number | null
    column: number | null
    stack: string | null
    at: number
    source_hash: string | null
    /** An edit could not be loaded: the version before it runs. False for a failure of unedited sources. */
    of_edit: boolean
  } | null
  provider: {
    id: string
    token: string
    label: string
    /** Public client id of an application at the service that ships with the plugin, so that people need none of their own to sign in with a code. Their own one wins. Never a secret. Default: none. */
    clientId?: string
    /** Place among the services that most people begin with, 1 first: the setup guide shows these before all others. Default: none. */
    popular?: number
    /** What the terms of the service say about uses of its data. */
    terms?: {
      /** Shown where an account is paired with one of another tracker or list service. */
      pairs?: string
      /** Why captures of the schedule are off until a person switches them on. Default: they are on. */
      captures?: string
    }
  } | null
  ui: {
    pages: ({
      path: string
      title: string
      icon: string | null
      url: string
    })[]
    panels: ({
      slot: "home" | "connection" | "pair"
      title: string
      url: string
    })[]
  }
  directory: string
  api: string | null
  source_hash: string | null
  activated_at: number | null
  routes: ({
    method: string
    path: string
    auth: string
  })[]
  hooks: ({
    hook: string
    name: string
    stage: number
  })[]
  /** The kinds of its hooks, by name. */
  declares_hooks: Record<string, string>
  listens_to: (string)[]
  services: (string)[]
  jobs: ({
    name: string
    next_at: number | null
    last_started_at: number | null
    last_finished_at: number | null
    last_outcome: string | null
    running: boolean
  })[]
  provides: (string)[]
  requires: (string)[]
  needs: {
    /** Hosts the plugin may reach: a name, *.name, config:<path> for an address in the settings, or entered for an address that a person just entered, or that the service named for their account. */
    hosts?: (string)[]
    /** Bytes of key-value storage. Default 5 MiB. */
    storage?: number
    /** The plugin may open database files of its own, on worker threads. */
    database?: boolean
    /** Shared folders of the data directory that the plugin reads and writes. */
    files?: ("captures" | "backups" | "reports" | "exports" | "cache" | "imports")[]
    /** The plugin may list every shared folder (names and sizes only). */
    listFiles?: boolean
    /** The plugin may read all settings, with secrets masked, and the details and jobs of all plugins. */
    inspect?: boolean
    /** The plugin may copy, check, repair and replace everything in the data directory, keys included. */
    data?: boolean
    /** The plugin may bring signed lists of plugins, and put up their versions for a review. */
    directory?: boolean
    /** Megabytes that a plugin with a thread of its own may use. Default 256. */
    memory?: number
    /** Node modules beyond the safe ones, shown to the user when the plugin is added. */
    builtins?: (string)[]
    /** Hooks that the plugin taps, and events that it listens to as event:<name>. A plugin from an npm package taps and follows only these; plugin pack fills them in. */
    hooks?: (string)[]
    /** Secret fields of the settings, which people enter for the plugin. Required for a plugin from an npm package; plugin pack fills them in. */
    secrets?: (string)[]
    /** External sign-in: the plugin may open a session for the person whose account is linked, shown to the user when it is added. */
    signIn?: boolean
  }
  /** Its settings: GET /api/config/sections/{path}. */
  sections: ({
    path: string
  })[]
  phases: {
    watch_ms: number
    compile_ms: number
    stage_ms: number
    publish_ms: number
    from_cache: boolean
  } | null
  in_flight: number
  timers: number
  draining: ({
    generation: number
    in_flight: number
  })[]
  recent_faults: number
  retry_at: number | null
  stuck: (string)[]
  leaked_generations: (number)[]
}
export type PluginPackage = {
  id: string
  package: string
  /** A plugin from a file is updated with a newer file, one of the directory with `POST /api/directory/{id}/install`. */
  source: "npm" | "file" | "directory"
  range: string
  version: string | null
  previous: string | null
  trial: "starting" | "running" | null
  rolled_back: {
    version: string
    reason: string
    /** Epoch milliseconds. */
    at: number
  } | null
  staged: {
    id: string
    package: string
    version: string
    from: string | null
    asks: ({
      /** Its kind and value, for example "host api.example.org". */
      ask: string
      /** The same in words. */
      text: string
      /** The live version does not ask for it. */
      new: boolean
    })[]
    notes: (string)[]
  } | null
  plugin: PluginSummary | null
}
export type PluginSummary = {
  id: string
  name: string
  version: string | null
  description: string
  notice: string | null
  kind: "provider" | "feature" | "analyzer" | "exporter" | "importer" | "notifier" | "service" | null
  origin: "bundled" | "user"
  enabled: boolean
  state: "discovered" | "disabled" | "blocked" | "building" | "staging" | "active" | "dormant" | "failed" | "quarantined" | "stuck"
  generation: number | null
  reloads: number
  faults: number
  last_error: {
    phase: string
    code: string
    message: string
    file: string | null
    line: number | null
    column: number | null
    stack: string | null
    at: number
    source_hash: string | null
    /** An edit could not be loaded: the version before it runs. False for a failure of unedited sources. */
    of_edit: boolean
  } | null
  provider: {
    id: string
    token: string
    label: string
    /** Public client id of an application at the service that ships with the plugin, so that people need none of their own to sign in with a code. Their own one wins. Never a secret. Default: none. */
    clientId?: string
    /** Place among the services that most people begin with, 1 first: the setup guide shows these before all others. Default: none. */
    popular?: number
    /** What the terms of the service say about uses of its data. */
    terms?: {
      /** Shown where an account is paired with one of another tracker or list service. */
      pairs?: string
      /** Why captures of the schedule are off until a person switches them on. Default: they are on. */
      captures?: string
    }
  } | null
  ui: {
    pages: ({
      path: string
      title: string
      icon: string | null
      url: string
    })[]
    panels: ({
      slot: "home" | "connection" | "pair"
      title: string
      url: string
    })[]
  }
}
export type PolicyScope = {
  adds: {
    /** By key. */
    items: Record<string, Item>
  }
  /** Keys. */
  blocks: (string)[]
}
export type Problem = {
  type: string
  severity: "error" | "warn" | "info"
  category: string
  message: string
  provider: string | null
  feature: string | null
  key?: string
  title?: string | null
  rule: string
  fixable?: boolean
  /** Fields to send with a request to fix it. */
  fix_with?: Record<string, string | number | boolean>
  /** A person decides whose value of `values` is right: one of these accounts, sent as `keep` to fix it. */
  choices?: (string)[]
} & Record<string, unknown>
export type ProblemAction = {
  kind: "match" | "approve" | "try_again" | "sign_in" | "open" | "open_at"
  label: string
  path: string | null
  url: string | null
  account: {
    provider: string
    instance: string
  } | null
  call: {
    method: string
    path: string
    body: Record<string, string | number | boolean | (string)[]> | null
  } | null
}
export type ProblemCause = {
  cause: string
  severity: "error" | "warning" | "info"
  title: string
  text: string
  rows: number
  need_you: number
  action: "match" | "approve" | "try_again" | "sign_in" | "open" | "open_at"
  can_ignore: boolean
  can_retry: boolean
  only: ListedProblem | null
}
export type ProblemSelection = {
  ids?: (string)[]
  /** Instead of ids: all problems with this cause. */
  cause?: string
  action?: "match" | "approve" | "try_again" | "sign_in" | "open" | "open_at"
  /** `MEDIAB`, or `MEDIAB@MEDIAB-P01`. */
  account?: string
  pair?: string
  /** Items that the run left, and that are still not synced. */
  run?: string
  feature?: "watchlist" | "history" | "ratings" | "progress" | "playlists"
  /** Ignored problems instead of the others. */
  ignored?: boolean
}
export type RecipeAccount = {
  provider: string
  instance: string
  label: string
}
export type RecipeApplyRequest = {
  plan_id: string
  /** The accounts belong to several persons, and all of them are meant. */
  across_persons?: boolean
}
export type RecipeCandidate = {
  provider: string
  instance: string
  label: string
  connected: boolean
}
export type RecipeChange = {
  id: string
  /** `pair`, `playlist`, `scrobble`, `webhook`, `schedule`. */
  kind: string
  label: string
  source: RecipeAccount | null
  target: RecipeAccount | null
  mode: "one_way" | "two_way" | null
  features: (string)[]
  action: "make" | "change" | "stop" | "start" | "remove"
  /** A first copy: it is stopped after its first complete run. */
  once: boolean
  address: string | null
}
export type RecipeEntry = {
  id: string
  /** `pair`, `playlist`, `scrobble`, `webhook`, `schedule`. */
  kind: string
  label: string
  source: RecipeAccount | null
  target: RecipeAccount | null
  mode: "one_way" | "two_way" | null
  features: (string)[]
}
export type RecipePlanName = {
  plan_id: string
}
export type RecipePlanRequest = {
  recipe: string
  /** An account for each slot of the recipe. */
  accounts: Record<string, {
      provider: string
      instance: string
    }>
}
export type RecipeRefusal = {
  /** `pair`, `playlist`, `scrobble`, `webhook`, `schedule`. */
  kind: string
  label: string
  source: RecipeAccount | null
  target: RecipeAccount | null
  mode: "one_way" | "two_way" | null
  features: (string)[]
  reason: string
}
export type RestoreRequest = {
  /** The path, as in the list of captures. */
  path: string
  /** `merge`, `sync_values`, `exact`, `clear_restore`. */
  mode?: string
  instance?: string | null
  instance_id?: string | null
  profile?: string | null
  /** The confirmations that `needs` of a dry run lists. */
  confirm?: ("removals" | "empty" | "incomplete" | "account" | "scope")[]
  /** The same as `empty` in `confirm`. */
  confirm_empty?: boolean
  /** The accounts belong to several persons, and all of them are meant. */
  across_persons?: boolean
  /** Only plan; the plans can be looked at. */
  dry_run?: boolean
  /** 8 to 64 letters, digits, `_`, `-`. Default: one is made. */
  progress_id?: string | null
  /** Answer 202 at once. */
  background?: boolean
  async?: boolean
  async_job?: boolean
} & Record<string, unknown>
export type RestoreResult = {
  /** All changes were applied and verified. */
  ok: boolean
  provider: string
  instance: string
  feature: string
  mode: string
  dry_run?: boolean
  /** The confirmations that `confirm` must list. */
  needs?: (string)[]
  planned: {
    add: number
    update: number
    remove: number
    left_out?: number
  } & Record<string, unknown>
  plan_ids: (string)[]
  /** Undo it with POST /api/run/{run_id}/undo. */
  run_id: string
  before_path?: string | null
  added?: number
  removed?: number
  updated?: number
  /** The account was read again and has what the capture has. */
  verified?: boolean
  unresolved?: ({
    key: string
    op: string
    reason: string
  })[]
  failed?: ({
    key: string
    op: string
    reason: string
  })[]
  /** The first keys that the account still lacks. */
  missing?: (string)[]
  /** The first keys that the account still has. */
  extra?: (string)[]
  stats?: {
    count: number
  }
  children?: ({
    feature: string
    added?: number
    removed?: number
    updated?: number
    /** The account was read again and has what the capture has. */
    verified?: boolean
    unresolved?: ({
      key: string
      op: string
      reason: string
    })[]
    failed?: ({
      key: string
      op: string
      reason: string
    })[]
    /** The first keys that the account still lacks. */
    missing?: (string)[]
    /** The first keys that the account still has. */
    extra?: (string)[]
    plan_ids?: (string)[]
    mode?: string
    current_count?: number | null
    snapshot_count?: number
    planned?: {
      add: number
      update: number
      remove: number
      left_out?: number
    } & Record<string, unknown>
    /** By reason. */
    left_out?: Record<string, number>
  } & Record<string, unknown>)[]
} & Record<string, unknown>
export type Ruleset = {
  id: string
  name: string
  description: string
  schema_version: 1
  built_in: boolean
  direction: "bidirectional" | "one_way"
  initial_sync: "source_authoritative"
  read_mode: "aggregate"
  write_mode: "partition"
  membership: "managed_only" | "add_only" | "mirror"
  order: "ignore" | "preserve"
  deduplicate: "canonical_id"
  allocation: "stable_first_fit"
  rebalance: "never"
  overflow: "block"
  per_endpoint_capacity: number
  aggregate_capacity: number
  maximum_targets: number
  track_assignments: true
  valid?: boolean
} & Record<string, unknown>
export type RunRequest = {
  pair_id?: string | null
  /** An alias of pair_id. */
  pairId?: string | null
  /** An alias of pair_id. */
  pair_scope?: string | null
  /** Several pairs. Not together with pair_id or plan_id. */
  pair_ids?: (string)[]
  dry_run?: boolean
  /** Applies held removals; only with pair_id or plan_id. */
  allow_mass_delete?: boolean
  /** Approves that the pair removes items from the target that the source never had; only with pair_id. */
  confirm_mirror?: boolean
  /** Runs only the operations of this plan that are still correct. Also accepts plans of one account. */
  plan_id?: string | null
  /** Only changes of these titles are written, of shows with their episodes: `movie:tmdb:949`, or any of the `names` of `GET /api/library/{key}`. Playlists are left out. */
  titles?: (string)[]
  features?: ("watchlist" | "history" | "ratings" | "progress" | "playlists")[]
  source?: "ui" | "cli" | "api" | "scheduler" | "scheduler_event"
  scheduler_mode?: string
  job_id?: string
  workflow_id?: string
  workflow_step_id?: string
  trigger_event?: string
} & Record<string, unknown>
export type SchedulerSettings = {
  /** Runs all pairs on the schedule below, unless advanced scheduling is on. */
  enabled: boolean
  mode: "disabled" | "hourly" | "every_n_hours" | "daily_time" | "custom_interval"
  every_n_hours: number
  daily_time: string
  custom_interval_minutes: number
  /** For example Europe/Paris. Leave empty to use the time zone of the server. */
  timezone: string
  /** Each run starts up to this much later. */
  jitter_seconds: number
  webhooks: {
    enabled: boolean
    url: string
    base_url: string
    start_url: string
    success_url: string
    failure_url: string
    payload_format: "plain" | "notifiarr"
    notifiarr_channel_id: string
    timeout_seconds: number
    /** Reports a run with errors, or with items that are not synced, as failed. */
    alert_on_unresolved: boolean
    /** Also sends to addresses in your local network. */
    allow_private: boolean
  }
  advanced: {
    /** Uses the jobs, workflows and event rules below. Captures and backups always run. */
    enabled: boolean
    jobs: ({
      id: string
      pair_id: string | null
      at: string | null
      /** 1 is Monday. Leave empty for every day. */
      days: (number)[]
      active: boolean
      after: string | null
      /** Continues if the previous step failed. */
      continue_on_error: boolean
    })[]
    workflows: ({
      id: string
      name: string
      mode: "hourly" | "every_n_hours" | "daily_time" | "custom_interval"
      every_n_hours: number
      daily_time: string
      custom_interval_minutes: number
      steps: ({
        id: string
        pair_id: string | null
        active: boolean
      })[]
      active: boolean
      /** Continues if the previous step failed. */
      continue_on_error: boolean
    })[]
    event_rules: ({
      id: string
      active: boolean
      source: "watcher" | "webhook"
      event: "start" | "pause" | "stop"
      filters: {
        route_id: string
        provider: string
        provider_instance: string
        account: string
        media_type: "" | "movie" | "episode"
        min_progress: number
      }
      action: {
        kind: "sync_pair"
        pair_id: string
      }
      guardrails: {
        cooldown_minutes: number
        dedupe_window_seconds: number
        /** 0 means no limit. */
        max_runs_per_hour: number
      }
    })[]
    capture_jobs: ({
      id: string
      provider: string
      instance: string
      feature: "watchlist" | "ratings" | "history" | "progress" | "all"
      label_template: string
      retention_days: number
      auto_delete_old: boolean
      /** Runs later if Playhead was off at the scheduled time. */
      catch_up: boolean
      at: string | null
      /** 1 is Monday. Leave empty for every day. */
      days: (number)[]
      active: boolean
      max_captures: number
    })[]
    backup_jobs: ({
      id: string
      scope: "config_only" | "app_state" | "full"
      label_template: string
      retention_days: number
      auto_delete_old: boolean
      /** Runs later if Playhead was off at the scheduled time. */
      catch_up: boolean
      at: string | null
      /** 1 is Monday. Leave empty for every day. */
      days: (number)[]
      active: boolean
      max_backups: number
      include_snapshots: boolean
      include_reports: boolean
      include_cache: boolean
    })[]
  }
}
export type SchedulerSettingsRequest = {
  enabled?: boolean
  mode?: string
  every_n_hours?: number
  daily_time?: string
  custom_interval_minutes?: number
  timezone?: string
  jitter_seconds?: number
  webhooks?: {
    enabled?: boolean
    url?: string | null
    base_url?: string | null
    start_url?: string | null
    success_url?: string | null
    failure_url?: string | null
    payload_format?: string
    notifiarr_channel_id?: string | number
    timeout_seconds?: number
    alert_on_unresolved?: boolean
    allow_private?: boolean
  }
  advanced?: {
    enabled?: boolean
    jobs?: ({
      id?: unknown
      pair_id?: unknown
      at?: unknown
      days?: unknown
      active?: unknown
      after?: unknown
      continue_on_error?: unknown
    })[]
    workflows?: ({
      id?: unknown
      name?: unknown
      mode?: unknown
      every_n_hours?: unknown
      daily_time?: unknown
      custom_interval_minutes?: unknown
      steps?: ({
        id?: unknown
        pair_id?: unknown
        active?: unknown
      })[]
      active?: unknown
      continue_on_error?: unknown
    })[]
    event_rules?: ({
      id?: unknown
      active?: unknown
      source?: unknown
      event?: unknown
      filters?: {
        route_id?: unknown
        provider?: unknown
        provider_instance?: unknown
        account?: unknown
        media_type?: unknown
        min_progress?: unknown
      }
      action?: {
        kind?: unknown
        pair_id?: unknown
      }
      guardrails?: {
        cooldown_minutes?: unknown
        dedupe_window_seconds?: unknown
        max_runs_per_hour?: unknown
      }
    })[]
    capture_jobs?: ({
      id?: unknown
      provider?: unknown
      instance?: unknown
      feature?: unknown
      label_template?: unknown
      retention_days?: unknown
      auto_delete_old?: unknown
      catch_up?: unknown
      at?: unknown
      days?: unknown
      active?: unknown
      max_captures?: unknown
    })[]
    backup_jobs?: ({
      id?: unknown
      scope?: unknown
      label_template?: unknown
      retention_days?: unknown
      auto_delete_old?: unknown
      catch_up?: unknown
      at?: unknown
      days?: unknown
      active?: unknown
      max_backups?: unknown
      include_snapshots?: unknown
      include_reports?: unknown
      include_cache?: unknown
    })[]
  }
}
export type SchedulerStatus = {
  ok: boolean
  running: boolean
  paused: boolean
  /** Epoch seconds; 0 is never. */
  last_tick: number
  /** Epoch seconds; 0 is never. */
  last_run_at: number
  /** Epoch seconds; 0 is never. */
  next_run_at: number
  next_run_iso: string
  last_run_ok: boolean | null
  last_error: string
  last_job_id: string
  last_pair_id: string
  last_capture_job_id: string
  last_capture_provider: string
  last_capture_feature: string
  last_backup_job_id: string
  last_backup_scope: string
  last_rule_id: string
  last_event_source: string
  last_event_name: string
  /** Set in the response to a request to stop. */
  stopped?: boolean
  /** For a request to start: the work started or is waiting. */
  triggered?: boolean
  run_id?: string | null
  active_run_id: string | null
  on_hold: {
    reason: string
    detail: string
    /** Epoch seconds; 0 is never. */
    since: number
    kinds: (string)[]
  } | null
  effective_mode: string
  effective: {
    enabled: boolean
    mode: string
  }
  config: SchedulerSettings
  scheduling_warnings: (string)[]
  warning: boolean
}
export type ScrobbleDestination = {
  provider: string
  label: string
  takes_ratings: boolean
  /** Part of Playhead, without a sign-in. */
  local: boolean
  profiles: (ScrobbleProfile)[]
} & Record<string, unknown>
export type ScrobbleGroup = {
  id: string
  provider: string
  provider_instance: string
  running: boolean
  routes: (string)[]
  state: string
  connected: boolean
  by: string | null
  /** False: only the own sessions of the profile are visible. */
  others: boolean | null
  last_event_at: number | null
  last_error: string | null
  retry_at: number | null
  failures: number
} & Record<string, unknown>
export type ScrobbleProfile = {
  provider: string
  instance: string
  label: string
  configured: boolean
  reason: string
} & Record<string, unknown>
export type ScrobbleRoute = {
  id: string
  enabled: boolean
  provider: string
  provider_instance: string
  sink: string
  sink_instance: string
  filters: {
    /** User names, id:<id> or uuid:<uuid>, or * for all users. Leave empty to allow only the signed-in user. */
    username_whitelist?: (string)[]
    /** Scrobbles only the user with this ID. */
    user_id?: string
    /** Scrobbles only from this server. */
    server_uuid?: string
    /** Scrobbles only from these servers. */
    server_uuid_whitelist?: (string)[]
    /** Skips these servers. */
    server_uuid_blacklist?: (string)[]
    /** Skips live TV and its recordings. */
    ignore_live_tv_dvr?: boolean
    /** Skips trailers that play instead of a movie. */
    ignore_placeholder_trailers?: boolean
    /** Skips files in these folders. */
    ignored_path_prefixes?: (string)[]
    /** Skips files whose path contains one of these texts. */
    ignored_filename_patterns?: (string)[]
    /** Skips these editions. */
    ignored_editions?: (string)[]
    /** Skips files in folders that contain a file with one of these names. */
    ignored_marker_files?: (string)[]
    /** Shorter titles are not scrobbled. */
    min_duration_seconds?: number
  } & Record<string, unknown>
  options: {
    /** inherit, on, off */
    auto_remove_watchlist?: string
    scrobble?: {
      /** A title counts as watched if playback stops here or later. */
      watched_at?: number
      /** A stop here or later always counts as finished. */
      force_stop_at?: number
      /** How often the position is sent to trackers, from 1 to 25 percent of the title. */
      progress_step?: number
    } & Record<string, unknown>
    watch?: {
      /** Shorter pauses are ignored, because buffering looks like a pause. */
      pause_debounce_seconds?: number
      /** Playback that starts here or later, such as the credits, is not a new play. */
      suppress_start_at?: number
    } & Record<string, unknown>
    ratings?: {
      /** off, custom */
      mode?: string
      targets?: (string)[]
      webhook_id?: string
      webhook_token?: string
    } & Record<string, unknown>
  } & Record<string, unknown>
  runtime: {
    running: boolean
    state: string
  }
  /** It is enabled and both accounts are connected. */
  ready: boolean
  ratings_webhook_url: string
  source_label: string
  source_profile_label: string
  sink_label: string
  sink_profile_label: string
  /** Several trackers share the source, and no person is named. */
  needs_account_filter: boolean
} & Record<string, unknown>
export type ScrobbleRouteRequest = {
  id?: string
  enabled?: boolean
  provider?: string
  provider_instance?: string
  sink?: string
  sink_instance?: string
  filters?: Record<string, unknown>
  options?: Record<string, unknown>
  regenerate_ratings_webhook?: boolean
  /** The accounts belong to several persons, and all of them are meant. */
  across_persons?: boolean
} & Record<string, unknown>
export type ScrobbleSettingsRequest = {
  /** When off, nothing is recorded. */
  enabled?: boolean
  /** Otherwise you start it on the Scrobbling page after each restart. */
  watch_autostart?: boolean
  /** Watched titles are removed from the watchlists of your trackers. */
  global_auto_remove_watchlist?: boolean
  sources?: {
    /** If not set, this is on while something is scrobbled live. */
    watcher?: boolean
    /** If not set, this is on while a webhook is set up. */
    webhook?: boolean
  } & Record<string, unknown>
  /** Only these are removed from watchlists. */
  global_auto_remove_types?: (string)[]
  /** Shorter pauses are ignored, because buffering looks like a pause. */
  watch_pause_debounce_seconds?: number
  /** Playback that starts here or later, such as the credits, is not a new play. */
  watch_suppress_start_at?: number
  /** A title counts as watched if playback stops here or later. */
  watch_watched_at?: number
  /** A stop here or later always counts as finished. */
  watch_force_stop_at?: number
  /** How often the position is sent to trackers, from 1 to 25 percent of the title. */
  watch_progress_step?: number
  /** Shorter pauses are ignored, because buffering looks like a pause. */
  webhook_pause_debounce_seconds?: number
  /** Playback that starts here or later, such as the credits, is not a new play. */
  webhook_suppress_start_at?: number
  /** The accounts belong to several persons, and all of them are meant. */
  across_persons?: boolean
} & Record<string, unknown>
export type ScrobbleSource = {
  provider: string
  label: string
  watch: boolean
  webhook: boolean
  ratings: boolean
  setup: string
  profiles: ({
    provider: string
    instance: string
    label: string
    configured: boolean
    reason: string
    eligible: boolean
    explicit: boolean
    enabled: boolean
    endpoint_url: string
  } & Record<string, unknown>)[]
} & Record<string, unknown>
export type ScrobbleWebhook = {
  id: string
  provider: string
  provider_label: string
  provider_instance: string
  profile_label: string
  sink: string
  sink_label: string
  sink_instance: string
  sink_profile_label: string
  sink_ready: boolean
  enabled: boolean
  source_configured: boolean
  explicit: boolean
  active: boolean
  endpoint_url: string
  webhook_token: string
  /** Also `<source>_<tracker>_ratings`, booleans. */
  effective_settings: {
    /** Shorter pauses are ignored, because buffering looks like a pause. */
    pause_debounce_seconds: number
    /** Playback that starts here or later, such as the credits, is not a new play. */
    suppress_start_at: number
    /** An episode that starts this soon after another may be autoplay, and does not count yet. */
    guard_autoplay_seconds: number
    /** An autoplay episode counts once it is played to this position. */
    start_guard_min_progress: number
    filters: {
      /** User names, id:<id> or uuid:<uuid>, or * for all users. Leave empty to allow only the signed-in user. */
      username_whitelist?: (string)[]
      /** Scrobbles only the user with this ID. */
      user_id?: string
      /** Scrobbles only from this server. */
      server_uuid?: string
      /** Scrobbles only from these servers. */
      server_uuid_whitelist?: (string)[]
      /** Skips these servers. */
      server_uuid_blacklist?: (string)[]
      /** Skips live TV and its recordings. */
      ignore_live_tv_dvr?: boolean
      /** Skips trailers that play instead of a movie. */
      ignore_placeholder_trailers?: boolean
      /** Skips files in these folders. */
      ignored_path_prefixes?: (string)[]
      /** Skips files whose path contains one of these texts. */
      ignored_filename_patterns?: (string)[]
      /** Skips these editions. */
      ignored_editions?: (string)[]
      /** Skips files in folders that contain a file with one of these names. */
      ignored_marker_files?: (string)[]
      /** Shorter titles are not scrobbled. */
      min_duration_seconds?: number
    } & Record<string, unknown>
  } & Record<string, unknown>
  /** What the profile has itself. Also `<source>_<tracker>_ratings`, booleans. */
  explicit_settings: {
    /** Shorter pauses are ignored, because buffering looks like a pause. */
    pause_debounce_seconds?: number
    /** Playback that starts here or later, such as the credits, is not a new play. */
    suppress_start_at?: number
    /** An episode that starts this soon after another may be autoplay, and does not count yet. */
    guard_autoplay_seconds?: number
    /** An autoplay episode counts once it is played to this position. */
    start_guard_min_progress?: number
    filters?: {
      /** User names, id:<id> or uuid:<uuid>, or * for all users. Leave empty to allow only the signed-in user. */
      username_whitelist?: (string)[]
      /** Scrobbles only the user with this ID. */
      user_id?: string
      /** Scrobbles only from this server. */
      server_uuid?: string
      /** Scrobbles only from these servers. */
      server_uuid_whitelist?: (string)[]
      /** Skips these servers. */
      server_uuid_blacklist?: (string)[]
      /** Skips live TV and its recordings. */
      ignore_live_tv_dvr?: boolean
      /** Skips trailers that play instead of a movie. */
      ignore_placeholder_trailers?: boolean
      /** Skips files in these folders. */
      ignored_path_prefixes?: (string)[]
      /** Skips files whose path contains one of these texts. */
      ignored_filename_patterns?: (string)[]
      /** Skips these editions. */
      ignored_editions?: (string)[]
      /** Skips files in folders that contain a file with one of these names. */
      ignored_marker_files?: (string)[]
      /** Shorter titles are not scrobbled. */
      min_duration_seconds?: number
    } & Record<string, unknown>
  } & Record<string, unknown>
  needs_account_filter: boolean
} & Record<string, unknown>
export type ScrobbleWebhookRequest = {
  provider?: string
  provider_instance?: string
  enabled?: boolean
  /** Added to the stored ones. */
  sinks?: (string)[]
  /** Profile by tracker. */
  sink_instances?: Record<string, string>
  /** This tracker is replaced. */
  prev_sink?: string
  filters?: Record<string, unknown>
  regenerate?: boolean
  pause_debounce_seconds?: number
  suppress_start_at?: number
  /** The accounts belong to several persons, and all of them are meant. */
  across_persons?: boolean
} & Record<string, unknown>
export type SignInLink = {
  id: string
  /** Id of the person who signs in. */
  person: string
  provider: string
  label: string
  state: "open" | "started" | "done"
  /** Epoch seconds. */
  expires_at: number
}
export type SignInLinkRequest = {
  provider: string
  /** Id of a person; or `name`. */
  person?: string
  /** The person of this name, who is added if there is none. */
  name?: string
  /** The profile whose settings the new one gets, such as the address of the server; no credentials. Default: `default`. */
  from?: string
}
export type SpotlightItem = {
  key: string
  display_title: string
  source: string
  type: string
  title?: string | null
  year?: number | null
  season?: number | null
  episode?: number | null
  /** By scheme. */
  ids?: Record<string, string>
  series_title?: string | null
  show_title?: string | null
  /** By scheme. */
  show_ids?: Record<string, string>
} & Record<string, unknown>
export type StopOrder = {
  /** The `names` of `GET /api/library/{key}`, or keys such as `show:tmdb:1399`. At least one needs an id. */
  names: (string)[]
  /** To show it; rows are recognized by their ids alone. */
  title: string
  year?: number | null
  /** Without it: all features, also later ones. */
  features?: ("watchlist" | "history" | "ratings" | "progress")[] | null
  /** Nothing is written to them, and nothing is carried from them. Without accounts and pairs: everywhere. */
  accounts?: ({
    provider: string
    instance: string
  })[] | null
  /** Ids of pairs that leave the title alone. */
  pairs?: (string)[] | null
}
export type StoppedTitle = {
  id: string
  /** `movie` or `show`; a show with its seasons and episodes, also later ones. */
  kind: string
  /** Rows with one of these ids are of the title. */
  names: (string)[]
  title: string
  year: number | null
  features: (string)[] | null
  accounts: ({
    provider: string
    instance: string
  })[] | null
  pairs: (string)[] | null
  /** ISO 8601, UTC. */
  stopped_at: string
}
export type SyncStatus = {
  state: "in_sync" | "need_you" | "working" | "paused" | "cannot_reach" | "failed"
  /** Items and decisions that need the person, without items that a library lacks; in every state. */
  count: number
  /** The state in English: In sync, 3 need you, Cannot reach Plex. */
  text: string
  account: {
    provider: string
    instance: string
  } | null
  causes: ({
    kind: "running" | "failed" | "unreachable" | "cancelled" | "items" | "approval" | "sign_in" | "setting" | "no_pairs" | "off" | "never_ran" | "schedule_paused"
    count: number
    text: string
    pair_id?: string
    feature?: "watchlist" | "history" | "ratings" | "progress" | "playlists"
    provider?: string
    instance?: string
    service?: string
  })[]
}
export type TitleSuggestion = {
  type: string
  ids: Record<string, string>
  title: string
  year: number | null
  source: string
}
export type TokenRequest = {
  /** What it is for, for example the name of a script. */
  name: string
  /** What it may do; each includes the ones before it. */
  scope: "read" | "run" | "write" | "admin"
  /** Default and null: it does not expire. */
  expires_in_days?: number | null
}
export type TriggerRequest = {
  job_id?: string | null
  pair_id?: string | null
  pairId?: string | null
  pair_scope?: string | null
  plan_id?: string | null
  dry_run?: boolean
  allow_mass_delete?: boolean
  confirm_mirror?: boolean
  features?: (string)[]
  capture?: Record<string, unknown>
  backup?: Record<string, unknown>
} & Record<string, unknown>
export type UnresolvedEntry = {
  endpoint_id: string
  op: string
  key: string
  title: string | null
  year: number | null
  media_type: string
  reason: string
  /** The verdict of a plugin: its id and its reason. */
  note?: string
} & Record<string, unknown>
export type UpcomingStart = {
  /** Epoch seconds. */
  run_at: number
  run_iso: string
  kind: string
  job_id: string
  pair_id: string
  /** Due, but waiting for something else to end. */
  waiting: boolean
}
export type ValidationError = {
  detail: ({
    /** Where: `body`, `query`, `path` or `header`, then names and positions. */
    loc: (string | number)[]
    msg: string
    /** What is wrong, for example `missing` or `int_parsing`. */
    type: string
  })[]
}
export type Video = {
  site?: string | null
  key?: string | null
  type?: string | null
  official?: boolean | null
  name?: string | null
  published_at?: string | null
}
export type WatchedRequest = {
  item: {
    type?: string | null
    media_type?: string | null
    title?: string | null
    name?: string | null
    year?: number | null
    ids?: Record<string, string | number | null> | null
    tmdb?: string | number | null
    tmdb_id?: string | number | null
    show_ids?: Record<string, string | number | null> | null
    series_title?: string | null
    season?: number | null
    episode?: number | null
  } & Record<string, unknown>
  providers?: ({
    provider: string
    instance?: string | null
    provider_instance?: string | null
  } & Record<string, unknown>)[] | null
  actions?: {
    /** Default true. */
    history?: boolean
    watchlist?: boolean
    rating?: boolean
    /** Remove it from the watchlist. */
    remove_watchlist?: boolean
  } & Record<string, unknown> | null
  date_mode?: string | null
  watched_on?: string | null
  rating?: number | null
  /** Mark all aired episodes of the show or season; without it the answer says how many. */
  confirm_show?: boolean
  /** The accounts belong to several persons, and all of them are meant. */
  across_persons?: boolean
  /** Only say what would be marked: the plays, and per account what is possible. Writes nothing. */
  dry_run?: boolean
  idempotency_key?: string | null
} & Record<string, unknown>
export type WatchedRoute = {
  id: string
  provider: string
  provider_instance: string
  sink: string
  sink_instance: string
  enabled: boolean
  running: boolean
} & Record<string, unknown>

export interface Operations {
  /** Forgets all activity */
  'DELETE /api/activity/history': {
    answer: {
      ok: boolean
      existed: boolean
      kind: string
      removed: number
      remaining: number
    }
  }
  /** Plays in pages */
  'GET /api/activity/history': {
    query?: { limit?: number; offset?: number; media_type?: "all" | "movie" | "episode"; status?: "all" | "ok" | "failed" | "error"; q?: string; since?: number }
    answer: {
      ok: boolean
      items: (ActivityRow)[]
      total: number
      offset: number
      limit: number
      has_more: boolean
    }
  }
  /** The latest plays */
  'GET /api/activity/recent': {
    query?: { limit?: number; since?: number }
    answer: {
      ok: boolean
      items: (ActivityRow)[]
      total: number
      offset: number
      limit: number
      has_more: boolean
    }
  }
  /** Corrections, newest first */
  'GET /api/analyzer/changes': {
    answer: {
      ok: boolean
      changes: ({
        change_id: string
        /** Epoch milliseconds. */
        at_ms: number
        provider: string
        instance: string
        feature: string
        key: string
        new_key: string
        operation: "patch" | "fix" | "delete"
        before: Item | null
        after: Item | null
        by: "plan" | "policy" | "rows"
        plan_id: string | null
        policy_before: Item | null
        undone: boolean
      })[]
    }
  }
  /** Undo a correction */
  'POST /api/analyzer/changes/{id}/undo': {
    params: { id: string }
    answer: {
      ok: boolean
      change_id: string
      state: "undone" | "partly"
      run_id: string | null
      not_undone: ({
        reason: string
        reason_label: string
        count: number
      })[]
      /** How many of these another undo may revert. */
      left_to_undo: number
    }
  }
  /** Stored data of the sync by account and pair, as counts */
  'GET /api/analyzer/cw-state': {
    query?: { pairs?: string }
    answer: {
      ok: boolean
      artifacts: ({
        name: string
        kind: string
        provider: string | null
        instance?: string | null
        feature: string | null
        scope: string | null
        entries: number
        newest: number | null
        oldest: number | null
        size_bytes: number | null
        problems: (string)[]
      } & Record<string, unknown>)[]
      totals: Record<string, number>
      providers: Record<string, Record<string, Record<string, number>>>
    }
  }
  /** Where an item is missing, and why */
  'GET /api/analyzer/detail': {
    query: { pairs?: string; provider: string; feature: "history" | "progress" | "ratings" | "watchlist"; key: string }
    answer: {
      ok: boolean
      targets: (string)[]
      hints: ({
        provider: string
        feature: string
        kind: string
        message: string
        source: string
      } & Record<string, unknown>)[]
      target_show_info: ({
        target: string
        feature: string
        message: string
      } & Record<string, unknown>)[]
    }
  }
  /** Show hidden problems again */
  'DELETE /api/analyzer/exclusions': {
    body: {
      type: string
      provider?: string
      feature?: string
      key?: string
    }
    answer: {
      ok: boolean
      exclusions: ({
        type: string
        provider?: string
        feature?: string
        key?: string
      })[]
    }
  }
  /** Problems that are hidden */
  'GET /api/analyzer/exclusions': {
    answer: {
      ok: boolean
      exclusions: ({
        type: string
        provider?: string
        feature?: string
        key?: string
      })[]
    }
  }
  /** Hide problems: of a type, an account, a feature, or one item */
  'POST /api/analyzer/exclusions': {
    body: {
      type: string
      provider?: string
      feature?: string
      key?: string
    }
    answer: {
      ok: boolean
      exclusions: ({
        type: string
        provider?: string
        feature?: string
        key?: string
      })[]
    }
  }
  /** Fix a problem */
  'POST /api/analyzer/fix': {
    query?: { pairs?: string }
    body: {
      provider: string
      feature: "history" | "progress" | "ratings" | "watchlist"
      key: string
      type: string
      /** Only say what would change. */
      dry_run?: boolean
      /** The accounts belong to several persons, and all of them are meant. */
      across_persons?: boolean
      /** The ids that the problem was shown with: the fix is refused if they changed since. */
      item?: unknown
      /** The value from `dry_run`. The fix is rejected if it would now change something else. */
      changes?: (string)[]
    } & Record<string, unknown>
    answer: {
      ok: boolean
      new_key: string
      change_id: string | null
      /** Another row has this key; the old key is kept. */
      conflict_key?: string
      changes?: (string)[]
      plan?: {
        provider: string
        instance: string
        feature: string
        changes: ({
          op: "add" | "update" | "remove"
          key?: string
          item: Item
        } & Record<string, unknown>)[]
      } | null
      dry_run?: boolean
    } & Record<string, unknown>
  }
  /** Remove a row from what is known of an account */
  'DELETE /api/analyzer/item': {
    query?: { pairs?: string }
    body: {
      provider: string
      feature: "history" | "progress" | "ratings" | "watchlist"
      key: string
    }
    answer: {
      ok: boolean
      change_id: string
    }
  }
  /** Correct title, year and ids of a row */
  'PATCH /api/analyzer/item': {
    query?: { pairs?: string }
    body: {
      provider: string
      feature: "history" | "progress" | "ratings" | "watchlist"
      key: string
      /** An empty id is ignored. */
      updates: {
        title?: string | null
        year?: number | null
        /** Ids by kind, of an episode or season those of its show. null, or what is no id, removes one. */
        ids?: Record<string, unknown>
      }
    }
    answer: {
      ok: boolean
      new_key: string
      change_id: string | null
      /** Another row has this key; the old key is kept. */
      conflict_key?: string
      changes?: (string)[]
      plan?: {
        provider: string
        instance: string
        feature: string
        changes: ({
          op: "add" | "update" | "remove"
          key?: string
          item: Item
        } & Record<string, unknown>)[]
      } | null
      dry_run?: boolean
    } & Record<string, unknown>
  }
  /** When the state of each pair changed last */
  'GET /api/analyzer/pair-activity': {
    answer: {
      ok: boolean
      pairs: ({
        id: string
        /** Nanoseconds since the epoch, exact; beyond the safe integers of JavaScript. 0: never. */
        last_run_ns: number
        last_run_ms: number
      })[]
    }
  }
  /** Correct the ids of a row */
  'POST /api/analyzer/patch': {
    query?: { pairs?: string }
    body: {
      provider: string
      feature: "history" | "progress" | "ratings" | "watchlist"
      key: string
      /** Ids by kind, of an episode or season those of its show. null, or what is no id, removes one. */
      ids: Record<string, unknown>
      /** Also take ids that other rows of the title have. */
      merge_peer_ids?: boolean
      /** The key follows the ids. */
      rekey?: boolean
    } & Record<string, unknown>
    answer: {
      ok: boolean
      new_key: string
      change_id: string | null
      /** Another row has this key; the old key is kept. */
      conflict_key?: string
      changes?: (string)[]
      plan?: {
        provider: string
        instance: string
        feature: string
        changes: ({
          op: "add" | "update" | "remove"
          key?: string
          item: Item
        } & Record<string, unknown>)[]
      } | null
      dry_run?: boolean
    } & Record<string, unknown>
  }
  /** Problems in the rows of accounts */
  'GET /api/analyzer/problems': {
    query?: { pairs?: string; include_system?: boolean; include_hints?: boolean; include_excluded?: boolean; type?: string; severity?: "error" | "warn" | "info"; category?: string; provider?: string; feature?: string; key?: string; offset?: number; limit?: number; attention_offset?: number; attention_limit?: number }
    answer: {
      ok: boolean
      problems: (Problem)[]
      total: number
      offset: number
      limit: number
      has_more: boolean
      summary: {
        total: number
        by_severity: {
          error: number
          warn: number
          info: number
        }
        by_category: Record<string, number>
        by_type: Record<string, number>
      }
      /** Problems that a person hid. */
      excluded: number
      pair_stats: ({
        pair_id: string
        source: string
        target: string
        feature: string
        total: number
        synced: number
        unsynced: number
        anime_synced: number
      })[]
      pair_exclusions: ({
        pair_id: string
        source: string
        target: string
        feature: string
        scanned_total: number
        accepted_total: number
        excluded_total: number
      } & Record<string, unknown>)[]
      attention: {
        rows: (AttentionRow)[]
        counts: {
          current_mismatch: number
          pending_retry: number
          blocked: number
          total: number
          anime_resolved: number
        }
      }
      /** Milliseconds; `cache_hit`: nothing changed since. */
      timings_ms: Record<string, number | boolean>
      /** Rules that failed; their problems are missing. */
      failed_rules: ({
        rule: string
        plugin: string
        reason: string
        message: string
      })[]
    } & Record<string, unknown>
  }
  /** Ratings that differ, precede the release, or are missing */
  'GET /api/analyzer/ratings-audit': {
    query?: { pairs?: string }
    answer: {
      ok: boolean
      providers: Record<string, {
          ratings: Record<string, {
              ids: Record<string, string>
              tmdb_release: {
                date?: string
              }
            } & Record<string, unknown>>
        }>
      conflicts: ({
        keys: (string)[]
        title: string | null
        year: number | null
        type: string
        ids: Record<string, string>
        /** By account. */
        values: Record<string, {
            rating: number | null
            rated_at: string | null
          }>
        spread: number
      } & Record<string, unknown>)[]
      rated_before_release: ({
        provider: string
        key: string
        title: string | null
        rated_at: string
        release: string
      } & Record<string, unknown>)[]
      invalid: ({
        provider: string
        key: string
        rating: number | null
      } & Record<string, unknown>)[]
      missing: ({
        provider: string
        key: string
        targets: (string)[]
      } & Record<string, unknown>)[]
      summary: Record<string, number>
      pending_metadata: number
    } & Record<string, unknown>
  }
  /** The rules of all running plugins */
  'GET /api/analyzer/rules': {
    answer: {
      ok: boolean
      rules: ({
        rule: string
        label: string
        problems: ({
          type: string
          severity: "error" | "warn" | "info"
          category: string
          label?: string
          meaning: string
          fix: string | null
          fixable: boolean
        })[]
      })[]
    }
  }
  /** Rows of all accounts, with their problems */
  'GET /api/analyzer/state': {
    query?: { pairs?: string; offset?: number; limit?: number; q?: string; feature?: string; provider?: string; problem?: string }
    answer: {
      ok: boolean
      /** Rows by account and feature. */
      counts: Record<string, Record<string, number>>
      items: (AnalyzerRow)[]
      total: number
      offset: number
      limit: number
      has_more: boolean
    }
  }
  /** Ids that a row may have */
  'POST /api/analyzer/suggest': {
    query?: { pairs?: string }
    body: {
      provider: string
      feature: "history" | "progress" | "ratings" | "watchlist"
      key: string
    } & Record<string, unknown>
    answer: {
      ok: boolean
      suggestions: ({
        ids: Record<string, string>
        title: string | null
        year: number | null
        type: string
        source: string
        confidence: number
        reason: string
        conflicts: (string)[]
        new_key: string
      } & Record<string, unknown>)[]
      needs: (string)[]
    }
  }
  /** Problems of the service */
  'GET /api/analyzer/system': {
    query?: { pairs?: string }
    answer: {
      ok: boolean
      problems: (Problem)[]
      summary: {
        total: number
        by_severity: {
          error: number
          warn: number
          info: number
        }
        by_category: Record<string, number>
        by_type: Record<string, number>
      }
      /** Milliseconds; `cache_hit`: nothing changed since. */
      timings_ms: Record<string, number | boolean>
      /** Rules that failed; their problems are missing. */
      failed_rules: ({
        rule: string
        plugin: string
        reason: string
        message: string
      })[]
    }
  }
  /** Which anime of each account is mapped, and what is not */
  'GET /api/anime-mapping/coverage': {
    query?: { provider?: string; instance?: string; offset?: number; limit?: number }
    answer: {
      ok: true
      /** False: nothing is mapped, as the mapping is off or has no data. */
      ready: boolean
      accounts: ({
        provider: string
        instance: string
        feature: "watchlist" | "history" | "ratings" | "progress"
        /** Titles with an id of an anime service, given or found. */
        anime: number
        /** Those that are known by ids of both kinds of services. */
        mapped: number
      })[]
      /** Titles that are not mapped. */
      total: number
      offset: number
      limit: number
      unmapped: ({
        provider: string
        instance: string
        feature: "watchlist" | "history" | "ratings" | "progress"
        key: string
        title: string
        year: number | null
        type: "movie" | "show"
        ids: Record<string, string>
        /** Why it is not mapped; see docs/reference/anime-mapping.md. */
        reason: string
      })[]
    }
  }
  /** Build the index from the data sets that are there */
  'POST /api/anime-mapping/rebuild-index': {
    body: {
      /** Letters, digits, ".", "_" and "-". */
      release_tag?: string
    } & Record<string, unknown>
    answer: {
      ok: true
      rebuild: {
        source_count: number
        edge_count: number
        pair_count: number
        identity_count: number
        skipped_count: number
      }
      status: AnimeMappingStatus
      auto_update_status: {
        running: boolean
        enabled: boolean
        /** Epoch seconds; 0: never. */
        last_check_at: number
        /** Epoch seconds; 0: never. */
        last_update_at: number
        /** Epoch seconds; 0: never. */
        next_check_at: number
        /** Code and text of the last failure; empty since the last success. */
        last_error: string
      }
    }
  }
  /** The settings and rules of the anime mapping */
  'GET /api/anime-mapping/settings': {
    answer: {
      ok: true
      anime_mapping: {
        enabled: boolean
        auto_update: boolean
        provider: string
        release_tag: string
        refresh_hours: number
        stale_after_days: number
        use_for_pairs: (string)[]
        features: (string)[]
        overrides: ({
          id: string
          enabled: boolean
          media_type: "show" | "movie"
          title: string
          note: string
          match_provider: "tvdb" | "tmdb" | "imdb" | "anidb" | "mal" | "anilist" | "trackB" | "kitsu"
          match_id: string
          match_season: number | null
          target_namespace: "anidb" | "mal" | "anilist" | "trackB" | "kitsu"
          target_id: string
          episode_from: number | null
          episode_to: number | null
          episode_start_at: number | null
          /** Epoch seconds. */
          created_at: number
          /** Epoch seconds. */
          updated_at: number
        })[]
      }
    }
  }
  /** Change the settings and rules of the anime mapping */
  'POST /api/anime-mapping/settings': {
    body: {
      /** Consent to the download of the data sets. */
      enabled?: boolean
      auto_update?: boolean
      /** Where the mapping data comes from. */
      provider?: "anibridge"
      /** Letters, digits, ".", "_" and "-". */
      release_tag?: string
      /** How often to check for new data. */
      refresh_hours?: number
      /** Older data is still used, and shown as out of date. */
      stale_after_days?: number
      /** Services whose pairs are mapped; * for all. Empty: animeA and trackB. */
      use_for_pairs?: (string)[]
      /** History must also be turned on in the settings of the pair. */
      features?: ("watchlist" | "history" | "ratings" | "progress" | "playlists")[]
      /** All rules; they replace those of before. */
      overrides?: ({
        id?: string
        enabled?: boolean
        media_type: "show" | "movie"
        title?: string
        note?: string
        match_provider: "tvdb" | "tmdb" | "imdb" | "anidb" | "mal" | "anilist" | "trackB" | "kitsu"
        match_id: string
        match_season?: number | null
        target_namespace: "anidb" | "mal" | "anilist" | "trackB" | "kitsu"
        target_id: string
        episode_from?: number | null
        episode_to?: number | null
        episode_start_at?: number | null
      } & Record<string, unknown>)[]
    } & Record<string, unknown>
    answer: {
      ok: true
      anime_mapping: {
        enabled: boolean
        auto_update: boolean
        provider: string
        release_tag: string
        refresh_hours: number
        stale_after_days: number
        use_for_pairs: (string)[]
        features: (string)[]
        overrides: ({
          id: string
          enabled: boolean
          media_type: "show" | "movie"
          title: string
          note: string
          match_provider: "tvdb" | "tmdb" | "imdb" | "anidb" | "mal" | "anilist" | "trackB" | "kitsu"
          match_id: string
          match_season: number | null
          target_namespace: "anidb" | "mal" | "anilist" | "trackB" | "kitsu"
          target_id: string
          episode_from: number | null
          episode_to: number | null
          episode_start_at: number | null
          /** Epoch seconds. */
          created_at: number
          /** Epoch seconds. */
          updated_at: number
        })[]
      }
      status: AnimeMappingStatus
      /** The first download, in the background; see the status. */
      bootstrap: {
        job: "started"
      } | null
      bootstrap_error: string
    }
  }
  /** State of the anime mapping */
  'GET /api/anime-mapping/status': {
    answer: AnimeMappingStatus
  }
  /** Download new data sets, and build the index */
  'POST /api/anime-mapping/update': {
    body: {
      /** Letters, digits, ".", "_" and "-". */
      release_tag?: string
      /** Download also what did not change. */
      force?: boolean
    } & Record<string, unknown>
    answer: {
      ok: true
      enabled: boolean
      auto_update: boolean
      provider: string
      release_tag: string
      /** Data set and index are there. */
      installed: boolean
      /** Release of the data that is in use; empty if there is none. */
      installed_tag: string
      index_ready: boolean
      /** stale_schema: the index is built again soon. error: missing, and the last try failed. */
      status: "installed" | "missing" | "stale_schema" | "updating" | "error"
      /** ISO 8601; empty if there is none. */
      dataset_generated_on: string
      age_hours: number | null
      /** Older than stale_after_days. */
      stale: boolean
      stale_after_days: number
      /** Epoch seconds; 0: never. */
      last_checked_at: number
      /** Epoch seconds; 0: never. */
      last_updated_at: number
      /** Epoch seconds; 0: never. */
      index_built_at: number
      source_count: number
      edge_count: number
      pair_count: number
      identity_count: number
      /** Rows of the data sets that are of no known form. */
      skipped_count: number
      identity_installed: boolean
      identity_error: string
      /** Bytes. */
      mappings_size: number
      /** Bytes. */
      identity_size: number
      /** Bytes. */
      db_size: number
      mappings_sha256: string
      /** Number of rules. */
      overrides: number
      /** stats.json of the data set. */
      stats: Record<string, unknown>
      auto_update_status: {
        running: boolean
        enabled: boolean
        /** Epoch seconds; 0: never. */
        last_check_at: number
        /** Epoch seconds; 0: never. */
        last_update_at: number
        /** Epoch seconds; 0: never. */
        next_check_at: number
        /** Code and text of the last failure; empty since the last success. */
        last_error: string
      }
      updated: boolean
      rebuilt?: boolean
      download?: {
        /** Bytes. */
        size: number
      }
      rebuild?: {
        source_count: number
        edge_count: number
        pair_count: number
        identity_count: number
        skipped_count: number
      }
    }
  }
  /** Start signing in to AniList */
  'POST /api/animeA/authorize': {
    query?: { instance?: string }
    body: {
      origin?: string
    }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** The page of AniList to open. */
      authorize_url?: string
      /** The page shows a token: save it as `access_token`. */
      paste?: boolean
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** Save the application of an AniList profile, or a token that works */
  'POST /api/animeA/save': {
    query?: { instance?: string }
    body: {
      client_id?: string
      client_secret?: string
      /** The token that the page of AniList shows, or the address of that page. */
      access_token?: string
    }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** Whether an AniList profile is signed in, and as whom */
  'GET /api/animeA/status': {
    query?: { instance?: string }
    answer: {
      connected: boolean
      user: string | null
      instance: string
    }
  }
  /** Forget the token of an AniList profile */
  'POST /api/animeA/token/delete': {
    query?: { instance?: string }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** End all sessions and restart the service */
  'POST /api/app-auth/apply-now': {
    body?: {
      /** Also while something is running. */
      force?: boolean
    }
    answer: {
      ok: boolean
    }
  }
  /** Create, change or switch off the account */
  'POST /api/app-auth/credentials': {
    body: CredentialsRequest
    answer: {
      ok: boolean
      enabled: boolean
      expires_at?: number
    }
  }
  /** Sign in */
  'POST /api/app-auth/login': {
    body: {
      username?: string
      password?: string
      remember_me?: boolean
    }
    answer: {
      ok: boolean
      expires_at: number
    }
  }
  /** Sign out */
  'POST /api/app-auth/logout': {
    answer: {
      ok: boolean
    }
  }
  /** End all sessions */
  'POST /api/app-auth/logout-all': {
    answer: {
      ok: boolean
    }
  }
  /** End all sessions but this one */
  'POST /api/app-auth/logout-others': {
    answer: {
      ok: boolean
    }
  }
  /** Where the browser returns to */
  'GET /api/app-auth/mediaA/callback': {
    answer: unknown
  }
  /** Check whether the sign-in was approved */
  'POST /api/app-auth/mediaA/check': {
    body: {
      state: string
    }
    answer: {
      ok: boolean
      pending: boolean
      /** Epoch seconds; 0 for never. */
      expires_at?: number
      username?: string
    }
  }
  /** Check whether the link was approved */
  'POST /api/app-auth/mediaA/link/check': {
    body: {
      state: string
    }
    answer: {
      ok: boolean
      pending: boolean
      enabled?: boolean
      linked?: boolean
      linked_username?: string
      linked_email?: string
      linked_thumb?: string
      /** Epoch seconds; 0 for never. */
      linked_at?: number
      client_id?: string
      linked_mediaA_account_id?: string
    }
  }
  /** Start linking an account */
  'POST /api/app-auth/mediaA/link/start': {
    body?: Record<string, unknown>
    answer: {
      ok: boolean
      state: string
      auth_url: string
      pin_id: number
      /** Epoch seconds; 0 for never. */
      expires_at: number
    }
  }
  /** Start a sign-in */
  'POST /api/app-auth/mediaA/start': {
    body?: {
      remember_me?: boolean
    }
    answer: {
      ok: boolean
      state: string
      auth_url: string
      pin_id: number
      /** Epoch seconds; 0 for never. */
      expires_at: number
    }
  }
  /** Whether an account is linked */
  'GET /api/app-auth/mediaA/status': {
    answer: {
      enabled: boolean
      linked: boolean
      linked_username: string
      linked_email: string
      linked_thumb: string
      /** Epoch seconds; 0 for never. */
      linked_at: number
      login_available: boolean
    }
  }
  /** Remove the link */
  'POST /api/app-auth/mediaA/unlink': {
    body?: Record<string, unknown>
    answer: {
      ok: boolean
      enabled: boolean
      linked: boolean
      linked_username: string
      linked_email: string
      linked_thumb: string
      /** Epoch seconds; 0 for never. */
      linked_at: number
      login_available: boolean
    }
  }
  /** End one session */
  'DELETE /api/app-auth/sessions/{id}': {
    params: { id: string }
    answer: {
      ok: boolean
      current: boolean
    }
  }
  /** Who is signed in, and whether anybody has to */
  'GET /api/app-auth/status': {
    answer: {
      enabled: boolean
      configured: boolean
      setup_required: boolean
      authenticated: boolean
      username: string
      session_expires_at: number
      current_session: {
        id: string
        created_at: number
        expires_at: number
        ip: string
        ua: string
      } | null
      other_sessions: ({
        id: string
        created_at: number
        expires_at: number
        ip: string
        ua: string
      })[]
      other_session_count: number
      reset_required: boolean
      /** Only for a signed-in caller. */
      remember_session_enabled?: boolean
      /** Only for a signed-in caller. */
      remember_session_days?: number
      mediaA_sso_enabled: boolean
      mediaA_sso_linked: boolean
    }
  }
  /** Items that need attention, with their resolution */
  'GET /api/attention': {
    answer: {
      ok: boolean
      /** Epoch seconds. */
      generated_at: number
      count: number
      by_severity: {
        error: number
        warning: number
        info: number
      }
      items: ({
        id: string
        kind: string
        severity: "error" | "warning" | "info"
        title: string
        detail: string
        since: number | null
        pair_id: string | null
        provider: string | null
        instance: string | null
        plugin: string | null
        link: string | null
        action: {
          label: string
          path: string | null
          call: {
            method: string
            path: string
            body: Record<string, unknown> | null
          } | null
        } | null
      })[]
    }
  }
  /** How each provider is connected */
  'GET /api/auth/providers': {
    answer: ({
      /** Id of the provider. */
      name: string
      label: string
      /** The main sign-in method; empty while the provider is not available. */
      flow: string
      /** All sign-in methods. */
      methods: (string)[]
      fields: ({
        key: string
        label: string
        type: string
        required: boolean
        placeholder?: string
        readonly?: boolean
      })[]
      actions: {
        start: boolean
        finish: boolean
        refresh: boolean
        disconnect: boolean
      }
      verify_url: string | null
      notes: string | null
      group: string
      token: string
      version: string
      vendor: string | null
      description: string | null
      /** The attribution that the service requires where its data are shown. */
      notice: string | null
      /** Where its settings are: GET /api/config/sections/{section}. */
      section: string | null
      bidirectional: boolean
      features: Record<string, {
          read: boolean
          add: boolean
          update: boolean
          remove: boolean
          kinds: (string)[]
        }>
      lists: boolean
      sign_in: ({
        method: string
        kind: "form" | "code" | "redirect" | "none"
        title: string
        help: string | null
        /** JSON schema of what has to be entered. */
        form: Record<string, unknown> | null
        prepare: {
          method: string
          path: string
          query: (string)[]
          body: (string)[]
        } | null
        start: {
          method: string
          path: string
          query: (string)[]
          body: (string)[]
        } | null
        poll: {
          method: string
          path: string
          query: (string)[]
          body: (string)[]
        } | null
        finish: {
          method: string
          path: string
          query: (string)[]
          body: (string)[]
        } | null
        cancel: {
          method: string
          path: string
          query: (string)[]
          body: (string)[]
        } | null
        paste?: {
          method: string
          path: string
          query: (string)[]
          body: (string)[]
        } | null
        shows: {
          code: string | null
          url: string | null
        }
      })[]
      users: {
        list: {
          method: string
          path: string
          query: (string)[]
          body: (string)[]
        }
        rows: string
        id: string
        label: string
        choose: {
          method: string
          path: string
          query: (string)[]
          body: (string)[]
        } | null
        send: string
        only?: string
        secret?: {
          when: string
          label: string
          send: string
        }
      } | null
      /** See `GET /api/connections/{provider}/{instance}/people`. */
      people: boolean
      libraries: {
        method: string
        path: string
        query: (string)[]
        body: (string)[]
      } | null
      disconnect: {
        method: string
        path: string
        query: (string)[]
        body: (string)[]
      } | null
      refresh: {
        method: string
        path: string
        query: (string)[]
        body: (string)[]
      } | null
      available: boolean
      /** Why it is not available. */
      error?: string
    })[]
  }
  /** The same as cards of HTML */
  'GET /api/auth/providers/html': {
    answer: unknown
  }
  /** Cancel a sign-in */
  'POST /api/auth/sign-in/{provider}/cancel': {
    params: { provider: string }
    body: {
      instance?: string
      method: string
    }
    answer: {
      ok: boolean
      cancelled: boolean
    }
  }
  /** Progress of a sign-in, asked at the service */
  'POST /api/auth/sign-in/{provider}/poll': {
    params: { provider: string }
    body: {
      instance?: string
      method: string
    }
    answer: {
      ok: boolean
      provider: string
      instance: string
      method: string
      status: "none" | "pending" | "authorized" | "denied" | "expired" | "failed"
      pending: boolean
      configured: boolean
      code: string | null
      url: string | null
      /** The page shows a value to copy, which `paste` of the method accepts. */
      paste: boolean
      /** Seconds between two polls. */
      interval: number
      expires_at: number | null
      reason: string | null
    }
  }
  /** Make a backup. More than 200 MiB are packed after the answer: see /api/backups/job */
  'POST /api/backups/create': {
    body?: BackupRequest
    answer: {
      ok: true
      backup: {
        ok: true
        path: string
        created_at: string
        scope: "config_only" | "app_state" | "full"
        label: string
        size: number
        file_count: number
        total_size: number
        encrypted: boolean
        master_key_included: boolean
        external_key_required: boolean
        warnings: (string)[]
      }
    }
  }
  /** Delete a backup */
  'POST /api/backups/delete': {
    body: {
      path: string
    }
    answer: {
      ok: true
      result: {
        ok: true
        deleted: (string)[]
      }
    }
  }
  /** Download a backup */
  'GET /api/backups/download': {
    query: { path: string }
    answer: unknown
  }
  /** The running backup or restore, or the last one */
  'GET /api/backups/job': {
    answer: {
      ok: true
      job: {
        id: string
        kind: "backup" | "restore"
        label: string
        state: "waiting" | "running" | "done" | "failed"
        on_hold: {
          reason: string
          detail: string
          /** Epoch seconds. */
          since: number
        } | null
        done_bytes: number
        total_bytes: number
        started_at: string
        finished_at: string | null
        path: string | null
        error: string | null
      } | null
    }
  }
  /** All backups, newest first */
  'GET /api/backups/list': {
    answer: {
      ok: true
      backups: ({
        path: string
        size: number
        /** Epoch seconds. */
        mtime: number
        /** Its list can be read; validate checks everything. */
        valid: boolean
        /** Encrypted with a passphrase. */
        encrypted: boolean
        created_at?: string
        app_version?: string
        scope?: "config_only" | "app_state" | "full"
        label?: string
        trigger?: string
        pinned?: boolean
        file_count?: number
        /** Bytes, unpacked. */
        total_size?: number
        config_encrypted?: boolean
        master_key_included?: boolean
        external_key_required?: boolean
      })[]
    }
  }
  /** Restore a backup with the next start; makes a backup of what is replaced first */
  'POST /api/backups/restore': {
    body: {
      path: string
      passphrase?: string
      restart?: boolean
    }
    answer: {
      ok: true
      result: {
        ok: true
        path: string
        pre_restore_backup: string
        restored: (string)[]
        errors: ({
          code: string
          path?: string
          message?: string
        })[]
        warnings: ({
          code: string
          path?: string
          message?: string
        })[]
        restart_required: true
        restart_scheduled: boolean
        login_required: true
      }
    }
  }
  /** Delete old backups of the schedule, never the newest one */
  'POST /api/backups/retention': {
    body: {
      /** 0: no limit. */
      retention_days?: number
      /** 0: no limit. */
      max_backups?: number
      /** Also backups that no schedule made. Default false. */
      all?: boolean
      /** Only report what would be deleted. */
      dry_run?: boolean
    }
    answer: {
      ok: boolean
      result: {
        ok: boolean
        applied: boolean
        deleted: (string)[]
        retained: (string)[]
        errors: ({
          path: string
          error: string
        })[]
      }
    }
  }
  /** The scheduled backup */
  'GET /api/backups/schedule': {
    answer: {
      ok: true
      /** Empty if nothing was scheduled yet. */
      schedule: {
        id: string
        active: boolean
        scope: "config_only" | "app_state" | "full"
        at: string | null
        days: (number)[]
        label_template: string
        retention_days: number
        max_backups: number
        auto_delete_old: boolean
        include_snapshots: boolean
        include_reports: boolean
        include_cache: boolean
        catch_up: boolean
      } | Record<string, unknown>
      /** Syncs run by the advanced lists. Backups run either way. */
      advanced_enabled: boolean
    }
  }
  /** Schedule a backup; the schedule of syncs stays unchanged */
  'POST /api/backups/schedule': {
    body: BackupScheduleRequest
    answer: {
      ok: true
      /** Empty if nothing was scheduled yet. */
      schedule: {
        id: string
        active: boolean
        scope: "config_only" | "app_state" | "full"
        at: string | null
        days: (number)[]
        label_template: string
        retention_days: number
        max_backups: number
        auto_delete_old: boolean
        include_snapshots: boolean
        include_reports: boolean
        include_cache: boolean
        catch_up: boolean
      } | Record<string, unknown>
      /** Syncs run by the advanced lists. Backups run either way. */
      advanced_enabled: boolean
    }
  }
  /** Upload a backup as the part "file" of a multipart/form-data body */
  'POST /api/backups/upload': {
    body: unknown
    answer: {
      ok: true
      backup: {
        ok: true
        path: string
        validation: BackupCheck
      }
    }
  }
  /** Check every byte of a backup, and whether it can be restored here */
  'POST /api/backups/validate': {
    body: {
      path: string
      passphrase?: string
    }
    answer: {
      ok: true
      validation: BackupCheck
    }
  }
  /** What was changed, as server-sent events */
  'GET /api/changes/stream': {
    query?: { tail?: number; since?: number }
    answer: unknown
  }
  /** The settings with defaults; secrets are masked */
  'GET /api/config': {
    answer: Record<string, unknown>
  }
  /** Save settings: merged into the stored ones */
  'POST /api/config': {
    body: {
      /** Refuses the save (409) when the settings were changed since. */
      revision?: string
    } & Record<string, unknown>
    answer: {
      ok: boolean
      config: Record<string, unknown>
      revision: string
      ignored_paths: (string)[]
      warnings: ({
        path: string
        code: string
        message: string
      })[]
    } & Record<string, unknown>
  }
  /** Every field that a person can set, with its section */
  'GET /api/config/fields': {
    answer: {
      ok: boolean
      sections: ({
        path: string
        title: string
        description: string | null
        kind: string
        fields: ({
          /** Relative to the section, for example `removal.min`. */
          path: string
          title: string
          description: string | null
        })[]
      })[]
    }
  }
  /** State of setup and version */
  'GET /api/config/meta': {
    answer: {
      exists: boolean
      first_run: boolean
      autogen: boolean
      auth_configured: boolean
      auth_setup_required: boolean
      auth_reset_required: boolean
      auth_reset_deferred_to_upgrade: boolean
      setup_wizard_required: boolean
      current_version: string
      config_version: string | null
      stored_config_version: string | null
      pending_upgrade_from_version: string | null
      needs_upgrade: boolean
      legacy_pre_070: boolean
      corrupt?: boolean
      ui?: Record<string, unknown>
      metaA_configured?: boolean
      path?: string
      size?: number
      mtime?: string
      revision?: string
    }
  }
  /** Bring the settings to the running version */
  'POST /api/config/migrate': {
    body?: {
      /** Refuses the save (409) when the settings were changed since. */
      revision?: string
    } & Record<string, unknown>
    answer: {
      ok: boolean
      backup: string | null
      from_version: string | null
      to_version: string
      revision: string
      forced_paths: (string)[]
      resource_id_paths: (string)[]
      profile_cleanup_paths: (string)[]
      obsolete_paths: (string)[]
    } & Record<string, unknown>
  }
  /** The sections of the settings */
  'GET /api/config/sections': {
    answer: {
      ok: boolean
      sections: ({
        path: string
        owner: string
        title: string
        description: string | null
        kind: string
        has_instances: boolean
        /** What can be set there: the titles of its fields. */
        fields: (string)[]
      })[]
    }
  }
  /** One section: its schema, and its values with secrets masked */
  'GET /api/config/sections/{path}': {
    params: { path: string }
    query?: { instance?: string }
    answer: {
      ok: boolean
      path: string
      owner: string
      title: string
      /** JSON schema; every field has a title. */
      schema: Record<string, unknown>
      values: Record<string, unknown>
      revision: string
    }
  }
  /** Saves one section: merged into what is stored */
  'PUT /api/config/sections/{path}': {
    params: { path: string }
    query?: { instance?: string }
    body: {
      values: Record<string, unknown>
      /** Refuses the save (409) when the settings were changed since. */
      revision?: string
    }
    answer: {
      ok: boolean
      path: string
      values: Record<string, unknown>
      revision: string
      ignored_paths: (string)[]
      warnings: ({
        path: string
        code: string
        message: string
      })[]
    }
  }
  /** All accounts with their health and their usage */
  'GET /api/connections': {
    query?: { fresh?: number }
    answer: {
      ok: boolean
      generated_at: number
      connections: ({
        provider: string
        token: string
        label: string
        group: string
        profiles: ({
          id: string
          uid: string
          label: string
          display_label: string
          configured: boolean
          status: "ok" | "degraded" | "down" | "auth_failed" | "not_configured" | "unknown"
          connected: boolean
          reason_code: string | null
          reason: string | null
          user: {
            id: string
            name: string
          } | null
          acts_as: {
            /** The profile that signed in. */
            via: string
            name: string
          } | null
          account: string | null
          latency_ms: number | null
          quota: {
            limit: number | null
            remaining: number | null
            reset_at: number | null
          } | null
          credential_ends_at: number | null
          features: Record<string, boolean>
          checked_at: number | null
          used_by: ({
            feature: string
            label: string
            enabled: boolean
            pair_id?: string
            role?: string
            route_id?: string
            endpoint_id?: string
            mapping_id?: string
            provider?: string
            instance?: string
            sink?: string
            sink_instance?: string
          } & Record<string, unknown>)[]
        })[]
      })[]
    }
  }
  /** Confirm that a renamed or recreated user is the same person */
  'POST /api/connections/{provider}/{instance}/confirm-user': {
    params: { provider: string; instance: string }
    answer: {
      ok: boolean
    }
  }
  /** Rename a profile */
  'PUT /api/connections/{provider}/{instance}/label': {
    params: { provider: string; instance: string }
    body: {
      label: string
    }
    answer: {
      ok: boolean
      label: string
    }
  }
  /** The libraries of an account */
  'GET /api/connections/{provider}/{instance}/libraries': {
    params: { provider: string; instance: string }
    answer: {
      ok: boolean
      instance: string
      libraries: ({
        id: string
        title: string
        kind: string
      })[]
      reason: string | null
    }
  }
  /** The users of the server of an account */
  'GET /api/connections/{provider}/{instance}/people': {
    params: { provider: string; instance: string }
    answer: {
      ok: boolean
      instance: string
      people: ({
        id: string
        name: string
        /** `self`: the user of this account. `account`: another account reaches it. `own_sign_in`: this user has to sign in. `disabled`: by the server. */
        state: "self" | "account" | "available" | "own_sign_in" | "disabled"
        instance: string | null
        secret: string | null
      })[]
      reason: string | null
      message: string | null
    }
  }
  /** Make an account of a user, through the sign-in of this one */
  'POST /api/connections/{provider}/{instance}/people': {
    params: { provider: string; instance: string }
    body: {
      /** The server's id of the user. */
      id: string
      /** For a user that needs one. */
      secret?: string
      /** Name of the account. Default: of the user. */
      label?: string
    }
    answer: {
      ok: boolean
      id: string
      uid: string
      profile: {
        id: string
        /** Never used again for another profile. */
        uid: string
        label: string
        /** Name given by the person, or empty. */
        friendly_label: string
        display_label: string
        /** Address and credentials are there. */
        configured: boolean
      }
    }
  }
  /** The newest of everything */
  'GET /api/dashboard/widgets': {
    query?: { history_limit?: number; scrobble_limit?: number; progress_limit?: number; playlists_limit?: number; ratings_limit?: number; include?: string }
    answer: {
      ok: boolean
      recent_history?: {
        ok: boolean
        items: ({
          key?: string
          /** `movie`, `show`, `season` or `episode`; of a list what happened to it. */
          type?: string
          title?: string
          year?: number | null
          season?: number | null
          episode?: number | null
          /** By scheme; those of the show under `show_ids`. */
          ids?: Record<string, string | number | Record<string, string | number>>
          sources?: ({
            provider: string
            instance: string
          })[]
          /** Epoch seconds. */
          watched_at?: number
          /** 1 to 10. */
          rating?: number
          progress?: number | null
          /** Epoch seconds. */
          sort_epoch?: number
          /** Epoch seconds. */
          captured_at?: number
          /** Epoch seconds. */
          ts?: number
          tmdb?: number | null
          poster?: string | null
          cover?: string | null
          art_type?: string
          art_reason?: string
          episode_label?: string
          status?: string
        } & Record<string, unknown>)[]
        total: number
        /** With `ok: false`: why it is empty. */
        error?: string
        scrobble_total?: number
        scrobble_hours?: number
      } & Record<string, unknown>
      latest_ratings?: {
        ok: boolean
        items: ({
          key?: string
          /** `movie`, `show`, `season` or `episode`; of a list what happened to it. */
          type?: string
          title?: string
          year?: number | null
          season?: number | null
          episode?: number | null
          /** By scheme; those of the show under `show_ids`. */
          ids?: Record<string, string | number | Record<string, string | number>>
          sources?: ({
            provider: string
            instance: string
          })[]
          /** Epoch seconds. */
          watched_at?: number
          /** 1 to 10. */
          rating?: number
          progress?: number | null
          /** Epoch seconds. */
          sort_epoch?: number
          /** Epoch seconds. */
          captured_at?: number
          /** Epoch seconds. */
          ts?: number
          tmdb?: number | null
          poster?: string | null
          cover?: string | null
          art_type?: string
          art_reason?: string
          episode_label?: string
          status?: string
        } & Record<string, unknown>)[]
        total: number
        /** With `ok: false`: why it is empty. */
        error?: string
        scrobble_total?: number
        scrobble_hours?: number
      } & Record<string, unknown>
      recent_progress?: {
        ok: boolean
        items: ({
          key?: string
          /** `movie`, `show`, `season` or `episode`; of a list what happened to it. */
          type?: string
          title?: string
          year?: number | null
          season?: number | null
          episode?: number | null
          /** By scheme; those of the show under `show_ids`. */
          ids?: Record<string, string | number | Record<string, string | number>>
          sources?: ({
            provider: string
            instance: string
          })[]
          /** Epoch seconds. */
          watched_at?: number
          /** 1 to 10. */
          rating?: number
          progress?: number | null
          /** Epoch seconds. */
          sort_epoch?: number
          /** Epoch seconds. */
          captured_at?: number
          /** Epoch seconds. */
          ts?: number
          tmdb?: number | null
          poster?: string | null
          cover?: string | null
          art_type?: string
          art_reason?: string
          episode_label?: string
          status?: string
        } & Record<string, unknown>)[]
        total: number
        /** With `ok: false`: why it is empty. */
        error?: string
        scrobble_total?: number
        scrobble_hours?: number
      } & Record<string, unknown>
      recent_scrobble?: {
        ok: boolean
        items: ({
          key?: string
          /** `movie`, `show`, `season` or `episode`; of a list what happened to it. */
          type?: string
          title?: string
          year?: number | null
          season?: number | null
          episode?: number | null
          /** By scheme; those of the show under `show_ids`. */
          ids?: Record<string, string | number | Record<string, string | number>>
          sources?: ({
            provider: string
            instance: string
          })[]
          /** Epoch seconds. */
          watched_at?: number
          /** 1 to 10. */
          rating?: number
          progress?: number | null
          /** Epoch seconds. */
          sort_epoch?: number
          /** Epoch seconds. */
          captured_at?: number
          /** Epoch seconds. */
          ts?: number
          tmdb?: number | null
          poster?: string | null
          cover?: string | null
          art_type?: string
          art_reason?: string
          episode_label?: string
          status?: string
        } & Record<string, unknown>)[]
        total: number
        /** With `ok: false`: why it is empty. */
        error?: string
        scrobble_total?: number
        scrobble_hours?: number
      } & Record<string, unknown>
      recent_playlists?: {
        ok: boolean
        items: ({
          key?: string
          /** `movie`, `show`, `season` or `episode`; of a list what happened to it. */
          type?: string
          title?: string
          year?: number | null
          season?: number | null
          episode?: number | null
          /** By scheme; those of the show under `show_ids`. */
          ids?: Record<string, string | number | Record<string, string | number>>
          sources?: ({
            provider: string
            instance: string
          })[]
          /** Epoch seconds. */
          watched_at?: number
          /** 1 to 10. */
          rating?: number
          progress?: number | null
          /** Epoch seconds. */
          sort_epoch?: number
          /** Epoch seconds. */
          captured_at?: number
          /** Epoch seconds. */
          ts?: number
          tmdb?: number | null
          poster?: string | null
          cover?: string | null
          art_type?: string
          art_reason?: string
          episode_label?: string
          status?: string
        } & Record<string, unknown>)[]
        total: number
        /** With `ok: false`: why it is empty. */
        error?: string
        scrobble_total?: number
        scrobble_hours?: number
      } & Record<string, unknown>
    }
  }
  /** Clear the cached state of accounts */
  'POST /api/debug/clear_probe_cache': {
    answer: {
      ok: boolean
    }
  }
  /** Plugins that can be added, and the added ones */
  'GET /api/directory': {
    answer: {
      ok: boolean
      catalogue: {
        serial: number
        date: string
        /** shipped: it came with this Playhead. */
        from: "shipped" | "fetched"
      } | null
      /** The last look at the address of the directory. */
      look: {
        host: string | null
        checked_at: number | null
        error: {
          code: string
          message: string
        } | null
      }
      plugins: (DirectoryListing)[]
    }
  }
  /** Looks for a newer list at the address of the directory */
  'POST /api/directory/refresh': {
    body?: Record<string, unknown>
    answer: {
      /** False if the look failed. */
      ok: boolean
      /** off: no address is set. */
      state: "off" | "newer" | "same" | "failed"
      /** The last look at the address of the directory. */
      look: {
        host: string | null
        checked_at: number | null
        error: {
          code: string
          message: string
        } | null
      }
    }
  }
  /** One plugin of the directory with all its versions */
  'GET /api/directory/{id}': {
    params: { id: string }
    answer: {
      ok: boolean
      plugin: DirectoryListing
      /** The newest first. */
      versions: (DirectoryVersion)[]
    }
  }
  /** Puts a version of the directory up for a review, or updates to it */
  'POST /api/directory/{id}/install': {
    params: { id: string }
    body?: {
      /** Default: the newest that works here. */
      version?: string
    }
    answer: {
      /** False if the version did not start; then the version before is live. */
      ok: boolean
      /** review: it waits for a review. updated: it is live. newest: it was live already. */
      state: "review" | "updated" | "newest"
      id: string
      version: string
    }
  }
  /** Rows to edit */
  'GET /api/editor': {
    query?: { kind?: string; source?: string; provider?: string; provider_instance?: string; endpoint?: string; workspace?: string; snapshot?: string; offset?: number; limit?: number; q?: string; sort?: "title" | "year" | "time"; order?: "asc" | "desc" }
    answer: {
      ok: boolean
      kind: string
      source: string
      snapshot: null
      provider: string | null
      provider_instance: string | null
      ts: number | null
      /** Revision of the rows. */
      revision: string
      /** All rows of the dataset. */
      count: number
      /** Rows that match the search. */
      total: number
      offset: number
      limit: number
      /** By key, in order. */
      items: Record<string, EditorRow>
      original_keys: (string)[]
      /** By key, in order. */
      manual_adds?: Record<string, EditorRow>
      manual_adds_total?: number
      manual_blocks: (string)[]
      manual_blocks_total: number
      /** Revision of the manual rows and blocks. */
      policy_revision: string
    } & Record<string, unknown>
  }
  /** Save edited rows */
  'POST /api/editor': {
    body: EditorSaveRequest
    answer: {
      ok: boolean
      kind: string
      source: string
      provider: string
      provider_instance: string
      count: number
      blocks?: number
      revision: string
      ts: number | null
      dry_run: boolean
      rejected?: ({
        key: string
        reason: string
      })[]
      unresolved?: ({
        key: string
        op: string
        outcome: string
        reason: string
      })[]
      /** A run uses the tracker; saved as soon as it has ended. */
      waiting?: boolean
    } & Record<string, unknown>
  }
  /** Lists that can be edited */
  'GET /api/editor/playlists/endpoints': {
    answer: {
      ok: boolean
      endpoints: (EditableList)[]
    }
  }
  /** A list to edit, read now */
  'GET /api/editor/playlists/{endpoint_id}': {
    params: { endpoint_id: string }
    answer: {
      ok: boolean
      kind: string
      source: string
      endpoint: EditableList
      resource: {
        provider: string
        instance: string
        id: string
        name: string
        kind: "regular" | "smart"
        smart: boolean
        can_read: boolean
        can_add: boolean
        can_remove: boolean
        can_reorder: boolean
        writable: boolean
        media_types: (string)[]
        warnings: (string)[]
        extra: {
          endpoint_type: string
          item_count: number | null
          duplicates: boolean
          ordered: boolean
          read_only: string | null
          owner: string | null
          updated_at: string | null
        }
      }
      ts: number
      checkpoint: string
      snapshot?: null
      provider?: string
      provider_instance?: string
      count: number
      total?: number
      /** Entries that the service shows without an identity. */
      unreadable: number
      /** By key, in order. */
      items: Record<string, EditorRow>
      original_keys: (string)[]
      original_ids: (string | null)[]
    } & Record<string, unknown>
  }
  /** Save an edited list */
  'POST /api/editor/playlists/{endpoint_id}': {
    params: { endpoint_id: string }
    body: {
      /** All rows of the list: an array in the wanted order, or an object by key, ordered by `_position`. A row of the list keeps its `key` and `_playlist_item_id`. */
      items?: unknown
      /** The keys of the loaded entries. Only these entries are removed. */
      original_keys?: unknown
      /** The ids of the loaded entries; they distinguish copies of an item. */
      original_ids?: unknown
      checkpoint?: string | null
      /** Save although the list changed since it was loaded. */
      force?: boolean
      /** Confirms that the list is meant to be empty. */
      confirm_clear?: boolean
      /** Confirms many removals. */
      confirm_removals?: boolean
      /** Losses that are accepted. */
      confirm?: ("list" | "entries" | "order" | "added_at" | "status" | "watchlist" | "history" | "ratings" | "progress")[]
      /** Only plan and count. */
      dry_run?: boolean
    } & Record<string, unknown>
    answer: {
      /** Nothing is unresolved, and nothing was rejected. */
      ok: boolean
      source: string
      endpoint_id: string
      planned_additions: number
      planned_removals: number
      planned_moves: number
      added: number
      removed: number
      reordered: number
      rejected: ({
        key: string
        reason: string
      })[]
      unresolved: ({
        key: string
        op: string
        outcome: string
        reason: string
      })[]
      unresolved_count: number
      warnings: ({
        code: string
      } & Record<string, unknown>)[]
      dry_run: boolean
      /** A run uses the account; saved as soon as it has ended. */
      waiting?: boolean
    } & Record<string, unknown>
  }
  /** Import live data as the known rows */
  'POST /api/editor/state/import': {
    body: {
      provider?: string | null
      provider_instance?: string | null
      features?: (string)[] | null
      /** `replace` (default) or `merge`. */
      mode?: string
      /** Only read and compare. */
      dry_run?: boolean
      /** Also store a read that lacks suspiciously many rows. */
      force?: boolean
    } & Record<string, unknown>
    answer: {
      ok: boolean
      provider: string
      provider_instance: string
      mode: string
      dry_run: boolean
      features: Record<string, {
          ok: boolean
          count?: number
          checkpoint?: string | null
          elapsed_ms?: number
          would_add?: number
          would_remove?: number
          would_change?: number
          skipped?: boolean
          reason?: string
          error?: string
        } & Record<string, unknown>>
      /** It continues; see `jobs` of /api/editor/state/import/providers. */
      accepted?: boolean
      job_id?: string
    } & Record<string, unknown>
  }
  /** Providers whose live data can be imported */
  'GET /api/editor/state/import/providers': {
    answer: {
      enabled: boolean
      providers: ({
        name: string
        label: string
        configured: boolean
        instances: ({
          id: string
          label: string
          configured: boolean
        })[]
        features: {
          watchlist: boolean
          history: boolean
          ratings: boolean
          progress: boolean
        }
      })[]
      jobs?: ({
        job_id: string
        provider: string
        provider_instance: string
        mode: string
        dry_run: boolean
        /** `running` or `done`. */
        state: string
        started_at: number
        features: Record<string, {
            ok: boolean
            count?: number
            checkpoint?: string | null
            elapsed_ms?: number
            would_add?: number
            would_remove?: number
            would_change?: number
            skipped?: boolean
            reason?: string
            error?: string
          } & Record<string, unknown>>
        pending: (string)[]
      })[]
    }
  }
  /** The manual policy as a file */
  'GET /api/editor/state/manual/export': {
    answer: {
      /** By provider. */
      providers: Record<string, {
          /** The scopes of further profiles, by profile id. */
          instances?: Record<string, {
              watchlist?: PolicyScope
              history?: PolicyScope
              ratings?: PolicyScope
              progress?: PolicyScope
              playlists?: PolicyScope
            }>
          watchlist?: PolicyScope
          history?: PolicyScope
          ratings?: PolicyScope
          progress?: PolicyScope
          playlists?: PolicyScope
        }>
      version: number
    }
  }
  /** Import a manual policy */
  'POST /api/editor/state/manual/import': {
    query?: { mode?: string; dry_run?: boolean; across_persons?: boolean }
    body: unknown
    answer: {
      ok: boolean
      mode: string
      dry_run: boolean
      providers: number
      blocks: number
      adds: number
      changes: Record<string, number>
      warnings: ({
        code: string
        count: number
      })[]
      copy: string | null
    } & Record<string, unknown>
  }
  /** Providers with rows */
  'GET /api/editor/state/providers': {
    answer: {
      providers: (string)[]
      features: Record<string, {
          watchlist: boolean
          history: boolean
          ratings: boolean
          progress: boolean
        }>
      instances: Record<string, (string)[]>
      /** Number of rows by provider, profile and feature, with those that were added by hand; none: 0. */
      rows: Record<string, Record<string, Record<string, number>>>
    }
  }
  /** Workspaces of the tracker */
  'GET /api/editor/tracker/workspaces': {
    query?: { provider_instance?: string }
    answer: {
      ok: boolean
      provider_instance: string
      workspaces: ({
        id: string
        label: string
        features: {
          watchlist: boolean
          history: boolean
          ratings: boolean
          progress: boolean
        }
        rows: Record<string, number>
        profile_id: string
      })[]
    }
  }
  /** Delete events */
  'POST /api/events/clear': {
    body: {
      /** true */
      confirm?: unknown
      domain?: "sync" | "scrobble" | "audit" | "all" | "" | null
      /** Only events before this time, in seconds. */
      before?: number | null
    } & Record<string, unknown>
    answer: {
      ok: boolean
      cleared: boolean
      domain: string
      events: number
      groups: number
      runs: number
    }
  }
  /** The context of an event, an item or a run */
  'GET /api/events/context': {
    query?: { event_id?: number; item_key?: string; provider?: string; feature?: string; pair_key?: string; run_id?: string; source_provider?: string; destination_provider?: string; origin_provider?: string }
    answer: {
      ok: boolean
      event: Event | null
      related: Record<string, (Event)[] | null>
      context: {
        unresolved_state: {
          present: boolean
          total: number
        } & Record<string, unknown> | null
        blackbox_state: {
          present: boolean
          total: number
        } & Record<string, unknown> | null
        tombstone_state: {
          present: boolean
          total: number
        } & Record<string, unknown> | null
        pair_state: {
          matched: true
          /** How the pair was found. */
          strategy: string
          reversed: boolean
          id: string
          enabled: boolean
          mode: string | null
          source: string
          source_instance: string
          target: string
          target_instance: string
          label: string
          raw_pair_key: string | null
        } | {
          matched: false
          raw_pair_key: string | null
          label: string
        } | null
        manual_block: {
          present: boolean
          count: number
        }
        provider_health: {
          status_available: boolean
          checked_at: number | null
          /** By service, or service@profile. */
          providers: Record<string, {
              configured: boolean
              connected: boolean
              /** not_configured, unknown, ok or down */
              status: string
              instance: string
              reason?: string | null
            }>
        } | null
        analyzer_findings: {
          present_in: ({
            provider: string
            instance: string
            feature: string
            present: boolean
          })[]
          count: number
        } | null
        item_state: {
          item_key: string
          present_somewhere: boolean
        } | null
      }
    }
  }
  /** Rebuild the groups from their events */
  'POST /api/events/correlate': {
    body?: {
      reset?: boolean
    } & Record<string, unknown>
    answer: {
      ok: boolean
      /** It continues in the background. */
      started?: boolean
      job_id?: string
      grouped: number
      groups_touched: number
    }
  }
  /** Groups of events */
  'GET /api/events/groups': {
    query?: { q?: string; event_type?: string; provider?: string; origin_provider?: string; destination_provider?: string; source_provider?: string; feature?: string; operation?: string; pair_key?: string; item_key?: string; title_key?: string; run_id?: string; reason_code?: string; status?: "" | "informational" | "running" | "pending" | "unresolved" | "blackboxed" | "failed" | "warning" | "rated" | "resolved" | "completed"; category?: "" | "successful" | "problems" | "informational"; since?: string; until?: string; visibility?: "open" | "acknowledged" | "all"; order?: "newest" | "oldest" | "desc" | "asc"; view?: "groups" | "events"; domain?: "sync" | "scrobble" | "audit" | "all" | ""; limit?: number; offset?: number; after?: string }
    answer: {
      ok?: boolean
      items: (EventGroup)[]
      total: number
      /** There are more than this. */
      total_capped?: boolean
      limit: number
      offset: number
      next: string | null
    } & Record<string, unknown>
  }
  /** A group */
  'GET /api/events/groups/{group_id}': {
    params: { group_id: number }
    query?: { run_items_limit?: number; run_items_offset?: number }
    answer: {
      ok: boolean
      group: EventGroup
      events: (Event)[]
      context: {
        run_id: string | null
        owner_run_group_id: number | null
      }
      related_groups: (EventGroup)[]
      aggregate: {
        event_count: number
        by_type: Record<string, number>
        by_severity: Record<string, number>
        first_event_at: number | null
        last_event_at: number | null
        providers: (string)[]
        features: (string)[]
      }
      run_items?: (EventGroup)[]
      run_items_total?: number
    } & Record<string, unknown>
  }
  /** Hide events or groups */
  'POST /api/events/groups/{group_id}/acknowledge': {
    params: { group_id: string }
    body?: {
      by?: string | null
    } & Record<string, unknown>
    answer: {
      ok: boolean
      id: number
      acknowledged_at: number | null
      acknowledged_by: string | null
      event?: Event
    }
  }
  /** The events of a group */
  'GET /api/events/groups/{group_id}/events': {
    params: { group_id: number }
    query?: { order?: "asc" | "desc" | "oldest" | "newest"; limit?: number; offset?: number }
    answer: {
      ok?: boolean
      items: (Event)[]
      total: number
      limit: number
      offset: number
    } & Record<string, unknown>
  }
  /** Outcomes of a run by item */
  'GET /api/events/groups/{group_id}/run-items': {
    params: { group_id: number }
    query?: { limit?: number; offset?: number }
    answer: {
      ok?: boolean
      items: (EventGroup)[]
      total: number
      limit: number
      offset: number
    } & Record<string, unknown>
  }
  /** Show hidden events or groups */
  'POST /api/events/groups/{group_id}/unacknowledge': {
    params: { group_id: string }
    answer: {
      ok: boolean
      id: number
      acknowledged_at: number | null
      acknowledged_by: string | null
      event?: Event
    }
  }
  /** Import events */
  'POST /api/events/import': {
    body: {
      /** Events in the form in which they are listed. */
      events?: (unknown)[]
      runs?: (unknown)[]
      /** Origin of the events, stored as `source_file`. */
      source?: string
      /** Also adds the open items of the sync. */
      source_state?: boolean
      /** Also restores acknowledgements. */
      restore?: boolean
      dry_run?: boolean
    } & Record<string, unknown>
    answer: {
      ok: boolean
      imported: number
      duplicates: number
      skipped: number
      files: number
      groups_touched: number
      runs?: number
      dry_run?: boolean
      /** At most 100. */
      errors: ({
        index: number
        error: string
        field?: string
      })[]
      errors_total: number
    }
  }
  /** Events of an item */
  'GET /api/events/item/{item_key}': {
    params: { item_key: string }
    query?: { limit?: number; offset?: number; visibility?: "open" | "acknowledged" | "all" }
    answer: {
      ok?: boolean
      items: (Event)[]
      total: number
      /** There are more than this. */
      total_capped?: boolean
      limit: number
      offset: number
      next: string | null
    } & Record<string, unknown>
  }
  /** The latest events */
  'GET /api/events/recent': {
    query?: { visibility?: "open" | "acknowledged" | "all"; order?: "newest" | "oldest" | "desc" | "asc"; view?: "groups" | "events"; domain?: "sync" | "scrobble" | "audit" | "all" | ""; limit?: number; offset?: number; after?: string }
    answer: {
      ok?: boolean
      items: (EventGroup | Event)[]
      total: number
      /** There are more than this. */
      total_capped?: boolean
      limit: number
      offset: number
      next: string | null
    } & Record<string, unknown>
  }
  /** Events of a run */
  'GET /api/events/run/{run_id}': {
    params: { run_id: string }
    query?: { limit?: number; offset?: number; visibility?: "open" | "acknowledged" | "all" }
    answer: {
      ok?: boolean
      items: (Event)[]
      total: number
      /** There are more than this. */
      total_capped?: boolean
      limit: number
      offset: number
      next: string | null
    } & Record<string, unknown>
  }
  /** Find events and groups */
  'GET /api/events/search': {
    query?: { q?: string; event_type?: string; provider?: string; origin_provider?: string; destination_provider?: string; source_provider?: string; feature?: string; operation?: string; pair_key?: string; item_key?: string; title_key?: string; run_id?: string; reason_code?: string; status?: "" | "informational" | "running" | "pending" | "unresolved" | "blackboxed" | "failed" | "warning" | "rated" | "resolved" | "completed"; category?: "" | "successful" | "problems" | "informational"; since?: string; until?: string; visibility?: "open" | "acknowledged" | "all"; order?: "newest" | "oldest" | "desc" | "asc"; view?: "groups" | "events"; domain?: "sync" | "scrobble" | "audit" | "all" | ""; limit?: number; offset?: number; after?: string }
    answer: {
      ok?: boolean
      items: (EventGroup | Event)[]
      total: number
      /** There are more than this. */
      total_capped?: boolean
      limit: number
      offset: number
      next: string | null
    } & Record<string, unknown>
  }
  /** Statistics of a time range */
  'GET /api/events/statistics': {
    query?: { range?: "24h" | "7d" | "30d" | "90d" | "365d" | "all"; since?: string; until?: string; bucket?: "hour" | "day" | "week"; tz?: string }
    answer: {
      ok: boolean
      range: {
        since: number
        until: number
        bucket: number
      }
      kpis: Record<string, {
          value: number | null
          prev: number | null
          delta: number | null
        }>
      trend: ({
        t: number
        sync: number
        webhook: number
        watcher: number
        failed: number
        rate: number | null
      })[]
      duration_series: ({
        t: number
        avg: number | null
        n: number
      })[]
      duration_percentiles: {
        p50: number | null
        p90: number | null
        p99: number | null
      }
      outcomes: ({
        key: string
        label: string
        value: number
      })[]
      types: ({
        key: string
        label: string
        value: number
      })[]
      routes: ({
        source: string
        destination: string
        runs: number
        scrobbles: number
        volume: number
        success_rate: number
      })[]
      failure_reasons: ({
        reason: string
        label: string
        count: number
        prev: number
        share: number
        delta: number | null
      })[]
      /** How often each account was checked, and did not work; by the parts of the range, as `trend`. */
      checks: ({
        provider: string
        instance: string
        checks: (number)[]
        failed: (number)[]
      })[]
    }
  }
  /** The status of the archive */
  'GET /api/events/status': {
    answer: {
      ok: boolean
      available: boolean
      events: number
      runs: number
      dropped: number
      acknowledged?: number
      groups?: number
      open_problems?: number
      first_event?: number | null
      last_event?: number | null
      last_import?: number | null
      by_type?: Record<string, number>
      by_domain?: Record<string, number>
      size_bytes?: number
      set_aside?: string | null
      correlation?: {
        job_id: string
        groups_done: number
        groups: number
      } | null
    }
  }
  /** Runs with their problems */
  'GET /api/events/tree': {
    query?: { q?: string; event_type?: string; provider?: string; origin_provider?: string; destination_provider?: string; source_provider?: string; feature?: string; operation?: string; pair_key?: string; item_key?: string; title_key?: string; run_id?: string; reason_code?: string; status?: "" | "informational" | "running" | "pending" | "unresolved" | "blackboxed" | "failed" | "warning" | "rated" | "resolved" | "completed"; category?: "" | "successful" | "problems" | "informational"; since?: string; until?: string; visibility?: "open" | "acknowledged" | "all"; order?: "newest" | "oldest" | "desc" | "asc"; view?: "groups" | "events"; domain?: "sync" | "scrobble" | "audit" | "all" | ""; limit?: number; offset?: number; after?: string; children?: boolean }
    answer: {
      ok?: boolean
      items: ((EventGroup) & ({
        children: (EventGroup)[]
        children_total: number
      }))[]
      total: number
      /** There are more than this. */
      total_capped?: boolean
      limit: number
      offset: number
      next: string | null
    } & Record<string, unknown>
  }
  /** Hide events or groups */
  'POST /api/events/{event_id}/acknowledge': {
    params: { event_id: string }
    body?: {
      by?: string | null
    } & Record<string, unknown>
    answer: {
      ok: boolean
      id: number
      acknowledged_at: number | null
      acknowledged_by: string | null
      event?: Event
    }
  }
  /** Show hidden events or groups */
  'POST /api/events/{event_id}/unacknowledge': {
    params: { event_id: string }
    answer: {
      ok: boolean
      id: number
      acknowledged_at: number | null
      acknowledged_by: string | null
      event?: Event
    }
  }
  /** Export a file */
  'GET /api/export/file': {
    query?: { provider?: string; provider_instance?: string; feature?: string; format?: string; media_types?: (string)[] | string; include_watched_date?: boolean; include_rewatches?: boolean; spreadsheet?: boolean; tz?: string; q?: string; split?: boolean; ids?: (string)[] | string }
    answer: unknown
  }
  /** Export a file of many chosen rows */
  'POST /api/export/file': {
    body: ExportRequest
    answer: unknown
  }
  /** Accounts, features and formats that can be exported */
  'GET /api/export/options': {
    answer: {
      /** Those with stored rows. */
      providers: (string)[]
      provider_labels: Record<string, string>
      instances: Record<string, ({
          id: string
          label: string
        })[]>
      counts: Record<string, {
          watchlist: number
          history: number
          ratings: number
          combined: number
          progress: number
        }>
      counts_instances: Record<string, Record<string, {
            watchlist: number
            history: number
            ratings: number
            combined: number
            progress: number
          }>>
      /** Ids of formats by feature. */
      formats: Record<string, (string)[]>
      labels: Record<string, string>
      /** Marks of formats that have one. */
      marks: Record<string, Mark>
      capabilities: Record<string, {
          features: (string)[]
          media_types: (string)[]
          extension: string
          max_bytes: number | null
        }>
      /** Whether the provider supports single plays. */
      rewatches: Record<string, boolean>
      media_types: (string)[]
      default_media_types: (string)[]
      /** The time zone of the settings; empty: that of the client. */
      time_zone: string
    }
  }
  /** Preview the content of a file */
  'GET /api/export/sample': {
    query?: { provider?: string; provider_instance?: string; feature?: string; format?: string; media_types?: (string)[] | string; include_watched_date?: boolean; include_rewatches?: boolean; spreadsheet?: boolean; tz?: string; q?: string; limit?: number }
    answer: {
      items: ({
        key: string
        type: string
        title: string
        year: string
        watched_at: string
        ids: Record<string, string>
        rating: number | null
      } & Record<string, unknown>)[]
      /** Lines of the file, without the header. */
      total: number
      /** Rows in the file; some formats write lines in front of a row. */
      row_total: number
      matched_total: number
      dropped_total: number
      warnings: (string)[]
      validation: {
        matched_total: number
        unsupported_media_total: number
        missing_identity_total: number
        missing_required_id_total: number
        missing_watched_at_total: number
        invalid_watched_date_total: number
        formula_title_total: number
      }
      media_types: (string)[]
      rewatches_supported: boolean
      include_rewatches: boolean
      columns: (string)[]
      /** Whether the format can leave the dates out. */
      dates_optional: boolean
      /** How the file begins. */
      preview_csv: string
      size_bytes: number
    }
  }
  /** Entries of a shared folder */
  'GET /api/files': {
    query: { path: string }
    answer: ({
      name: string
      is_dir: boolean
      /** Bytes; only for files. */
      size?: number
    })[]
  }
  /** What a sign-in link is for; it is not used by that */
  'POST /api/guest/look': {
    body: {
      token: string
    }
    answer: {
      ok: boolean
      /** The name of the service. */
      service: string
      /** The name of the guest. */
      person: string
      /** Epoch seconds. */
      expires_at: number
    }
  }
  /** Progress of the sign-in of this browser */
  'POST /api/guest/poll': {
    answer: {
      ok: boolean
      /** The name of the service. */
      service: string
      /** The name of the guest. */
      person: string
      /** Epoch seconds. */
      expires_at: number
      status: "none" | "pending" | "authorized" | "denied" | "expired" | "failed"
      code: string | null
      url: string | null
      code_expires_at: number | null
      /** Seconds between two polls. */
      interval: number
    }
  }
  /** Start the sign-in of a link, which is used by that; without a token another code for this browser */
  'POST /api/guest/start': {
    body: {
      token?: string
    }
    answer: {
      ok: boolean
      /** The name of the service. */
      service: string
      /** The name of the guest. */
      person: string
      /** Epoch seconds. */
      expires_at: number
      status: "none" | "pending" | "authorized" | "denied" | "expired" | "failed"
      code: string | null
      url: string | null
      code_expires_at: number | null
      /** Seconds between two polls. */
      interval: number
    }
  }
  /** Is the service alive? */
  'GET /api/health': {
    answer: {
      ok: boolean
      status: string
    }
  }
  /** Removals that wait for an approval */
  'GET /api/held': {
    answer: {
      ok: boolean
      /** Removals that wait, in all. */
      total: number
      held: ({
        pair_id: string
        pair_name: string
        feature: "watchlist" | "history" | "ratings" | "progress" | "playlists"
        side: "a" | "b"
        provider: string
        instance: string
        count: number
        reason: string
        reason_label: string
        plan_id: string | null
        run_id: string
        /** Epoch seconds. */
        since: number
        approve: {
          method: string
          path: string
          body: {
            pair_id: string
            allow_mass_delete: boolean
            features: ("watchlist" | "history" | "ratings" | "progress" | "playlists")[]
            source: string
          }
        }
      })[]
    }
  }
  /** All plays by day, newest first */
  'GET /api/history': {
    query?: { from?: string; to?: string; tz?: string; q?: string; kind?: "movie" | "episode"; account?: string; person?: string; duplicates?: boolean; cursor?: string; limit?: number; fresh?: boolean }
    answer: {
      ok: boolean
      items: ({
        /** Key of the title. */
        key: string
        /** `movie` or `episode`. */
        type: string
        title: string
        year: number | null
        /** By scheme. */
        ids: Record<string, string>
        season: number | null
        episode: number | null
        episode_title: string | null
        /** ISO 8601, UTC; a date alone where only the day is known. */
        watched_at: string
        /** The day in the time zone of the request. */
        day: string
        services: ({
          provider: string
          instance: string
          /** Rows that this account has of the play. */
          count: number
        })[]
        /** Rows that an account has more than once. */
        duplicates: number
      })[]
      total: number
      next_cursor: string | null
      /** The rows of the accounts at the time of the last rebuild. */
      index: {
        /** false: a check for changes or a rebuild is running. Request it again later. */
        current: boolean
        built_at: string
      }
    }
  }
  /** Imports, newest first */
  'GET /api/import': {
    answer: {
      ok: boolean
      imports: ({
        import_id: string
        format: string
        label: string
        name: string
        created_at: number
        state: string
        run: ImportRun | null
      } & Record<string, unknown>)[]
    }
  }
  /** Formats that can be read */
  'GET /api/import/formats': {
    answer: {
      ok: boolean
      max_bytes: number
      formats: ({
        id: string
        label: string
        hint: string
        features: (string)[]
        mark?: Mark
      })[]
    }
  }
  /** Read a file */
  'POST /api/import/preview': {
    query?: { format?: string }
    body?: unknown
    answer: {
      ok: boolean
      import_id: string
      format: string
      label: string
      name: string
      bytes: number
      /** Epoch milliseconds. */
      created_at: number
      /** previewed, comparing, planned, running, done, failed, cancelled, interrupted, undoing, undone or partly_undone. */
      state: string
      rows: number
      /** Rows with ids, and plays with a time. */
      matched: number
      /** Rows with only a title: choose at /titles. */
      ambiguous: number
      /** Rows that cannot be written as they are. */
      unmatched: number
      features: Record<string, {
          rows: number
          matched: number
          ambiguous: number
          unmatched: number
        }>
      reasons: Record<string, number>
      titles: {
        total: number
        open: number
      }
      /** Profiles of a household; one of them is imported at a time. */
      persons: ({
        name: string
        rows: number
      })[]
      skipped: Record<string, number>
      warnings: ({
        code: string
        file: string
        count: number
      })[]
      /** The decisions of the last comparison, by feature. */
      plan: Record<string, Record<string, number>>
      outcomes: Record<string, number>
      run: ImportRun | null
      /** It is still running. */
      accepted?: boolean
    } & Record<string, unknown>
  }
  /** Write an import to an account */
  'POST /api/import/run': {
    body: ImportRunRequest
    answer: {
      ok: boolean
      import_id: string
      format: string
      label: string
      name: string
      bytes: number
      /** Epoch milliseconds. */
      created_at: number
      /** previewed, comparing, planned, running, done, failed, cancelled, interrupted, undoing, undone or partly_undone. */
      state: string
      rows: number
      /** Rows with ids, and plays with a time. */
      matched: number
      /** Rows with only a title: choose at /titles. */
      ambiguous: number
      /** Rows that cannot be written as they are. */
      unmatched: number
      features: Record<string, {
          rows: number
          matched: number
          ambiguous: number
          unmatched: number
        }>
      reasons: Record<string, number>
      titles: {
        total: number
        open: number
      }
      /** Profiles of a household; one of them is imported at a time. */
      persons: ({
        name: string
        rows: number
      })[]
      skipped: Record<string, number>
      warnings: ({
        code: string
        file: string
        count: number
      })[]
      /** The decisions of the last comparison, by feature. */
      plan: Record<string, Record<string, number>>
      outcomes: Record<string, number>
      run: ImportRun | null
      /** It is still running. */
      accepted?: boolean
    } & Record<string, unknown>
  }
  /** Delete what was read from a file */
  'DELETE /api/import/{import_id}': {
    params: { import_id: string }
    answer: {
      ok: boolean
      import_id: string
    }
  }
  /** State of an import */
  'GET /api/import/{import_id}': {
    params: { import_id: string }
    answer: {
      ok: boolean
      import_id: string
      format: string
      label: string
      name: string
      bytes: number
      /** Epoch milliseconds. */
      created_at: number
      /** previewed, comparing, planned, running, done, failed, cancelled, interrupted, undoing, undone or partly_undone. */
      state: string
      rows: number
      /** Rows with ids, and plays with a time. */
      matched: number
      /** Rows with only a title: choose at /titles. */
      ambiguous: number
      /** Rows that cannot be written as they are. */
      unmatched: number
      features: Record<string, {
          rows: number
          matched: number
          ambiguous: number
          unmatched: number
        }>
      reasons: Record<string, number>
      titles: {
        total: number
        open: number
      }
      /** Profiles of a household; one of them is imported at a time. */
      persons: ({
        name: string
        rows: number
      })[]
      skipped: Record<string, number>
      warnings: ({
        code: string
        file: string
        count: number
      })[]
      /** The decisions of the last comparison, by feature. */
      plan: Record<string, Record<string, number>>
      outcomes: Record<string, number>
      run: ImportRun | null
      /** It is still running. */
      accepted?: boolean
    } & Record<string, unknown>
  }
  /** Stop a running import */
  'POST /api/import/{import_id}/cancel': {
    params: { import_id: string }
    answer: {
      ok: boolean
      import_id: string
      format: string
      label: string
      name: string
      bytes: number
      /** Epoch milliseconds. */
      created_at: number
      /** previewed, comparing, planned, running, done, failed, cancelled, interrupted, undoing, undone or partly_undone. */
      state: string
      rows: number
      /** Rows with ids, and plays with a time. */
      matched: number
      /** Rows with only a title: choose at /titles. */
      ambiguous: number
      /** Rows that cannot be written as they are. */
      unmatched: number
      features: Record<string, {
          rows: number
          matched: number
          ambiguous: number
          unmatched: number
        }>
      reasons: Record<string, number>
      titles: {
        total: number
        open: number
      }
      /** Profiles of a household; one of them is imported at a time. */
      persons: ({
        name: string
        rows: number
      })[]
      skipped: Record<string, number>
      warnings: ({
        code: string
        file: string
        count: number
      })[]
      /** The decisions of the last comparison, by feature. */
      plan: Record<string, Record<string, number>>
      outcomes: Record<string, number>
      run: ImportRun | null
      /** It is still running. */
      accepted?: boolean
    } & Record<string, unknown>
  }
  /** Match titles with works */
  'POST /api/import/{import_id}/choices': {
    params: { import_id: string }
    body: {
      choices: ({
        title: number
        /** A work; `skip`, to leave its rows out; null, to take a choice back. */
        choice: {
          type: "movie" | "show"
          ids: Record<string, string | number>
          title?: string
          year?: number | null
        } | "skip" | null
      })[]
    }
    answer: {
      ok: boolean
      import_id: string
      format: string
      label: string
      name: string
      bytes: number
      /** Epoch milliseconds. */
      created_at: number
      /** previewed, comparing, planned, running, done, failed, cancelled, interrupted, undoing, undone or partly_undone. */
      state: string
      rows: number
      /** Rows with ids, and plays with a time. */
      matched: number
      /** Rows with only a title: choose at /titles. */
      ambiguous: number
      /** Rows that cannot be written as they are. */
      unmatched: number
      features: Record<string, {
          rows: number
          matched: number
          ambiguous: number
          unmatched: number
        }>
      reasons: Record<string, number>
      titles: {
        total: number
        open: number
      }
      /** Profiles of a household; one of them is imported at a time. */
      persons: ({
        name: string
        rows: number
      })[]
      skipped: Record<string, number>
      warnings: ({
        code: string
        file: string
        count: number
      })[]
      /** The decisions of the last comparison, by feature. */
      plan: Record<string, Record<string, number>>
      outcomes: Record<string, number>
      run: ImportRun | null
      /** It is still running. */
      accepted?: boolean
    } & Record<string, unknown>
  }
  /** Rows of an import */
  'GET /api/import/{import_id}/rows': {
    params: { import_id: string }
    query?: { offset?: number; q?: string; limit?: number; feature?: "history" | "ratings" | "progress" | "watchlist"; state?: "matched" | "ambiguous" | "unmatched"; plan?: "add" | "update" | "already" | "conflict" | "duplicate" | "unsupported" | "unmatched" | "done"; title?: number }
    answer: {
      ok: boolean
      total: number
      offset: number
      limit: number
      rows: (ImportRow)[]
    }
  }
  /** Titles without ids, with suggestions */
  'GET /api/import/{import_id}/titles': {
    params: { import_id: string }
    query?: { offset?: number; q?: string; limit?: number; open?: boolean }
    answer: {
      ok: boolean
      total: number
      offset: number
      limit: number
      /** Titles are searched for, not only looked up in the library. */
      metadata_ready: boolean
      titles: ({
        /** Number of the title, for choices. */
        title: number
        about: {
          type: string
          title: string
          year: number | null
        }
        rows: number
        suggestions: (TitleSuggestion)[] | null
        /** The choice: a work, `skip`, or null. */
        choice: {
          type: "movie" | "show"
          ids: Record<string, string>
          title?: string
          year?: number
        } | "skip" | null
      })[]
    }
  }
  /** Undo what an import wrote */
  'POST /api/import/{import_id}/undo': {
    params: { import_id: string }
    answer: {
      ok: boolean
      import_id: string
      format: string
      label: string
      name: string
      bytes: number
      /** Epoch milliseconds. */
      created_at: number
      /** previewed, comparing, planned, running, done, failed, cancelled, interrupted, undoing, undone or partly_undone. */
      state: string
      rows: number
      /** Rows with ids, and plays with a time. */
      matched: number
      /** Rows with only a title: choose at /titles. */
      ambiguous: number
      /** Rows that cannot be written as they are. */
      unmatched: number
      features: Record<string, {
          rows: number
          matched: number
          ambiguous: number
          unmatched: number
        }>
      reasons: Record<string, number>
      titles: {
        total: number
        open: number
      }
      /** Profiles of a household; one of them is imported at a time. */
      persons: ({
        name: string
        rows: number
      })[]
      skipped: Record<string, number>
      warnings: ({
        code: string
        file: string
        count: number
      })[]
      /** The decisions of the last comparison, by feature. */
      plan: Record<string, Record<string, number>>
      outcomes: Record<string, number>
      run: ImportRun | null
      /** It is still running. */
      accepted?: boolean
    } & Record<string, unknown>
  }
  /** Numbers of each feature, now and over time */
  'GET /api/insights': {
    query?: { limit_samples?: number; history?: number; runtime?: number }
    answer: {
      series: ({
        /** Epoch seconds. */
        ts: number
        count: number
      })[]
      /** By feature. */
      series_by_feature: Record<string, ({
          /** Epoch seconds. */
          ts: number
          count: number
        })[]>
      /** The last runs, newest first. */
      history: ({
        run_id: string
        result: string
        started_at: string
        finished_at: string
        added: number
        removed: number
      } & Record<string, unknown>)[]
      watchtime: {
        movies: number
        shows: number
        minutes: number
        hours: number
        days: number
        method: string
      }
      /** By provider. */
      providers: Record<string, number>
      /** By feature. */
      providers_by_feature: Record<string, Record<string, number>>
      /** By provider. */
      instances_by_provider: Record<string, (string)[]>
      /** By feature. */
      providers_instances_by_feature: Record<string, Record<string, Record<string, number>>>
      /** By feature. */
      providers_instances_mse_by_feature: Record<string, Record<string, Record<string, {
              movies: number
              shows: number
              anime: number
              episodes: number
            }>>>
      /** By provider. */
      providers_active: Record<string, boolean>
      events: ({
        /** Epoch seconds. */
        ts: number
        action: string
        feature: string
        key: string
        title?: string | null
        year?: number | null
        type?: string
        source: string
        source_instance: string
        origin: string
        origin_instance: string
        run_id: string
        pair_id: string
        display_title?: string | null
        display_subtitle?: string | null
        series_title?: string | null
        season?: number | null
        episode?: number | null
      } & Record<string, unknown>)[]
      http: {
        events: ({
          /** Epoch seconds. */
          ts: number
          provider: string
          endpoint: string
          status: number
          method?: string
          ok?: boolean
          /** Milliseconds. */
          ms?: number
          bytes_in?: number
          bytes_out?: number
          /** Requests that the service still allows. */
          rate_remaining?: number
          /** Epoch seconds. */
          rate_reset?: number
        } & Record<string, unknown>)[]
        /** By provider. */
        counters: Record<string, {
            calls: number
            ok: number
            err: number
            bytes_in?: number
            bytes_out?: number
            /** Milliseconds. */
            ms_sum?: number
            last_status?: number | null
            last_ok?: boolean | null
            last_at?: number | null
            last_rate_remaining?: number | null
          } & Record<string, unknown>>
        /** By provider, method and endpoint. */
        last: Record<string, {
            /** Epoch seconds. */
            ts: number
            provider: string
            endpoint: string
            status?: number
            method?: string
            ok?: boolean
            /** Milliseconds. */
            ms?: number
            bytes_in?: number
            bytes_out?: number
            /** Requests that the service still allows. */
            rate_remaining?: number
            /** Epoch seconds. */
            rate_reset?: number
          } & Record<string, unknown>>
      }
      /** ISO time. */
      generated_at: string
      /** By feature. */
      features: Record<string, {
          now: number
          week: number
          month: number
          added: number
          removed: number
          updated: number
          /** The last 25 rows that were changed. */
          spotlight_add: ({
            key: string
            type?: string
            display_title?: string
            source?: string
            title?: string | null
            year?: number | null
            season?: number | null
            episode?: number | null
            /** By scheme; those of the show under `show_ids`. */
            ids?: Record<string, string | number | Record<string, string | number>>
            series_title?: string | null
            show_title?: string | null
            /** By scheme; those of the show under `show_ids`. */
            show_ids?: Record<string, string | number | Record<string, string | number>>
          } & Record<string, unknown>)[]
          /** The last 25 rows that were changed. */
          spotlight_remove: ({
            key: string
            type?: string
            display_title?: string
            source?: string
            title?: string | null
            year?: number | null
            season?: number | null
            episode?: number | null
            /** By scheme; those of the show under `show_ids`. */
            ids?: Record<string, string | number | Record<string, string | number>>
            series_title?: string | null
            show_title?: string | null
            /** By scheme; those of the show under `show_ids`. */
            show_ids?: Record<string, string | number | Record<string, string | number>>
          } & Record<string, unknown>)[]
          /** The last 25 rows that were changed. */
          spotlight_update: ({
            key: string
            type?: string
            display_title?: string
            source?: string
            title?: string | null
            year?: number | null
            season?: number | null
            episode?: number | null
            /** By scheme; those of the show under `show_ids`. */
            ids?: Record<string, string | number | Record<string, string | number>>
            series_title?: string | null
            show_title?: string | null
            /** By scheme; those of the show under `show_ids`. */
            show_ids?: Record<string, string | number | Record<string, string | number>>
          } & Record<string, unknown>)[]
          series: ({
            /** Epoch seconds. */
            ts: number
            count: number
          })[]
          /** By provider. */
          providers: Record<string, number>
          /** By provider. */
          providers_active: Record<string, boolean>
          /** By provider. */
          providers_mse: Record<string, {
              movies: number
              shows: number
              anime: number
              episodes: number
            }>
          /** By provider. */
          providers_instances: Record<string, Record<string, number>>
          /** By provider. */
          providers_instances_mse: Record<string, Record<string, {
                movies: number
                shows: number
                anime: number
                episodes: number
              }>>
          /** Stored rows that are damaged. They are not counted. */
          unreadable: number
          breakdown?: {
            movies: number
            shows: number
            anime: number
            episodes: number
          }
        } & Record<string, unknown>>
      now?: number
      week?: number
      month?: number
      added?: number
      removed?: number
      updated?: number
    } & Record<string, unknown>
  }
  /** Every title on any account */
  'GET /api/library': {
    query?: { q?: string; kind?: "movie" | "show" | "anime"; account?: string; feature?: "watchlist" | "watched" | "rated" | "in_progress"; missing?: string; person?: string; sort?: "title" | "year" | "last_watched" | "added" | "rating"; order?: "asc" | "desc"; offset?: number; limit?: number; sections?: boolean; fresh?: boolean }
    answer: {
      ok: boolean
      items: ({
        key: string
        /** `movie` or `show`. */
        kind: string
        anime: boolean
        /** Empty if no account says it. */
        title: string
        year: number | null
        /** By scheme. */
        ids: Record<string, string>
        accounts: ({
          provider: string
          instance: string
          features: (string)[]
        })[]
        /** Plays with a time or a day; each counts once. */
        plays: number
        /** Different episodes that were watched. */
        episodes: number
        last_watched: string | null
        added: string | null
        rating: number | null
        progress: number | null
      })[]
      total: number
      /** Where the list comes to another letter, year, month or rating; only if asked for. */
      sections?: ({
        label: string | null
        offset: number
      })[]
      /** All accounts with titles. */
      accounts: ({
        provider: string
        instance: string
        titles: number
      })[]
      /** The rows of the accounts at the time of the last rebuild. */
      index: {
        /** false: a check for changes or a rebuild is running. Request it again later. */
        current: boolean
        built_at: string
      }
    }
  }
  /** One title: the rows of each account, and its history */
  'GET /api/library/{key}': {
    params: { key: string }
    query?: { tz?: string; fresh?: boolean }
    answer: {
      ok: boolean
      key: string
      /** `movie` or `show`. */
      kind: string
      anime: boolean
      /** Empty if no account says it. */
      title: string
      year: number | null
      /** By scheme. */
      ids: Record<string, string>
      accounts: ({
        provider: string
        instance: string
        features: (string)[]
      })[]
      /** Plays with a time or a day; each counts once. */
      plays: number
      /** Different episodes that were watched. */
      episodes: number
      last_watched: string | null
      added: string | null
      rating: number | null
      progress: number | null
      /** All keys of the title. */
      names: (string)[]
      /** The ids of the title at each account; different ids are one title if they share an id. */
      says: ({
        provider: string
        instance: string
        title: string | null
        year: number | null
        /** By scheme. */
        ids: Record<string, string>
        rows: number
      })[]
      /** The rows of each account, by feature that was read. */
      matrix: ({
        provider: string
        instance: string
        features: ({
          feature: string
          present: boolean
          /** For shows, the number of episodes. */
          count: number
          value: number | null
          at: string | null
          /** When the account was read; null: it is always current. */
          read_at: string | null
          /** It was watched after the account was read, so the account may have it by now. */
          stale: boolean
        })[]
      })[]
      /** Watched episodes. */
      seasons: ({
        season: number
        accounts: ({
          provider: string
          instance: string
          episodes: number
        })[]
      })[]
      latest_plays: ({
        /** Key of the title. */
        key: string
        /** `movie` or `episode`. */
        type: string
        title: string
        year: number | null
        /** By scheme. */
        ids: Record<string, string>
        season: number | null
        episode: number | null
        episode_title: string | null
        /** ISO 8601, UTC; a date alone where only the day is known. */
        watched_at: string
        /** The day in the time zone of the request. */
        day: string
        services: ({
          provider: string
          instance: string
          /** Rows that this account has of the play. */
          count: number
        })[]
        /** Rows that an account has more than once. */
        duplicates: number
      })[]
      /** Events of the title, newest first; as in `GET /api/events/item/{item_key}`. */
      changes: ({
        id: number
        event_type: string
        created_at: number
      } & Record<string, unknown>)[]
      not_synced: ({
        pair_id: string
        feature: string
        provider: string
        instance: string
        op: string
        key: string
        season: number | null
        episode: number | null
        reason_code: string
        attempts: number
        quarantined: boolean
        first_at: string | null
        last_at: string | null
        run_id: string
      })[]
      /** The rows of the accounts at the time of the last rebuild. */
      index: {
        /** false: a check for changes or a rebuild is running. Request it again later. */
        current: boolean
        built_at: string
      }
    }
  }
  /** The episodes of a show, and the accounts that have them as watched */
  'GET /api/library/{key}/episodes': {
    params: { key: string }
    answer: {
      ok: boolean
      aired: number | null
      /** Those that were watched anywhere, and all aired ones if they are known. Empty for a film. */
      episodes: ({
        season: number
        episode: number
        /** Empty if it is not known. */
        title: string
        /** Which have it as watched. */
        accounts: ({
          provider: string
          instance: string
        })[]
      })[]
    }
  }
  /** The pages of a title at the services of accounts */
  'GET /api/library/{key}/pages': {
    params: { key: string }
    answer: {
      ok: boolean
      /** Of the accounts whose service has pages of titles, and is certain of that address. */
      pages: ({
        provider: string
        instance: string
        url: string
      })[]
    }
  }
  /** Whether the code was typed in */
  'POST /api/listA/device/poll': {
    query?: { instance?: string }
    body: {
      device_code?: string | null
    }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** `ok`, `authorization_pending`, or why it failed. */
      status?: string
      state?: string
      /** To be typed in at `verification_uri`. */
      user_code?: string
      verification_uri?: string
      /** Seconds between two polls. */
      interval?: number
      /** Epoch seconds; 0 if there is none. */
      expires_at?: number
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** Start signing in to MDBList with a code */
  'POST /api/listA/device/start': {
    query?: { instance?: string }
    body?: Record<string, unknown>
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** To be typed in at `verification_uri`. */
      user_code?: string
      verification_uri?: string
      /** Seconds between two polls. */
      interval?: number
      /** Epoch seconds; 0 if there is none. */
      expires_at?: number
      device_code?: string
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
      /** With `ok: false`: the status that MDBList answered. */
      status?: number
    }
  }
  /** Forget key and tokens of an MDBList profile */
  'POST /api/listA/disconnect': {
    query?: { instance?: string }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** Renew the tokens of an MDBList profile */
  'POST /api/listA/refresh': {
    query?: { instance?: string }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** `ok`, or why it failed. */
      status?: string
      /** Epoch seconds; 0 if there is none. */
      expires_at?: number
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** Save the API key of an MDBList profile, or choose the sign-in with a code */
  'POST /api/listA/save': {
    query?: { instance?: string }
    body: {
      auth_method?: string | null
      api_key?: string | null
    }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      auth_method?: string
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** How an MDBList profile is signed in */
  'GET /api/listA/status': {
    query?: { instance?: string }
    answer: {
      /** Empty if there is none. */
      auth_method: string
      connected: boolean
      api_key_configured: boolean
      device_configured: boolean
      client_id_configured: boolean
      /** Epoch seconds; 0 if there is none. */
      expires_at: number
      username: string
      pending?: {
        /** To be typed in at `verification_uri`. */
        user_code?: string
        verification_uri?: string
        /** Seconds between two polls. */
        interval: number
        /** Epoch seconds; 0 if there is none. */
        expires_at: number
      }
      instance: string
    }
  }
  /** The last lines of a log channel */
  'GET /api/logs/dump': {
    query?: { channel?: string; n?: number }
    answer: {
      channel: string
      lines: (string)[]
    }
  }
  /** One log channel, live */
  'GET /api/logs/stream': {
    query?: { tag?: string; tail?: number; since?: number; plain?: boolean; max_backlog?: number }
    answer: unknown
  }
  /** The log channels of the watcher, live; each event is named after its channel */
  'GET /api/logs/watcher': {
    query?: { tail?: number; tags?: string; plain?: boolean; max_backlog?: number; skip_backlog?: boolean }
    answer: unknown
  }
  /** The rows that an action would affect, and the result of its last run */
  'GET /api/maintenance/action-status/{action}': {
    params: { action: string }
    answer: {
      ok: boolean
      action: string
      title: string
      note: string
      metrics: ({
        label: string
        value: number | string | null
        format: "number" | "bytes" | "datetime" | "text"
      })[]
      run: MaintenanceRun
    }
  }
  /** All maintenance actions of the plugins that run */
  'GET /api/maintenance/actions': {
    query?: { status?: boolean }
    answer: {
      ok: boolean
      actions: ({
        id: string
        title: string
        note: string
        group: string
        loses_data: boolean
        backup_first: boolean
        alone: boolean
        options: (string)[]
        /** With `status`: as `GET /api/maintenance/action-status/{action}`; absent if it cannot be read. */
        status?: {
          metrics: ({
            label: string
            value: number | string | null
            format: "number" | "bytes" | "datetime" | "text"
          })[]
          run: MaintenanceRun
        }
      })[]
    }
  }
  /** Run a maintenance action, or list what it would touch */
  'POST /api/maintenance/actions/{action}': {
    params: { action: string }
    body?: {
      /** Lists what it would touch, and changes nothing. */
      dry_run?: boolean
      /** true for what deletes data that cannot be made again. */
      confirm?: boolean
      options?: Record<string, unknown>
    }
    answer: MaintenanceResult
  }
  /** Delete all rows of the activity log */
  'POST /api/maintenance/clear-activity-log': {
    body?: {
      /** Lists what it would touch, and changes nothing. */
      dry_run?: boolean
      /** true for what deletes data that cannot be made again. */
      confirm?: boolean
    } & Record<string, unknown>
    answer: {
      ok: boolean
      dry_run: boolean
      /** The affected data; in a dry run, the data that would be affected. */
      touches: (MaintenanceTouch)[]
      summary: MaintenanceSummary
      backup_path: string | null
      advice: "dry_run" | null
      /** By action. */
      details: Record<string, unknown>
      path: string
      existed: boolean
      kind: string
      removed: number
      remaining?: number
    }
  }
  /** Clear the caches that reduce reads and retries */
  'POST /api/maintenance/clear-cache': {
    body?: {
      /** Lists what it would touch, and changes nothing. */
      dry_run?: boolean
      /** true for what deletes data that cannot be made again. */
      confirm?: boolean
      pair_id?: string
      /** Id of a provider: MEDIAA. */
      provider?: string
      instance?: string
      feature?: string
    } & Record<string, unknown>
    answer: {
      ok: boolean
      dry_run: boolean
      /** The affected data; in a dry run, the data that would be affected. */
      touches: (MaintenanceTouch)[]
      summary: MaintenanceSummary
      backup_path: string | null
      advice: "dry_run" | null
      /** By action. */
      details: Record<string, unknown>
      root: string
      removed: (string)[]
      before: {
        files: ({
          name: string
          size: number
          mtime: string | null
          items: number
        })[]
        count: number
      }
      after: {
        files: ({
          name: string
          size: number
          mtime: string | null
          items: number
        })[]
        count: number
      }
    }
  }
  /** Clear the cache of metadata and pictures */
  'POST /api/maintenance/clear-metadata-cache': {
    body?: {
      /** Lists what it would touch, and changes nothing. */
      dry_run?: boolean
      /** true for what deletes data that cannot be made again. */
      confirm?: boolean
    } & Record<string, unknown>
    answer: {
      ok: boolean
      dry_run: boolean
      /** The affected data; in a dry run, the data that would be affected. */
      touches: (MaintenanceTouch)[]
      summary: MaintenanceSummary
      backup_path: string | null
      advice: "dry_run" | null
      /** By action. */
      details: Record<string, unknown>
      root: string
      removed: (string)[]
      before: {
        exists: boolean
        root: string
        entries: ({
          name: string
          size: number
          mtime: string | null
        })[]
        count: number
      }
      after: {
        exists: boolean
        root: string
        entries: ({
          name: string
          size: number
          mtime: string | null
        })[]
        count: number
      }
    }
  }
  /** Clear the state and the caches of the sync, of all or of some accounts, pairs and features */
  'POST /api/maintenance/clear-provider-sync-cache': {
    body?: {
      /** Lists what it would touch, and changes nothing. */
      dry_run?: boolean
      /** true for what deletes data that cannot be made again. */
      confirm?: boolean
      pair_id?: string
      /** Id of a provider: MEDIAA. */
      provider?: string
      instance?: string
      feature?: string
    } & Record<string, unknown>
    answer: {
      ok: boolean
      dry_run: boolean
      /** The affected data; in a dry run, the data that would be affected. */
      touches: (MaintenanceTouch)[]
      summary: MaintenanceSummary
      backup_path: string | null
      advice: "dry_run" | null
      /** By action. */
      details: Record<string, unknown>
      state: MaintenanceSummary
      cache: MaintenanceSummary
    }
  }
  /** Delete the scrobbles of the activity log */
  'POST /api/maintenance/clear-recent-scrobbles': {
    body?: {
      /** Lists what it would touch, and changes nothing. */
      dry_run?: boolean
      /** true for what deletes data that cannot be made again. */
      confirm?: boolean
    } & Record<string, unknown>
    answer: {
      ok: boolean
      dry_run: boolean
      /** The affected data; in a dry run, the data that would be affected. */
      touches: (MaintenanceTouch)[]
      summary: MaintenanceSummary
      backup_path: string | null
      advice: "dry_run" | null
      /** By action. */
      details: Record<string, unknown>
      path: string
      existed: boolean
      kind: string
      removed: number
      remaining?: number
    }
  }
  /** Delete the stored rows of accounts and the synced state of pairs */
  'POST /api/maintenance/clear-state': {
    body?: {
      /** Lists what it would touch, and changes nothing. */
      dry_run?: boolean
      /** true for what deletes data that cannot be made again. */
      confirm?: boolean
    } & Record<string, unknown>
    answer: {
      ok: boolean
      dry_run: boolean
      /** The affected data; in a dry run, the data that would be affected. */
      touches: (MaintenanceTouch)[]
      summary: MaintenanceSummary
      backup_path: string | null
      advice: "dry_run" | null
      /** By action. */
      details: Record<string, unknown>
      path: string
      existed: boolean
      removed_sync_state: (string)[]
    }
  }
  /** The health of the event archive */
  'POST /api/maintenance/events-health': {
    answer: {
      ok: boolean
      available: boolean
      healthy: boolean
      path: string
      exists: boolean
      integrity: string
      quick_check: string
      foreign_key_errors: number
      schema_version: number | null
      expected_schema_version: number | null
      journal_mode: string
      events: number
      acknowledged: number
      runs: number
      first_event: number | null
      last_event: number | null
      last_import: number | null
      size_bytes: number
      wal_size_bytes: number
    } & Record<string, unknown>
  }
  /** Make the file of the event archive smaller */
  'POST /api/maintenance/events-optimize': {
    body?: {
      dry_run?: boolean
      confirm?: boolean
    } & Record<string, unknown>
    answer: {
      ok: boolean
      path: string
      steps: (string)[]
      before_bytes: number
      after_bytes: number
      reclaimed_bytes: number
      duration_ms: number
      dry_run: boolean
    }
  }
  /** Replace the event archive by an empty one */
  'POST /api/maintenance/events-rebuild': {
    body: {
      dry_run?: boolean
      confirm?: boolean
    } & Record<string, unknown>
    answer: {
      ok: boolean
      dry_run: boolean
      /** The affected data; in a dry run, the data that would be affected. */
      touches: (MaintenanceTouch)[]
      summary: MaintenanceSummary
      backup_path: string | null
      advice: "dry_run" | null
      /** By action. */
      details: Record<string, unknown>
      path: string
      removed: (string)[]
      imported: number
      /** Afterwards. */
      events: number
    }
  }
  /** The last check of each database */
  'GET /api/maintenance/integrity': {
    answer: {
      ok: boolean
      healthy: boolean
      databases: ({
        path: string
        owner: string
        healthy: boolean
        quick: boolean
        integrity: (string)[]
        foreign_key_errors: number
        size_bytes: number
        /** Epoch seconds. */
        checked_at: number
        error: string | null
      })[]
      last_complete_at: number | null
      next_check_at: number | null
    }
  }
  /** Check the databases */
  'POST /api/maintenance/integrity': {
    body?: {
      path?: string
      /** Leaves out the check of indexes against their tables. */
      quick?: boolean
    } & Record<string, unknown>
    answer: {
      ok: boolean
      healthy: boolean
      databases: ({
        path: string
        owner: string
        healthy: boolean
        quick: boolean
        integrity: (string)[]
        foreign_key_errors: number
        size_bytes: number
        /** Epoch seconds. */
        checked_at: number
        error: string | null
      })[]
      last_complete_at: number | null
      next_check_at: number | null
    }
  }
  /** Preview the effect of clear-cache */
  'GET /api/maintenance/provider-cache': {
    answer: {
      ok: boolean
      exists: boolean
      root: string
      files: ({
        name: string
        size: number
        mtime: string | null
        items: number
      })[]
      count: number
    }
  }
  /** Repair a database; it is used after the restart */
  'POST /api/maintenance/repair': {
    body: {
      dry_run?: boolean
      confirm?: boolean
      path: string
      /** Default true. */
      restart?: boolean
    } & Record<string, unknown>
    answer: {
      ok: boolean
      dry_run: boolean
      path: string
      database: {
        path: string
        owner: string
        healthy: boolean
        quick: boolean
        integrity: (string)[]
        foreign_key_errors: number
        size_bytes: number
        /** Epoch seconds. */
        checked_at: number
        error: string | null
      }
      way?: "indexes" | "rows"
      tables?: ({
        table: string
        rows: number
        complete: boolean
      })[]
      /** The damaged file. */
      kept?: string
      restart_required: boolean
      restart_scheduled: boolean
    }
  }
  /** Reset to the defaults; takes effect at the restart */
  'POST /api/maintenance/reset-all-default': {
    body?: {
      dry_run?: boolean
      confirm?: boolean
      restart?: boolean
    } & Record<string, unknown>
    answer: {
      ok: boolean
      dry_run: boolean
      config_dir: string
      backup: string | null
      backup_path: string | null
      removed_files: (string)[]
      removed_dirs: (string)[]
      removed_bytes: number
      kept: ({
        group: string
        files: number
        bytes: number
      })[]
      errors: (string)[]
      restart_required: boolean
      restart_scheduled: boolean
    }
  }
  /** Forget the sessions that are shown as playing */
  'POST /api/maintenance/reset-currently-watching': {
    body?: {
      /** Lists what it would touch, and changes nothing. */
      dry_run?: boolean
      /** true for what deletes data that cannot be made again. */
      confirm?: boolean
    } & Record<string, unknown>
    answer: {
      ok: boolean
      dry_run: boolean
      /** The affected data; in a dry run, the data that would be affected. */
      touches: (MaintenanceTouch)[]
      summary: MaintenanceSummary
      backup_path: string | null
      advice: "dry_run" | null
      /** By action. */
      details: Record<string, unknown>
      path: string
      existed: boolean
    }
  }
  /** Reset the statistics */
  'POST /api/maintenance/reset-stats': {
    body: {
      /** Lists what it would touch, and changes nothing. */
      dry_run?: boolean
      /** true for what deletes data that cannot be made again. */
      confirm?: boolean
      recalc?: boolean
      purge_file?: boolean
      purge_state?: boolean
      purge_reports?: boolean
      purge_insights?: boolean
    } & Record<string, unknown>
    answer: {
      ok: boolean
      dry_run: boolean
      /** The affected data; in a dry run, the data that would be affected. */
      touches: (MaintenanceTouch)[]
      summary: MaintenanceSummary
      backup_path: string | null
      advice: "dry_run" | null
      /** By action. */
      details: Record<string, unknown>
      dropped: {
        stats_file: number
        state_file: number
        reports: number
        insights_files: number
        insights_mem: number
      }
      recalculated: boolean
    }
  }
  /** Restart the service */
  'POST /api/maintenance/restart': {
    body?: {
      /** Restart even while work is running. */
      force?: boolean
    } & Record<string, unknown>
    answer: {
      ok: boolean
      message: string
    }
  }
  /** Room on the disk of the data directory, and what it is used for */
  'GET /api/maintenance/storage': {
    answer: {
      ok: boolean
      free_bytes: number
      total_bytes: number
      /** Bytes that the data directory uses. */
      used_bytes: number
      /** Largest first. */
      groups: ({
        group: "config" | "key" | "tls" | "state" | "tracker" | "captures" | "reports" | "exports" | "imports" | "cache" | "backups"
        bytes: number
        files: number
      })[]
    }
  }
  /** A ZIP for support: logs, versions, settings without secrets, runs, jobs, health */
  'POST /api/maintenance/support-bundle': {
    body?: Record<string, unknown>
    answer: unknown
  }
  /** The data of Playhead's own tracker */
  'GET /api/maintenance/svc-tracker': {
    query?: { provider_instance?: string }
    answer: {
      ok: boolean
      provider_instance: string
      root: string
      exists: boolean
      state_files: ({
        name: string
        size: number
        mtime: string | null
        rows: number
      })[]
      snapshots: ({
        name: string
        size: number
        mtime: string | null
      })[]
      counts: {
        state_files: number
        snapshots: number
      }
    }
  }
  /** Remove the rows of a profile of the tracker, or its snapshots */
  'POST /api/maintenance/svc-tracker/clear': {
    body: {
      /** Default true. */
      clear_state?: boolean
      /** Default false. */
      clear_snapshots?: boolean
      provider_instance?: string
      dry_run?: boolean
      confirm?: boolean
    } & Record<string, unknown>
    answer: {
      ok: boolean
      dry_run: boolean
      provider_instance: string
      root: string
      removed: {
        state_files: (string)[]
        snapshots: (string)[]
      }
      before: {
        state_files: ({
          name: string
          size: number
          mtime: string | null
          rows: number
        })[]
        snapshots: ({
          name: string
          size: number
          mtime: string | null
        })[]
        counts: {
          state_files: number
          snapshots: number
        }
      }
      after: {
        state_files: ({
          name: string
          size: number
          mtime: string | null
          rows: number
        })[]
        snapshots: ({
          name: string
          size: number
          mtime: string | null
        })[]
        counts: {
          state_files: number
          snapshots: number
        }
      }
      summary: MaintenanceSummary
      sync_state: MaintenanceSummary
      advice: "dry_run"
    }
  }
  /** The rows of a profile of the tracker, or of all profiles, as a ZIP archive */
  'GET /api/maintenance/svc-tracker/export': {
    query?: { provider_instance?: string; profile?: "all" }
    answer: unknown
  }
  /** Replace rows of a profile of the tracker by those of an export, or of one of its files */
  'POST /api/maintenance/svc-tracker/import': {
    query?: { provider_instance?: string; filename?: string; from?: string; dry_run?: boolean }
    body: unknown
    answer: {
      ok: boolean
      dry_run: boolean
      provider_instance: string
      mode: "zip" | "json"
      target?: "state"
      /** The feature of a single file. */
      kind?: string
      /** Name of a single file. */
      name?: string
      files: number
      overwritten: number
      states: number
      /** That the profile did not have. */
      snapshots: number
      skipped: (string)[]
      /** By feature. */
      rows: Record<string, number>
      sync_state: MaintenanceSummary
      advice: "dry_run"
    }
  }
  /** The current work of the service, and what holds new work */
  'GET /api/maintenance/work': {
    answer: {
      ok: boolean
      current: ({
        id: string
        kind: string
        label: string
        plugin: string
        exclusive: boolean
        accounts: ({
          provider: string
          instance: string
        })[]
        /** Epoch seconds. */
        since: number
      })[]
      blocks: ({
        code: string
        message: string
        plugin: string
        kinds: (string)[] | null
        since: number
      })[]
    }
  }
  /** Fix the match of a title at one account */
  'POST /api/manual/match': {
    body: MatchRequest
    answer: {
      /** Nothing is left. */
      ok: boolean
      dry_run: boolean
      /** Of a media server that lacks the ids: Playhead keeps them as manual adds, and no service is written. `moved` counts the rows that have them now. */
      remembered: boolean
      provider: string
      instance: string
      features: ({
        feature: "history" | "ratings" | "watchlist" | "progress"
        /** Number of rows that the account has of the title: plays, ratings, … */
        rows: number
        moved: number
        /** Number of rows that stay unchanged. */
        left: number
        /** Why; the first 50. */
        problems: ({
          season: number | null
          episode: number | null
          reason: string
        })[]
        /** `POST /api/run/{plan_id}/undo` reverses them, the last first. */
        plan_ids: (string)[]
      })[]
    }
  }
  /** Accounts for manual actions */
  'GET /api/manual/providers': {
    answer: {
      ok: boolean
      providers: ({
        provider: string
        instance: string
        label: string
        display: string
        history_enabled: boolean
        ratings_enabled: boolean
        watchlist_enabled: boolean
        remove_watchlist_enabled: boolean
        show_history: "all_aired" | "series" | "none"
        person: string | null
        /** The first profile of its service. Further profiles are other people: choose them by name only. */
        own: boolean
        /** The account stores only anime. */
        anime_only: boolean
        /** What the account stores: `movie`, `show`, `season`, `episode`. */
        kinds: {
          history: (string)[]
          ratings: (string)[]
          watchlist: (string)[]
        }
        /** The match of a title can be fixed; see `POST /api/manual/match`. */
        can_match: boolean
      })[]
    }
  }
  /** Mark as watched, rate, change watchlists */
  'POST /api/manual/watched': {
    body: WatchedRequest
    answer: {
      /** All results are ok. */
      ok: boolean
      watched_at: string | null
      watched_on: string | null
      episodes?: number
      episodes_from?: "metadata" | "library"
      dry_run?: boolean
      /** Set in a dry run. */
      plays?: ({
        type: "movie" | "episode"
        title: string | null
        season: number | null
        episode: number | null
        watched_at: string
        watched_on: string | null
      })[]
      results: ({
        provider: string
        instance: string
        /** Every requested action is done or was done before. */
        ok: boolean
        error?: "provider_not_allowed" | "unknown_instance" | "provider_unavailable"
        history?: {
          status: "done" | "already" | "skipped" | "unresolved" | "failed" | "planned"
          /** A code; absent if it was done. */
          reason?: string
          /** The plan of the action. `POST /api/run/{plan_id}/undo` reverses it. */
          plan_id?: string
          /** It continues and may complete later. Check again before repeating it. */
          pending?: boolean
          /** For a show or a season: counts of its episodes. */
          episodes?: {
            total: number
            done: number
            already: number
            unresolved: number
            failed: number
          }
          /** The first episodes that are neither done nor already there. */
          problems?: ({
            season: number
            episode: number
            status: "done" | "already" | "skipped" | "unresolved" | "failed" | "planned"
            reason?: string
          })[]
        }
        watchlist?: {
          status: "done" | "already" | "skipped" | "unresolved" | "failed" | "planned"
          /** A code; absent if it was done. */
          reason?: string
          /** The plan of the action. `POST /api/run/{plan_id}/undo` reverses it. */
          plan_id?: string
          /** It continues and may complete later. Check again before repeating it. */
          pending?: boolean
          /** For a show or a season: counts of its episodes. */
          episodes?: {
            total: number
            done: number
            already: number
            unresolved: number
            failed: number
          }
          /** The first episodes that are neither done nor already there. */
          problems?: ({
            season: number
            episode: number
            status: "done" | "already" | "skipped" | "unresolved" | "failed" | "planned"
            reason?: string
          })[]
        }
        rating?: {
          status: "done" | "already" | "skipped" | "unresolved" | "failed" | "planned"
          /** A code; absent if it was done. */
          reason?: string
          /** The plan of the action. `POST /api/run/{plan_id}/undo` reverses it. */
          plan_id?: string
          /** It continues and may complete later. Check again before repeating it. */
          pending?: boolean
          /** For a show or a season: counts of its episodes. */
          episodes?: {
            total: number
            done: number
            already: number
            unresolved: number
            failed: number
          }
          /** The first episodes that are neither done nor already there. */
          problems?: ({
            season: number
            episode: number
            status: "done" | "already" | "skipped" | "unresolved" | "failed" | "planned"
            reason?: string
          })[]
        }
        remove_watchlist?: {
          status: "done" | "already" | "skipped" | "unresolved" | "failed" | "planned"
          /** A code; absent if it was done. */
          reason?: string
          /** The plan of the action. `POST /api/run/{plan_id}/undo` reverses it. */
          plan_id?: string
          /** It continues and may complete later. Check again before repeating it. */
          pending?: boolean
          /** For a show or a season: counts of its episodes. */
          episodes?: {
            total: number
            done: number
            already: number
            unresolved: number
            failed: number
          }
          /** The first episodes that are neither done nor already there. */
          problems?: ({
            season: number
            episode: number
            status: "done" | "already" | "skipped" | "unresolved" | "failed" | "planned"
            reason?: string
          })[]
        }
      })[]
    }
  }
  /** What the profile is connected to */
  'GET /api/mediaA/inspect': {
    query?: { instance?: string }
    answer: {
      instance: string
      ok: boolean
      reason?: string
      message?: string
      connected: boolean
      server_url: string
      username: string
      account_id: number | string
      machine_id: string
      pms_token: boolean
      pending: boolean
      expires_epoch: number | null
      sign_in: string | null
      server: {
        name: string
        version: string
        machine_id: string
      } | null
      account: {
        id: string
        username: string
      } | null
    }
  }
  /** Libraries of the media server */
  'GET /api/mediaA/libraries': {
    query?: { instance?: string; server?: string; verify_ssl?: boolean }
    answer: {
      libraries: ({
        key: string
        title: string
        type: string
      })[]
      instance: string
      ok: boolean
      reason?: string
      message?: string
    }
  }
  /** People whose watch state the profile can be */
  'GET /api/mediaA/pickusers': {
    query?: { instance?: string; server?: string; verify_ssl?: boolean }
    answer: {
      users: ({
        username: string
        account_id: number
        id: number
        pms_account_id?: number
        cloud_account_id?: number
        /** self, owner, managed or friend. */
        type: string
        label: string
        /** cloud or pms. */
        source: string
        /** The profile can use this person; friends sign in themselves. */
        can_choose: boolean
        /** Only with a PIN. */
        protected: boolean
      })[]
      count: number
      instance: string
      ok: boolean
      reason?: string
      message?: string
    }
  }
  /** Begin signing in with a PIN */
  'POST /api/mediaA/pin/new': {
    query?: { instance?: string }
    answer: {
      ok: boolean
      code: string
      pin_id: number
      id: number
      expiresIn: number
      expires_epoch: number
      instance: string
    }
  }
  /** Media servers of the account */
  'GET /api/mediaA/pms': {
    query?: { instance?: string }
    answer: {
      servers: ({
        id: string
        name: string
        owned: boolean
        platform: string
        product: string
        device: string
        version: string
        best_url: string
        connections: ({
          uri: string
          address: string
          port: number
          protocol: string
          local: boolean
          relay: boolean
        })[]
      })[]
      count: number
      instance: string
      ok: boolean
      reason?: string
      message?: string
    }
  }
  /** Whether the media server can be reached */
  'GET /api/mediaA/pms/probe': {
    query?: { instance?: string; timeout?: number; server?: string; verify_ssl?: boolean }
    answer: {
      /** The profile is signed in. */
      connected: boolean
      server_url: string
      reachable: boolean
      status: number | null
      instance: string
      error?: string
      token_source?: string
      verify_ssl?: boolean
    }
  }
  /** Id of the media server */
  'GET /api/mediaA/server_uuid': {
    query?: { instance?: string }
    answer: {
      server_uuid: string | null
      instance: string
      ok: boolean
      reason?: string
      message?: string
    }
  }
  /** Disconnect the profile and reset its settings */
  'POST /api/mediaA/token/delete': {
    query?: { instance?: string }
    answer: {
      ok: boolean
      instance: string
    }
  }
  /** Users of the account and of its server */
  'GET /api/mediaA/users': {
    query?: { instance?: string; only_with_server_access?: boolean; only_home_or_owner?: boolean }
    answer: {
      users: ({
        id: string
        username: string
        title: string
        /** owner, managed or friend. */
        type: string
        cloud_account_id?: number
        /** Has access to the media server of the profile. */
        has_access: boolean
      })[]
      count: number
      instance: string
      ok: boolean
      reason?: string
      message?: string
    }
  }
  /** Check who is signed in, and store it */
  'GET /api/mediaB/inspect': {
    query?: { instance?: string }
    answer: {
      ok: boolean
      connected: boolean
      server_url: string
      username: string
      user_id: string
      server_version?: string | null
      instance: string
      /** Why it is not connected. */
      reason?: string
    }
  }
  /** The libraries that the user sees */
  'GET /api/mediaB/libraries': {
    query?: { instance?: string; server?: string; verify_ssl?: boolean }
    answer: {
      ok: boolean
      libraries: ({
        key: string
        title: string
        type: string
      })[]
      instance: string
      /** With `ok: false`: why there are none. */
      reason?: string
    }
  }
  /** Sign in with name and password */
  'POST /api/mediaB/login': {
    query?: { instance?: string }
    body: {
      server?: string
      username?: string
      password?: string
      verify_ssl?: boolean
      /** Seconds for one request, 1 to 60. */
      timeout?: number
    }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      user_id?: string
      username?: string
      /** The address that answered. */
      server?: string
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
      server_version?: string | null
    }
  }
  /** Whether the server offers Quick Connect */
  'GET /api/mediaB/quickconnect/available': {
    query?: { instance?: string }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** The server can be asked for a code. */
      supported?: boolean
      enabled?: boolean
      server_version?: string
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** Forget the code */
  'POST /api/mediaB/quickconnect/cancel': {
    query?: { instance?: string }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** False if there was no code. */
      cancelled?: boolean
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** Whether the code was entered */
  'GET /api/mediaB/quickconnect/poll': {
    query?: { instance?: string }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** `pending` or `authorized`. */
      state?: string
      auth_method?: string
      user_id?: string
      username?: string
      server?: string
      server_version?: string
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** Ask the server for a code */
  'POST /api/mediaB/quickconnect/start': {
    query?: { instance?: string }
    body: {
      server?: string
      verify_ssl?: boolean
    }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** The code to enter in Jellyfin. */
      code?: string
      method?: string
      /** Seconds. */
      expires_in?: number
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** Whether a sign-in is stored, without asking the server */
  'GET /api/mediaB/status': {
    query?: { instance?: string }
    answer: {
      ok: boolean
      /** A sign-in is stored. */
      connected: boolean
      user: string | null
      server_version?: string | null
      instance: string
    }
  }
  /** Sign out and forget the token */
  'POST /api/mediaB/token/delete': {
    query?: { instance?: string }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** The users of the server */
  'GET /api/mediaB/users': {
    query?: { instance?: string; server?: string; verify_ssl?: boolean }
    answer: {
      users: ({
        id: string
        username: string
        IsAdministrator: boolean
        IsHidden: boolean
        IsDisabled: boolean
      })[]
      count: number
      instance: string
      /** The user may not see the others. */
      note?: string
    }
  }
  /** Check who is signed in, and store it */
  'GET /api/mediaC/inspect': {
    query?: { instance?: string }
    answer: {
      ok: boolean
      connected: boolean
      server_url: string
      username: string
      user_id: string
      server_version?: string | null
      instance: string
      /** Why it is not connected. */
      reason?: string
    }
  }
  /** The libraries that the user sees */
  'GET /api/mediaC/libraries': {
    query?: { instance?: string; server?: string; verify_ssl?: boolean }
    answer: {
      ok: boolean
      libraries: ({
        key: string
        title: string
        type: string
      })[]
      instance: string
      /** With `ok: false`: why there are none. */
      reason?: string
    }
  }
  /** Sign in with name and password */
  'POST /api/mediaC/login': {
    query?: { instance?: string }
    body: {
      server?: string
      username?: string
      password?: string
      verify_ssl?: boolean
      /** Seconds for one request, 1 to 60. */
      timeout?: number
    }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      user_id?: string
      username?: string
      /** The address that answered. */
      server?: string
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
      server_version?: string | null
    }
  }
  /** Whether a sign-in is stored, without asking the server */
  'GET /api/mediaC/status': {
    query?: { instance?: string }
    answer: {
      ok: boolean
      /** A sign-in is stored. */
      connected: boolean
      user: string | null
      server_version?: string | null
      instance: string
    }
  }
  /** Sign out and forget the token */
  'POST /api/mediaC/token/delete': {
    query?: { instance?: string }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** The users of the server */
  'GET /api/mediaC/users': {
    query?: { instance?: string; server?: string; verify_ssl?: boolean }
    answer: {
      users: ({
        id: string
        username: string
        IsAdministrator: boolean
        IsHidden: boolean
        IsDisabled: boolean
      })[]
      count: number
      instance: string
      /** The user may not see the others. */
      note?: string
    }
  }
  /** Remove the API key of TMDB */
  'POST /api/metaA/disconnect': {
    answer: {
      ok: boolean
      /** An error code if `ok` is false. */
      error?: string
    }
  }
  /** Store an API key of TMDB */
  'POST /api/metaA/save': {
    body: {
      api_key?: string | null
    }
    answer: {
      ok: boolean
      /** An error code if `ok` is false. */
      error?: string
    }
  }
  /** Test an API key of TMDB */
  'POST /api/metaA/verify': {
    body: {
      api_key?: string | null
    }
    answer: {
      ok: boolean
      valid: boolean
      error: string
    }
  }
  /** Finish signing in to TMDB */
  'POST /api/metaA_sync/connect/finish': {
    query?: { instance?: string }
    body: {
      api_key?: string | null
      request_token?: string | null
    }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** Masked. */
      session_id?: string
      account_id?: string
      username?: string
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** Start signing in to TMDB */
  'POST /api/metaA_sync/connect/start': {
    query?: { instance?: string }
    body: {
      api_key?: string | null
    }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** The page of TMDB to open. */
      auth_url?: string
      request_token?: string
      /** ISO time. */
      expires_at?: string
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** Forget the account at TMDB and end its session there */
  'POST /api/metaA_sync/disconnect': {
    query?: { instance?: string }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** Store a key and a session of TMDB */
  'POST /api/metaA_sync/save': {
    query?: { instance?: string }
    body: {
      api_key?: string | null
      session_id?: string | null
    }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** Whether the account at TMDB is connected; finishes a sign-in that was approved */
  'GET /api/metaA_sync/verify': {
    query?: { instance?: string }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      connected?: boolean
      /** A sign-in waits for its approval. */
      pending?: boolean
      account?: {
        id: string
        username: string
      }
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** Forget the API key of a PublicMetaDB profile */
  'POST /api/metaB/disconnect': {
    query?: { instance?: string }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** Save the API key of a PublicMetaDB profile */
  'POST /api/metaB/save': {
    query?: { instance?: string }
    body: {
      api_key?: string | null
    }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** Whether the API key of a PublicMetaDB profile works */
  'GET /api/metaB/status': {
    query?: { instance?: string }
    answer: {
      connected: boolean
      instance: string
      /** Why it is not connected. */
      reason?: string
    }
  }
  /** Metadata of many works */
  'POST /api/metadata/bulk': {
    query?: { overview?: "none" | "short" | "full"; locale?: string }
    body: {
      items?: (unknown)[]
      need?: Record<string, unknown> | null
      concurrency?: number
    }
    answer: {
      ok: boolean
      count: number
      fetched: number
      /** Works beyond the limit of the settings. */
      dropped: number
      missing_tmdb_key: boolean
      /** By type and TMDB id, for example `movie:603`. */
      results: Record<string, {
          ok: boolean
          meta?: Metadata
          error?: string
        }>
      last_sync_epoch: null
    }
  }
  /** Metadata services */
  'GET /api/metadata/providers': {
    answer: ({
      id: string
      name: string
      enabled: boolean
      /** A key is set. */
      ready: boolean
      ok: null
      version: string
      capabilities: {
        search: boolean
        resolve: boolean
        art: boolean
        entities: (string)[]
      }
    })[]
  }
  /** The same as cards of a page */
  'GET /api/metadata/providers/html': {
    answer: unknown
  }
  /** Metadata of one work */
  'POST /api/metadata/resolve': {
    body: {
      entity?: string | null
      ids: Record<string, unknown>
      locale?: string | null
      need?: Record<string, unknown> | null
      strategy?: string | null
    }
    answer: {
      ok: boolean
      found: boolean
      result: Metadata
    }
  }
  /** Search works by title */
  'GET /api/metadata/search': {
    query: { q: string; typ?: string; year?: number; limit?: number }
    answer: {
      ok: boolean
      results: ({
        type: "movie" | "show"
        tmdb: number | null
        title: string
        year: number | null
        overview: string
        poster_path: string | null
        /** By scheme; at least one. */
        ids: Record<string, string>
        source: "tmdb" | "library"
      })[]
    }
  }
  /** Versions of all plugins, by kind and in one list */
  'GET /api/modules/versions': {
    answer: {
      groups: Record<string, Record<string, string>>
      flat: Record<string, string>
    }
  }
  /** Notifiers, targets, rules, and the events that rules can use */
  'GET /api/notifications': {
    answer: {
      ok: boolean
      notifiers: ({
        id: string
        label: string
        hint: string | null
        mark: Mark | null
        /** Its targets come from the settings of another plugin. */
        fixed: boolean
        /** JSON schema of the settings of a target. */
        settings: Record<string, unknown>
      })[]
      events: ({
        id: string
        label: string
      })[]
      targets: (NotificationTarget)[]
      rules: ({
        id: string
        name: string
        enabled: boolean
        /** The events to send, from GET /api/notifications or from plugins. */
        events: (string)[]
        /** IDs of channels. */
        targets: (string)[]
        /** For service_down: how long the service must be unreachable. */
        down_minutes: number
        /** The first message waits this long, and later messages are added to it. */
        group_minutes: number
        /** The most messages to each channel, retries included. The rest is sent later as one message. */
        max_per_hour: number
        /** For example Europe/Paris. Leave empty to use the time zone of the server. */
        time_zone: string
        quiet: {
          enabled: boolean
          from: string
          to: string
          /** The days on which quiet hours start. Leave empty for every day. */
          days: (number)[]
          /** Errors are also sent during quiet hours. */
          except_errors: boolean
        }
        /** For weekly_digest: when it is sent, in the time zone of the rule. */
        digest: {
          weekday: number
          at: string
        }
      })[]
      counts: {
        queued: number
        sending: number
        sent: number
        failed: number
      }
    }
  }
  /** What was sent, waits or failed, newest first */
  'GET /api/notifications/log': {
    query?: { state?: "queued" | "sending" | "sent" | "failed"; target?: string; offset?: number; limit?: number }
    answer: {
      ok: boolean
      total: number
      offset: number
      limit: number
      items: (NotificationDelivery)[]
    }
  }
  /** Sends again what failed */
  'POST /api/notifications/log/{id}/retry': {
    params: { id: string }
    body?: Record<string, unknown>
    answer: {
      ok: boolean
      entry: NotificationDelivery
    }
  }
  /** The rules */
  'GET /api/notifications/rules': {
    answer: {
      ok: boolean
      rules: ({
        id: string
        name: string
        enabled: boolean
        /** The events to send, from GET /api/notifications or from plugins. */
        events: (string)[]
        /** IDs of channels. */
        targets: (string)[]
        /** For service_down: how long the service must be unreachable. */
        down_minutes: number
        /** The first message waits this long, and later messages are added to it. */
        group_minutes: number
        /** The most messages to each channel, retries included. The rest is sent later as one message. */
        max_per_hour: number
        /** For example Europe/Paris. Leave empty to use the time zone of the server. */
        time_zone: string
        quiet: {
          enabled: boolean
          from: string
          to: string
          /** The days on which quiet hours start. Leave empty for every day. */
          days: (number)[]
          /** Errors are also sent during quiet hours. */
          except_errors: boolean
        }
        /** For weekly_digest: when it is sent, in the time zone of the rule. */
        digest: {
          weekday: number
          at: string
        }
      })[]
    }
  }
  /** Creates or changes a rule */
  'POST /api/notifications/rules': {
    body: NotificationRuleRequest
    answer: {
      ok: boolean
      rule: {
        id: string
        name: string
        enabled: boolean
        /** The events to send, from GET /api/notifications or from plugins. */
        events: (string)[]
        /** IDs of channels. */
        targets: (string)[]
        /** For service_down: how long the service must be unreachable. */
        down_minutes: number
        /** The first message waits this long, and later messages are added to it. */
        group_minutes: number
        /** The most messages to each channel, retries included. The rest is sent later as one message. */
        max_per_hour: number
        /** For example Europe/Paris. Leave empty to use the time zone of the server. */
        time_zone: string
        quiet: {
          enabled: boolean
          from: string
          to: string
          /** The days on which quiet hours start. Leave empty for every day. */
          days: (number)[]
          /** Errors are also sent during quiet hours. */
          except_errors: boolean
        }
        /** For weekly_digest: when it is sent, in the time zone of the rule. */
        digest: {
          weekday: number
          at: string
        }
      }
    }
  }
  /** Removes a rule */
  'DELETE /api/notifications/rules/{id}': {
    params: { id: string }
    answer: {
      ok: boolean
      id: string
    }
  }
  /** The targets of all notifiers */
  'GET /api/notifications/targets': {
    answer: {
      ok: boolean
      targets: (NotificationTarget)[]
    }
  }
  /** Creates or changes a target */
  'POST /api/notifications/targets': {
    body: NotificationTargetRequest
    answer: {
      ok: boolean
      target: NotificationTarget
    }
  }
  /** Removes a target with its secrets, unless a rule names it */
  'DELETE /api/notifications/targets/{id}': {
    params: { id: string }
    answer: {
      ok: boolean
      id: string
    }
  }
  /** Sends a test message to a target, now */
  'POST /api/notifications/test': {
    body: {
      target: string
    }
    answer: {
      /** The service took the message. */
      ok: boolean
      id: string
      error: string | null
    }
  }
  /** The status of the whole, and of each pair, account and run */
  'GET /api/overview': {
    answer: {
      ok: boolean
      status: SyncStatus
      pairs: ({
        id: string
        name: string
        status: SyncStatus
      })[]
      /** The accounts of the pairs. */
      accounts: ({
        provider: string
        instance: string
        name: string
        status: SyncStatus
      })[]
      /** The newest 20 syncs. */
      runs: ({
        run_id: string
        status: SyncStatus
      })[]
    }
  }
  /** The pairs, in the order in which they run */
  'GET /api/pairs': {
    answer: (Pair)[]
  }
  /** Adds a pair */
  'POST /api/pairs': {
    body: PairRequest
    answer: {
      ok: boolean
      id: string
      name: string
      source: string
      source_instance: string
      target: string
      target_instance: string
      mode: "one_way" | "two_way"
      enabled: boolean
      features: {
        watchlist?: PairFeature
        history?: PairFeature
        ratings?: PairFeature
        progress?: PairFeature
        playlists?: PairFeature
      } & Record<string, unknown>
      /** Options of one service in this pair; free-form, because its plugin names them. */
      providers?: Record<string, Record<string, unknown>>
      profile_id?: string
      /** The plugin that manages the pair. */
      owner?: string
      warnings: (string)[]
    } & Record<string, unknown>
  }
  /** Sets the order of the pairs */
  'POST /api/pairs/reorder': {
    body: (string | {
      id: string
    } & Record<string, unknown>)[] | {
      order: (string | {
        id: string
      } & Record<string, unknown>)[]
    } & Record<string, unknown>
    answer: {
      ok: boolean
      reordered: boolean
      count: number
      unknown_ids: (string)[]
      final_order: (string)[]
    }
  }
  /** The status of each pair */
  'GET /api/pairs/status': {
    answer: {
      ok: boolean
      sync_status: SyncStatus
      pairs: ({
        id: string
        name: string
        enabled: boolean
        outcome: "synced" | "partly" | "skipped" | "failed" | "cancelled" | null
        running: boolean
        sync_status: SyncStatus
        source: string
        source_instance: string
        target: string
        target_instance: string
        mode: "one_way" | "two_way"
        features: ({
          feature: "watchlist" | "history" | "ratings" | "progress" | "playlists"
          status: "ok" | "nothing_to_do" | "partial" | "skipped" | "failed" | "cancelled" | null
          sync_status: SyncStatus
          reason: string | null
          reason_label: string | null
          reason_text: string | null
          /** The accounts that the reason is about. */
          about: ({
            provider: string
            instance: string
          })[]
          run_id: string | null
          finished_at: number | null
          read: {
            a: number | null
            b: number | null
          }
          applied: number
          held: number
          unresolved: number
          /** Items that are not synced now: unresolved and held ones, without those the target lacks. */
          open: number
          /** Items that the target lacks, without ignored ones. */
          not_in_library: number
          /** Items that the target lacks and that people ignore. */
          ignored: number
          outcome: "synced" | "partly" | "skipped" | "failed" | "cancelled" | null
          in_step: boolean | null
        })[]
        last_run_id: string | null
        last_finished_at: number | null
      })[]
    }
  }
  /** Removes a pair */
  'DELETE /api/pairs/{pair_id}': {
    params: { pair_id: string }
    query?: { purge_state?: boolean }
    answer: {
      ok: boolean
      deleted: number
      state_removed: number
      state_errors: number
      state_removed_preview: (string)[]
    }
  }
  /** Changes a pair */
  'PUT /api/pairs/{pair_id}': {
    params: { pair_id: string }
    body: PairRequest
    answer: {
      ok: boolean
      id: string
      name: string
      source: string
      source_instance: string
      target: string
      target_instance: string
      mode: "one_way" | "two_way"
      enabled: boolean
      features: {
        watchlist?: PairFeature
        history?: PairFeature
        ratings?: PairFeature
        progress?: PairFeature
        playlists?: PairFeature
      } & Record<string, unknown>
      /** Options of one service in this pair; free-form, because its plugin names them. */
      providers?: Record<string, Record<string, unknown>>
      profile_id?: string
      /** The plugin that manages the pair. */
      owner?: string
      warnings: (string)[]
    } & Record<string, unknown>
  }
  /** Titles that a service of the pair lacks */
  'GET /api/pairs/{pair_id}/not-in-library': {
    params: { pair_id: string }
    query?: { offset?: number; limit?: number }
    answer: {
      ok: boolean
      total: number
      offset: number
      limit: number
      /** All titles of the pair are ignored, including later ones. */
      all_ignored: boolean
      items: ({
        feature: "watchlist" | "history" | "ratings" | "progress" | "playlists"
        provider: string
        instance: string
        key: string
        title: string
        year: number | null
        type: string
        reason_code: string
        since: number
        ignored: boolean
      })[]
    }
  }
  /** Ignores titles that a service lacks, or shows them again */
  'PUT /api/pairs/{pair_id}/not-in-library': {
    params: { pair_id: string }
    body: {
      /** false shows them again. */
      ignored: boolean
      /** The item, as in the list. Without it: all titles of the pair, including later ones. */
      items?: ({
        feature: "watchlist" | "history" | "ratings" | "progress" | "playlists"
        provider: string
        instance: string
        key: string
      })[]
    }
    answer: {
      ok: boolean
    }
  }
  /** The persons of the household and their accounts */
  'GET /api/persons': {
    answer: {
      ok: boolean
      persons: ({
        id: string
        name: string
        color: "blue" | "orange" | "teal" | "grape" | "green" | "pink" | "indigo" | "yellow"
        accounts: ({
          /** As in `GET /api/connections`. */
          uid: string
          provider: string
          instance: string
          label: string
          user: string | null
        })[]
      })[]
      /** Accounts without an owner. */
      accounts: ({
        /** As in `GET /api/connections`. */
        uid: string
        provider: string
        instance: string
        label: string
        user: string | null
      })[]
      /** Accounts that may belong to one person. Nothing is assigned before a request. */
      suggestions: ({
        person: string | null
        name: string
        /** Uids. */
        accounts: (string)[]
        reason: "same_name" | "paired"
      })[]
    }
  }
  /** Add a person */
  'POST /api/persons': {
    body: {
      name: string
      color?: "blue" | "orange" | "teal" | "grape" | "green" | "pink" | "indigo" | "yellow"
      /** Uids, all of them. */
      accounts?: (string)[]
    }
    answer: {
      ok: boolean
      id: string
    }
  }
  /** Remove a person; the accounts stay */
  'DELETE /api/persons/{id}': {
    params: { id: string }
    answer: {
      ok: boolean
      id: string
    }
  }
  /** Change a person */
  'PUT /api/persons/{id}': {
    params: { id: string }
    body: {
      name?: string
      color?: "blue" | "orange" | "teal" | "grape" | "green" | "pink" | "indigo" | "yellow"
      /** Uids, all of them. */
      accounts?: (string)[]
    }
    answer: {
      ok: boolean
      id: string
    }
  }
  /** A poster or backdrop of a title */
  'GET /api/pictures/{type}': {
    params: { type: "movie" | "show" }
    query?: { tmdb?: string; imdb?: string; tvdb?: string; tracka?: string; mal?: string; anilist?: string; kitsu?: string; anidb?: string; trackb?: string; art?: "poster" | "backdrop"; width?: 185 | 342 | 780 | 1280 }
    answer: unknown
  }
  /** The stored plans, newest first */
  'GET /api/plans': {
    query?: { pair_id?: string; run_id?: string; feature?: "watchlist" | "history" | "ratings" | "progress" | "playlists"; state?: "planned" | "waiting" | "applying" | "done"; kind?: "pair" | "account"; offset?: number; limit?: number }
    answer: {
      ok: boolean
      total: number
      offset: number
      limit: number
      plans: ({
        plan_id: string
        /** For changes to one account: the read that the plan is based on. */
        basis?: {
          account: string
          /** Epoch milliseconds. */
          read_at_ms: number
        }
        run_id: string
        pair_id: string
        feature: "watchlist" | "history" | "ratings" | "progress" | "playlists"
        mode: "one_way" | "two_way"
        plays: boolean
        dry_run: boolean
        /** ISO 8601. */
        created_at: string
        state: "planned" | "waiting" | "applying" | "done"
        sides: {
          a: {
            provider: string
            instance: string
            /** Stable id of the account, without its name. */
            uid?: string
            /** Which account of the service was read, in plans of pairs. */
            account?: string
            add: number
            update: number
            remove: number
            held: number
            held_reason: string | null
            deferred: number
            filtered: number
          } & Record<string, unknown>
          b: {
            provider: string
            instance: string
            /** Stable id of the account, without its name. */
            uid?: string
            /** Which account of the service was read, in plans of pairs. */
            account?: string
            add: number
            update: number
            remove: number
            held: number
            held_reason: string | null
            deferred: number
            filtered: number
          } & Record<string, unknown>
        }
        read: {
          a: number
          b: number
        }
        cause: string | null
        cause_label: string | null
        /** Only its creator applies it, such as a restore; it cannot be run. */
        maker_only?: boolean
        /** The list that the changes are about. */
        list?: {
          list: {
            id: string
            kind: string
            title: string
          } & Record<string, unknown>
        } & Record<string, unknown>
      })[]
    }
  }
  /** Change many positions */
  'POST /api/playback_progress/actions/bulk': {
    body: {
      provider?: string
      /** Default: default. */
      instance_id?: string
      /** Id of the position, as in the list. */
      remote_id?: string | number
      /** The item of the list; only its names are used. */
      record?: Record<string, unknown>
      /** The accounts belong to several persons, and all of them are meant. */
      across_persons?: boolean
      items: ({
        provider?: string
        /** Default: default. */
        instance_id?: string
        /** Id of the position, as in the list. */
        remote_id?: string | number
        /** The item of the list; only its names are used. */
        record?: Record<string, unknown>
      } & Record<string, unknown>)[]
      action: "remove_progress" | "mark_watched" | "update_progress"
      progress_percent?: number
      /** ISO 8601; default: now. */
      watched_at?: string
    } & Record<string, unknown>
    answer: {
      results: ({
        ok: boolean
        provider: string
        instance_id: string
        /** remove_progress, mark_watched or update_progress. */
        operation: string
        remote_id: string | null
        canonical_key: string | null
        /** applied, queued, skipped, unresolved or failed. */
        status: string
        reason?: string
        error_code?: string
        message?: string
        retryable: boolean
        remote_status: number | null
        history_result?: {
          status: string
          outcome?: string
          reason?: string
        } | null
        playback_cleanup_result?: {
          status: string
          outcome?: string
          reason?: string
        } | null
        /** The values that the decision used. */
        decision_context?: {
          before_percent?: number | null
          position_ms?: number | null
          duration_ms?: number | null
          watched_at?: string | null
        }
      })[]
      successful: number
      failed: number
      skipped: number
      unsupported: number
    }
  }
  /** Mark as watched */
  'POST /api/playback_progress/actions/mark_watched': {
    body: {
      provider?: string
      /** Default: default. */
      instance_id?: string
      /** Id of the position, as in the list. */
      remote_id?: string | number
      /** The item of the list; only its names are used. */
      record?: Record<string, unknown>
      /** The accounts belong to several persons, and all of them are meant. */
      across_persons?: boolean
      /** Several positions; default for each: provider and instance_id of the body. */
      items?: ({
        provider?: string
        /** Default: default. */
        instance_id?: string
        /** Id of the position, as in the list. */
        remote_id?: string | number
        /** The item of the list; only its names are used. */
        record?: Record<string, unknown>
      } & Record<string, unknown>)[]
      /** ISO 8601; default: now. */
      watched_at?: string
    } & Record<string, unknown>
    answer: {
      provider?: string
      instance_id?: string
      /** remove_progress, mark_watched or update_progress. */
      operation?: string
      remote_id?: string | null
      canonical_key?: string | null
      /** applied, queued, skipped, unresolved or failed. */
      status?: string
      reason?: string
      error_code?: string
      message?: string
      retryable?: boolean
      remote_status?: number | null
      history_result?: {
        status: string
        outcome?: string
        reason?: string
      } | null
      playback_cleanup_result?: {
        status: string
        outcome?: string
        reason?: string
      } | null
      /** The values that the decision used. */
      decision_context?: {
        before_percent?: number | null
        position_ms?: number | null
        duration_ms?: number | null
        watched_at?: string | null
      }
      ok: boolean
      /** error_code, as in other errors. */
      error?: string
      /** message, as in other errors. */
      detail?: string
      results: ({
        ok: boolean
        provider: string
        instance_id: string
        /** remove_progress, mark_watched or update_progress. */
        operation: string
        remote_id: string | null
        canonical_key: string | null
        /** applied, queued, skipped, unresolved or failed. */
        status: string
        reason?: string
        error_code?: string
        message?: string
        retryable: boolean
        remote_status: number | null
        history_result?: {
          status: string
          outcome?: string
          reason?: string
        } | null
        playback_cleanup_result?: {
          status: string
          outcome?: string
          reason?: string
        } | null
        /** The values that the decision used. */
        decision_context?: {
          before_percent?: number | null
          position_ms?: number | null
          duration_ms?: number | null
          watched_at?: string | null
        }
      })[]
      successful: number
      failed: number
      skipped: number
      unsupported: number
    }
  }
  /** Remove positions */
  'POST /api/playback_progress/actions/remove': {
    body: {
      provider?: string
      /** Default: default. */
      instance_id?: string
      /** Id of the position, as in the list. */
      remote_id?: string | number
      /** The item of the list; only its names are used. */
      record?: Record<string, unknown>
      /** The accounts belong to several persons, and all of them are meant. */
      across_persons?: boolean
      /** Several positions; default for each: provider and instance_id of the body. */
      items?: ({
        provider?: string
        /** Default: default. */
        instance_id?: string
        /** Id of the position, as in the list. */
        remote_id?: string | number
        /** The item of the list; only its names are used. */
        record?: Record<string, unknown>
      } & Record<string, unknown>)[]
    } & Record<string, unknown>
    answer: {
      provider?: string
      instance_id?: string
      /** remove_progress, mark_watched or update_progress. */
      operation?: string
      remote_id?: string | null
      canonical_key?: string | null
      /** applied, queued, skipped, unresolved or failed. */
      status?: string
      reason?: string
      error_code?: string
      message?: string
      retryable?: boolean
      remote_status?: number | null
      history_result?: {
        status: string
        outcome?: string
        reason?: string
      } | null
      playback_cleanup_result?: {
        status: string
        outcome?: string
        reason?: string
      } | null
      /** The values that the decision used. */
      decision_context?: {
        before_percent?: number | null
        position_ms?: number | null
        duration_ms?: number | null
        watched_at?: string | null
      }
      ok: boolean
      /** error_code, as in other errors. */
      error?: string
      /** message, as in other errors. */
      detail?: string
      results: ({
        ok: boolean
        provider: string
        instance_id: string
        /** remove_progress, mark_watched or update_progress. */
        operation: string
        remote_id: string | null
        canonical_key: string | null
        /** applied, queued, skipped, unresolved or failed. */
        status: string
        reason?: string
        error_code?: string
        message?: string
        retryable: boolean
        remote_status: number | null
        history_result?: {
          status: string
          outcome?: string
          reason?: string
        } | null
        playback_cleanup_result?: {
          status: string
          outcome?: string
          reason?: string
        } | null
        /** The values that the decision used. */
        decision_context?: {
          before_percent?: number | null
          position_ms?: number | null
          duration_ms?: number | null
          watched_at?: string | null
        }
      })[]
      successful: number
      failed: number
      skipped: number
      unsupported: number
    }
  }
  /** Set positions */
  'POST /api/playback_progress/actions/update_progress': {
    body: {
      provider?: string
      /** Default: default. */
      instance_id?: string
      /** Id of the position, as in the list. */
      remote_id?: string | number
      /** The item of the list; only its names are used. */
      record?: Record<string, unknown>
      /** The accounts belong to several persons, and all of them are meant. */
      across_persons?: boolean
      /** Several positions; default for each: provider and instance_id of the body. */
      items?: ({
        provider?: string
        /** Default: default. */
        instance_id?: string
        /** Id of the position, as in the list. */
        remote_id?: string | number
        /** The item of the list; only its names are used. */
        record?: Record<string, unknown>
      } & Record<string, unknown>)[]
      progress_percent: number
    } & Record<string, unknown>
    answer: {
      provider?: string
      instance_id?: string
      /** remove_progress, mark_watched or update_progress. */
      operation?: string
      remote_id?: string | null
      canonical_key?: string | null
      /** applied, queued, skipped, unresolved or failed. */
      status?: string
      reason?: string
      error_code?: string
      message?: string
      retryable?: boolean
      remote_status?: number | null
      history_result?: {
        status: string
        outcome?: string
        reason?: string
      } | null
      playback_cleanup_result?: {
        status: string
        outcome?: string
        reason?: string
      } | null
      /** The values that the decision used. */
      decision_context?: {
        before_percent?: number | null
        position_ms?: number | null
        duration_ms?: number | null
        watched_at?: string | null
      }
      ok: boolean
      /** error_code, as in other errors. */
      error?: string
      /** message, as in other errors. */
      detail?: string
      results: ({
        ok: boolean
        provider: string
        instance_id: string
        /** remove_progress, mark_watched or update_progress. */
        operation: string
        remote_id: string | null
        canonical_key: string | null
        /** applied, queued, skipped, unresolved or failed. */
        status: string
        reason?: string
        error_code?: string
        message?: string
        retryable: boolean
        remote_status: number | null
        history_result?: {
          status: string
          outcome?: string
          reason?: string
        } | null
        playback_cleanup_result?: {
          status: string
          outcome?: string
          reason?: string
        } | null
        /** The values that the decision used. */
        decision_context?: {
          before_percent?: number | null
          position_ms?: number | null
          duration_ms?: number | null
          watched_at?: string | null
        }
      })[]
      successful: number
      failed: number
      skipped: number
      unsupported: number
    }
  }
  /** Where people stopped watching, on all accounts */
  'GET /api/playback_progress/items': {
    query?: { provider?: string; instance_id?: string; media_type?: "all" | "movie" | "episode" | "anime_episode"; progress_min?: number; progress_max?: number; age?: "today" | "7d" | "30d" | "older_30d"; rating_min?: number; search?: string; sort?: string; page?: number; page_size?: number; force_refresh?: boolean }
    answer: {
      items: ({
        provider: string
        provider_label: string
        instance_id: string
        instance_label: string
        /** Id of the position in the account. Merged: provider:profile:id, with |. */
        remote_id: string
        /** tmdb:123, tmdb:456#s02e03 or episode:tvdb:789. */
        canonical_key: string
        media_type: "movie" | "episode" | "anime_episode"
        title: string | null
        series_title: string | null
        episode_title: string | null
        season: number | null
        episode: number | null
        year: number | null
        ids: Record<string, string>
        progress_percent: number | null
        duration_seconds: number | null
        remaining_seconds: number | null
        progress_at: string | null
        updated_at: string | null
        source_app: string | null
        source_device: string | null
        rating: number | null
        poster_url: string | null
        backdrop_url: string | null
        can_remove_progress: boolean
        can_mark_watched: boolean
        can_update_progress: boolean
        editable_progress_min_percent: number
        editable_progress_max_exclusive: number
        capability_messages: (string)[]
        provider_metadata: {
          show_ids: Record<string, string>
          progress_item: Item
        }
        /** The row comes from an earlier read, because the last one failed. */
        stale: boolean
        read_at: string | null
        live_state?: "playing" | "paused" | "buffering"
        live_source?: string
        live_provider?: string
        live_instance_id?: string
        /** Epoch seconds. */
        live_updated?: number
        /** Epoch seconds. */
        live_started?: number
        live_progress_percent?: number | null
        live_remaining_seconds?: number | null
        /** The positions of the accounts. */
        records?: ({
          provider: string
          provider_label: string
          instance_id: string
          instance_label: string
          /** Id of the position in the account. Merged: provider:profile:id, with |. */
          remote_id: string
          /** tmdb:123, tmdb:456#s02e03 or episode:tvdb:789. */
          canonical_key: string
          media_type: "movie" | "episode" | "anime_episode"
          title: string | null
          series_title: string | null
          episode_title: string | null
          season: number | null
          episode: number | null
          year: number | null
          ids: Record<string, string>
          progress_percent: number | null
          duration_seconds: number | null
          remaining_seconds: number | null
          progress_at: string | null
          updated_at: string | null
          source_app: string | null
          source_device: string | null
          rating: number | null
          poster_url: string | null
          backdrop_url: string | null
          can_remove_progress: boolean
          can_mark_watched: boolean
          can_update_progress: boolean
          editable_progress_min_percent: number
          editable_progress_max_exclusive: number
          capability_messages: (string)[]
          provider_metadata: {
            show_ids: Record<string, string>
            progress_item: Item
          }
          /** The row comes from an earlier read, because the last one failed. */
          stale: boolean
          read_at: string | null
          live_state?: "playing" | "paused" | "buffering"
          live_source?: string
          live_provider?: string
          live_instance_id?: string
          /** Epoch seconds. */
          live_updated?: number
          /** Epoch seconds. */
          live_started?: number
          live_progress_percent?: number | null
          live_remaining_seconds?: number | null
        })[]
        providers?: ({
          provider: string
          provider_label: string
          instance_id: string
          instance_label: string
        })[]
        provider_count?: number
        is_combined?: boolean
      })[]
      page: number
      page_size: number
      total: number
      providers: ({
        provider: string
        provider_label: string
        instance_id: string
        instance_label: string
        /** False: excluded in the settings. */
        included: boolean
        configured: boolean
        read: boolean
        remove_progress: boolean
        mark_watched: boolean
        update_progress: boolean
        bulk_remove_progress: boolean
        bulk_mark_watched: boolean
        bulk_update_progress: boolean
        supports_movies: boolean
        supports_episodes: boolean
        supports_anime: boolean
        /** Code of why something is unavailable, or an empty text. */
        reason: string
        last_refresh: string | null
        last_error: string | null
        capabilities: {
          read: boolean
          remove_progress: boolean
          mark_watched: boolean
          update_progress: boolean
          bulk_remove_progress: boolean
          bulk_mark_watched: boolean
          bulk_update_progress: boolean
          supports_movies: boolean
          supports_episodes: boolean
          supports_anime: boolean
        }
      })[]
      errors: ({
        ok: false
        provider: string
        provider_label: string
        instance_id: string
        instance_label: string
        operation: "list_progress"
        /** auth_failed, provider_timeout, http:503, … */
        error_code: string
        message: string
        retryable: boolean
        remote_status: number | null
      })[]
      /** Some accounts could not be read, others could. */
      partial: boolean
      /** Now. ISO 8601, UTC. */
      refreshed_at: string
    }
  }
  /** Accounts with positions, and what can be done with them */
  'GET /api/playback_progress/providers': {
    answer: {
      providers: ({
        provider: string
        provider_label: string
        instance_id: string
        instance_label: string
        /** False: excluded in the settings. */
        included: boolean
        configured: boolean
        read: boolean
        remove_progress: boolean
        mark_watched: boolean
        update_progress: boolean
        bulk_remove_progress: boolean
        bulk_mark_watched: boolean
        bulk_update_progress: boolean
        supports_movies: boolean
        supports_episodes: boolean
        supports_anime: boolean
        /** Code of why something is unavailable, or an empty text. */
        reason: string
        last_refresh: string | null
        last_error: string | null
        capabilities: {
          read: boolean
          remove_progress: boolean
          mark_watched: boolean
          update_progress: boolean
          bulk_remove_progress: boolean
          bulk_mark_watched: boolean
          bulk_update_progress: boolean
          supports_movies: boolean
          supports_episodes: boolean
          supports_anime: boolean
        }
      })[]
      /** Now. ISO 8601, UTC. */
      refreshed_at: string
    }
  }
  /** Which accounts are shown */
  'GET /api/playback_progress/settings': {
    answer: {
      provider_timeout_seconds: number
      disabled_profiles: (string)[]
      profiles: ({
        key: string
        provider: string
        provider_label: string
        instance_id: string
        instance_label: string
        configured: boolean
        read: boolean
        included: boolean
        reason: string
      })[]
      /** Now. ISO 8601, UTC. */
      refreshed_at: string
    }
  }
  /** Choose which accounts are shown */
  'POST /api/playback_progress/settings': {
    body: {
      /** Clamped to 3 to 60. */
      provider_timeout_seconds?: number
      /** Profiles that are not named stay as they are. */
      profiles?: ({
        key?: string
        provider?: string
        instance_id?: string
        included: boolean
      } & Record<string, unknown>)[]
      /** All excluded profiles; without effect beside profiles. */
      disabled_profiles?: (string)[]
    } & Record<string, unknown>
    answer: {
      ok: boolean
      settings: {
        provider_timeout_seconds: number
        disabled_profiles: (string)[]
        profiles: ({
          key: string
          provider: string
          provider_label: string
          instance_id: string
          instance_label: string
          configured: boolean
          read: boolean
          included: boolean
          reason: string
        })[]
        /** Now. ISO 8601, UTC. */
        refreshed_at: string
      }
    }
  }
  /** The last runs and refreshes, newest first */
  'GET /api/playlists/activity': {
    query?: { limit?: number; mapping_id?: string }
    answer: {
      ok: boolean
      activity: ({
        ts: number
        type: string
        status: string
        label: string
        details: string
        added: number
        removed: number
        endpoint_id?: string
        mapping_id?: string
        moved?: number
        /** Items of a run that could not be matched. */
        unresolved?: number
        run_id?: string
      } & Record<string, unknown>)[]
    }
  }
  /** The lists that people named */
  'GET /api/playlists/endpoints': {
    answer: {
      ok: boolean
      endpoints: (PlaylistEndpoint)[]
    }
  }
  /** Creates or changes an endpoint; creates its list if asked */
  'POST /api/playlists/endpoints': {
    body: PlaylistEndpointRequest
    answer: {
      ok: boolean
      endpoint: PlaylistEndpoint
      created: boolean
      state_reset?: boolean
    }
  }
  /** Removes an endpoint; its list stays */
  'DELETE /api/playlists/endpoints/{endpoint_id}': {
    params: { endpoint_id: string }
    answer: {
      ok: boolean
    }
  }
  /** Reads the list of an endpoint; changes no items */
  'POST /api/playlists/endpoints/{endpoint_id}/sync': {
    params: { endpoint_id: string }
    answer: {
      ok: boolean
      endpoint: PlaylistEndpoint
    }
  }
  /** All mappings */
  'GET /api/playlists/mappings': {
    answer: {
      ok: boolean
      mappings: (PlaylistMapping)[]
    }
  }
  /** Creates or changes a mapping, with its pair */
  'POST /api/playlists/mappings': {
    body: PlaylistMappingRequest
    answer: {
      ok: boolean
      mapping: PlaylistMapping
      created: boolean
      pair_id: string
    }
  }
  /** Removes a mapping and what it manages; items stay in their lists */
  'DELETE /api/playlists/mappings/{mapping_id}': {
    params: { mapping_id: string }
    answer: {
      ok: boolean
    }
  }
  /** What a run would do now; writes nothing */
  'POST /api/playlists/mappings/{mapping_id}/preview': {
    params: { mapping_id: string }
    body?: {
      /** Removals beyond the guard are approved. */
      confirm_mass_delete?: boolean
      /** Removals that lose other data, such as a rating, are confirmed. */
      confirm_destructive?: boolean
    } & Record<string, unknown>
    answer: {
      ok: boolean
      preview: {
        mapping_id: string
        ruleset_id: string
        membership?: string
        order?: string
        source_count?: number
        target_count?: number
        planned_additions?: number
        planned_removals?: number
        /** Removals that wait for a confirmation. */
        blocked_removals?: number
        /** The items that `blocked_removals` counts; at most 200. */
        blocked_items?: (PlaylistEntry)[]
        reorder_count?: number
        manual_affected?: boolean
        managed_count?: number
        /** At most 200. */
        unresolved?: (UnresolvedEntry)[]
        unresolved_count?: number
        resolved_count?: number
        duplicates?: ({
          key: string
          endpoints: (string)[]
        })[]
        warnings?: (string)[]
        initial?: boolean
        blocked?: boolean
        error?: string
        losses?: (string)[]
        overflow_count?: number
        total_capacity?: number | null
        available_capacity?: number | null
        per_target?: ({
          endpoint_id: string
        } & Record<string, unknown>)[]
        additions?: (string)[]
        removals?: (string)[]
        /** At most 200; of a mapping without rules. */
        addition_items?: (PlaylistEntry)[]
        /** At most 200; of a mapping without rules. */
        removal_items?: (PlaylistEntry)[]
      } & Record<string, unknown>
    }
  }
  /** The result of the last run */
  'GET /api/playlists/mappings/{mapping_id}/result': {
    params: { mapping_id: string }
    answer: {
      ok: boolean
      result: PlaylistResult | null
    }
  }
  /** Runs a mapping */
  'POST /api/playlists/mappings/{mapping_id}/run': {
    params: { mapping_id: string }
    query?: { dry_run?: boolean }
    body?: {
      /** Removals beyond the guard are approved. */
      confirm_mass_delete?: boolean
      /** Removals that lose other data, such as a rating, are confirmed. */
      confirm_destructive?: boolean
    } & Record<string, unknown>
    answer: {
      ok: boolean
      result: PlaylistResult
    }
  }
  /** Endpoints, mappings, last results and activity */
  'GET /api/playlists/overview': {
    answer: {
      ok: boolean
      endpoints: (PlaylistEndpoint)[]
      mappings: (PlaylistMapping)[]
      results: Record<string, PlaylistResult>
      activity: ({
        ts: number
        type: string
        status: string
        label: string
        details: string
        added: number
        removed: number
        endpoint_id?: string
        mapping_id?: string
        moved?: number
        /** Items of a run that could not be matched. */
        unresolved?: number
        run_id?: string
      } & Record<string, unknown>)[]
      summary: {
        total_mappings: number
        enabled_mappings: number
        endpoints: number
        last_sync_epoch: number | null
        unresolved: number
        warnings: (string)[]
      }
    }
  }
  /** The mappings that run with a pair, or could */
  'GET /api/playlists/pairs/{pair_id}/mappings': {
    params: { pair_id: string }
    answer: {
      ok: boolean
      pair_id: string
      mappings: (PlaylistMapping)[]
    }
  }
  /** The accounts that have lists, and what can be done with them */
  'GET /api/playlists/providers': {
    answer: {
      ok: boolean
      providers: ({
        provider: string
        instance: string
        label: string
        configured: boolean
        capabilities: {
          read: boolean
          create: boolean
          add: boolean
          remove: boolean
          reorder: boolean
          smart: boolean
          smart_writable: boolean
          media_types: (string)[]
          endpoint_types: (string)[]
          ordered_endpoint_types: (string)[]
          unordered_endpoint_types: (string)[]
          fixed_endpoints: boolean
          bidirectional: boolean
          unordered: boolean
          destructive_remove: boolean
          remove_warning?: string
          requires_ids?: (string)[]
        }
      } & Record<string, unknown>)[]
    }
  }
  /** The lists of an account, from its provider */
  'GET /api/playlists/resources': {
    query: { provider: string; instance?: string }
    answer: {
      ok: boolean
      provider: string
      instance: string
      resources: ({
        provider: string
        instance: string
        id: string
        name: string
        kind: string
        smart: boolean
        can_read: boolean
        can_add: boolean
        can_remove: boolean
        can_reorder: boolean
        writable: boolean
        media_types: (string)[]
        extra: {
          endpoint_type: string
          raw_id: string
          dynamic: boolean
          fixed: boolean
          ordered: boolean
          can_create: boolean
          can_rename: boolean
          can_delete: boolean
          destructive_remove: boolean
          warnings: (string)[]
          remove_warning?: string
          item_count?: number
          private?: boolean
          owner?: string
          /** The library of a collection. */
          section_id?: string
          updated_at?: string
          read_only?: string
        }
      } & Record<string, unknown>)[]
    }
  }
  /** All rulesets, those of the product first */
  'GET /api/playlists/rulesets': {
    answer: {
      ok: boolean
      rulesets: (Ruleset)[]
    }
  }
  /** Creates or changes a ruleset */
  'POST /api/playlists/rulesets': {
    body: {
      ruleset?: Record<string, unknown>
    } & Record<string, unknown>
    answer: {
      ok: boolean
      ruleset: Ruleset
      created: boolean
    }
  }
  /** All errors of a ruleset, and what it becomes */
  'POST /api/playlists/rulesets/validate': {
    body: {
      ruleset?: Record<string, unknown>
    } & Record<string, unknown>
    answer: {
      ok: boolean
      errors: ({
        field: string
        code: string
        message: string
      })[]
      warnings: (string)[]
      ruleset: Ruleset
    }
  }
  /** Removes a ruleset */
  'DELETE /api/playlists/rulesets/{ruleset_id}': {
    params: { ruleset_id: string }
    answer: {
      ok: boolean
    }
  }
  /** A ruleset */
  'GET /api/playlists/rulesets/{ruleset_id}': {
    params: { ruleset_id: string }
    answer: {
      ok: boolean
      ruleset: Ruleset
      error: null
    }
  }
  /** Copies a ruleset */
  'POST /api/playlists/rulesets/{ruleset_id}/clone': {
    params: { ruleset_id: string }
    body?: {
      name?: string
    } & Record<string, unknown>
    answer: {
      ok: boolean
      ruleset: Ruleset
      created: boolean
    }
  }
  /** Versions that authors sent to work on them */
  'GET /api/plugin-development': {
    answer: {
      ok: boolean
      versions: ({
        id: string
        version: string
        /** Epoch milliseconds. */
        sent_at: number
        ends_at: number | null
        /** For a plugin that returns at the end. */
        stands_in: boolean
        /** Plugins that are switched on again at the end. */
        switched_off: (string)[]
        plugin: PluginSummary | null
      })[]
    }
  }
  /** Runs a version of a plugin that its author works on */
  'POST /api/plugin-development': {
    query?: { replace?: boolean; accept?: string; lease_s?: number }
    body: unknown
    answer: {
      /** It is live. */
      ok: boolean
      id: string
      version: string
      sha512: string
      /** live: it runs. waiting: it is registered, and waits for settings or another plugin. review: it asks for something that was not accepted. failed: it did not start, and nothing was changed. */
      state: "live" | "waiting" | "review" | "failed"
      /** What it asks for, in words. */
      asks: (string)[]
      /** What of it was not accepted yet, in words. */
      new_asks: (string)[]
      switched_off: (string)[]
      error: {
        message: string
        file: string | null
        line: number | null
      } | null
      plugin: PluginSummary | null
    }
  }
  /** Ends the work on a plugin; what was there before returns */
  'DELETE /api/plugin-development/{id}': {
    params: { id: string }
    answer: {
      ok: boolean
      plugin: PluginSummary | null
    }
  }
  /** Says that the author of a version is there */
  'POST /api/plugin-development/{id}/keep': {
    params: { id: string }
    body?: Record<string, unknown>
    answer: {
      ok: boolean
      development: {
        id: string
        version: string
        /** Epoch milliseconds. */
        sent_at: number
        ends_at: number | null
        /** For a plugin that returns at the end. */
        stands_in: boolean
        /** Plugins that are switched on again at the end. */
        switched_off: (string)[]
        plugin: PluginSummary | null
      }
    }
  }
  /** Adds the plugin in a folder of this machine, switched off */
  'POST /api/plugin-folders': {
    body: {
      /** The whole path, or the name of a folder in the data directory's `plugins`. */
      folder: string
    }
    answer: {
      ok: boolean
      id: string
      name: string
      version: string
      directory: string
      asks: ({
        ask: string
        text: string
      })[]
      notes: (string)[]
    }
  }
  /** Removes a plugin of a folder; the folder stays */
  'DELETE /api/plugin-folders/{id}': {
    params: { id: string }
    query?: { data?: "keep" | "delete" }
    answer: {
      ok: boolean
    }
  }
  /** Plugins from npm, with what waits for a review */
  'GET /api/plugin-packages': {
    answer: {
      ok: boolean
      packages: (PluginPackage)[]
    }
  }
  /** Fetches a plugin from npm for a review */
  'POST /api/plugin-packages': {
    body: {
      /** The name of a package, also with a version, a range or a tag: name@range. */
      package: string
    }
    answer: {
      ok: boolean
      /** newest: nothing to do. review: it waits for a review. updated: it asks for nothing new and is live. */
      state: "newest" | "review" | "updated"
      package: PluginPackage
    }
  }
  /** Takes the file of a plugin for a review */
  'POST /api/plugin-packages/file': {
    body?: unknown
    answer: {
      ok: boolean
      /** newest: nothing to do. review: it waits for a review. updated: it asks for nothing new and is live. */
      state: "newest" | "review" | "updated"
      package: PluginPackage
    }
  }
  /** Removes a plugin from npm, from the directory or from a file */
  'DELETE /api/plugin-packages/{id}': {
    params: { id: string }
    query?: { data?: "keep" | "delete" }
    answer: {
      ok: boolean
    }
  }
  /** One plugin from npm */
  'GET /api/plugin-packages/{id}': {
    params: { id: string }
    answer: {
      /** False if the version did not start; if there was one before, that is live again. */
      ok: boolean
      package: PluginPackage
    }
  }
  /** Accepts what a staged version asks for, and makes it live */
  'POST /api/plugin-packages/{id}/accept': {
    params: { id: string }
    body: {
      /** The version of the review. */
      version: string
    }
    answer: {
      /** False if the version did not start; if there was one before, that is live again. */
      ok: boolean
      package: PluginPackage
    }
  }
  /** Drops a staged version */
  'POST /api/plugin-packages/{id}/discard': {
    params: { id: string }
    body?: Record<string, unknown>
    answer: {
      ok: boolean
    }
  }
  /** Makes the previous version live again */
  'POST /api/plugin-packages/{id}/rollback': {
    params: { id: string }
    body?: Record<string, unknown>
    answer: {
      /** False if the version did not start; if there was one before, that is live again. */
      ok: boolean
      package: PluginPackage
    }
  }
  /** Fetches a newer version */
  'POST /api/plugin-packages/{id}/update': {
    params: { id: string }
    body?: {
      /** A version, a range or a tag. */
      range?: string
    }
    answer: {
      ok: boolean
      /** newest: nothing to do. review: it waits for a review. updated: it asks for nothing new and is live. */
      state: "newest" | "review" | "updated"
      package: PluginPackage
    }
  }
  /** What the service says, in another language */
  'GET /api/plugin-texts/{language}': {
    params: { language: string }
    answer: {
      ok: boolean
      texts: Record<string, string>
      reasons: Record<string, string>
    }
  }
  /** All plugins with their state */
  'GET /api/plugins': {
    answer: {
      ok: boolean
      safe_mode: boolean
      plugins: (PluginSummary)[]
      problems: ({
        code: string
        message: string
      })[]
    }
  }
  /** Reads the registries again, and adds plugin folders of the data directory */
  'POST /api/plugins/rescan': {
    body?: Record<string, unknown>
    answer: {
      ok: boolean
      added: (string)[]
      plugins: (PluginSummary)[]
      problems: ({
        code: string
        message: string
      })[]
    }
  }
  /** State changes of plugins, as server-sent events */
  'GET /api/plugins/stream': {
    query?: { tail?: number; since?: number }
    answer: unknown
  }
  /** One plugin in full */
  'GET /api/plugins/{id}': {
    params: { id: string }
    answer: {
      ok: boolean
      plugin: Plugin
    }
  }
  /** Switches the plugin off */
  'POST /api/plugins/{id}/disable': {
    params: { id: string }
    body?: Record<string, unknown>
    answer: {
      ok: boolean
      plugin: Plugin
    }
  }
  /** Switches the plugin on */
  'POST /api/plugins/{id}/enable': {
    params: { id: string }
    body?: Record<string, unknown>
    answer: {
      ok: boolean
      plugin: Plugin
    }
  }
  /** Loads the plugin again */
  'POST /api/plugins/{id}/reload': {
    params: { id: string }
    body?: Record<string, unknown>
    answer: {
      ok: boolean
      plugin: Plugin
    }
  }
  /** A file of a plugin's own pages */
  'GET /api/plugins/{id}/ui/{hash}/{file}': {
    params: { id: string; hash: string; file: string }
    answer: unknown
  }
  /** Problems by cause, each with its action */
  'GET /api/problems': {
    query?: { cause?: string; action?: "match" | "approve" | "try_again" | "sign_in" | "open" | "open_at"; account?: string; pair?: string; run?: string; feature?: "watchlist" | "history" | "ratings" | "progress" | "playlists"; ignored?: boolean; offset?: number; limit?: number }
    answer: {
      ok: boolean
      /** The part of these problems that needs the person: without filters the count of `GET /api/overview`. */
      need_you: number
      /** Number of rows on all pages. */
      total: number
      offset: number
      limit: number
      /** Ignored problems with the same filters. */
      ignored: number
      /** False: a check took too long, and its problems may be missing. */
      is_complete: boolean
      /** In the order of the rows. */
      causes: (ProblemCause)[]
      items: (ListedProblem)[]
    }
  }
  /** Ignores problems: some, or all of a cause */
  'POST /api/problems/ignore': {
    body: ProblemSelection
    answer: {
      ok: boolean
      count: number
      /** For `POST /api/problems/restore`. */
      undo: (string)[]
    }
  }
  /** Shows ignored problems again */
  'POST /api/problems/restore': {
    body: {
      ids?: (string)[]
      /** Instead of ids: as `POST /api/problems/ignore` returned it. */
      undo?: (string)[]
    }
    answer: {
      ok: boolean
      count: number
    }
  }
  /** Tries again what was not synced: some, or all of a cause */
  'POST /api/problems/retry': {
    body: ProblemSelection
    answer: {
      ok: boolean
      count: number
      run_id: string | null
    }
  }
  /** The profiles of all providers */
  'GET /api/provider-instances': {
    query?: { configured_only?: boolean }
    answer: Record<string, ({
        id: string
        /** Never used again for another profile. */
        uid: string
        label: string
        /** Name given by the person, or empty. */
        friendly_label: string
        display_label: string
        /** Address and credentials are there. */
        configured: boolean
      })[]>
  }
  /** The profiles of a provider */
  'GET /api/provider-instances/{provider}': {
    params: { provider: string }
    answer: ({
      id: string
      /** Never used again for another profile. */
      uid: string
      label: string
      /** Name given by the person, or empty. */
      friendly_label: string
      display_label: string
      /** Address and credentials are there. */
      configured: boolean
    })[]
  }
  /** A further profile */
  'POST /api/provider-instances/{provider}/next': {
    params: { provider: string }
    body?: {
      /** The profile to copy. */
      copy_from?: string | null
      /** Initial settings. */
      template?: Record<string, unknown> | null
      label?: string | null
      include_credentials?: boolean
    } & Record<string, unknown>
    answer: {
      ok: boolean
      id: string
      uid: string
      profile: {
        id: string
        /** Never used again for another profile. */
        uid: string
        label: string
        /** Name given by the person, or empty. */
        friendly_label: string
        display_label: string
        /** Address and credentials are there. */
        configured: boolean
      }
    }
  }
  /** Delete a profile */
  'DELETE /api/provider-instances/{provider}/{instance_id}': {
    params: { provider: string; instance_id: string }
    answer: {
      ok: boolean
    }
  }
  /** Make or replace a profile */
  'POST /api/provider-instances/{provider}/{instance_id}': {
    params: { provider: string; instance_id: string }
    body: Record<string, unknown>
    answer: {
      ok: boolean
      id: string
      uid: string
      profile: {
        id: string
        /** Never used again for another profile. */
        uid: string
        label: string
        /** Name given by the person, or empty. */
        friendly_label: string
        display_label: string
        /** Address and credentials are there. */
        configured: boolean
      }
    }
  }
  /** Recipes with the accounts that fit them, and the plans that were applied */
  'GET /api/recipes': {
    answer: {
      ok: boolean
      recipes: ({
        id: string
        name: string
        /** With the ids of slots in braces. */
        title: string
        text: string
        slots: ({
          id: string
          label: string
          accounts: (RecipeCandidate)[]
        })[]
        suggestions: ({
          accounts: Record<string, RecipeCandidate>
          /** All of its accounts are signed in. */
          ready: boolean
        })[]
      })[]
      /** Plans that were applied, newest first. */
      applied: ({
        plan_id: string
        recipe: string
        title: string
        accounts: Record<string, RecipeAccount>
        status: "applying" | "applied" | "undoing" | "undone"
        /** Epoch seconds. */
        at: number
        /** A first copy has not run to its end yet. */
        copying: boolean
      })[]
    }
  }
  /** Applies a plan as a whole; a second time has no further effect */
  'POST /api/recipes/apply': {
    body: RecipeApplyRequest
    answer: {
      ok: boolean
      plan_id: string
      recipe: string
      accounts: Record<string, RecipeAccount>
      /** What is made or changed. Empty: all of it is set up already. */
      changes: (RecipeChange)[]
      /** What is set up already. */
      kept: (RecipeEntry)[]
      /** What is not possible, and why. */
      refused: (RecipeRefusal)[]
      /** What the terms of services say against joining these accounts. */
      terms: ({
        provider: string
        label: string
        text: string
      })[]
      /** Names of the persons whose accounts are joined with those of another one. Applying asks for `across_persons`. */
      persons: (string)[]
      first_pair: string | null
      status: "applying" | "applied" | "undoing" | "undone"
      /** After an undo: what a person changed since, and what therefore stays. */
      left: (RecipeEntry)[]
    }
  }
  /** Plans a recipe with some accounts; changes nothing */
  'POST /api/recipes/plan': {
    body: RecipePlanRequest
    answer: {
      ok: boolean
      plan_id: string
      recipe: string
      accounts: Record<string, RecipeAccount>
      /** What is made or changed. Empty: all of it is set up already. */
      changes: (RecipeChange)[]
      /** What is set up already. */
      kept: (RecipeEntry)[]
      /** What is not possible, and why. */
      refused: (RecipeRefusal)[]
      /** What the terms of services say against joining these accounts. */
      terms: ({
        provider: string
        label: string
        text: string
      })[]
      /** Names of the persons whose accounts are joined with those of another one. Applying asks for `across_persons`. */
      persons: (string)[]
      first_pair: string | null
    }
  }
  /** Undoes an applied plan; what a person changed since stays */
  'POST /api/recipes/undo': {
    body: RecipePlanName
    answer: {
      ok: boolean
      plan_id: string
      recipe: string
      accounts: Record<string, RecipeAccount>
      /** What is made or changed. Empty: all of it is set up already. */
      changes: (RecipeChange)[]
      /** What is set up already. */
      kept: (RecipeEntry)[]
      /** What is not possible, and why. */
      refused: (RecipeRefusal)[]
      /** What the terms of services say against joining these accounts. */
      terms: ({
        provider: string
        label: string
        text: string
      })[]
      /** Names of the persons whose accounts are joined with those of another one. Applying asks for `across_persons`. */
      persons: (string)[]
      first_pair: string | null
      status: "applying" | "applied" | "undoing" | "undone"
      /** After an undo: what a person changed since, and what therefore stays. */
      left: (RecipeEntry)[]
    }
  }
  /** Starts a run of all enabled pairs, of some, of a plan, or of some titles */
  'POST /api/run': {
    body?: RunRequest
    answer: {
      ok: boolean
      status: "accepted" | "skipped"
      run_id?: string
      skipped?: string
    }
  }
  /** Whether a run is being cancelled */
  'GET /api/run/cancel': {
    answer: {
      ok: boolean
      running: boolean
      cancel_requested: boolean
      run_id: string | null
      requested_at: number | null
    }
  }
  /** Stops the run after the current request */
  'POST /api/run/cancel': {
    body?: Record<string, unknown>
    answer: {
      ok: boolean
      running: boolean
      run_id: string
      requested_at: number
    }
  }
  /** A plan of a run or of changes to one account: counts, items, causes, what is held and why */
  'GET /api/run/plan/{plan_id}': {
    params: { plan_id: string }
    query?: { side?: "a" | "b"; op?: "add" | "update" | "remove"; state?: string; cause?: string; q?: string; facets?: boolean; offset?: number; limit?: number }
    answer: {
      ok: boolean
      plan_id: string
      /** For changes to one account: the read that the plan is based on. */
      basis?: {
        account: string
        /** Epoch milliseconds. */
        read_at_ms: number
      }
      run_id: string
      pair_id: string
      feature: "watchlist" | "history" | "ratings" | "progress" | "playlists"
      mode: "one_way" | "two_way"
      plays: boolean
      dry_run: boolean
      /** ISO 8601. */
      created_at: string
      state: "planned" | "waiting" | "applying" | "done"
      sides: {
        a: {
          provider: string
          instance: string
          /** Stable id of the account, without its name. */
          uid?: string
          /** Which account of the service was read, in plans of pairs. */
          account?: string
          add: number
          update: number
          remove: number
          held: number
          held_reason: string | null
          deferred: number
          filtered: number
        } & Record<string, unknown>
        b: {
          provider: string
          instance: string
          /** Stable id of the account, without its name. */
          uid?: string
          /** Which account of the service was read, in plans of pairs. */
          account?: string
          add: number
          update: number
          remove: number
          held: number
          held_reason: string | null
          deferred: number
          filtered: number
        } & Record<string, unknown>
      }
      read: {
        a: number
        b: number
      }
      cause: string | null
      cause_label: string | null
      /** Only its creator applies it, such as a restore; it cannot be run. */
      maker_only?: boolean
      /** The list that the changes are about. */
      list?: {
        list: {
          id: string
          kind: string
          title: string
        } & Record<string, unknown>
      } & Record<string, unknown>
      total: number
      items: (PlanItem)[]
      /** Counts over the whole plan. */
      facets: {
        causes: ({
          side: "a" | "b"
          op: "add" | "update" | "remove"
          state: string
          cause: string
          cause_label: string
          count: number
        })[]
      }
    }
  }
  /** The active run, or the last one */
  'GET /api/run/summary': {
    answer: {
      run_id?: string
      running?: boolean
      result?: "" | "ok" | "partial" | "failed" | "cancelled" | "skipped"
      exit_code?: number | null
      outcome?: "synced" | "partly" | "skipped" | "failed" | "cancelled"
      /** Items that are not synced, as in `GET /api/runs`. */
      open?: number
      dry_run?: boolean
      source?: string
      cmd?: string
      /** Version of the service. */
      version?: string
      plan_id?: string | null
      /** Epoch seconds. */
      raw_started_ts?: number
      started_at?: string
      finished_at?: string | null
      duration_sec?: number | null
      reason?: string
      /** Why the run has not started yet; it starts automatically. */
      on_hold?: {
        reason: string
        detail: string
        /** Epoch seconds. */
        since: number
      }
      cancel_requested?: boolean
      cancelled?: boolean
      /** For an undo: how many items another undo may revert. */
      left_to_undo?: number
      /** For an undo: items that stay applied, by reason. */
      not_undone?: Record<string, number>
      timeline?: Record<string, boolean>
      unresolved_items?: ({
        key: string
        display_title: string
        source: string
        type: string
        title?: string | null
        year?: number | null
        season?: number | null
        episode?: number | null
        /** By scheme. */
        ids?: Record<string, string>
        series_title?: string | null
        show_title?: string | null
        /** By scheme. */
        show_ids?: Record<string, string>
        provider: string
        provider_instance: string
        feature: "watchlist" | "history" | "ratings" | "progress" | "playlists"
        op: string
        reason: string
      })[]
      pair_scope_ids?: (string)[]
      features: Record<string, {
          added: number
          removed: number
          updated: number
          spotlight_add: (SpotlightItem)[]
          spotlight_remove: (SpotlightItem)[]
          spotlight_update: (SpotlightItem)[]
        }>
      enabled: Record<string, boolean>
      provider_counts: Record<string, number>
      provider_counts_pre?: Record<string, number>
      provider_counts_post?: Record<string, number>
      added_last?: number
      removed_last?: number
      updated_last?: number
      skipped?: number
      unresolved?: number
      not_in_library?: number
      errors?: number
      blocked?: number
      held?: number
      deferred?: number
      _phase?: {
        snapshot: {
          done: number
          total: number
          final: boolean
        }
        apply: {
          done: number
          total: number
          final: boolean
        }
      }
      pairs?: ({
        pair_id: string
        mode: "one_way" | "two_way"
        status: "ok" | "nothing_to_do" | "partial" | "skipped" | "failed" | "cancelled"
        features: (FeatureReport)[]
      })[]
    } & Record<string, unknown>
  }
  /** The same as a file */
  'GET /api/run/summary/file': {
    answer: {
      run_id?: string
      running?: boolean
      result?: "" | "ok" | "partial" | "failed" | "cancelled" | "skipped"
      exit_code?: number | null
      outcome?: "synced" | "partly" | "skipped" | "failed" | "cancelled"
      /** Items that are not synced, as in `GET /api/runs`. */
      open?: number
      dry_run?: boolean
      source?: string
      cmd?: string
      /** Version of the service. */
      version?: string
      plan_id?: string | null
      /** Epoch seconds. */
      raw_started_ts?: number
      started_at?: string
      finished_at?: string | null
      duration_sec?: number | null
      reason?: string
      /** Why the run has not started yet; it starts automatically. */
      on_hold?: {
        reason: string
        detail: string
        /** Epoch seconds. */
        since: number
      }
      cancel_requested?: boolean
      cancelled?: boolean
      /** For an undo: how many items another undo may revert. */
      left_to_undo?: number
      /** For an undo: items that stay applied, by reason. */
      not_undone?: Record<string, number>
      timeline?: Record<string, boolean>
      unresolved_items?: ({
        key: string
        display_title: string
        source: string
        type: string
        title?: string | null
        year?: number | null
        season?: number | null
        episode?: number | null
        /** By scheme. */
        ids?: Record<string, string>
        series_title?: string | null
        show_title?: string | null
        /** By scheme. */
        show_ids?: Record<string, string>
        provider: string
        provider_instance: string
        feature: "watchlist" | "history" | "ratings" | "progress" | "playlists"
        op: string
        reason: string
      })[]
      pair_scope_ids?: (string)[]
      features: Record<string, {
          added: number
          removed: number
          updated: number
          spotlight_add: (SpotlightItem)[]
          spotlight_remove: (SpotlightItem)[]
          spotlight_update: (SpotlightItem)[]
        }>
      enabled: Record<string, boolean>
      provider_counts: Record<string, number>
      provider_counts_pre?: Record<string, number>
      provider_counts_post?: Record<string, number>
      added_last?: number
      removed_last?: number
      updated_last?: number
      skipped?: number
      unresolved?: number
      not_in_library?: number
      errors?: number
      blocked?: number
      held?: number
      deferred?: number
      _phase?: {
        snapshot: {
          done: number
          total: number
          final: boolean
        }
        apply: {
          done: number
          total: number
          final: boolean
        }
      }
      pairs?: ({
        pair_id: string
        mode: "one_way" | "two_way"
        status: "ok" | "nothing_to_do" | "partial" | "skipped" | "failed" | "cancelled"
        features: (FeatureReport)[]
      })[]
    } & Record<string, unknown>
  }
  /** The run, live */
  'GET /api/run/summary/stream': {
    answer: unknown
  }
  /** Items that a run left unresolved, with the reason */
  'GET /api/run/unresolved': {
    query?: { scope?: "latest" | "all"; run_id?: string; pair_id?: string; not_in_library?: boolean; accepted?: boolean; offset?: number; limit?: number }
    answer: {
      /** Number of rows on all pages. */
      total: number
      items: ({
        line: string
        title: string
        code: string
        type: string
        reason: string
        reason_code: string
        feature: "watchlist" | "history" | "ratings" | "progress" | "playlists"
        key: string
        provider: string
        provider_instance: string
        pair_id: string
        op: string
        first_at: number
        last_at: number
        attempts: number
        quarantined: boolean
        run_id: string
        origin: Origin | null
        origin_label: string | null
        origin_carrier: {
          provider: string
          instance: string
        } | null
      })[]
    }
  }
  /** Resets unresolved and quarantined items, so that they are tried again */
  'POST /api/run/unresolved/clear': {
    body: {
      pair_id?: string
      feature?: "watchlist" | "history" | "ratings" | "progress" | "playlists"
      op?: "add" | "update" | "remove" | "match" | "read"
      key?: string
    }
    answer: {
      ok: boolean
      cleared: number
    }
  }
  /** Reverses the changes of a run, as far as the providers support it */
  'POST /api/run/{run_id}/undo': {
    params: { run_id: string }
    body?: {
      /** Only list the operations that would be reversed. */
      dry_run?: boolean
    } & Record<string, unknown>
    answer: {
      ok: boolean
      dry_run: boolean
      run_id?: string
      reversible?: number
      by_op?: {
        add: number
        update: number
        remove: number
      }
      /** The first of them. */
      titles?: (string)[]
      /** At most 1,000. */
      irreversible?: ({
        reason: string
      } & Record<string, unknown>)[]
      /** How many in all. */
      irreversible_by_reason?: ({
        reason: string
        reason_label: string
        count: number
      })[]
      status?: string
    } & Record<string, unknown>
  }
  /** The runs, newest first */
  'GET /api/runs': {
    query?: { pair_id?: string; result?: "" | "ok" | "partial" | "failed" | "cancelled" | "skipped"; dry_run?: boolean; outcome?: "synced" | "partly" | "skipped" | "failed" | "cancelled"; state?: "in_sync" | "need_you" | "working" | "paused" | "cannot_reach" | "failed"; source?: string; offset?: number; limit?: number }
    answer: {
      ok: boolean
      total: number
      offset: number
      limit: number
      runs: ({
        run_id: string
        running: boolean
        result: "" | "ok" | "partial" | "failed" | "cancelled" | "skipped"
        dry_run: boolean
        source: string
        started_at: string | null
        finished_at: string | null
        duration_sec: number | null
        added: number
        removed: number
        updated: number
        skipped: number
        unresolved: number
        /** Of the unresolved items: the target lacks the title. */
        not_in_library: number
        errors: number
        held: number
        /** Items that are not synced: unresolved and held ones, without those the target lacks. */
        open: number
        outcome: "synced" | "partly" | "skipped" | "failed" | "cancelled" | null
        sync_status: SyncStatus | null
        reason: string | null
        pair_ids: (string)[]
        plan_id: string | null
        /** For an undo: items that stay applied, by reason. */
        not_undone: ({
          reason: string
          reason_label: string
          count: number
        })[]
        /** How many of these another undo may revert. */
        left_to_undo: number
        undone: "all" | "partly" | null
        undone_run_id: string | null
        /** For a run without pairs: the accounts that it changed. */
        accounts: ({
          provider: string
          instance: string
        })[]
      })[]
    }
  }
  /** A run by pair, feature and side */
  'GET /api/runs/{run_id}': {
    params: { run_id: string }
    answer: {
      ok: boolean
      run: {
        run_id: string
        running: boolean
        result: "" | "ok" | "partial" | "failed" | "cancelled" | "skipped"
        dry_run: boolean
        source: string
        started_at: string | null
        finished_at: string | null
        duration_sec: number | null
        added: number
        removed: number
        updated: number
        skipped: number
        unresolved: number
        /** Of the unresolved items: the target lacks the title. */
        not_in_library: number
        errors: number
        held: number
        /** Items that are not synced: unresolved and held ones, without those the target lacks. */
        open: number
        outcome: "synced" | "partly" | "skipped" | "failed" | "cancelled" | null
        sync_status: SyncStatus | null
        reason: string | null
        pair_ids: (string)[]
        plan_id: string | null
        /** For an undo: items that stay applied, by reason. */
        not_undone: ({
          reason: string
          reason_label: string
          count: number
        })[]
        /** How many of these another undo may revert. */
        left_to_undo: number
        undone: "all" | "partly" | null
        undone_run_id: string | null
        /** For a run without pairs: the accounts that it changed. */
        accounts: ({
          provider: string
          instance: string
        })[]
        reason_text: string | null
      }
      pairs: ({
        pair_id: string
        pair_name: string | null
        account: {
          provider: string
          instance: string
        } | null
        mode: "one_way" | "two_way"
        status: "ok" | "nothing_to_do" | "partial" | "skipped" | "failed" | "cancelled"
        outcome: "synced" | "partly" | "skipped" | "failed" | "cancelled"
        sync_status: SyncStatus | null
        features: ({
          feature: "watchlist" | "history" | "ratings" | "progress" | "playlists"
          status: "ok" | "nothing_to_do" | "partial" | "skipped" | "failed" | "cancelled"
          outcome: "synced" | "partly" | "skipped" | "failed" | "cancelled"
          sync_status: SyncStatus | null
          reason: string | null
          reason_label: string | null
          reason_text: string | null
          /** The accounts that the reason is about. */
          about: ({
            provider: string
            instance: string
          })[]
          plan_id: string | null
          read: {
            a: number | null
            b: number | null
          }
          planned: number
          applied: number
          already: number
          held: number
          deferred: number
          unresolved: number
          errors: number
          added: number
          updated: number
          removed: number
          /** Of the unresolved items: the target lacks the title. */
          not_in_library: number
          sides: {
            a: {
              provider: string
              instance: string
              /** Stable id of the account, without its name. */
              uid?: string
              /** Which account of the service was read, in plans of pairs. */
              account?: string
              add: number
              update: number
              remove: number
              held: number
              held_reason: string | null
              deferred: number
              filtered: number
            } & Record<string, unknown>
            b: {
              provider: string
              instance: string
              /** Stable id of the account, without its name. */
              uid?: string
              /** Which account of the service was read, in plans of pairs. */
              account?: string
              add: number
              update: number
              remove: number
              held: number
              held_reason: string | null
              deferred: number
              filtered: number
            } & Record<string, unknown>
          } | null
          done: {
            /** Counts of applied and held operations. */
            a: {
              added: number
              updated: number
              removed: number
              held: number
            }
            /** Counts of applied and held operations. */
            b: {
              added: number
              updated: number
              removed: number
              held: number
            }
          } | null
        })[]
      })[]
      /** A part of it was sent and is recorded. */
      undoable: boolean
    }
  }
  /** The outcome of each item in a run */
  'GET /api/runs/{run_id}/items': {
    params: { run_id: string }
    query?: { pair_id?: string; feature?: "watchlist" | "history" | "ratings" | "progress" | "playlists"; side?: "a" | "b"; op?: "add" | "update" | "remove"; outcome?: string; cause?: string; q?: string; offset?: number; limit?: number }
    answer: {
      ok: boolean
      total: number
      offset: number
      limit: number
      items: ({
        plan_id: string
        pair_id: string
        feature: "watchlist" | "history" | "ratings" | "progress" | "playlists"
        n: number
        side: "a" | "b"
        op: "add" | "update" | "remove"
        key: string
        value: string
        before: string | null
        cause: string
        cause_label: string
        reason: string | null
        reason_label: string | null
        note: string | null
        display_title: string
        type: string
        year: number | null
        origin: Origin | null
        origin_label: string | null
        origin_carrier: {
          provider: string
          instance: string
        } | null
        outcome: string
        sent_at: number | null
        done_at: number | null
        undone: boolean
      })[]
    }
  }
  /** The settings of the scheduling */
  'GET /api/scheduling': {
    answer: SchedulerSettings
  }
  /** Replaces the settings of the scheduling */
  'POST /api/scheduling': {
    body: SchedulerSettingsRequest
    answer: {
      /** Runs all pairs on the schedule below, unless advanced scheduling is on. */
      enabled: boolean
      mode: "disabled" | "hourly" | "every_n_hours" | "daily_time" | "custom_interval"
      every_n_hours: number
      daily_time: string
      custom_interval_minutes: number
      /** For example Europe/Paris. Leave empty to use the time zone of the server. */
      timezone: string
      /** Each run starts up to this much later. */
      jitter_seconds: number
      webhooks: {
        enabled: boolean
        url: string
        base_url: string
        start_url: string
        success_url: string
        failure_url: string
        payload_format: "plain" | "notifiarr"
        notifiarr_channel_id: string
        timeout_seconds: number
        /** Reports a run with errors, or with items that are not synced, as failed. */
        alert_on_unresolved: boolean
        /** Also sends to addresses in your local network. */
        allow_private: boolean
      }
      advanced: {
        /** Uses the jobs, workflows and event rules below. Captures and backups always run. */
        enabled: boolean
        jobs: ({
          id: string
          pair_id: string | null
          at: string | null
          /** 1 is Monday. Leave empty for every day. */
          days: (number)[]
          active: boolean
          after: string | null
          /** Continues if the previous step failed. */
          continue_on_error: boolean
        })[]
        workflows: ({
          id: string
          name: string
          mode: "hourly" | "every_n_hours" | "daily_time" | "custom_interval"
          every_n_hours: number
          daily_time: string
          custom_interval_minutes: number
          steps: ({
            id: string
            pair_id: string | null
            active: boolean
          })[]
          active: boolean
          /** Continues if the previous step failed. */
          continue_on_error: boolean
        })[]
        event_rules: ({
          id: string
          active: boolean
          source: "watcher" | "webhook"
          event: "start" | "pause" | "stop"
          filters: {
            route_id: string
            provider: string
            provider_instance: string
            account: string
            media_type: "" | "movie" | "episode"
            min_progress: number
          }
          action: {
            kind: "sync_pair"
            pair_id: string
          }
          guardrails: {
            cooldown_minutes: number
            dedupe_window_seconds: number
            /** 0 means no limit. */
            max_runs_per_hour: number
          }
        })[]
        capture_jobs: ({
          id: string
          provider: string
          instance: string
          feature: "watchlist" | "ratings" | "history" | "progress" | "all"
          label_template: string
          retention_days: number
          auto_delete_old: boolean
          /** Runs later if Playhead was off at the scheduled time. */
          catch_up: boolean
          at: string | null
          /** 1 is Monday. Leave empty for every day. */
          days: (number)[]
          active: boolean
          max_captures: number
        })[]
        backup_jobs: ({
          id: string
          scope: "config_only" | "app_state" | "full"
          label_template: string
          retention_days: number
          auto_delete_old: boolean
          /** Runs later if Playhead was off at the scheduled time. */
          catch_up: boolean
          at: string | null
          /** 1 is Monday. Leave empty for every day. */
          days: (number)[]
          active: boolean
          max_backups: number
          include_snapshots: boolean
          include_reports: boolean
          include_cache: boolean
        })[]
      }
      ok: boolean
      /** Epoch seconds; 0 is never. */
      next_run_at: number
      config: SchedulerSettings
    }
  }
  /** Upcoming starts */
  'GET /api/scheduling/next': {
    answer: {
      ok: boolean
      /** Epoch seconds; 0 is never. */
      next_run_at: number
      next_run_iso: string
      kind: string
      job_id: string
      pair_id: string
      on_hold: {
        reason: string
        detail: string
        /** Epoch seconds; 0 is never. */
        since: number
        kinds: (string)[]
      } | null
      config: SchedulerSettings
      upcoming: (UpcomingStart)[]
    }
  }
  /** Plan again, and resume if the scheduling was stopped */
  'POST /api/scheduling/replan_now': {
    answer: SchedulerStatus
  }
  /** State of the scheduling and its last start */
  'GET /api/scheduling/status': {
    answer: SchedulerStatus
  }
  /** Stop until the settings are saved or planned again */
  'POST /api/scheduling/stop': {
    answer: SchedulerStatus
  }
  /** Starts a run, a job, a capture or a backup now */
  'POST /api/scheduling/trigger_now': {
    body?: TriggerRequest
    answer: SchedulerStatus
  }
  /** Sources, routes and webhooks with their addresses */
  'GET /api/scrobbler/overview': {
    answer: {
      ok: boolean
      source_state: {
        enabled: boolean
        sources: {
          webhook: boolean
          watcher: boolean
          watch?: boolean
        } & Record<string, unknown>
        /** Switched on and in use. */
        effective: {
          webhook: boolean
          watcher: boolean
        }
        mode: string
        watch_autostart: boolean
        global_auto_remove_watchlist: boolean
        global_auto_remove_types: (string)[]
        watch_defaults: {
          /** A title counts as watched if playback stops here or later. */
          watched_at: number
          /** A stop here or later always counts as finished. */
          force_stop_at: number
          /** How often the position is sent to trackers, from 1 to 25 percent of the title. */
          progress_step: number
          /** Shorter pauses are ignored, because buffering looks like a pause. */
          pause_debounce_seconds: number
          /** Playback that starts here or later, such as the credits, is not a new play. */
          suppress_start_at: number
        }
        webhook_defaults: {
          /** Shorter pauses are ignored, because buffering looks like a pause. */
          pause_debounce_seconds: number
          /** Playback that starts here or later, such as the credits, is not a new play. */
          suppress_start_at: number
        }
      } & Record<string, unknown>
      eligible_sources: (ScrobbleSource)[]
      destination_availability: (ScrobbleDestination)[]
      webhooks: (ScrobbleWebhook)[]
      routes: (ScrobbleRoute)[]
      watcher_runtime: {
        running: boolean
        groups: (ScrobbleGroup)[]
        routes: (WatchedRoute)[]
        running_route_count: number
        configured_route_count: number
        active_source_providers: (string)[]
        active_sinks: (string)[]
        autostart: boolean
        error: string
      } & Record<string, unknown>
      summary: {
        active_webhooks: number
        eligible_profiles: number
        enabled_routes: number
        total_routes: number
        watcher_running: boolean
      } & Record<string, unknown>
      /** A source is followed and also sends webhooks; each play counts once. */
      hybrid_warning: boolean
      legacy_webhooks: (string)[]
    } & Record<string, unknown>
  }
  /** Deliveries to trackers */
  'GET /api/scrobbler/queue': {
    query?: { view?: "open" | "failed" | "done" | "all"; limit?: number; offset?: number }
    answer: {
      ok: boolean
      items: ({
        id: string
        state: "queued" | "sending" | "waiting" | "planned" | "done" | "failed" | "dropped"
        action: "start" | "pause" | "stop" | "rating"
        /** It is a play. */
        completed: boolean
        method: "watcher" | "webhook"
        route_id: string
        source: string
        source_instance: string
        target: string
        target_instance: string
        media_type: string
        title: string | null
        episode_title: string | null
        year: number | null
        season: number | null
        episode: number | null
        progress: number
        rating: number | null
        account: string | null
        /** When it happened. Epoch seconds. */
        at: number
        due_at: number | null
        done_at: number | null
        attempts: number
        reason: string | null
      })[]
      total: number
      /** Deliveries by state. */
      counts: Record<string, number>
    }
  }
  /** Drop a delivery */
  'POST /api/scrobbler/queue/{id}/drop': {
    params: { id: string }
    answer: {
      ok: boolean
      item: {
        id: string
        state: "queued" | "sending" | "waiting" | "planned" | "done" | "failed" | "dropped"
        action: "start" | "pause" | "stop" | "rating"
        /** It is a play. */
        completed: boolean
        method: "watcher" | "webhook"
        route_id: string
        source: string
        source_instance: string
        target: string
        target_instance: string
        media_type: string
        title: string | null
        episode_title: string | null
        year: number | null
        season: number | null
        episode: number | null
        progress: number
        rating: number | null
        account: string | null
        /** When it happened. Epoch seconds. */
        at: number
        due_at: number | null
        done_at: number | null
        attempts: number
        reason: string | null
      }
    }
  }
  /** Try a delivery again now */
  'POST /api/scrobbler/queue/{id}/retry': {
    params: { id: string }
    answer: {
      ok: boolean
      item: {
        id: string
        state: "queued" | "sending" | "waiting" | "planned" | "done" | "failed" | "dropped"
        action: "start" | "pause" | "stop" | "rating"
        /** It is a play. */
        completed: boolean
        method: "watcher" | "webhook"
        route_id: string
        source: string
        source_instance: string
        target: string
        target_instance: string
        media_type: string
        title: string | null
        episode_title: string | null
        year: number | null
        season: number | null
        episode: number | null
        progress: number
        rating: number | null
        account: string | null
        /** When it happened. Epoch seconds. */
        at: number
        due_at: number | null
        done_at: number | null
        attempts: number
        reason: string | null
      }
    }
  }
  /** Creates a route */
  'POST /api/scrobbler/routes': {
    body: ScrobbleRouteRequest
    answer: {
      ok: boolean
      source_state: {
        enabled: boolean
        sources: {
          webhook: boolean
          watcher: boolean
          watch?: boolean
        } & Record<string, unknown>
        /** Switched on and in use. */
        effective: {
          webhook: boolean
          watcher: boolean
        }
        mode: string
        watch_autostart: boolean
        global_auto_remove_watchlist: boolean
        global_auto_remove_types: (string)[]
        watch_defaults: {
          /** A title counts as watched if playback stops here or later. */
          watched_at: number
          /** A stop here or later always counts as finished. */
          force_stop_at: number
          /** How often the position is sent to trackers, from 1 to 25 percent of the title. */
          progress_step: number
          /** Shorter pauses are ignored, because buffering looks like a pause. */
          pause_debounce_seconds: number
          /** Playback that starts here or later, such as the credits, is not a new play. */
          suppress_start_at: number
        }
        webhook_defaults: {
          /** Shorter pauses are ignored, because buffering looks like a pause. */
          pause_debounce_seconds: number
          /** Playback that starts here or later, such as the credits, is not a new play. */
          suppress_start_at: number
        }
      } & Record<string, unknown>
      eligible_sources: (ScrobbleSource)[]
      destination_availability: (ScrobbleDestination)[]
      webhooks: (ScrobbleWebhook)[]
      routes: (ScrobbleRoute)[]
      watcher_runtime: {
        running: boolean
        groups: (ScrobbleGroup)[]
        routes: (WatchedRoute)[]
        running_route_count: number
        configured_route_count: number
        active_source_providers: (string)[]
        active_sinks: (string)[]
        autostart: boolean
        error: string
      } & Record<string, unknown>
      summary: {
        active_webhooks: number
        eligible_profiles: number
        enabled_routes: number
        total_routes: number
        watcher_running: boolean
      } & Record<string, unknown>
      /** A source is followed and also sends webhooks; each play counts once. */
      hybrid_warning: boolean
      legacy_webhooks: (string)[]
      runtime_result: {
        watcher_stopped?: boolean
        watcher_reloaded?: boolean
        watcher_reload_error?: string
      }
    } & Record<string, unknown>
  }
  /** Removes a route */
  'DELETE /api/scrobbler/routes/{route_id}': {
    params: { route_id: string }
    answer: {
      ok: boolean
      source_state: {
        enabled: boolean
        sources: {
          webhook: boolean
          watcher: boolean
          watch?: boolean
        } & Record<string, unknown>
        /** Switched on and in use. */
        effective: {
          webhook: boolean
          watcher: boolean
        }
        mode: string
        watch_autostart: boolean
        global_auto_remove_watchlist: boolean
        global_auto_remove_types: (string)[]
        watch_defaults: {
          /** A title counts as watched if playback stops here or later. */
          watched_at: number
          /** A stop here or later always counts as finished. */
          force_stop_at: number
          /** How often the position is sent to trackers, from 1 to 25 percent of the title. */
          progress_step: number
          /** Shorter pauses are ignored, because buffering looks like a pause. */
          pause_debounce_seconds: number
          /** Playback that starts here or later, such as the credits, is not a new play. */
          suppress_start_at: number
        }
        webhook_defaults: {
          /** Shorter pauses are ignored, because buffering looks like a pause. */
          pause_debounce_seconds: number
          /** Playback that starts here or later, such as the credits, is not a new play. */
          suppress_start_at: number
        }
      } & Record<string, unknown>
      eligible_sources: (ScrobbleSource)[]
      destination_availability: (ScrobbleDestination)[]
      webhooks: (ScrobbleWebhook)[]
      routes: (ScrobbleRoute)[]
      watcher_runtime: {
        running: boolean
        groups: (ScrobbleGroup)[]
        routes: (WatchedRoute)[]
        running_route_count: number
        configured_route_count: number
        active_source_providers: (string)[]
        active_sinks: (string)[]
        autostart: boolean
        error: string
      } & Record<string, unknown>
      summary: {
        active_webhooks: number
        eligible_profiles: number
        enabled_routes: number
        total_routes: number
        watcher_running: boolean
      } & Record<string, unknown>
      /** A source is followed and also sends webhooks; each play counts once. */
      hybrid_warning: boolean
      legacy_webhooks: (string)[]
      runtime_result: {
        watcher_stopped?: boolean
        watcher_reloaded?: boolean
        watcher_reload_error?: string
      }
    } & Record<string, unknown>
  }
  /** Changes the given fields of a route */
  'PUT /api/scrobbler/routes/{route_id}': {
    params: { route_id: string }
    body: ScrobbleRouteRequest
    answer: {
      ok: boolean
      source_state: {
        enabled: boolean
        sources: {
          webhook: boolean
          watcher: boolean
          watch?: boolean
        } & Record<string, unknown>
        /** Switched on and in use. */
        effective: {
          webhook: boolean
          watcher: boolean
        }
        mode: string
        watch_autostart: boolean
        global_auto_remove_watchlist: boolean
        global_auto_remove_types: (string)[]
        watch_defaults: {
          /** A title counts as watched if playback stops here or later. */
          watched_at: number
          /** A stop here or later always counts as finished. */
          force_stop_at: number
          /** How often the position is sent to trackers, from 1 to 25 percent of the title. */
          progress_step: number
          /** Shorter pauses are ignored, because buffering looks like a pause. */
          pause_debounce_seconds: number
          /** Playback that starts here or later, such as the credits, is not a new play. */
          suppress_start_at: number
        }
        webhook_defaults: {
          /** Shorter pauses are ignored, because buffering looks like a pause. */
          pause_debounce_seconds: number
          /** Playback that starts here or later, such as the credits, is not a new play. */
          suppress_start_at: number
        }
      } & Record<string, unknown>
      eligible_sources: (ScrobbleSource)[]
      destination_availability: (ScrobbleDestination)[]
      webhooks: (ScrobbleWebhook)[]
      routes: (ScrobbleRoute)[]
      watcher_runtime: {
        running: boolean
        groups: (ScrobbleGroup)[]
        routes: (WatchedRoute)[]
        running_route_count: number
        configured_route_count: number
        active_source_providers: (string)[]
        active_sinks: (string)[]
        autostart: boolean
        error: string
      } & Record<string, unknown>
      summary: {
        active_webhooks: number
        eligible_profiles: number
        enabled_routes: number
        total_routes: number
        watcher_running: boolean
      } & Record<string, unknown>
      /** A source is followed and also sends webhooks; each play counts once. */
      hybrid_warning: boolean
      legacy_webhooks: (string)[]
      runtime_result: {
        watcher_stopped?: boolean
        watcher_reloaded?: boolean
        watcher_reload_error?: string
      }
    } & Record<string, unknown>
  }
  /** Changes the general settings */
  'POST /api/scrobbler/settings': {
    body: ScrobbleSettingsRequest
    answer: {
      ok: boolean
      source_state: {
        enabled: boolean
        sources: {
          webhook: boolean
          watcher: boolean
          watch?: boolean
        } & Record<string, unknown>
        /** Switched on and in use. */
        effective: {
          webhook: boolean
          watcher: boolean
        }
        mode: string
        watch_autostart: boolean
        global_auto_remove_watchlist: boolean
        global_auto_remove_types: (string)[]
        watch_defaults: {
          /** A title counts as watched if playback stops here or later. */
          watched_at: number
          /** A stop here or later always counts as finished. */
          force_stop_at: number
          /** How often the position is sent to trackers, from 1 to 25 percent of the title. */
          progress_step: number
          /** Shorter pauses are ignored, because buffering looks like a pause. */
          pause_debounce_seconds: number
          /** Playback that starts here or later, such as the credits, is not a new play. */
          suppress_start_at: number
        }
        webhook_defaults: {
          /** Shorter pauses are ignored, because buffering looks like a pause. */
          pause_debounce_seconds: number
          /** Playback that starts here or later, such as the credits, is not a new play. */
          suppress_start_at: number
        }
      } & Record<string, unknown>
      eligible_sources: (ScrobbleSource)[]
      destination_availability: (ScrobbleDestination)[]
      webhooks: (ScrobbleWebhook)[]
      routes: (ScrobbleRoute)[]
      watcher_runtime: {
        running: boolean
        groups: (ScrobbleGroup)[]
        routes: (WatchedRoute)[]
        running_route_count: number
        configured_route_count: number
        active_source_providers: (string)[]
        active_sinks: (string)[]
        autostart: boolean
        error: string
      } & Record<string, unknown>
      summary: {
        active_webhooks: number
        eligible_profiles: number
        enabled_routes: number
        total_routes: number
        watcher_running: boolean
      } & Record<string, unknown>
      /** A source is followed and also sends webhooks; each play counts once. */
      hybrid_warning: boolean
      legacy_webhooks: (string)[]
      runtime_result: {
        watcher_stopped?: boolean
        watcher_reloaded?: boolean
        watcher_reload_error?: string
      }
    } & Record<string, unknown>
  }
  /** Removes addresses of the older form */
  'POST /api/scrobbler/webhooks/cleanup-legacy': {
    answer: {
      ok: boolean
      source_state: {
        enabled: boolean
        sources: {
          webhook: boolean
          watcher: boolean
          watch?: boolean
        } & Record<string, unknown>
        /** Switched on and in use. */
        effective: {
          webhook: boolean
          watcher: boolean
        }
        mode: string
        watch_autostart: boolean
        global_auto_remove_watchlist: boolean
        global_auto_remove_types: (string)[]
        watch_defaults: {
          /** A title counts as watched if playback stops here or later. */
          watched_at: number
          /** A stop here or later always counts as finished. */
          force_stop_at: number
          /** How often the position is sent to trackers, from 1 to 25 percent of the title. */
          progress_step: number
          /** Shorter pauses are ignored, because buffering looks like a pause. */
          pause_debounce_seconds: number
          /** Playback that starts here or later, such as the credits, is not a new play. */
          suppress_start_at: number
        }
        webhook_defaults: {
          /** Shorter pauses are ignored, because buffering looks like a pause. */
          pause_debounce_seconds: number
          /** Playback that starts here or later, such as the credits, is not a new play. */
          suppress_start_at: number
        }
      } & Record<string, unknown>
      eligible_sources: (ScrobbleSource)[]
      destination_availability: (ScrobbleDestination)[]
      webhooks: (ScrobbleWebhook)[]
      routes: (ScrobbleRoute)[]
      watcher_runtime: {
        running: boolean
        groups: (ScrobbleGroup)[]
        routes: (WatchedRoute)[]
        running_route_count: number
        configured_route_count: number
        active_source_providers: (string)[]
        active_sinks: (string)[]
        autostart: boolean
        error: string
      } & Record<string, unknown>
      summary: {
        active_webhooks: number
        eligible_profiles: number
        enabled_routes: number
        total_routes: number
        watcher_running: boolean
      } & Record<string, unknown>
      /** A source is followed and also sends webhooks; each play counts once. */
      hybrid_warning: boolean
      legacy_webhooks: (string)[]
      runtime_result: {
        watcher_stopped?: boolean
        watcher_reloaded?: boolean
        watcher_reload_error?: string
      }
    } & Record<string, unknown>
  }
  /** Creates or changes a webhook profile */
  'POST /api/scrobbler/webhooks/profile': {
    body: ScrobbleWebhookRequest
    answer: {
      ok: boolean
      source_state: {
        enabled: boolean
        sources: {
          webhook: boolean
          watcher: boolean
          watch?: boolean
        } & Record<string, unknown>
        /** Switched on and in use. */
        effective: {
          webhook: boolean
          watcher: boolean
        }
        mode: string
        watch_autostart: boolean
        global_auto_remove_watchlist: boolean
        global_auto_remove_types: (string)[]
        watch_defaults: {
          /** A title counts as watched if playback stops here or later. */
          watched_at: number
          /** A stop here or later always counts as finished. */
          force_stop_at: number
          /** How often the position is sent to trackers, from 1 to 25 percent of the title. */
          progress_step: number
          /** Shorter pauses are ignored, because buffering looks like a pause. */
          pause_debounce_seconds: number
          /** Playback that starts here or later, such as the credits, is not a new play. */
          suppress_start_at: number
        }
        webhook_defaults: {
          /** Shorter pauses are ignored, because buffering looks like a pause. */
          pause_debounce_seconds: number
          /** Playback that starts here or later, such as the credits, is not a new play. */
          suppress_start_at: number
        }
      } & Record<string, unknown>
      eligible_sources: (ScrobbleSource)[]
      destination_availability: (ScrobbleDestination)[]
      webhooks: (ScrobbleWebhook)[]
      routes: (ScrobbleRoute)[]
      watcher_runtime: {
        running: boolean
        groups: (ScrobbleGroup)[]
        routes: (WatchedRoute)[]
        running_route_count: number
        configured_route_count: number
        active_source_providers: (string)[]
        active_sinks: (string)[]
        autostart: boolean
        error: string
      } & Record<string, unknown>
      summary: {
        active_webhooks: number
        eligible_profiles: number
        enabled_routes: number
        total_routes: number
        watcher_running: boolean
      } & Record<string, unknown>
      /** A source is followed and also sends webhooks; each play counts once. */
      hybrid_warning: boolean
      legacy_webhooks: (string)[]
      runtime_result: {
        watcher_stopped?: boolean
        watcher_reloaded?: boolean
        watcher_reload_error?: string
      }
    } & Record<string, unknown>
  }
  /** Switches a webhook profile off, or removes it or one of its trackers */
  'POST /api/scrobbler/webhooks/profile/disable': {
    body: {
      provider?: string
      provider_instance?: string
      sink?: string
      remove?: boolean
    } & Record<string, unknown>
    answer: {
      ok: boolean
      source_state: {
        enabled: boolean
        sources: {
          webhook: boolean
          watcher: boolean
          watch?: boolean
        } & Record<string, unknown>
        /** Switched on and in use. */
        effective: {
          webhook: boolean
          watcher: boolean
        }
        mode: string
        watch_autostart: boolean
        global_auto_remove_watchlist: boolean
        global_auto_remove_types: (string)[]
        watch_defaults: {
          /** A title counts as watched if playback stops here or later. */
          watched_at: number
          /** A stop here or later always counts as finished. */
          force_stop_at: number
          /** How often the position is sent to trackers, from 1 to 25 percent of the title. */
          progress_step: number
          /** Shorter pauses are ignored, because buffering looks like a pause. */
          pause_debounce_seconds: number
          /** Playback that starts here or later, such as the credits, is not a new play. */
          suppress_start_at: number
        }
        webhook_defaults: {
          /** Shorter pauses are ignored, because buffering looks like a pause. */
          pause_debounce_seconds: number
          /** Playback that starts here or later, such as the credits, is not a new play. */
          suppress_start_at: number
        }
      } & Record<string, unknown>
      eligible_sources: (ScrobbleSource)[]
      destination_availability: (ScrobbleDestination)[]
      webhooks: (ScrobbleWebhook)[]
      routes: (ScrobbleRoute)[]
      watcher_runtime: {
        running: boolean
        groups: (ScrobbleGroup)[]
        routes: (WatchedRoute)[]
        running_route_count: number
        configured_route_count: number
        active_source_providers: (string)[]
        active_sinks: (string)[]
        autostart: boolean
        error: string
      } & Record<string, unknown>
      summary: {
        active_webhooks: number
        eligible_profiles: number
        enabled_routes: number
        total_routes: number
        watcher_running: boolean
      } & Record<string, unknown>
      /** A source is followed and also sends webhooks; each play counts once. */
      hybrid_warning: boolean
      legacy_webhooks: (string)[]
      runtime_result: {
        watcher_stopped?: boolean
        watcher_reloaded?: boolean
        watcher_reload_error?: string
      }
    } & Record<string, unknown>
  }
  /** Makes a new address for a webhook profile; the old one is refused */
  'POST /api/scrobbler/webhooks/profile/regenerate': {
    body: {
      provider?: string
      provider_instance?: string
    } & Record<string, unknown>
    answer: {
      ok: boolean
      source_state: {
        enabled: boolean
        sources: {
          webhook: boolean
          watcher: boolean
          watch?: boolean
        } & Record<string, unknown>
        /** Switched on and in use. */
        effective: {
          webhook: boolean
          watcher: boolean
        }
        mode: string
        watch_autostart: boolean
        global_auto_remove_watchlist: boolean
        global_auto_remove_types: (string)[]
        watch_defaults: {
          /** A title counts as watched if playback stops here or later. */
          watched_at: number
          /** A stop here or later always counts as finished. */
          force_stop_at: number
          /** How often the position is sent to trackers, from 1 to 25 percent of the title. */
          progress_step: number
          /** Shorter pauses are ignored, because buffering looks like a pause. */
          pause_debounce_seconds: number
          /** Playback that starts here or later, such as the credits, is not a new play. */
          suppress_start_at: number
        }
        webhook_defaults: {
          /** Shorter pauses are ignored, because buffering looks like a pause. */
          pause_debounce_seconds: number
          /** Playback that starts here or later, such as the credits, is not a new play. */
          suppress_start_at: number
        }
      } & Record<string, unknown>
      eligible_sources: (ScrobbleSource)[]
      destination_availability: (ScrobbleDestination)[]
      webhooks: (ScrobbleWebhook)[]
      routes: (ScrobbleRoute)[]
      watcher_runtime: {
        running: boolean
        groups: (ScrobbleGroup)[]
        routes: (WatchedRoute)[]
        running_route_count: number
        configured_route_count: number
        active_source_providers: (string)[]
        active_sinks: (string)[]
        autostart: boolean
        error: string
      } & Record<string, unknown>
      summary: {
        active_webhooks: number
        eligible_profiles: number
        enabled_routes: number
        total_routes: number
        watcher_running: boolean
      } & Record<string, unknown>
      /** A source is followed and also sends webhooks; each play counts once. */
      hybrid_warning: boolean
      legacy_webhooks: (string)[]
      runtime_result: {
        watcher_stopped?: boolean
        watcher_reloaded?: boolean
        watcher_reload_error?: string
      }
    } & Record<string, unknown>
  }
  /** Overview of the settings */
  'GET /api/settings/overview': {
    answer: {
      ok: boolean
      auth: {
        configured: number
        profiles: ({
          provider: string
          count: number
        })[]
      }
      pairs: {
        count: number
        total: number
        enabled: number
        active: number
        disabled: number
      }
      metadata: {
        detected: boolean
        configured: boolean
      }
      scheduling: {
        enabled: boolean
        advanced?: boolean
        running?: boolean
        nextRun?: number | null
        /** Epoch seconds. */
        next_run_at?: number
        eventTriggers?: number
        captureSchedules?: number
      } & Record<string, unknown>
      scrobbler: {
        enabled: boolean
        mode: string
        sources?: {
          webhook: boolean
          watcher: boolean
        }
        effective?: {
          webhook: boolean
          watcher: boolean
        }
        watcher?: {
          alive: boolean
        }
        providers?: (string)[]
        sinks?: (string)[]
      } & Record<string, unknown>
      recent_activity: {
        items: ({
          id: string
          kind: string
          event: string
          status: string
          source: string
          source_instance: string
          target: string
          target_instance: string
          targets: ({
            target: string
            target_instance: string
          })[]
          media_type: string
          title: string
          year?: number
          season?: number
          episode?: number
          /** Epoch seconds. */
          watched_at: number
          /** Epoch seconds. */
          captured_at: number
          /** By scheme; those of the show under `show_ids`. */
          ids?: Record<string, string | number | Record<string, string | number>>
        } & Record<string, unknown>)[]
      }
    }
  }
  /** The links with which persons sign in, and the services that have such links */
  'GET /api/sign-in-links': {
    answer: {
      ok: boolean
      links: (SignInLink)[]
      services: ({
        provider: string
        label: string
      })[]
    }
  }
  /** Make a link with which one person signs in once at one service */
  'POST /api/sign-in-links': {
    body: SignInLinkRequest
    answer: {
      ok: boolean
      link: SignInLink
      /** Shown this once. The part after # is the token, which no server sees. */
      url: string
    }
  }
  /** Revoke a link; a sign-in that was completed stays */
  'DELETE /api/sign-in-links/{id}': {
    params: { id: string }
    answer: {
      ok: boolean
    }
  }
  /** Progress of a job */
  'GET /api/snapshots/capture-progress/{progress_id}': {
    params: { progress_id: string }
    answer: {
      ok: boolean
      progress: CaptureProgress
    }
  }
  /** Cancel a job */
  'POST /api/snapshots/capture-progress/{progress_id}/cancel': {
    params: { progress_id: string }
    answer: {
      ok: boolean
      /** False: it had ended. */
      cancelled: boolean
    }
  }
  /** Delete captures */
  'POST /api/snapshots/clear': {
    body?: {
      provider?: string | null
      instance?: string | null
      instance_id?: string | null
      profile?: string | null
      feature?: string | null
      older_than_days?: number | null
      before?: string | null
      dry_run?: boolean
    }
    answer: {
      ok: boolean
      result: {
        ok: boolean
        dry_run: boolean
        deleted: (string)[]
        errors: ({
          path: string
          error: string
        })[]
        deleted_count: number
        summary: {
          removed_files: number
          removed_items: number
          freed_bytes: number
        }
      }
      summary: {
        removed_files: number
        removed_items: number
        freed_bytes: number
      }
    }
  }
  /** Capture an account */
  'POST /api/snapshots/create': {
    body: CaptureRequest
    answer: {
      /** False with `partial`: some features of the bundle could not be read. */
      ok: boolean
      partial?: boolean
      error?: string
      progress_id: string
      snapshot: MadeCapture
    } & Record<string, unknown>
  }
  /** Delete a capture */
  'POST /api/snapshots/delete': {
    body: {
      /** The path, as in the list of captures. */
      path: string
      /** For a bundle: also deletes its files. */
      delete_children?: boolean
      dry_run?: boolean
    } & Record<string, unknown>
    answer: {
      ok: boolean
      result: {
        ok: boolean
        dry_run: boolean
        deleted: (string)[]
        errors: ({
          path: string
          error: string
        })[]
      }
    }
  }
  /** Compare two captures */
  'GET /api/snapshots/diff': {
    query: { a: string; b: string; allow_cross_instance?: boolean; limit?: number; max_changes?: number }
    answer: {
      ok: boolean
      diff: {
        ok: boolean
        a: ComparedCapture
        b: ComparedCapture
        summary: {
          /** Number of items; plays of one item count once. */
          total_a: number
          total_b: number
          /** Rows of the file. */
          raw_total_a: number
          raw_total_b: number
          added: number
          removed: number
          updated: number
          unchanged: number
        }
        added: ({
          key: string
          item: ItemBrief
        })[]
        removed: ({
          key: string
          item: ItemBrief
        })[]
        updated: ({
          key: string
          old: ItemBrief
          new: ItemBrief
          changes: (FieldChange)[]
        } & Record<string, unknown>)[]
        truncated: {
          added: boolean
          removed: boolean
          updated: boolean
        }
        limit: number
      } & Record<string, unknown>
    }
  }
  /** Compare two captures, row by row in pages */
  'GET /api/snapshots/diff/extended': {
    query: { a: string; b: string; allow_cross_instance?: boolean; feature?: string; kind?: string; q?: string; offset?: number; limit?: number; max_changes?: number; max_depth?: number }
    answer: {
      ok: boolean
      diff: {
        ok: boolean
        a: ComparedCapture
        b: ComparedCapture
        summary: {
          /** Number of items; plays of one item count once. */
          total_a: number
          total_b: number
          /** Rows of the file. */
          raw_total_a: number
          raw_total_b: number
          added: number
          removed: number
          updated: number
          unchanged: number
        }
        query: {
          kind: string
          q: string
          offset: number
          limit: number
        }
        /** Rows that match the query. */
        total: number
        items: ({
          key: string
          status: string
          brief: ItemBrief
          changes?: (FieldChange)[]
          old?: CapturedItem
          /** Of an added or changed item. */
          new?: CapturedItem
          /** Of an unchanged item. */
          item?: CapturedItem
        } & Record<string, unknown>)[]
        available_features: (string)[]
        selected_feature: string
      } & Record<string, unknown>
    }
  }
  /** Captures, newest first */
  'GET /api/snapshots/list': {
    query?: { provider?: string; instance?: string; feature?: string; trigger?: "manual" | "schedule" | "pre_restore" | "pre_clear"; since?: number; until?: number; children?: boolean; days?: string; offset?: number; limit?: number }
    answer: {
      ok: boolean
      snapshots: (Capture)[]
      total: number
      offset: number
      limit: number
      /** The running captures, restores and clears. */
      jobs: (CaptureProgress)[]
      /** With `days`: captures by day and service, of all that match. */
      days?: ({
        /** YYYY-MM-DD */
        day: string
        provider: string
        count: number
      })[]
    }
  }
  /** Accounts and features that can be captured */
  'GET /api/snapshots/manifest': {
    answer: {
      ok: boolean
      providers: ({
        id: string
        label: string
        configured: boolean
        features: {
          watchlist: boolean
          ratings: boolean
          history: boolean
          progress: boolean
        }
        instances: ({
          id: string
          label: string
          configured: boolean
        })[]
      })[]
    }
  }
  /** A capture, its rows in pages */
  'GET /api/snapshots/read': {
    query: { path: string; offset?: number; limit?: number; summary?: boolean; q?: string }
    answer: {
      ok: boolean
      snapshot: {
        kind: string
        path: string
        provider: string
        instance: string
        feature: string
        label: string
        created_at: string
        complete?: boolean | null
        doubt?: string | null
        /** Rows that the service shows without an identity. */
        unreadable?: number
        trigger?: string
        schema_version?: number
        account?: string | null
        scope?: {
          plays: boolean
          libraries: (string)[]
        } | null
        sha256?: string | null
        expected_count?: number | null
        known_count?: number | null
        stats: {
          feature: string
          count: number
          by_type?: Record<string, number>
          /** Rows that are plays of an item that is there already. */
          collapsed?: number
          features?: Record<string, number>
        } & Record<string, unknown>
        children?: ({
          feature: string
          path?: string
          error?: string
        } & Record<string, unknown>)[]
        rows?: ({
          key: string
          /** Ids that mean something to the account that the item was read from, and to no other. */
          native_ids: {
            event_id?: string
            item_id?: string
            list_item_id?: string
          }
          item: Item
        })[]
        total: number
        offset: number
        limit: number
      } & Record<string, unknown>
    }
  }
  /** Restore an account from a capture */
  'POST /api/snapshots/restore': {
    body: RestoreRequest
    answer: {
      ok: boolean
      progress_id: string
      result: RestoreResult
    }
  }
  /** Remove all rows of an account at the service */
  'POST /api/snapshots/tools/clear': {
    body: ClearRequest
    answer: {
      ok: boolean
      progress_id: string
      result: ClearResult
    }
  }
  /** All entries of the watchlists */
  'GET /api/state/wall': {
    query?: { both_only?: boolean; active_only?: boolean; limit?: number }
    answer: {
      ok: boolean
      items: ({
        key: string
        aliases: (string)[]
        type: string
        title: string
        year?: number | null
        /** By scheme; those of the show under `show_ids`. */
        ids: Record<string, string | number | Record<string, string | number>>
        status: string
        sources: (string)[]
        /** By provider in small letters. */
        sources_by_provider: Record<string, (string)[]>
        accounts: ({
          provider: string
          instance: string
          key: string
          /** Epoch seconds. */
          read_at: number
          stale: boolean
        })[]
        added_epoch: number | null
        added_when: string | null
        added_src: string | null
        added_instance?: string | null
        tmdb?: number | null
        categories?: (string)[]
      } & Record<string, unknown>)[]
      total: number
      missing_tmdb_key: boolean
      last_sync_epoch: number | null
    }
  }
  /** Statistics of plays and ratings */
  'GET /api/statistics': {
    query?: { from?: string; to?: string; tz?: string; year?: number; account?: string; person?: string; fresh?: boolean }
    answer: {
      ok: boolean
      range: {
        from: string | null
        to: string | null
        tz: string
      }
      /** Years with plays, newest first. */
      years: (number)[]
      totals: {
        plays: number
        movies: number
        episodes: number
        titles: number
        /** Days with a play. */
        days: number
        /** Plays beyond the first of each film or episode in the range. */
        rewatches: number
        /** Plays with only a date; they count in no hour. */
        date_only: number
        /** Films and episodes watched at an unknown time, of all years; no plays. */
        undated: number
        minutes: number
        /** Plays whose length is known. */
        known_plays: number
        minutes_method: {
          known_plays: number
          estimated_plays: number
          estimate_minutes: {
            movie: number
            episode: number
          }
        }
      }
      days: ({
        date: string
        plays: number
        minutes: number
      })[]
      months: ({
        month: string
        plays: number
        minutes: number
      })[]
      weekdays: ({
        /** 1 is Monday. */
        weekday: number
        plays: number
        minutes: number
      })[]
      hours: ({
        hour: number
        plays: number
        minutes: number
      })[]
      top: {
        movies: ({
          key: string
          title: string
          year: number | null
          /** By scheme. */
          ids: Record<string, string>
          plays: number
          minutes: number
        })[]
        shows: ({
          key: string
          title: string
          year: number | null
          /** By scheme. */
          ids: Record<string, string>
          plays: number
          minutes: number
        })[]
      }
      genres: {
        items: ({
          name: string
          plays: number
          minutes: number
        })[]
        /** Plays of titles whose genres are known. */
        known_plays: number
      }
      ratings: ({
        rating: number
        count: number
      })[]
      services: ({
        provider: string
        instance: string
        plays: number
        watched: number
        watchlist: number
        ratings: number
        progress: number
      })[]
      unreadable: ({
        provider: string
        instance: string
        feature: string
        rows: number
      })[]
      streaks: {
        longest: {
          days: number
          from: string
          to: string
        } | null
        current: {
          days: number
          from: string
          to: string
        } | null
      }
      /** The rows of the accounts at the time of the last rebuild. */
      index: {
        /** false: a check for changes or a rebuild is running. Request it again later. */
        current: boolean
        built_at: string
      }
    }
  }
  /** Statistics of the watchlist */
  'GET /api/stats': {
    answer: {
      ok: boolean
      /** ISO time. */
      generated_at: string
      now: number
      /** How many there were a week ago. */
      week: number
      /** How many there were a month ago. */
      month: number
      added: number
      removed: number
      new: number
      del: number
      /** Stored rows that are damaged. They are not counted. */
      unreadable: number
      /** By provider in small letters, each also with `_total`; `both` for what more than one has. */
      by_source: Record<string, number>
      window: {
        /** Epoch seconds. */
        week_start: number
        /** Epoch seconds. */
        month_start: number
      }
    }
  }
  /** All stored statistics */
  'GET /api/stats/raw': {
    answer: {
      events: ({
        /** Epoch seconds. */
        ts: number
        action: string
        feature: string
        key: string
        title?: string | null
        year?: number | null
        type?: string
        source: string
        source_instance: string
        origin: string
        origin_instance: string
        run_id: string
        pair_id: string
        display_title?: string | null
        display_subtitle?: string | null
        series_title?: string | null
        season?: number | null
        episode?: number | null
      } & Record<string, unknown>)[]
      /** By item key. */
      current: Record<string, {
          src: string
          title: string
          type: string
          providers: (string)[]
        }>
      samples: ({
        /** Epoch seconds. */
        ts: number
        count: number
      })[]
      /** By feature. */
      current_by_feature: Record<string, number>
      counters: {
        added: number
        removed: number
      }
      last_run: {
        ts: number | null
        added?: number
        removed?: number
        updated?: number
      } & Record<string, unknown>
      http: {
        events: ({
          /** Epoch seconds. */
          ts: number
          provider: string
          endpoint: string
          status: number
          method?: string
          ok?: boolean
          /** Milliseconds. */
          ms?: number
          bytes_in?: number
          bytes_out?: number
          /** Requests that the service still allows. */
          rate_remaining?: number
          /** Epoch seconds. */
          rate_reset?: number
        } & Record<string, unknown>)[]
        /** By provider. */
        counters: Record<string, {
            calls: number
            ok: number
            err: number
            bytes_in?: number
            bytes_out?: number
            /** Milliseconds. */
            ms_sum?: number
            last_status?: number | null
            last_ok?: boolean | null
            last_at?: number | null
            last_rate_remaining?: number | null
          } & Record<string, unknown>>
        /** By provider, method and endpoint. */
        last: Record<string, {
            /** Epoch seconds. */
            ts: number
            provider: string
            endpoint: string
            status?: number
            method?: string
            ok?: boolean
            /** Milliseconds. */
            ms?: number
            bytes_in?: number
            bytes_out?: number
            /** Requests that the service still allows. */
            rate_remaining?: number
            /** Epoch seconds. */
            rate_reset?: number
          } & Record<string, unknown>>
      }
      feature_totals: ({
        run_id: string
        feature: string
        /** Epoch seconds. */
        ts: number
        added: number
        removed: number
        updated: number
      })[]
      ingested_runs: (string)[]
      /** ISO time. */
      generated_at: string
    } & Record<string, unknown>
  }
  /** Forget the address and the key of Tautulli */
  'POST /api/statsA/disconnect': {
    query?: { instance?: string }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** Connect Tautulli */
  'POST /api/statsA/save': {
    query?: { instance?: string }
    body: {
      server_url?: string | null
      server?: string | null
      api_key?: string | null
      key?: string | null
      user_id?: string | number | null
      'history.user_id'?: string | number | null
      history?: {
        user_id?: string | number | null
      }
      verify_ssl?: boolean
    }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** The address that answered. */
      server_url?: string
      has_key?: boolean
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** Whether Tautulli is connected */
  'GET /api/statsA/status': {
    query?: { instance?: string; verify?: number }
    answer: {
      connected: boolean
      instance: string
      /** Why it is not connected. */
      reason?: string
    }
  }
  /** Which accounts work */
  'GET /api/status': {
    query?: { fresh?: number }
    answer: {
      debug: boolean
      /** At least one enabled pair has both of its profiles configured. */
      can_run: boolean
      /** Time of the check, epoch seconds. */
      ts: number
      /** By id; those that are configured or used. */
      providers: Record<string, {
          label: string
          connected: boolean
          reason?: string
          reason_code?: string
          /** The last answer in time is older. */
          stale?: boolean
          /** By profile. */
          instances: Record<string, {
              configured: boolean
              probed: boolean
              connected?: boolean
              used?: boolean
              /** Epoch seconds. */
              checked_at?: number
              reason?: string
              reason_code?: string
              /** The last answer in time is older. */
              stale?: boolean
            } & Record<string, unknown>>
          instances_summary: {
            ok: number
            probed: number
            total: number
            /** The profile that the facts of the service are of. */
            rep: string
            used: (string)[]
          }
          rep_instance: string
          /** pair or watcher */
          scope: string
          used_by: (string)[]
          used_in_pairs: boolean
          used_in_watcher: boolean
          usage_hint?: string
        } & Record<string, unknown>>
    } & Record<string, unknown>
  }
  /** The titles that runs leave alone, because a person stopped them */
  'GET /api/stopped-titles': {
    answer: {
      ok: boolean
      items: (StoppedTitle)[]
    }
  }
  /** Stop syncing a title, everywhere or at chosen accounts and pairs */
  'POST /api/stopped-titles': {
    body: StopOrder
    answer: {
      ok: boolean
      item: StoppedTitle
    }
  }
  /** Sync a title again */
  'DELETE /api/stopped-titles/{id}': {
    params: { id: string }
    answer: {
      ok: boolean
    }
  }
  /** The streams of several routes as one, as server-sent events */
  'GET /api/stream': {
    query: { of: string | (string)[]; after?: string | (string)[] }
    answer: unknown
  }
  /** Choose the tracker snapshot to restore */
  'POST /api/svc/select-snapshot': {
    query: { feature: "watchlist" | "history" | "ratings" | "progress"; snapshot: string; provider_instance?: string }
    answer: {
      ok: boolean
      feature: string
      snapshot: string
      provider_instance: string
    }
  }
  /** The features of pairs and their options */
  'GET /api/sync/features': {
    answer: {
      ok: boolean
      features: ({
        feature: "watchlist" | "history" | "ratings" | "progress" | "playlists"
        label: string
        help: string
        after: ("watchlist" | "history" | "ratings" | "progress" | "playlists")[]
        ui_order: (string)[]
        /** JSON schema of the options in a pair. */
        schema: Record<string, unknown>
      })[]
      /** JSON schema of the fields of a pair itself. */
      pair: Record<string, unknown>
    }
  }
  /** The providers, and what each can do in a pair */
  'GET /api/sync/providers': {
    answer: ({
      name: string
      label: string
      mark: Mark | null
      popular: number | null
      group: string
      /** Notes on the terms of the service. */
      terms: {
        pairs: string | null
        captures: string | null
      }
      /** A tracker or list service of others. */
      list_service: boolean
      version: string
      vendor: string | null
      description: string | null
      features: Record<string, boolean>
      can_source: boolean
      can_target: boolean
      types: Record<string, (string)[]>
      operations: Record<string, {
          read: boolean
          add: boolean
          update: boolean
          remove: boolean
          removal_side_effects?: (string)[]
        }>
      capabilities: {
        bidirectional: boolean
        /** The service reports dropped shows, so that a pair can leave them out of its history. */
        dropped_shows: boolean
      } & Record<string, unknown>
      configured: boolean
      instances: ({
        id: string
        label: string
        configured: boolean
      })[]
    })[]
  }
  /** Rows on the watchlists, as they were last read */
  'GET /api/sync/providers/counts': {
    query?: { max_age?: number; force?: boolean; source?: string }
    answer: {
      ok: boolean
      counts: Record<string, number | null>
      age: number | null
      errors: Record<string, string>
      source: string
      by_feature: Record<string, Record<string, number | null>>
      by_instance: Record<string, number | null>
    }
  }
  /** Detailed health: checks of the service and of plugins, and the state of every plugin */
  'GET /api/system/health': {
    answer: {
      ok: boolean
      /** `ok`, or `degraded` when a check failed. */
      status: string
      version: string
      /** Epoch seconds. */
      started_at: number
      uptime_seconds: number
      checks: ({
        name: string
        ok: boolean
        detail?: unknown
        /** How to resolve it. */
        advice?: string
      })[]
      plugins: ({
        id: string
        name: string
        version: string
        kind: string
        state: string
      })[]
    }
  }
  /** API tokens, and the tokens of webhooks and metrics; never the secrets */
  'GET /api/tokens': {
    answer: {
      ok: boolean
      tokens: (ApiToken)[]
      others: ({
        id: string
        /** `webhook` or `metrics`. */
        kind: string
        label: string
        /** What it is for, in a sentence. */
        purpose: string
        /** It is set, and accepted now. */
        active: boolean
        can_rotate: boolean
        last_used_at: number | null
      })[]
    }
  }
  /** Make an API token; its secret is in this answer and nowhere else */
  'POST /api/tokens': {
    body: TokenRequest
    answer: {
      ok: boolean
      /** Sent as `Authorization: Bearer …`. Shown this once. */
      secret: string
      token: ApiToken
    }
  }
  /** The API token that the request was sent with */
  'GET /api/tokens/current': {
    answer: {
      ok: boolean
      token: ApiToken | null
    }
  }
  /** Replace the token of a webhook or of the metrics; the old one is refused at once */
  'POST /api/tokens/others/{id}/rotate': {
    params: { id: string }
    answer: {
      ok: boolean
      /** The new token, or the new address that holds it. */
      secret: string
    }
  }
  /** Revoke an API token; its open streams end */
  'DELETE /api/tokens/{id}': {
    params: { id: string }
    answer: {
      ok: boolean
    }
  }
  /** Start signing in to Trakt in the browser */
  'POST /api/trackA/authorize': {
    query?: { instance?: string }
    body: {
      origin?: string
      client_id?: string
    }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** The page of Trakt to open. */
      authorize_url?: string
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** Start signing in to Trakt with a code */
  'POST /api/trackA/pin/new': {
    query?: { instance?: string }
    body?: {
      client_id?: string
      client_secret?: string
    }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** To be typed in at `verification_url`. */
      user_code?: string
      verification_url?: string
      /** The same as `verification_url`. */
      verificationUrl?: string
      /** Seconds. */
      expiresIn?: number
      /** Epoch seconds. */
      expires_at?: number
      /** Seconds between two polls. */
      interval?: number
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** Forget the tokens of a Trakt profile and end them at Trakt */
  'POST /api/trackA/token/delete': {
    query?: { instance?: string }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** Start signing in to SIMKL in the browser */
  'POST /api/trackB/authorize': {
    query?: { instance?: string }
    body: {
      origin?: string
    }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** The page of SIMKL to open. */
      authorize_url?: string
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** Forget the PIN */
  'POST /api/trackB/pin/cancel': {
    query?: { instance?: string }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** False if there was no PIN. */
      cancelled?: boolean
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** Whether the PIN was entered */
  'POST /api/trackB/pin/poll': {
    query?: { instance?: string }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** `pending`, `authorized`, `no_pin`, or why it failed. */
      status?: string
      auth_method?: string
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** Start signing in to SIMKL with a PIN */
  'POST /api/trackB/pin/start': {
    query?: { instance?: string }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** To be typed in at `verification_url`. */
      user_code?: string
      verification_url?: string
      /** Seconds between two polls. */
      interval?: number
      /** Seconds. */
      expires_in?: number
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** Forget the tokens of a SIMKL profile and end them at SIMKL */
  'POST /api/trackB/token/delete': {
    query?: { instance?: string }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** Finish signing in to Nuvio */
  'POST /api/tvA/device/finish': {
    query?: { instance?: string }
    body?: Record<string, unknown>
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** `ok`, `pending`, `approved`, or why it failed. */
      status?: string
      /** Epoch seconds; 0 if there is none. */
      expires_at?: number
      profiles?: ({
        profile_id: number
        profile_index: number
        name: string
        uses_primary_addons: boolean
        uses_primary_plugins: boolean
      })[]
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** Progress of a sign-in to Nuvio */
  'POST /api/tvA/device/poll': {
    query?: { instance?: string }
    body?: Record<string, unknown>
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** `ok`, `pending`, `approved`, or why it failed. */
      status?: string
      /** Epoch seconds; 0 if there is none. */
      expires_at?: number
      /** Seconds between two polls. */
      interval?: number
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** Start signing in to Nuvio */
  'POST /api/tvA/device/start': {
    query?: { instance?: string }
    body: {
      redirect_base_url?: string | null
    }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      code?: string
      /** The page of Nuvio to open. */
      login_url?: string
      /** Epoch seconds; 0 if there is none. */
      expires_at?: number
      /** Seconds between two polls. */
      interval?: number
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** Sign out of Nuvio and forget the tokens */
  'POST /api/tvA/disconnect': {
    query?: { instance?: string }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** Choose a profile at Nuvio */
  'POST /api/tvA/profile/select': {
    query?: { instance?: string }
    body: {
      /** Number of the profile at Nuvio. */
      profile_id: number
    }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      profile?: {
        profile_id: number
        profile_index: number
        name: string
        uses_primary_addons: boolean
        uses_primary_plugins: boolean
      }
      profile_id?: number
      profile_name?: string
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** The profiles of the account at Nuvio */
  'GET /api/tvA/profiles': {
    query?: { instance?: string }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      profiles?: ({
        profile_id: number
        profile_index: number
        name: string
        uses_primary_addons: boolean
        uses_primary_plugins: boolean
      })[]
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** Renew the sign-in to Nuvio */
  'POST /api/tvA/refresh': {
    query?: { instance?: string }
    answer: {
      ok: boolean
      /** The profile. */
      instance: string
      /** `ok`, `pending`, `approved`, or why it failed. */
      status?: string
      /** Epoch seconds; 0 if there is none. */
      expires_at?: number
      /** With `ok: false`: a code. */
      error?: string
      /** With `ok: false`: a more precise code. */
      reason?: string
    }
  }
  /** The stored sign-in to Nuvio, without asking the service */
  'GET /api/tvA/status': {
    query?: { instance?: string }
    answer: {
      connected: boolean
      authenticated: boolean
      base_url_configured: boolean
      client_key_configured: boolean
      profile_id: number | string | null
      profile_name: string
      /** Epoch seconds; 0 if there is none. */
      expires_at: number
      instance: string
    }
  }
  /** Download the certificate */
  'GET /api/ui/tls/cert': {
    answer: unknown
  }
  /** Make a new self-signed certificate */
  'POST /api/ui/tls/regenerate': {
    body?: {
      /** A DNS name or an address. */
      hostname?: string
      valid_days?: number
      alt_dns?: (string)[]
      alt_ips?: (string)[]
    }
    answer: {
      protocol: string
      tls: {
        hostname?: string
        valid_days?: number
        alt_dns?: (string)[]
        alt_ips?: (string)[]
        /** One that lasts for days serves in the place of the configured one. */
        temporary: boolean
        problem: string | null
        self_signed?: boolean
        cert_file?: string
        key_file?: string
        resolved_cert_path?: string
        resolved_key_path?: string
        cert: {
          path: string
          exists: boolean
          error?: string
          subject?: string
          issuer?: string
          self_signed?: boolean
          not_before?: string
          not_after?: string
          expires_in_days?: number
          sans?: (string)[]
          sha256?: string
          key_matches?: boolean
        }
      } & Record<string, unknown>
      restart_required?: boolean
    }
  }
  /** The certificate of this address */
  'GET /api/ui/tls/status': {
    answer: {
      protocol: string
      tls: {
        hostname?: string
        valid_days?: number
        alt_dns?: (string)[]
        alt_ips?: (string)[]
        /** One that lasts for days serves in the place of the configured one. */
        temporary: boolean
        problem: string | null
        self_signed?: boolean
        cert_file?: string
        key_file?: string
        resolved_cert_path?: string
        resolved_key_path?: string
        cert: {
          path: string
          exists: boolean
          error?: string
          subject?: string
          issuer?: string
          self_signed?: boolean
          not_before?: string
          not_after?: string
          expires_in_days?: number
          sans?: (string)[]
          sha256?: string
          key_matches?: boolean
        }
      } & Record<string, unknown>
      restart_required?: boolean
    }
  }
  /** The available update with its release notes */
  'GET /api/update': {
    answer: {
      current_version: string
      latest_version: string
      html_url: string
      url: string
      body: string
      published_at: string | null
      update_available: boolean
      checked_at: number | null
      error: string | null
    }
  }
  /** The running version and the newest release */
  'GET /api/version': {
    answer: {
      current: string
      latest: string | null
      html_url: string
      update_available: boolean
      checked_at: number | null
      error: string | null
    }
  }
  /** Result of the check for updates */
  'GET /api/version/check': {
    answer: {
      current: string
      latest: string | null
      name: string | null
      url: string
      notes: string
      published_at: string | null
      update_available: boolean
      checked_at: number | null
      error: string | null
    }
  }
  /** Current sessions of the connected accounts */
  'GET /api/watch/currently_watching': {
    query?: { person?: string }
    answer: {
      ok: boolean
      currently_watching: {
        /** source:provider_instance:session_key */
        _key: string
        /** Token of the provider: mediaA. */
        source: string
        /** Id of the provider: MEDIAA. */
        provider: string
        provider_instance: string
        /** The source of the report; `poll`: the account was queried for this response. */
        method: "watcher" | "webhook" | "poll"
        media_type: "movie" | "episode"
        /** For an episode, the title of its show. */
        title: string
        episode_title: string | null
        year: number | null
        season: number | null
        episode: number | null
        progress: number | null
        position_ms: number | null
        duration_ms: number | null
        cover: string | null
        state: "playing" | "paused" | "buffering"
        /** When Playhead first saw the item in this session. Epoch seconds. */
        started: number
        /** When the service reported it. Epoch seconds. */
        updated: number
        /** Ids of the show end in _show. */
        ids: Record<string, string>
        account: string | null
        account_id: string | null
        device: string | null
        server_uuid: string | null
        session_key: string | null
      } | null
      /** Playing sessions before paused ones, then the latest start first. */
      streams: ({
        /** source:provider_instance:session_key */
        _key: string
        /** Token of the provider: mediaA. */
        source: string
        /** Id of the provider: MEDIAA. */
        provider: string
        provider_instance: string
        /** The source of the report; `poll`: the account was queried for this response. */
        method: "watcher" | "webhook" | "poll"
        media_type: "movie" | "episode"
        /** For an episode, the title of its show. */
        title: string
        episode_title: string | null
        year: number | null
        season: number | null
        episode: number | null
        progress: number | null
        position_ms: number | null
        duration_ms: number | null
        cover: string | null
        state: "playing" | "paused" | "buffering"
        /** When Playhead first saw the item in this session. Epoch seconds. */
        started: number
        /** When the service reported it. Epoch seconds. */
        updated: number
        /** Ids of the show end in _show. */
        ids: Record<string, string>
        account: string | null
        account_id: string | null
        device: string | null
        server_uuid: string | null
        session_key: string | null
      })[]
      streams_count: number
      /** Connected accounts that report sessions, including those in `unavailable`. */
      accounts_count: number
      /** Accounts that did not respond, or may not list sessions; sessions they reported in the last ten minutes are among the streams. */
      unavailable: ({
        source: string
        provider: string
        provider_instance: string
        reason: string
      })[]
      /** Epoch seconds. */
      ts: number
    }
  }
  /** The last lines of the watcher channels, by time */
  'GET /api/watch/logs': {
    query?: { tail?: number; tag?: string; tags?: string }
    answer: {
      tags: (string)[]
      tail: number
      lines: (string)[]
    }
  }
  /** Restarts the watchers with the current routes; current sessions stay */
  'POST /api/watch/refresh': {
    answer: {
      groups: (ScrobbleGroup)[]
      routes: (WatchedRoute)[]
      has_watch: boolean
      alive: boolean
      stop_set: boolean
      provider: string | null
      sinks: (string)[]
      ok: boolean
      stopped?: boolean
      reloaded?: boolean
      /** watcher_disabled */
      reason?: string
    } & Record<string, unknown>
  }
  /** Starts the watchers */
  'POST /api/watch/start': {
    answer: {
      groups: (ScrobbleGroup)[]
      routes: (WatchedRoute)[]
      has_watch: boolean
      alive: boolean
      stop_set: boolean
      provider: string | null
      sinks: (string)[]
      ok: boolean
      stopped?: boolean
      reloaded?: boolean
      /** watcher_disabled */
      reason?: string
    } & Record<string, unknown>
  }
  /** State of the watchers */
  'GET /api/watch/status': {
    answer: {
      groups: (ScrobbleGroup)[]
      routes: (WatchedRoute)[]
      has_watch: boolean
      alive: boolean
      stop_set: boolean
      provider: string | null
      sinks: (string)[]
    } & Record<string, unknown>
  }
  /** Stops the watchers */
  'POST /api/watch/stop': {
    answer: {
      groups: (ScrobbleGroup)[]
      routes: (WatchedRoute)[]
      has_watch: boolean
      alive: boolean
      stop_set: boolean
      provider: string | null
      sinks: (string)[]
      ok: boolean
      stopped?: boolean
      reloaded?: boolean
      /** watcher_disabled */
      reason?: string
    } & Record<string, unknown>
  }
  /** Server Sent Events: a message whenever the current sessions change */
  'GET /api/watch/stream': {
    answer: unknown
  }
  /** The watchlists of all accounts as one */
  'GET /api/watchlist': {
    query?: { overview?: "none" | "short" | "full"; locale?: string; limit?: number; max_meta?: number }
    answer: {
      ok: boolean
      items: ({
        key: string
        aliases: (string)[]
        type: string
        title: string | null
        year: number | null
        /** By scheme. */
        ids: Record<string, string | number | Record<string, string | number>>
        tmdb: number | null
        season?: number
        episode?: number
        episode_label?: string
        series_title?: string | null
        /** both, or <provider>_only. */
        status: string
        sources: (string)[]
        sources_by_provider: Record<string, (string)[]>
        accounts: ({
          provider: string
          instance: string
          key: string
          read_at: number
          stale: boolean
        })[]
        added_epoch: number | null
        added_when: string | null
        added_src: string | null
        added_instance: string | null
        categories?: (string)[]
      } & Record<string, unknown>)[]
      counts: {
        total: number
        by_provider: Record<string, number>
        by_status: Record<string, number>
        by_type: Record<string, number>
      }
      last_sync_epoch: number | null
      missing_tmdb_key: boolean
      meta_enriched: number
    }
  }
  /** Remove titles from the watchlists */
  'POST /api/watchlist/delete': {
    body: {
      /** The accounts belong to several persons, and all of them are meant. */
      across_persons?: boolean
      provider?: string
      provider_instance?: string | null
      /** A list of keys, or of `{ key, aliases }`. */
      keys?: unknown
    } & Record<string, unknown>
    answer: {
      ok: boolean
      partial: boolean
      provider: string
      targets: (string)[]
      deleted_ok: number
      deleted_total: number
      results: ({
        provider: string
        ok: boolean
        deleted: number
        per_key: ({
          key: string
          resolved_key?: string
          deleted: boolean
          /** It was sent. */
          attempted: boolean
          reason?: string
        })[]
        /** By profile. */
        per_instance: Record<string, {
            ok: boolean
            removed?: number
            error?: string
          }>
      })[]
      unresolved: ({
        key: string
        reason: string
      })[]
    }
  }
  /** Remove titles from the watchlists */
  'POST /api/watchlist/delete_batch': {
    body: {
      /** The accounts belong to several persons, and all of them are meant. */
      across_persons?: boolean
      provider?: string
      provider_instance?: string | null
      /** A list of keys, or of `{ key, aliases }`. */
      keys?: unknown
    } & Record<string, unknown>
    answer: {
      ok: boolean
      partial: boolean
      provider: string
      targets: (string)[]
      deleted_ok: number
      deleted_total: number
      results: ({
        provider: string
        ok: boolean
        deleted: number
        per_key: ({
          key: string
          resolved_key?: string
          deleted: boolean
          /** It was sent. */
          attempted: boolean
          reason?: string
        })[]
        /** By profile. */
        per_instance: Record<string, {
            ok: boolean
            removed?: number
            error?: string
          }>
      })[]
      unresolved: ({
        key: string
        reason: string
      })[]
    }
  }
  /** Remove a title from the watchlists */
  'DELETE /api/watchlist/{key}': {
    params: { key: string }
    query?: { across_persons?: boolean; provider?: string; provider_instance?: string }
    answer: {
      ok: boolean
      deleted: number
      provider: string
      key: string
      status: "ok" | "error" | "noop"
      /** Why nothing was deleted: `not_in_state` (no account has it), `ambiguous_key` (it means several titles), or what came of the write, `held` or `failed` for example. */
      reason?: string
      details: Record<string, {
          ok: boolean
          removed?: number
          error?: string
        }> | Record<string, {
          ok: boolean
          /** By profile. */
          per_instance: Record<string, {
              ok: boolean
              removed?: number
              error?: string
            }>
          removed: number
        }>
    }
  }
  /** A few numbers for a dashboard, at most 15 seconds old */
  'GET /api/widget': {
    query?: { titles?: boolean }
    answer: {
      ok: boolean
      /** problem: the last run failed, or something is broken; attention: something waits for you. */
      health: "ok" | "attention" | "problem"
      status: {
        state: "in_sync" | "need_you" | "working" | "paused" | "cannot_reach" | "failed"
        count: number
        text: string
      } | null
      /** Open problems. */
      attention: number
      running: boolean
      last_run: {
        /** ok, partial, failed, cancelled, skipped; empty before the first. */
        result: string
        at: number | null
        at_iso: string | null
        added: number
        updated: number
        removed: number
        /** Items that need you: not synced, or held. Without those that a library lacks. */
        unresolved: number
        /** Of these: removals that wait for a review. */
        held: number
      }
      next_run: {
        at: number | null
        at_iso: string | null
      }
      counts: {
        pairs: number
        accounts: number
        watchlist: number
        history: number
        ratings: number
        progress: number
      }
      titles?: (string)[]
    }
  }
  /** A poster, backdrop or still of a work */
  'GET /art/metaA/{typ}/{tmdb_id}': {
    params: { typ: string; tmdb_id: number }
    query?: { size?: string; kind?: string; locale?: string; title?: string; season?: number; episode?: number; year?: number }
    answer: unknown
  }
  /** Where SIMKL sends the browser back to */
  'GET /callback': {
    query?: { code?: string; state?: string; error?: string; iss?: string }
    answer: unknown
  }
  /** Where AniList sends the browser back to */
  'GET /callback/animeA': {
    query?: { code?: string; state?: string; error?: string }
    answer: unknown
  }
  /** Where Trakt sends the browser back to */
  'GET /callback/trackA': {
    query?: { code?: string; state?: string; error?: string }
    answer: unknown
  }
  /** Metrics in the text format of Prometheus; with a session, or the token of the settings as a bearer token */
  'GET /metrics': {
    answer: unknown
  }
  /** What plays on a media server */
  'POST /webhook/mediaA': {
    body?: Record<string, unknown>
    answer: {
      /** False if it could be passed on to none of its destinations. */
      ok: boolean
      /** Nothing was sent; `reason` says why. */
      ignored?: boolean
      dedup?: boolean
      debounced?: boolean
      suppressed?: boolean
      /** `start`, `pause`, `stop` or `rating`. */
      action?: string
      /** 200, or 502 if every destination failed. */
      status?: number
      targets?: ({
        /** `TRACKA` for example. */
        target: string
        target_instance: string
        ok: boolean
        /** It is stored, and will be delivered. */
        queued?: boolean
        skipped?: boolean
        ignored?: boolean
        reason?: string
        error?: string
      })[]
      activity_recorded?: boolean
      reason?: string
      error?: string
      progress?: number
      /** It is kept, and handled when the plugin is running again. */
      queued?: boolean
    } & Record<string, unknown>
  }
  /** What plays on a media server */
  'POST /webhook/mediaAtrackA': {
    body?: Record<string, unknown>
    answer: {
      /** False if it could be passed on to none of its destinations. */
      ok: boolean
      /** Nothing was sent; `reason` says why. */
      ignored?: boolean
      dedup?: boolean
      debounced?: boolean
      suppressed?: boolean
      /** `start`, `pause`, `stop` or `rating`. */
      action?: string
      /** 200, or 502 if every destination failed. */
      status?: number
      targets?: ({
        /** `TRACKA` for example. */
        target: string
        target_instance: string
        ok: boolean
        /** It is stored, and will be delivered. */
        queued?: boolean
        skipped?: boolean
        ignored?: boolean
        reason?: string
        error?: string
      })[]
      activity_recorded?: boolean
      reason?: string
      error?: string
      progress?: number
      /** It is kept, and handled when the plugin is running again. */
      queued?: boolean
    } & Record<string, unknown>
  }
  /** Ratings of a media server */
  'POST /webhook/mediaAwatcher': {
    body?: Record<string, unknown>
    answer: {
      /** False if it could be passed on to none of its destinations. */
      ok: boolean
      /** Nothing was sent; `reason` says why. */
      ignored?: boolean
      dedup?: boolean
      debounced?: boolean
      suppressed?: boolean
      /** `start`, `pause`, `stop` or `rating`. */
      action?: string
      /** 200, or 502 if every destination failed. */
      status?: number
      targets?: ({
        /** `TRACKA` for example. */
        target: string
        target_instance: string
        ok: boolean
        /** It is stored, and will be delivered. */
        queued?: boolean
        skipped?: boolean
        ignored?: boolean
        reason?: string
        error?: string
      })[]
      activity_recorded?: boolean
      reason?: string
      error?: string
      progress?: number
      /** It is kept, and handled when the plugin is running again. */
      queued?: boolean
    } & Record<string, unknown>
  }
  /** What plays on a media server */
  'POST /webhook/mediaB': {
    body?: Record<string, unknown>
    answer: {
      /** False if it could be passed on to none of its destinations. */
      ok: boolean
      /** Nothing was sent; `reason` says why. */
      ignored?: boolean
      dedup?: boolean
      debounced?: boolean
      suppressed?: boolean
      /** `start`, `pause`, `stop` or `rating`. */
      action?: string
      /** 200, or 502 if every destination failed. */
      status?: number
      targets?: ({
        /** `TRACKA` for example. */
        target: string
        target_instance: string
        ok: boolean
        /** It is stored, and will be delivered. */
        queued?: boolean
        skipped?: boolean
        ignored?: boolean
        reason?: string
        error?: string
      })[]
      activity_recorded?: boolean
      reason?: string
      error?: string
      progress?: number
      /** It is kept, and handled when the plugin is running again. */
      queued?: boolean
    } & Record<string, unknown>
  }
  /** What plays on a media server */
  'POST /webhook/mediaBtrackA': {
    body?: Record<string, unknown>
    answer: {
      /** False if it could be passed on to none of its destinations. */
      ok: boolean
      /** Nothing was sent; `reason` says why. */
      ignored?: boolean
      dedup?: boolean
      debounced?: boolean
      suppressed?: boolean
      /** `start`, `pause`, `stop` or `rating`. */
      action?: string
      /** 200, or 502 if every destination failed. */
      status?: number
      targets?: ({
        /** `TRACKA` for example. */
        target: string
        target_instance: string
        ok: boolean
        /** It is stored, and will be delivered. */
        queued?: boolean
        skipped?: boolean
        ignored?: boolean
        reason?: string
        error?: string
      })[]
      activity_recorded?: boolean
      reason?: string
      error?: string
      progress?: number
      /** It is kept, and handled when the plugin is running again. */
      queued?: boolean
    } & Record<string, unknown>
  }
  /** What plays on a media server */
  'POST /webhook/mediaC': {
    body?: Record<string, unknown>
    answer: {
      /** False if it could be passed on to none of its destinations. */
      ok: boolean
      /** Nothing was sent; `reason` says why. */
      ignored?: boolean
      dedup?: boolean
      debounced?: boolean
      suppressed?: boolean
      /** `start`, `pause`, `stop` or `rating`. */
      action?: string
      /** 200, or 502 if every destination failed. */
      status?: number
      targets?: ({
        /** `TRACKA` for example. */
        target: string
        target_instance: string
        ok: boolean
        /** It is stored, and will be delivered. */
        queued?: boolean
        skipped?: boolean
        ignored?: boolean
        reason?: string
        error?: string
      })[]
      activity_recorded?: boolean
      reason?: string
      error?: string
      progress?: number
      /** It is kept, and handled when the plugin is running again. */
      queued?: boolean
    } & Record<string, unknown>
  }
  /** What plays on a media server */
  'POST /webhook/mediaCtrackA': {
    body?: Record<string, unknown>
    answer: {
      /** False if it could be passed on to none of its destinations. */
      ok: boolean
      /** Nothing was sent; `reason` says why. */
      ignored?: boolean
      dedup?: boolean
      debounced?: boolean
      suppressed?: boolean
      /** `start`, `pause`, `stop` or `rating`. */
      action?: string
      /** 200, or 502 if every destination failed. */
      status?: number
      targets?: ({
        /** `TRACKA` for example. */
        target: string
        target_instance: string
        ok: boolean
        /** It is stored, and will be delivered. */
        queued?: boolean
        skipped?: boolean
        ignored?: boolean
        reason?: string
        error?: string
      })[]
      activity_recorded?: boolean
      reason?: string
      error?: string
      progress?: number
      /** It is kept, and handled when the plugin is running again. */
      queued?: boolean
    } & Record<string, unknown>
  }
}

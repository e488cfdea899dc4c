// Request schema for saving a dataset.
export interface DatasetBody {
  readonly kind?: string
  readonly source?: string
  readonly provider?: string | null
  readonly provider_instance?: string | null
  readonly workspace?: string | null
  readonly endpoint?: string | null
  readonly snapshot?: string | null
  readonly items?: unknown
  readonly blocks?: unknown
  readonly original_keys?: unknown
  readonly original_blocks?: unknown
  readonly revision?: string | null
  readonly force?: boolean
  readonly confirm_removals?: boolean
  readonly dry_run?: boolean
}

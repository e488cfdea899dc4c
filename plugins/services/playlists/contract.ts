// Plans and results of runs as the interface shows them.

export interface UnresolvedItem {
  readonly endpoint_id: string
  readonly op: 'add' | 'remove'
  readonly key: string
  readonly title: string | null
  readonly year: number | null
  readonly media_type: string
  readonly season?: number
  readonly episode?: number
  readonly reason: string
  /** A plugin's explanation. */
  readonly note?: string
}

export interface TargetCounts {
  readonly endpoint_id: string
  readonly provider: string
  readonly instance: string
  readonly playlist_id: string
  readonly playlist_name: string
  readonly current_count: number
  readonly logical_count: number
  readonly available_capacity: number | null
  readonly planned_additions: number
  readonly planned_removals: number
  readonly blocked_removals: number
}

/** The counts of a plan, the same for preview, dry run and run. */
export interface PlanView {
  readonly mapping_id: string
  readonly ruleset_id: string
  readonly membership: string
  readonly order: string
  readonly source_count: number
  readonly target_count: number
  readonly planned_additions: number
  readonly planned_removals: number
  readonly blocked_removals: number
  readonly blocked_items: readonly ItemFacts[]
  readonly reorder_count: number
  readonly manual_affected: boolean
  readonly managed_count: number
  readonly unresolved: readonly UnresolvedItem[]
  readonly unresolved_count: number
  readonly duplicates: readonly { readonly key: string; readonly endpoints: readonly string[] }[]
  readonly warnings: readonly string[]
  readonly initial: boolean
  /** Nothing is written. */
  readonly blocked: boolean
  readonly error?: string
  readonly losses?: readonly string[]
}

/** The result of a run. Times in epoch seconds. */
export interface Result extends Partial<PlanView> {
  readonly ok: boolean
  /** Something was left: unresolved items, or removals that were blocked. */
  readonly partial: boolean
  readonly mapping_id: string
  readonly ruleset_id: string
  readonly job_id: string
  readonly dry_run: boolean
  readonly added: number
  readonly removed: number
  readonly reordered: number
  readonly already: number
  readonly finished_at?: number
  readonly error?: string
  readonly message?: string
  /** Plans of the library, to show and undo the changes. */
  readonly plan_ids: readonly string[]
  readonly run_id?: string
  readonly [field: string]: unknown
}

export interface ItemFacts {
  readonly key: string
  readonly title: string | null
  readonly year: number | null
  readonly media_type: string
  readonly season?: number
  readonly episode?: number
}

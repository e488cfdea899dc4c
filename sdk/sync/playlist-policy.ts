// The contract between the playlists service and the policy of playlists, which plans whole lists: entries to add,
// remove and move. The policy is pure. It provides `feature:playlists`.
import { type Capability, capability } from '../capability.ts'
import type { ListEntry } from '../capabilities/lists.ts'
import type { IdScheme, Reach } from '../items/id-schemes.ts'
import type { Item } from '../items/item.ts'
import type { ItemKind } from '../items/kind.ts'
import type { SyncFeature } from './contract.ts'

export const PLAYLIST_POLICY: Capability<PlaylistPolicy> = capability<PlaylistPolicy>('feature:playlists')

/**
 * - `add_only`: nothing is removed.
 * - `managed_only`: entries that the mapping added are removed with their source; other entries of the target stay.
 * - `mirror`: entries that the source does not have are removed.
 */
export type Membership = 'add_only' | 'managed_only' | 'mirror'

/** A complete read of a list of a mapping. */
export interface ReadList {
  /** Id of its endpoint. */
  readonly id: string
  readonly entries: readonly ListEntry[]
  /**
   * Entries that could not be read. Any item may be one of them: while there are more than when the missing items were
   * last read, nothing is removed from the other side without approval; while there are any, unknown items are never
   * removed.
   */
  readonly unreadable: number
  /** Kinds that can be written to it. */
  readonly kinds: readonly ItemKind[]
  readonly needsAnyId?: readonly IdScheme[]
  /** An item may occur more than once (`List.duplicates`). */
  readonly duplicates: boolean
  readonly canAdd: boolean
  readonly canRemove: boolean
  readonly canMove: boolean
}

/**
 * An item that a read showed at the source and in a target list, with its ids at both. Only a read creates a record: an
 * add that no read has shown is in `refused`, as `not_shown`.
 */
export interface ManagedItem {
  /** Key of the item at the source. */
  readonly key: string
  /** All tokens of the item, from both accounts. */
  readonly tokens: readonly string[]
  /** `native.list_item_id` of the entry in its list, if there is one. */
  readonly entry?: string
  /** The endpoint of the target list that has it, or had it last. */
  readonly list: string
  /** The mapping added it. False: both sides already had it. */
  readonly added: boolean
}

/** An item that a target list did not accept; it is tried again at `retryAtMs`. */
export interface RefusedItem {
  readonly key: string
  readonly list: string
  /** The reason of the list; `not_shown`: the list accepted it, but no read has shown it yet. */
  readonly reason: string
  readonly attempts: number
  readonly retryAtMs: number
}

export interface MassDeleteGuard {
  /**
   * Removals beyond `max(min, ratio × size)` are blocked, and all if the other side is empty. The size is that of the
   * list, or of all targets of the mapping.
   */
  readonly min: number
  readonly ratio: number
  /** The person approved the removals. */
  readonly approved: boolean
}

interface MappingState {
  readonly managed: readonly ManagedItem[]
  readonly refused: readonly RefusedItem[]
  /** null: the mapping has not run yet. */
  readonly last: LastSeen | null
  /** `account` if source and targets belong to one account, `provider` if to one provider, otherwise `anywhere`. */
  readonly within: Reach
  readonly nowMs: number
  readonly guard: MassDeleteGuard
}

/** One source, one target. */
export interface DirectInput extends MappingState {
  readonly source: ReadList
  readonly target: ReadList
  readonly membership: Membership
  readonly order: 'ignore' | 'preserve'
}

/**
 * Rules for several targets, or both ways. All counts are items. All combinations are supported:
 *
 * - One-way never writes to the source. With `add_only`, items removed from the targets are not added again.
 * - Both ways, `managed_only`: an item that both sides had and that one side lost is removed from the other. With
 *   `add_only` it stays there. With `mirror`, items that only the targets had at the first run are removed once the
 *   person approves it; otherwise they stay.
 * - `preserve` gives the targets the order of the source.
 */
export interface PartitionRules {
  readonly direction: 'one_way' | 'bidirectional'
  readonly membership: Membership
  readonly order: 'ignore' | 'preserve'
  readonly perListCapacity: number
  readonly totalCapacity: number
}

/** The opaque state after the last run, to be stored and passed back. */
export interface LastSeen {
  /** Tokens of each item that is only in the targets and left there. Empty for direct mappings. */
  readonly target: readonly (readonly string[])[]
  /** Number of unreadable entries when all recorded items were present. */
  readonly unreadable: { readonly source: number; readonly targets: number }
}

export interface PartitionInput extends MappingState {
  readonly source: ReadList
  /** Target lists in the order in which they are filled. */
  readonly targets: readonly ReadList[]
  readonly rules: PartitionRules
}

export interface PlannedAdd {
  /** Key of the entry of the other list; with a suffix if an entry of this list has the same key. */
  readonly key: string
  /** Ready to write: without ids that are invalid at this account. */
  readonly item: Item
  readonly tokens: readonly string[]
}

export interface PlannedRemove {
  /** Key of the entry in this list. */
  readonly key: string
  readonly item: Item
  readonly tokens: readonly string[]
  /** False: only the target had it, so the person added it. */
  readonly managed: boolean
}

/** The operations for one list. */
export interface ListPlan {
  readonly list: string
  readonly adds: readonly PlannedAdd[]
  readonly removes: readonly PlannedRemove[]
  /**
   * As `ListChanges.order`: all entries that stay and all adds. Entries that the source lacks are never moved.
   * null: the order is right, or not synced.
   */
  readonly order: readonly string[] | null
  /** Entries that the order moves: as few as possible. */
  readonly moves: number
  /** Removals that the guard blocks; they are not in `removes`. */
  readonly blocked: number
  /** The entries that `blocked` counts, shown to people for approval. */
  readonly held?: readonly { readonly key: string; readonly item: Item }[]
  /**
   * Not tried: `unsupported_type`, `missing_ids`, `ambiguous` (may be an item that the list has under other ids),
   * `remove_unsupported`, or the reason of an earlier refusal.
   */
  readonly leftOut: readonly LeftOutItem[]
}

/** An add or a removal that is not tried. */
export interface LeftOutItem {
  readonly op: 'add' | 'remove'
  readonly key: string
  readonly item: Item
  readonly reason: string
}

export interface MappingPlan {
  /** No write is allowed: `capacity_exceeded`, `target_read_only`, `source_read_only`. */
  readonly refused: string | null
  readonly source: ListPlan
  readonly targets: readonly ListPlan[]
  /** Items on both sides, as records. */
  readonly matched: readonly ManagedItem[]
  /** Items in several target lists, or several times in one: the endpoint of each entry. */
  readonly duplicates: readonly { readonly key: string; readonly lists: readonly string[] }[]
  readonly counts: {
    /** Number of different items. */
    readonly source: number
    /** Number of different items over all targets. */
    readonly target: number
    /** Items of the targets that are removed when the source loses them. */
    readonly managed: number
    readonly unmanaged: number
    /** Partition only; null otherwise. */
    readonly capacity: number | null
    readonly available: number | null
    /** Wanted items without room. */
    readonly overflow: number
  }
  /**
   * - `mass_delete_blocked`, with `source_emptied` or `targets_emptied` if that is the reason.
   * - `unreadable_entries`: removals are blocked because a missing item may be one of them.
   * - `first_run_keeps`: at its first run a mirror does not remove existing entries; counted in `blocked`.
   * - `order_unsupported`: the order differs and the list cannot move.
   */
  readonly warnings: readonly string[]
  /** The first run of the mapping: nothing is removed, unless the person approved a mirror. */
  readonly initial: boolean
}

/** The result of a plan, by list; lists without requests are left out. */
export interface MappingOutcome {
  readonly list: string
  /** Keys of adds and removes that were applied or already done; also of adds with an unknown outcome. */
  readonly done: { readonly adds: readonly string[]; readonly removes: readonly string[] }
  /** Keys of adds whose response was lost. */
  readonly unsure?: readonly string[]
  /** Adds that the list refused permanently. */
  readonly refused: readonly { readonly key: string; readonly reason: string }[]
}

export interface NextState {
  readonly managed: readonly ManagedItem[]
  readonly refused: readonly RefusedItem[]
  readonly last: LastSeen | null
}

export interface PlaylistPolicy extends Pick<SyncFeature, 'describe' | 'normalize'> {
  /** The plan, equally for preview, dry run and run. */
  planDirect(input: DirectInput): Promise<MappingPlan>
  planPartition(input: PartitionInput): Promise<MappingPlan>
  /**
   * The state after a plan was applied, also in part: unfinished operations stay pending.
   *
   * @param after complete reads of the written lists, made after the writes. They show under which ids and
   *   entries the items were added. Without one, an added item counts as not shown until the next run reads
   *   it: if the list lacks it then, it is added again after a while, and never removed from the source.
   */
  next(
    input: DirectInput | PartitionInput,
    plan: MappingPlan,
    outcomes: readonly MappingOutcome[],
    after: readonly ReadList[],
  ): Promise<NextState>
}

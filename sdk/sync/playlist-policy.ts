// The contract between the playlists service and the policy of playlists, which decides about whole lists: what is
// added, removed and moved. The policy is pure. It provides `feature:playlists`.
import { type Capability, capability } from '../capability.ts'
import type { ListEntry } from '../capabilities/lists.ts'
import type { IdScheme } from '../items/id-schemes.ts'
import type { Item } from '../items/item.ts'
import type { ItemKind } from '../items/kind.ts'
import type { SyncFeature } from './contract.ts'

export const PLAYLIST_POLICY: Capability<PlaylistPolicy> = capability<PlaylistPolicy>('feature:playlists')

/**
 * - `add_only`: nothing is removed.
 * - `managed_only`: what the mapping added is removed with its source; other entries of the target stay.
 * - `mirror`: what the source does not have is removed.
 */
export type Membership = 'add_only' | 'managed_only' | 'mirror'

/** A complete read of a list of a mapping. */
export interface ReadList {
  /** Id of its endpoint. */
  readonly id: string
  readonly entries: readonly ListEntry[]
  /** Kinds that can be written to it. */
  readonly kinds: readonly ItemKind[]
  readonly needsAnyId?: readonly IdScheme[]
  readonly canAdd: boolean
  readonly canRemove: boolean
  readonly canMove: boolean
}

/** An item that the mapping put into a list, as it was known at the source and at the target. */
export interface ManagedItem {
  /** Key of the item. */
  readonly key: string
  /** All tokens under which the item is known, of both accounts. */
  readonly tokens: readonly string[]
  /** `native.list_item_id` of the entry in its list, if there is one. */
  readonly entry?: string
  /** The endpoint of the target list that holds it. */
  readonly list: string
}

/** An item that a target list did not accept; it is tried again at `retryAtMs`. */
export interface RefusedItem {
  readonly key: string
  readonly list: string
  readonly reason: string
  readonly attempts: number
  readonly retryAtMs: number
}

export interface MassDeleteGuard {
  /** Removals beyond `max(min, ratio × size of the list)` are blocked, and any from a source that has become empty. */
  readonly min: number
  readonly ratio: number
  /** The person approved them. */
  readonly approved: boolean
}

interface MappingState {
  readonly managed: readonly ManagedItem[]
  readonly refused: readonly RefusedItem[]
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

/** Rules for several targets, or both ways. All counts are items. */
export interface PartitionRules {
  readonly direction: 'one_way' | 'bidirectional'
  readonly membership: Membership
  readonly order: 'ignore' | 'preserve'
  readonly perListCapacity: number
  readonly totalCapacity: number
}

/** The state after the last successful part of a run; null: the mapping has not run yet. */
export interface LastSeen {
  /** Tokens of each item that both sides had, or that was in the targets only. */
  readonly source: readonly (readonly string[])[]
  readonly target: readonly (readonly string[])[]
}

export interface PartitionInput extends MappingState {
  readonly source: ReadList
  /** In the order in which they are filled. */
  readonly targets: readonly ReadList[]
  readonly rules: PartitionRules
  readonly last: LastSeen | null
}

export interface PlannedAdd {
  /** Key of the entry of the other list. */
  readonly key: string
  readonly item: Item
  readonly tokens: readonly string[]
}

export interface PlannedRemove {
  /** Key of the entry in this list. */
  readonly key: string
  readonly item: Item
  readonly tokens: readonly string[]
  /** False: the mapping did not add it. */
  readonly managed: boolean
}

/** What is to be done in one list. */
export interface ListPlan {
  readonly list: string
  readonly adds: readonly PlannedAdd[]
  readonly removes: readonly PlannedRemove[]
  /** As `ListChanges.order`; null: the order is not touched. */
  readonly order: readonly string[] | null
  /** Entries that the order moves. */
  readonly moves: number
  /** Removals that the guard blocks; they are not in `removes`. */
  readonly blocked: number
  /** Not tried: `unsupported_type`, `missing_ids`, `ambiguous`, or the reason of an earlier refusal. */
  readonly leftOut: readonly { readonly key: string; readonly item: Item; readonly reason: string }[]
}

export interface MappingPlan {
  /** Nothing may be written: `capacity_exceeded`, `target_read_only`, `source_read_only`. */
  readonly refused: string | null
  readonly source: ListPlan
  readonly targets: readonly ListPlan[]
  /** Items that both sides have: their managed records after the run, with the entry in the target list. */
  readonly matched: readonly ManagedItem[]
  /** In several target lists, or several times in one: keys of the entries by endpoint. */
  readonly duplicates: readonly { readonly key: string; readonly lists: readonly string[] }[]
  readonly counts: {
    readonly source: number
    /** Different items over all targets. */
    readonly target: number
    readonly managed: number
    readonly unmanaged: number
    /** Partition only; null otherwise. */
    readonly capacity: number | null
    readonly available: number | null
    /** Wanted items without room. */
    readonly overflow: number
  }
  /** `mass_delete_blocked`, `order_unsupported`, `source_emptied`, … */
  readonly warnings: readonly string[]
  /** The first run of the mapping: nothing is removed. */
  readonly initial: boolean
}

/** What happened to a plan, by list. */
export interface MappingOutcome {
  readonly list: string
  /** Keys of adds and removes that were applied, or were so already. */
  readonly done: { readonly adds: readonly string[]; readonly removes: readonly string[] }
  /** Adds that the list refused for good. */
  readonly refused: readonly { readonly key: string; readonly reason: string }[]
}

export interface NextState {
  readonly managed: readonly ManagedItem[]
  readonly refused: readonly RefusedItem[]
  readonly last: LastSeen | null
}

export interface PlaylistPolicy extends Pick<SyncFeature, 'describe' | 'normalize'> {
  /** The plan of preview, dry run and run alike. */
  planDirect(input: DirectInput): Promise<MappingPlan>
  planPartition(input: PartitionInput): Promise<MappingPlan>
  /** The state after a plan was applied, also in part: what was not done stays pending. */
  next(input: DirectInput | PartitionInput, plan: MappingPlan, outcomes: readonly MappingOutcome[]): Promise<NextState>
}

// What the sync engine and the feature plugins (watchlist, history, ratings, progress) agree on. The engine reads,
// matches, guards, writes and remembers; a feature says what a row of its kind is worth and what should happen to a
// pair of rows. A feature is pure: the same input gives the same answer, at any time. It provides `feature:<name>`.
import type { TSchema } from '@sinclair/typebox'
import { type Capability, capabilityFamily } from '../capability.ts'
import type { Item } from '../items/item.ts'
import type { ItemKind } from '../items/kind.ts'
import type { Feature, FeatureSupport } from '../provider/contract.ts'

/** `a` is the source of the pair, `b` its target. */
export type Side = 'a' | 'b'
export type PairMode = 'one_way' | 'two_way'

/** Options of one feature of a pair, in wire form: `enabled`, `add`, `remove` and what the feature itself declares. */
export type FeatureOptions = Readonly<Record<string, unknown>> & {
  readonly enabled: boolean
  readonly add: boolean
  readonly remove: boolean
}

export interface FeatureDescription {
  readonly feature: Feature
  readonly label: string
  /** Schema of the feature's own options beside `enabled`, `add` and `remove`, with defaults. */
  readonly options: TSchema
  /**
   * Features that a run does before this one: history goes before watchlist, because watching takes titles off
   * watchlists.
   */
  readonly after: readonly Feature[]
}

/** How the rows of this pair are compared. */
export interface Comparing {
  /** `play`: every play is a row; rows of one item are paired by time, one to one, the nearest first. */
  readonly identity: 'item' | 'play'
  /** For plays: how far times may differ. */
  readonly toleranceMs: number
  /** What the reads of both sides ask for. */
  readonly kinds: readonly ItemKind[] | undefined
  /** Decides when a base belongs to another way of comparing: a change is treated as a first run. */
  readonly variant: string
}

export interface ComparingInput {
  readonly options: FeatureOptions
  readonly mode: PairMode
  readonly support: Readonly<Record<Side, FeatureSupport>>
  /** false when one of the accounts cannot do plays right now. */
  readonly playsAllowed: boolean
}

/**
 * What a row is to the feature. Rows that are out of scope or unusable have a reason instead, and are never written or
 * removed.
 */
export type Shape =
  | {
      readonly value: string
      /** When the person did it: `watched_at`, `rated_at`, `added_at`, `progress_at`. Only real times. */
      readonly evidenceMs?: number
      /** Another row of the same item on the same side decides nothing when this is higher there. */
      readonly rank?: number
    }
  | { readonly skip: string }

/** What was last seen on a side, in a complete read or by reading the row itself; never what was only written. */
export interface Seen {
  readonly value: string
  readonly evidenceMs?: number
  /** End of the last read in which the row was there. */
  readonly seenAtMs: number
}

/** A write that was confirmed and has not been seen yet. */
export interface Pending {
  readonly op: 'add' | 'update' | 'remove'
  readonly value: string
  readonly atMs: number
}

export interface Row {
  readonly item: Item
  readonly value: string
  readonly evidenceMs?: number
  /** History with one row per item: how many plays the side has of it, where that is known. */
  readonly plays?: number
}

/** One item (or play) on both sides, with what is remembered of it. */
export interface Group {
  readonly key: string
  readonly base: {
    readonly a: Seen | null
    readonly b: Seen | null
    readonly pendingA: Pending | null
    readonly pendingB: Pending | null
    /**
     * The item was found like this before and left so (removal switched off, or a run undone); while it stays, nothing
     * happens.
     */
    readonly settled: {
      readonly a: string | null
      readonly b: string | null
      /** The `reason` of the decision that left it so; absent after an undo. */
      readonly reason?: string
    } | null
  } | null
  readonly a: Row | null
  readonly b: Row | null
  /** `unknown` whenever absence is not proven by a complete read. A row makes it `present`. */
  readonly presenceA: 'present' | 'absent' | 'unknown'
  readonly presenceB: 'present' | 'absent' | 'unknown'
  /**
   * The same item in the history of a side, where it is known: a position that vanished because the work was finished
   * is no removal.
   */
  readonly watchedA?: boolean
  readonly watchedB?: boolean
}

export interface DecideRules {
  readonly mode: PairMode
  readonly options: FeatureOptions
  /**
   * One-way: what to do about rows that only the target has. `mirror` removes them, once the takeover was confirmed.
   */
  readonly removeMode: 'source_deletes' | 'mirror'
  readonly mirrorApproved: boolean
  /** Two-way with removals off: bring back what was deleted on one side. */
  readonly restoreDeleted: boolean
  /** Wins where nothing else decides. Default: the pair's source. */
  readonly sourceOfTruth: Side
  /** No base was ever written for this pair and feature: nothing is removed. */
  readonly firstRun: boolean
  readonly lastRunStartedAtMs: number | null
  readonly nowMs: number
  /** false: absence on this side proves no removal (incomplete read, deletions not observed, another account). */
  readonly mayProveAbsence: Readonly<Record<Side, boolean>>
  readonly support: Readonly<Record<Side, FeatureSupport>>
  /** As `compare` gave it. Absent: what the keys of the groups say. */
  readonly identity?: Comparing['identity']
}

export interface Operation {
  /** Where to write. */
  readonly side: Side
  readonly op: 'add' | 'update' | 'remove'
  /** Add and update: the item with the value to write. Remove: absent, the engine sends the side's own row. */
  readonly item?: Item
  /** The value that the side should then have; `''` for a removal. */
  readonly value: string
  /** Why, as a code: `new_on_a`, `changed_on_b`, `removed_on_a`, `newer_on_b`, `mirror`, … */
  readonly cause: string
  readonly evidenceMs?: number
}

export interface Decision {
  readonly ops: readonly Operation[]
  /**
   * `linked`: both sides agree, or will when the operations are done. `diverged`: they differ and are left so, shown as
   * such; the base stays as it is and `settled` becomes what the sides have now, with `reason`. `none`: the base
   * follows what was read, so a side that is proven absent is no longer remembered as seen.
   */
  readonly state: 'linked' | 'diverged' | 'none'
  /** Why the group is left alone although its sides differ; shown among the unresolved when `report` is set. */
  readonly reason?: string
  readonly report?: boolean
  /**
   * Undecided: the base stays as it is in every part (a write is not visible yet, a side is unknown, adding is off).
   */
  readonly hold?: boolean
  /**
   * Sides whose pending write is over: the read shows it, perhaps rounded by the service, or the person changed the
   * item since. What was read there becomes the seen value, also with `hold`. Pending writes of other sides stay.
   */
  readonly over?: readonly Side[]
}

export interface SyncFeature {
  describe(): FeatureDescription
  /**
   * Options as they are stored: aliases read, values clamped, defaults filled. Throws `PLH_INVALID` with
   * `details.problems`.
   */
  normalize(options: Readonly<Record<string, unknown>>): FeatureOptions
  compare(input: ComparingInput): Comparing
  /** In the order of the rows. */
  shape(
    rows: readonly Item[],
    input: ComparingInput & { readonly side: Side; readonly nowMs: number },
  ): readonly Shape[]
  /** In the order of the groups. */
  decide(groups: readonly Group[], rules: DecideRules): readonly Decision[]
}

const SYNC_FEATURES = capabilityFamily<SyncFeature>('feature:')

/** The capability of the plugin that decides about a feature. */
export function featureCapability(feature: Feature): Capability<SyncFeature> {
  return SYNC_FEATURES.of(feature)
}

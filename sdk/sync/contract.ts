// The contract between the sync engine and the feature plugins (watchlist, history, ratings, progress). The engine
// reads, matches, checks limits, writes and stores; a feature computes the value of a row and decides about a pair of
// rows. A feature is pure. It provides `feature:<name>`.
import type { TSchema } from '@sinclair/typebox'
import { type Capability, capabilityFamily } from '../capability.ts'
import type { Item } from '../items/item.ts'
import type { ItemKind } from '../items/kind.ts'
import type { FeatureSupport } from '../provider/contract.ts'
import type { Feature } from '../provider/features.ts'

/** `a` is the source of the pair, `b` its target. */
export type Side = 'a' | 'b'
export type PairMode = 'one_way' | 'two_way'

/** Options of a pair's feature, in wire form: `enabled`, `add`, `remove` and the feature's own. */
export type FeatureOptions = Readonly<Record<string, unknown>> & {
  readonly enabled: boolean
  readonly add: boolean
  readonly remove: boolean
}

export interface FeatureDescription {
  readonly feature: Feature
  readonly label: string
  /** Schema of the feature's own options, with defaults. */
  readonly options: TSchema
  /** Features that run before this one: history before watchlist, because watching removes titles from watchlists. */
  readonly after: readonly Feature[]
}

/** How the rows of a pair are compared. */
export interface Comparing {
  /** `play`: every play is a row; plays of one item are paired by time, one to one, nearest first. */
  readonly identity: 'item' | 'play'
  /** For plays: tolerance of times. */
  readonly toleranceMs: number
  /** Kinds to read from both accounts. */
  readonly kinds: readonly ItemKind[] | undefined
  /** A different value invalidates the base, as on a first run. */
  readonly variant: string
}

export interface ComparingInput {
  readonly options: FeatureOptions
  readonly mode: PairMode
  readonly support: Readonly<Record<Side, FeatureSupport>>
  /** false if one of the accounts cannot read or write single plays now. */
  readonly playsAllowed: boolean
}

/**
 * A row as the feature sees it. Rows that are out of scope or unusable have a reason, and are never written or removed.
 */
export type Shape =
  | {
      readonly value: string
      /** When the person acted: `watched_at`, `rated_at`, `added_at`, `progress_at`. Real times only. */
      readonly evidenceMs?: number
      /** Of several rows of one item in an account, the one with the highest rank decides. */
      readonly rank?: number
    }
  | { readonly skip: string }

/** The last observed state of an account's row, from a complete read or a read of the row; never from a write. */
export interface Seen {
  readonly value: string
  readonly evidenceMs?: number
  /** End of the last read that contained the row. */
  readonly seenAtMs: number
}

/** A confirmed write that no read has shown yet. */
export interface Pending {
  readonly op: 'add' | 'update' | 'remove'
  readonly value: string
  readonly atMs: number
}

export interface Row {
  readonly item: Item
  readonly value: string
  readonly evidenceMs?: number
  /** History with one row per item: number of plays, if known. */
  readonly plays?: number
}

/** One item (or play) at both accounts, with its stored state. */
export interface Group {
  readonly key: string
  readonly base: {
    readonly a: Seen | null
    readonly b: Seen | null
    readonly pendingA: Pending | null
    readonly pendingB: Pending | null
    /** The state that a divergence (removals off, or an undone run) accepted; no operation is planned while it lasts. */
    readonly settled: {
      readonly a: string | null
      readonly b: string | null
      /** The `reason` of that decision; absent after an undo. */
      readonly reason?: string
    } | null
  } | null
  readonly a: Row | null
  readonly b: Row | null
  /** `unknown` unless a complete read proves absence. A row makes it `present`. */
  readonly presenceA: 'present' | 'absent' | 'unknown'
  readonly presenceB: 'present' | 'absent' | 'unknown'
  /**
   * Whether the item is in the account's history, if known: a position that disappears after watching is not a removal.
   */
  readonly watchedA?: boolean
  readonly watchedB?: boolean
  /**
   * History with one row per item: both rows are the same play, which was recorded outside a run, for example by a
   * scrobble. Neither time is newer, however far apart they are. Absent: unknown.
   */
  readonly samePlay?: boolean
  /** No earlier run covered such items, because the pair or a provider did not read them: as in a first run. */
  readonly firstSight?: boolean
  /**
   * Ratings and positions: the row of this side is a copy, made by Playhead, of one that a person set before the row of the other
   * side. Absent: unknown.
   */
  readonly outdated?: Side
}

export interface DecideRules {
  readonly mode: PairMode
  readonly options: FeatureOptions
  /** One-way: how to treat rows that only the target has. `mirror` removes them after a confirmed takeover. */
  readonly removeMode: 'source_deletes' | 'mirror'
  readonly mirrorApproved: boolean
  /** Two-way with removals off: restore what was deleted at one account. */
  readonly restoreDeleted: boolean
  /** Wins ties. Default: the pair's source. */
  readonly sourceOfTruth: Side
  /** No run has read both accounts completely yet: nothing is removed. */
  readonly firstRun: boolean
  /** When the first run began, epoch milliseconds. Absent if it is not known. */
  readonly startedAtMs?: number
  readonly lastRunStartedAtMs: number | null
  readonly nowMs: number
  /** false: absence from this account proves no removal (incomplete read, deletions not observed, another account). */
  readonly mayProveAbsence: Readonly<Record<Side, boolean>>
  readonly support: Readonly<Record<Side, FeatureSupport>>
  /** As returned by `compare`. Absent: derived from the groups' keys. */
  readonly identity?: Comparing['identity']
}

export interface Operation {
  /** The account to write to. */
  readonly side: Side
  readonly op: 'add' | 'update' | 'remove'
  /** Add and update: the item with the value to write. Remove: absent; the engine sends the account's own row. */
  readonly item?: Item
  /** The value after the write; `''` for a removal. */
  readonly value: string
  /** Reason code: `new_on_a`, `changed_on_b`, `removed_on_a`, `newer_on_b`, `mirror`, … */
  readonly cause: string
  readonly evidenceMs?: number
}

export interface Decision {
  readonly ops: readonly Operation[]
  /**
   * `linked`: both accounts agree, or will after the operations. `diverged`: they differ and are reported as such; the
   * base is unchanged and `settled` becomes the current state, with `reason`. `none`: the base follows the reads, so a
   * proven absence is no longer stored as seen.
   */
  readonly state: 'linked' | 'diverged' | 'none'
  /** Why the accounts are left different; listed as unresolved if `report` is set. */
  readonly reason?: string
  readonly report?: boolean
  /** Undecided: the base is unchanged (a write is not visible yet, an account is unknown, adding is off). */
  readonly hold?: boolean
  /**
   * Accounts whose pending write is settled: a read shows it, possibly rounded, or the person changed the item since.
   * The read value becomes the seen value, also with `hold`. Other pending writes stay.
   */
  readonly over?: readonly Side[]
}

export interface SyncFeature {
  describe(): FeatureDescription
  /** Normalizes stored options: aliases, clamped values, defaults. Throws `PLH_INVALID` with `details.problems`. */
  normalize(options: Readonly<Record<string, unknown>>): FeatureOptions
  compare(input: ComparingInput): Comparing
  /** In row order. */
  shape(
    rows: readonly Item[],
    input: ComparingInput & { readonly side: Side; readonly nowMs: number },
  ): readonly Shape[]
  /** In the order of the groups. */
  decide(groups: readonly Group[], rules: DecideRules): readonly Decision[]
}

const SYNC_FEATURES = capabilityFamily<SyncFeature>('feature:')

/** The capability of a feature's plugin. */
export function featureCapability(feature: Feature): Capability<SyncFeature> {
  return SYNC_FEATURES.of(feature)
}

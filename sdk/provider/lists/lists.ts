// The lists of an account: personal lists, playlists, collections, and library states of some services. A provider with
// `lists` also implements `ListProvider`. The watchlist is a feature, not a list.
import type { IdScheme } from '../../items/id-schemes.ts'
import type { Item } from '../../items/item.ts'
import type { ItemKind } from '../../items/kind.ts'
import type { ReadPart } from '../reads/contract.ts'
import type { WriteItem, WriteResult } from '../writes/contract.ts'
import type { Feature } from '../features.ts'

/**
 * - `list`: a personal list of a tracker.
 * - `playlist`: of a media server, in playback order.
 * - `collection`: a group of works in a library, without an order.
 * - `status`: a state in the account's library, such as "on hold"; a work has at most one.
 */
export type ListKind = 'list' | 'playlist' | 'collection' | 'status'

/**
 * `add`, `remove` and `move` apply to entries, the others to the list. `clear` removes all entries and leaves the list.
 */
export type ListOp = 'add' | 'remove' | 'move' | 'create' | 'rename' | 'delete' | 'clear'

/**
 * Losses that an undo cannot restore: the `list` with its id and address, its `entries`, their `order`, the times at
 * which they were added (`added_at`), a work's earlier `status`, or data of other features.
 */
export type Loss = 'list' | 'entries' | 'order' | 'added_at' | 'status' | Feature

/** A provider's support for one kind of list. Other operations are refused before a request. */
export interface ListKindSupport {
  readonly can: readonly ListOp[]
  /** Kinds of items that can be written. */
  readonly kinds: readonly ItemKind[]
  /** As `FeatureSupport.needsAnyId`. */
  readonly needsAnyId?: readonly IdScheme[]
  /** Entries have an order that the person chose. */
  readonly ordered: boolean
  /** An item may occur more than once. */
  readonly duplicates: boolean
  /** Entries are removed by `native.list_item_id`; otherwise by item. Moves always use that id. */
  readonly byEntry: boolean
  /** Most items of one `writeList`. Default 100. */
  readonly maxBatch?: number
  /** Most characters of a title. Default 100. */
  readonly maxTitle?: number
  /**
   * An item is in at most one list of this kind: adding it removes it from another, with these losses. Unless
   * confirmed, such an item is `rejected` (`confirmation_required`).
   */
  readonly exclusive?: readonly Loss[]
  /** Irreversible losses of an operation. The caller must confirm all of them. */
  readonly losses?: { readonly [op in ListOp]?: readonly Loss[] }
}

export type ListSupport = { readonly [kind in ListKind]?: ListKindSupport }

/**
 * - `dynamic`: computed by the service.
 * - `foreign`: owned by another user.
 * - `unsuitable`: contains entries other than items, such as music.
 * - `watchlist`: the account's watchlist, which is written as that feature.
 */
export type ReadOnlyReason = 'dynamic' | 'foreign' | 'unsuitable' | 'watchlist'

/** A list as it was when the account's lists were read. */
export interface List {
  /** Valid for this account and kind of list only. */
  readonly id: string
  readonly kind: ListKind
  readonly title: string
  /** Number of entries as reported by the service; absent if unknown. */
  readonly count?: number
  /** Name of the owner, if it is another user. */
  readonly owner?: string
  /** Visible to others; absent if unknown. */
  readonly shared?: boolean
  /** Why the list is read-only. */
  readonly readOnly?: ReadOnlyReason
  /** Operations that this list supports. */
  readonly can: readonly ListOp[]
  /** Kinds that can be written to it. */
  readonly kinds: readonly ItemKind[]
  readonly ordered: boolean
  readonly duplicates: boolean
  /** Key of its library. */
  readonly library?: string
  /** ISO 8601; last change as reported by the service. */
  readonly updatedAt?: string
}

/** The fields that a provider returns for a list; the others follow from its declaration. */
export interface ListFacts
  extends Omit<List, 'can' | 'kinds' | 'ordered' | 'duplicates'>,
    Partial<Pick<List, 'kinds' | 'ordered'>> {
  /** Operations that this list does not support, unlike others of its kind. */
  readonly cannot?: readonly ListOp[]
}

/**
 * A list entry. `native.list_item_id` is its id if the service has one; `added_at` is set if the service reports it.
 */
export interface ListItem extends Item {
  /** Position from 1, if the list is ordered. */
  readonly position?: number
}

export interface ListReadRequest {
  readonly list: Pick<List, 'id' | 'kind'>
  /** Only these kinds. Absent: all. */
  readonly kinds?: readonly ItemKind[]
}

export type ListReadPart = ReadPart<ListItem>

export interface ListWriteItem extends WriteItem {
  /** For a move: the entry to place it after; null for the first position. Moves are applied in order. */
  readonly after?: string | null
}

export interface ListWriteRequest {
  readonly list: List
  /** Items are added at the end. An existing item is `already`, unless the list allows duplicates. */
  readonly op: 'add' | 'remove' | 'move'
  /** At most `maxBatch`. */
  readonly items: readonly ListWriteItem[]
  /** The confirmed losses; must include all losses declared for the operation. See also `exclusive`. */
  readonly confirm?: readonly Loss[]
}

export interface NewList {
  readonly kind: ListKind
  readonly title: string
  /** Visible to others. Default false. */
  readonly shared?: boolean
  /** The kinds that the list is for, if the service needs them. */
  readonly kinds?: readonly ItemKind[]
  /** For a collection: key of the library. */
  readonly library?: string
  /** The first entry, if a service does not create empty lists. */
  readonly first?: Item
}

/** A request to delete or clear a list. */
export interface ListRemoval {
  readonly list: List
  /** Entries that the caller read; a different number means a concurrent change, and nothing is done. */
  readonly count: number
  /** As in `ListWriteRequest`. */
  readonly confirm: readonly Loss[]
}

/**
 * Implemented by providers with lists, beside `Provider`. Throws `PLH_UNSUPPORTED` for undeclared operations
 * (`list_read_only` for a read-only list), `PLH_NOT_READY` without credentials, `PLH_NOT_FOUND` for a missing list,
 * `PLH_CONFLICT` (`confirmation_required`, `details.losses`) for unconfirmed losses, and errors of `ctx.upstream`.
 */
export interface ListProvider {
  /** All readable lists of the account. Throws if they may be incomplete. */
  lists(instance: string, signal?: AbortSignal): Promise<readonly List[]>
  /** All entries in order, with the same completeness proof as `Provider.read`. */
  readList(instance: string, request: ListReadRequest, signal?: AbortSignal): AsyncIterable<ListReadPart>
  /** Exactly one outcome per item, as `Provider.write`. */
  writeList(instance: string, request: ListWriteRequest, signal?: AbortSignal): Promise<WriteResult>
  /** Not idempotent: after an uncertain error, check `lists` before retrying. */
  createList(instance: string, list: NewList, signal?: AbortSignal): Promise<List>
  renameList(instance: string, list: List, title: string, signal?: AbortSignal): Promise<void>
  /**
   * Reads the list again first. Throws `PLH_CONFLICT` (`changed_since_read`) if it changed since the caller read it.
   */
  deleteList(instance: string, removal: ListRemoval, signal?: AbortSignal): Promise<void>
  /** As `deleteList`; reads the whole list and removes each entry. Outcomes are keyed by position, from 1. */
  clearList(instance: string, removal: ListRemoval, signal?: AbortSignal): Promise<WriteResult>
}

/** `lists` of a provider's declaration. The kit runs the checks before each call. */
export interface ListDefinition<Session> {
  readonly support: ListSupport
  all(session: Session, signal: AbortSignal): Promise<readonly ListFacts[]>
  read(session: Session, request: ListReadRequest, signal: AbortSignal): AsyncIterable<ListReadPart>
  write?(session: Session, request: ListWriteRequest, signal: AbortSignal): Promise<WriteResult>
  create?(session: Session, list: NewList, signal: AbortSignal): Promise<ListFacts>
  rename?(session: Session, list: List, title: string, signal: AbortSignal): Promise<void>
  delete?(session: Session, list: List, signal: AbortSignal): Promise<void>
}

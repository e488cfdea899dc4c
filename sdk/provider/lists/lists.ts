// The lists of an account: personal lists, playlists, collections, and the states in which some services keep a
// library. A provider that has any declares `lists`; the capability `provider:<ID>` then answers as a `ListProvider` as
// well. The watchlist is a feature, not a list.
import type { IdScheme } from '../../items/id-schemes.ts'
import type { Item } from '../../items/item.ts'
import type { ItemKind } from '../../items/kind.ts'
import type { Feature, ReadPart, WriteItem, WriteResult } from '../contract.ts'

/**
 * - `list`: a personal list of a tracker.
 * - `playlist`: of a media server, with an order in which it is played.
 * - `collection`: works of a library that belong together, without an order.
 * - `status`: a state of the account's library, such as "on hold"; a work is in one of them at most.
 */
export type ListKind = 'list' | 'playlist' | 'collection' | 'status'

/**
 * `add`, `remove` and `move` are for entries, the others for the list. `clear` takes all entries away and keeps the
 * list.
 */
export type ListOp = 'add' | 'remove' | 'move' | 'create' | 'rename' | 'delete' | 'clear'

/**
 * What no undo brings back: the `list` with its id and address, its `entries`, their `order`, the times at which they
 * were added (`added_at`), the `status` that a work had, or what other features keep of it.
 */
export type Loss = 'list' | 'entries' | 'order' | 'added_at' | 'status' | Feature

/** What a provider can do with lists of one kind. What is not named here is refused before any request. */
export interface ListKindSupport {
  readonly can: readonly ListOp[]
  /** Kinds of items that can be written. */
  readonly kinds: readonly ItemKind[]
  /** As `FeatureSupport.needsAnyId`. */
  readonly needsAnyId?: readonly IdScheme[]
  /** Entries stand in an order that the person chose. */
  readonly ordered: boolean
  /** One item may be in the list more than once. */
  readonly duplicates: boolean
  /**
   * An entry leaves by `native.list_item_id`, exactly that one; otherwise by its item. It is moved by that id in any
   * case.
   */
  readonly byEntry: boolean
  /** Most items of one `writeList`. Default 100. */
  readonly maxBatch?: number
  /** Most characters of a title. Default 100. */
  readonly maxTitle?: number
  /**
   * An item is in one list of this kind at most: adding it takes it out of another, and these are lost. Where the
   * caller does not confirm them, such an item is `rejected` (`confirmation_required`), and only what is in none is
   * added.
   */
  readonly exclusive?: readonly Loss[]
  /** What is lost for good with an operation. It is done only for a caller who names all of it. */
  readonly losses?: { readonly [op in ListOp]?: readonly Loss[] }
}

export type ListSupport = { readonly [kind in ListKind]?: ListKindSupport }

/**
 * - `dynamic`: the service computes what is in it.
 * - `foreign`: it belongs to somebody else.
 * - `unsuitable`: it holds things that are no items, such as music.
 * - `watchlist`: it is the account's watchlist, which is written as that feature.
 */
export type ReadOnlyReason = 'dynamic' | 'foreign' | 'unsuitable' | 'watchlist'

/** A list as it was when the account's lists were read. */
export interface List {
  /** Means something to this account and kind of list alone. */
  readonly id: string
  readonly kind: ListKind
  readonly title: string
  /** Entries, as the service says; absent when it does not. */
  readonly count?: number
  /** Name of somebody else to whom it belongs. Absent: the account's own. */
  readonly owner?: string
  /** Others can see it; absent when the service does not say. */
  readonly shared?: boolean
  /** Why nothing can be written to it. */
  readonly readOnly?: ReadOnlyReason
  /** What can be done with this very list. */
  readonly can: readonly ListOp[]
  /** Kinds that can be written to it. */
  readonly kinds: readonly ItemKind[]
  readonly ordered: boolean
  readonly duplicates: boolean
  /** Key of the library that it belongs to. */
  readonly library?: string
  /** ISO 8601; when it changed last, as the service says. */
  readonly updatedAt?: string
}

/** What a provider tells of a list; the rest follows from what it declares for the kind. */
export interface ListFacts
  extends Omit<List, 'can' | 'kinds' | 'ordered' | 'duplicates'>,
    Partial<Pick<List, 'kinds' | 'ordered'>> {
  /** What cannot be done with this list, although it can with others of its kind. */
  readonly cannot?: readonly ListOp[]
}

/**
 * An entry of a list. `native.list_item_id` is its id where the service has one; `added_at` is set where it tells the
 * time.
 */
export interface ListItem extends Item {
  /** Its place in the list, from 1, where the list is ordered. */
  readonly position?: number
}

export interface ListReadRequest {
  readonly list: Pick<List, 'id' | 'kind'>
  /** Only these kinds. Absent: all. */
  readonly kinds?: readonly ItemKind[]
}

export type ListReadPart = ReadPart<ListItem>

export interface ListWriteItem extends WriteItem {
  /**
   * Of a move: the entry behind which it shall stand, null for the first place. The moves of a request are done in
   * their order.
   */
  readonly after?: string | null
}

export interface ListWriteRequest {
  readonly list: List
  /**
   * Added items go to the end. One that is there is `already`, unless the list takes duplicates: then it is added once
   * more.
   */
  readonly op: 'add' | 'remove' | 'move'
  /** At most `maxBatch`. */
  readonly items: readonly ListWriteItem[]
  /** The losses that the caller accepts; must hold all that are declared for the operation. See also `exclusive`. */
  readonly confirm?: readonly Loss[]
}

export interface NewList {
  readonly kind: ListKind
  readonly title: string
  /** Others can see it. Default false. */
  readonly shared?: boolean
  /** The kinds that are meant for it, where a service wants to know. */
  readonly kinds?: readonly ItemKind[]
  /** For a collection: key of the library. */
  readonly library?: string
  /** The first entry, where a service makes no empty lists. */
  readonly first?: Item
}

/** Of deleting and clearing. */
export interface ListRemoval {
  readonly list: List
  /** Entries that the list is known to have: with another number somebody else was there since, and nothing is done. */
  readonly count: number
  /** As in `ListWriteRequest`. */
  readonly confirm: readonly Loss[]
}

/**
 * What a provider with lists answers to, beside `Provider`. All of it throws `PLH_UNSUPPORTED` for what is not declared
 * (of a list that is read only with `list_read_only`), `PLH_NOT_READY` for a profile without credentials,
 * `PLH_NOT_FOUND` for a list that is gone, and what `ctx.upstream` throws; `PLH_CONFLICT` (`confirmation_required`,
 * `details.losses`) where losses were not confirmed.
 */
export interface ListProvider {
  /** All lists of the account that can be read. Throws when they are not certain to be all. */
  lists(instance: string, signal?: AbortSignal): Promise<readonly List[]>
  /** All entries in the order of the list, with the same proof as `Provider.read`. */
  readList(instance: string, request: ListReadRequest, signal?: AbortSignal): AsyncIterable<ListReadPart>
  /** Exactly one outcome per item, as `Provider.write`. */
  writeList(instance: string, request: ListWriteRequest, signal?: AbortSignal): Promise<WriteResult>
  /** Not idempotent: after an error that leaves a doubt, look at `lists` before trying again. */
  createList(instance: string, list: NewList, signal?: AbortSignal): Promise<List>
  renameList(instance: string, list: List, title: string, signal?: AbortSignal): Promise<void>
  /**
   * Looks at the list again first. Throws `PLH_CONFLICT` (`changed_since_read`) when it is another than the caller
   * knows.
   */
  deleteList(instance: string, removal: ListRemoval, signal?: AbortSignal): Promise<void>
  /**
   * As `deleteList`; reads the list whole and removes each of its entries. Outcomes are keyed by the place of the
   * entry, from 1.
   */
  clearList(instance: string, removal: ListRemoval, signal?: AbortSignal): Promise<WriteResult>
}

/** `lists` of a provider's declaration. The checks are done before any of it is called. */
export interface ListDefinition<Session> {
  readonly support: ListSupport
  all(session: Session, signal: AbortSignal): Promise<readonly ListFacts[]>
  read(session: Session, request: ListReadRequest, signal: AbortSignal): AsyncIterable<ListReadPart>
  write?(session: Session, request: ListWriteRequest, signal: AbortSignal): Promise<WriteResult>
  create?(session: Session, list: NewList, signal: AbortSignal): Promise<ListFacts>
  rename?(session: Session, list: List, title: string, signal: AbortSignal): Promise<void>
  delete?(session: Session, list: List, signal: AbortSignal): Promise<void>
}

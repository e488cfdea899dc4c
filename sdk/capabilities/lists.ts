// The capability `lists`: the lists of all accounts (playlists, collections, lists of trackers), their entries as last
// read, and changes to them. A plan of a list is applied and undone with the capability `library`.
import { capability } from '../capability.ts'
import type { Item } from '../items/item.ts'
import type { List, ListItem, ListKind, Loss, NewList } from '../provider/lists/lists.ts'
import type { AccountName } from './accounts.ts'
import type { ChangePlan } from './library.ts'

export const LISTS = capability<ListService>('lists')

export interface ListName extends AccountName {
  readonly kind: ListKind
  /** Id of the list at the provider. */
  readonly id: string
}

/** A complete read of a list. */
export interface ListRead {
  readonly readId: string
  readonly list: List
  /** Epoch milliseconds. */
  readonly readAtMs: number
  readonly count: number
  /** Equal for equal entries in the same order. */
  readonly revision: string
  /** Entries that could not be read, such as titles without ids: any item may be one of them. */
  readonly unreadable: readonly { readonly reason: string; readonly title?: string }[]
}

/** An entry in the order of the list. */
export interface ListEntry {
  /** Key of the item; a repeated item has `#2`, `#3`, … behind it. Unique within the read. */
  readonly key: string
  readonly item: ListItem
}

/** An item to add, or an entry to remove. */
export interface ListChange {
  readonly op: 'add' | 'remove'
  /**
   * Remove: the key of the entry in the read. Add: by convention the key of the item. Each key occurs once per `op`. In
   * `order`, a key that an entry has names the entry.
   */
  readonly key: string
  /** Add: the item with ids. Remove: absent, the entry is sent. */
  readonly item?: Item
}

export interface ListChanges {
  /** The read that the changes are based on: the last one of its list. */
  readonly readId: string
  /** Removals run first, then adds in this order, at the end of the list. */
  readonly changes: readonly ListChange[]
  /**
   * Keys of entries and adds in the wanted order. Unnamed entries stay behind the entry that they follow
   * now. Absent: the order is unchanged. Only for ordered lists that can `move`.
   */
  readonly order?: readonly string[]
  /** Losses that the person confirmed, see `ListKindSupport`. */
  readonly confirm?: readonly Loss[]
  /** As in `AccountChanges`. */
  readonly cause: string
  /** The run that the changes are part of: they are listed and undone with it. */
  readonly runId?: string
  /** The plan can be viewed, but not applied. */
  readonly dryRun?: boolean
}

export interface NewAccountList extends AccountName {
  readonly list: NewList
  readonly cause: string
}

/**
 * Plans of lists are applied with `library.apply` or `applyWhenFree`, and undone with `library.undo`. In plans and
 * outcomes the operation `update` is a move; moves are planned again after the adds, so their number may differ.
 *
 * A plan whose read is older than two minutes reads the list again before it is applied: a removal whose entry changed
 * or disappeared since is `deferred` (`changed_since_plan`).
 */
export interface ListService {
  /**
   * Reads the current lists of an account from the provider.
   *
   * @throws `PLH_NOT_FOUND` for an unknown account, `PLH_UNSUPPORTED` (`unsupported_feature`) if its provider
   *   has no lists, and errors of the provider
   */
  all(account: AccountName, signal?: AbortSignal): Promise<readonly List[]>
  /**
   * Reads a list completely and stores it. A failed or incomplete read stores nothing.
   *
   * @throws as `all`; `PLH_NOT_FOUND` (`list_missing`), `PLH_CONFLICT` (`incomplete_read`)
   */
  read(list: ListName, signal?: AbortSignal): Promise<ListRead>
  /** The last stored read of a list; null if there is none. */
  last(list: ListName): Promise<ListRead | null>
  /**
   * The entries of a stored read in order, in pages of at most 1000, from `offset`.
   *
   * @throws `PLH_NOT_FOUND` (`list_read_not_found`): a newer read has replaced it
   */
  entries(readId: string, offset?: number): AsyncIterable<readonly ListEntry[]>
  /**
   * Plans changes to a list. Writes nothing. Items that the list does not accept are left out with a reason:
   * `unsupported_type`, `missing_ids`. Removals beyond the guard are held, as in `library.plan`.
   *
   * @throws `PLH_NOT_FOUND` (`list_read_not_found`), `PLH_INVALID` for keys that are not in the read,
   *   `PLH_UNSUPPORTED` for operations that the list does not allow (`list_read_only`), `PLH_CONFLICT`
   *   (`confirmation_required`, `details.losses`)
   */
  plan(changes: ListChanges): Promise<ChangePlan>
  /**
   * Creates a list. Cannot be undone. If the provider's response is lost, its lists are read, and a single new list
   * with that title is taken for it.
   *
   * @throws as `all`; `PLH_INVALID` (`invalid_title`), `PLH_CONFLICT` (`busy`)
   */
  create(request: NewAccountList): Promise<List>
}

// Requests and parts of reads.
import type { Item } from '../../items/item.ts'
import type { ItemKind } from '../../items/kind.ts'
import type { Feature } from '../features.ts'

export interface ReadRequest {
  readonly feature: Feature
  /** History only: one row per play. Otherwise one row per item with its latest time. */
  readonly plays?: boolean
  /** Only rows of these libraries. Absent or empty: all of them. */
  readonly libraries?: readonly string[]
  /** Only these kinds. Absent: all kinds of the provider. */
  readonly kinds?: readonly ItemKind[]
  /**
   * The checkpoint of an earlier complete read with an otherwise equal request, whose rows the caller still has. The
   * provider may then return only changes, or none.
   */
  readonly since?: string
  /**
   * Writes of this feature are likely to follow: the provider may already begin to read what they need, such as an index of the
   * library. Its rows are the same. Default: false.
   */
  readonly beforeWrites?: boolean
}

/** A read is a stream of parts with exactly one `end`. A stream that ends otherwise, or throws, proves nothing. */
export type ReadPart<Row extends Item = Item> =
  | {
      readonly type: 'rows'
      readonly rows: readonly Row[]
      /**
       * Expected number of rows of the whole read; the last value counts. Rows excluded by kind or library do not
       * count; `unreadable` rows may. A read whose rows do not match it is incomplete.
       */
      readonly total?: number
    }
  | { readonly type: 'end'; readonly end: ReadEnd }

export interface ReadEnd {
  /** True only if every row of the account (within the request) was returned, and this was verified. */
  readonly complete: boolean
  /** Why it is incomplete: `total_mismatch`, `truncated`, `repeated_page`, `changed_while_reading`, … */
  readonly reason?: string
  /**
   * `present`: the rows are the complete set. `delta`: the rows changed since `since`, and `deleted` were removed.
   * `unchanged`: the service confirmed that nothing changed since `since`, or its response is identical; no rows.
   */
  readonly semantics: 'present' | 'delta' | 'unchanged'
  /** With `delta`: removed rows, identified as when they were read. */
  readonly deleted?: readonly Item[]
  /** As `AccountHealth.account`, taken from this read's own credentials. */
  readonly account: string
  /** The `since` of the next read. Absent: the provider does not support incremental reads. */
  readonly checkpoint?: string
  /**
   * With `present`: earlier rows that are missing now without proof of a removal, because the item left the library or
   * the list was recreated. Identified as when they were read. Treated as unknown, never as removed. Repeated in every
   * read until the rows return.
   */
  readonly gone?: readonly Item[]
  /** Rows that could not be read: without ids, or of an unknown kind. Reported, never synced. */
  readonly unreadable?: readonly { readonly reason: string; readonly title?: string }[]
  /**
   * Every earlier row that is missing here and not in `gone` was verifiably removed: looked up by id, or named as
   * removed by the service. Otherwise a shorter list counts only after further reads agree. Omitted by providers whose
   * service only returns lists.
   */
  readonly provesAbsence?: true
  /**
   * Reads since this checkpoint repeat all `unreadable` rows, even if `unchanged`. Otherwise an account with such rows
   * is read completely each time.
   */
  readonly repeatsUnreadable?: true
}

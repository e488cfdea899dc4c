// Helpers for the parts of a read: wanted rows, unreadable rows, and the end.
import type { Item } from '../../items/item.ts'
import { kindOf } from '../../items/kind.ts'
import { shortText } from '../../items/minimise.ts'
import type { ReadEnd, ReadPart, ReadRequest } from './contract.ts'
import { defined } from '../../defined.ts'

/** Limits the size of the report. */
const MAX_UNREADABLE = 200
const ROWS_OF_A_PART = 500

/** A row that could not be read. */
export type Unreadable = NonNullable<ReadEnd['unreadable']>[number]

/** A row of a service as an item, or why it could not be read. */
export type ReadItem = { readonly item: Item } | { readonly unreadable: Unreadable }

/** The last part, for any row type. */
type EndPart = Extract<ReadPart, { readonly type: 'end' }>

export interface ReadEndOptions {
  /** As `ReadEnd.account`. */
  readonly account: string
  /** Why the read is incomplete; undefined if complete. */
  readonly reason?: string | undefined
  /** Default `present`. */
  readonly semantics?: 'present' | 'delta'
  /** With `delta`: removed rows. */
  readonly deleted?: readonly Item[]
  /** Ignored if the read is incomplete. */
  readonly checkpoint?: string | undefined
  /** As `ReadEnd.provesAbsence`; ignored if the read is incomplete. */
  readonly provesAbsence?: boolean
  /** As `ReadEnd.gone`. */
  readonly gone?: readonly Item[]
  /** As collected by `wantedItems` or `noteUnreadable`. */
  readonly unreadable?: readonly Unreadable[]
}

/**
 * The end of a read; complete if there is no reason. Empty members are omitted.
 *
 * @example
 * yield readEnd({ account, reason: proof.flaw(), unreadable })
 */
export function readEnd({
  account,
  reason,
  semantics = 'present',
  deleted = [],
  checkpoint,
  provesAbsence = false,
  gone = [],
  unreadable = [],
}: ReadEndOptions): EndPart {
  return {
    type: 'end',
    end: {
      complete: reason === undefined,
      ...defined({ reason }),
      semantics,
      ...(semantics === 'delta' ? { deleted } : {}),
      account,
      ...(checkpoint === undefined || reason !== undefined ? {} : { checkpoint }),
      ...(provesAbsence && reason === undefined ? { provesAbsence } : {}),
      ...(gone.length === 0 ? {} : { gone }),
      ...(unreadable.length === 0 ? {} : { unreadable }),
    },
  }
}

/**
 * Whether the rows match the last declared `total`, with or without the unreadable ones.
 * @param given rows of all parts
 */
export function addsUp(
  total: number | undefined,
  given: number,
  { unreadable = [] }: Pick<ReadEnd, 'unreadable'>,
): boolean {
  return total === undefined || total === given || total === given + unreadable.length
}

/** The end of a read that the service reported as unchanged since its checkpoint. */
export function unchangedEnd(account: string, checkpoint: string): EndPart {
  return { type: 'end', end: { complete: true, semantics: 'unchanged', account, checkpoint } }
}

/** Whether the item's kind was requested. */
export function isWanted(item: Item, { kinds = [] }: Pick<ReadRequest, 'kinds'>): boolean {
  return kinds.length === 0 || kinds.includes(kindOf(item))
}

/**
 * The requested items; unreadable rows are collected in `unreadable`.
 * @param found in row order
 */
export function wantedItems(
  found: Iterable<ReadItem>,
  request: Pick<ReadRequest, 'kinds'>,
  unreadable: Unreadable[],
): Item[] {
  const items: Item[] = []
  for (const one of found) {
    if ('item' in one) {
      if (isWanted(one.item, request)) items.push(one.item)
    } else noteUnreadable(unreadable, one.unreadable)
  }
  return items
}

/** Keeps the first 200. Returns whether this one was kept. */
export function noteUnreadable(unreadable: Unreadable[], row: Unreadable): boolean {
  if (unreadable.length >= MAX_UNREADABLE) return false
  unreadable.push(row.title === undefined ? row : { ...row, title: shortText(row.title) })
  return true
}

/**
 * Splits rows into parts.
 * @param total rows of the whole read, if known
 */
export function* rowParts(rows: readonly Item[], total?: number): Generator<ReadPart> {
  for (let from = 0; from < rows.length; from += ROWS_OF_A_PART) {
    yield { type: 'rows', rows: rows.slice(from, from + ROWS_OF_A_PART), ...defined({ total }) }
  }
}

// The last part of a read, and the rows before it: what is told, what is left out because nobody asked for it, and what
// cannot be told.
import type { Item } from '../../items/item.ts'
import { kindOf } from '../../items/kind.ts'
import { shortText } from '../../items/minimise.ts'
import type { ReadEnd, ReadPart, ReadRequest } from '../contract.ts'

/** A thousand would tell no more. */
const MOST_UNREADABLE = 200
const ROWS_OF_A_PART = 500

/** A row that the provider has and could not tell. */
export type Unreadable = NonNullable<ReadEnd['unreadable']>[number]

/** A row of a service as an item, or why it is none. */
export type ReadItem = { readonly item: Item } | { readonly unreadable: Unreadable }

/** The last part, of any kind of rows. */
export type EndPart = Extract<ReadPart, { readonly type: 'end' }>

export interface ReadEndOptions {
  /** As `ReadEnd.account`. */
  readonly account: string
  /** Why the read is not complete; undefined: it is. */
  readonly reason?: string | undefined
  /** Default `present`. */
  readonly semantics?: 'present' | 'delta'
  /** With `delta`: rows that went. */
  readonly deleted?: readonly Item[]
  /** Left out of a read that is not complete: it proves nothing. */
  readonly checkpoint?: string | undefined
  /** As `ReadEnd.provesAbsence`; left out of a read that is not complete. */
  readonly provesAbsence?: boolean
  /** As `ReadEnd.gone`. */
  readonly gone?: readonly Item[]
  /** As collected by `wantedItems` or `noteUnreadable`. */
  readonly unreadable?: readonly Unreadable[]
}

/**
 * The end of a read whose rows were given: complete without a reason, and with nothing in it that says nothing.
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
      ...(reason === undefined ? {} : { reason }),
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
 * Whether what a read gave is what the last `total` of its parts declared, with or without the rows that cannot be
 * told.
 * @param given rows of all parts
 */
export function addsUp(
  total: number | undefined,
  given: number,
  { unreadable = [] }: Pick<ReadEnd, 'unreadable'>,
): boolean {
  return total === undefined || total === given || total === given + unreadable.length
}

/** The end of a read of which the service said that nothing changed since its checkpoint. */
export function unchangedEnd(account: string, checkpoint: string): EndPart {
  return { type: 'end', end: { complete: true, semantics: 'unchanged', account, checkpoint } }
}

/** Whether an item is of the kinds that were asked for. */
export function isWanted(item: Item, { kinds = [] }: Pick<ReadRequest, 'kinds'>): boolean {
  return kinds.length === 0 || kinds.includes(kindOf(item))
}

/**
 * The items that were asked for; what cannot be told is put to `unreadable`, as far as it will be told.
 * @param found in the order of the rows
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

/** Keeps the first two hundred. Gives whether this one was kept. */
export function noteUnreadable(unreadable: Unreadable[], row: Unreadable): boolean {
  if (unreadable.length >= MOST_UNREADABLE) return false
  unreadable.push(row.title === undefined ? row : { ...row, title: shortText(row.title) })
  return true
}

/**
 * Many rows as parts that can be taken one by one.
 * @param total rows of the whole read, where it is known
 */
export function* rowParts(rows: readonly Item[], total?: number): Generator<ReadPart> {
  for (let from = 0; from < rows.length; from += ROWS_OF_A_PART) {
    yield { type: 'rows', rows: rows.slice(from, from + ROWS_OF_A_PART), ...(total === undefined ? {} : { total }) }
  }
}

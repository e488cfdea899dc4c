// Checks of list operations: declared support, the list's own restrictions, confirmed losses, and unchanged state.
import { PlayheadError } from '../../errors.ts'
import { kindOf } from '../../items/kind.ts'
import type {
  List,
  ListFacts,
  ListKind,
  ListKindSupport,
  ListOp,
  ListSupport,
  ListWriteItem,
  Loss,
  NewList,
} from './lists.ts'

const DEFAULT_MAX_TITLE = 100
const MAX_ID = 256

/** Throws `PLH_UNSUPPORTED` for an unsupported kind of list. */
export function supportOf(providerId: string, support: ListSupport | undefined, kind: ListKind): ListKindSupport {
  const can = support !== undefined && Object.hasOwn(support, kind) ? support[kind] : undefined
  if (can === undefined)
    throw new PlayheadError('PLH_UNSUPPORTED', `${providerId} has no lists of the kind ${kind}.`, { details: { kind } })
  return can
}

/** Completes a list with the facts of its kind. Throws `PLH_UPSTREAM_INVALID` without a valid id. */
export function completeList(providerId: string, support: ListSupport, { cannot = [], ...facts }: ListFacts): List {
  const can = supportOf(providerId, support, facts.kind)
  if (facts.id === '' || facts.id.length > MAX_ID)
    throw new PlayheadError('PLH_UPSTREAM_INVALID', `${providerId}: a list has no usable id.`, {
      details: { kind: facts.kind },
    })
  // `create` applies to the kind, not to an existing list.
  const ops = facts.readOnly === undefined ? can.can.filter((op) => op !== 'create' && !cannot.includes(op)) : []
  return { kinds: can.kinds, ordered: can.ordered, duplicates: can.duplicates, ...facts, can: ops }
}

/** Throws `PLH_UNSUPPORTED` for an operation that the kind or this list does not allow. */
export function checkListOp(
  providerId: string,
  support: ListSupport | undefined,
  list: List,
  op: ListOp,
): ListKindSupport {
  const can = supportOf(providerId, support, list.kind)
  if (!can.can.includes(op)) throw cannotDo(providerId, list.kind, op)
  if (list.readOnly !== undefined) {
    throw new PlayheadError('PLH_UNSUPPORTED', `${providerId}: nothing can be written to this list.`, {
      wire: 'list_read_only',
      details: { kind: list.kind, op, reason: list.readOnly },
    })
  }
  if (!list.can.includes(op)) throw cannotDo(providerId, list.kind, op)
  return can
}

export function cannotDo(providerId: string, kind: ListKind, op: ListOp): PlayheadError {
  return new PlayheadError('PLH_UNSUPPORTED', `${providerId} cannot ${op} lists or entries of the kind ${kind}.`, {
    details: { kind, op },
  })
}

/** Throws `PLH_CONFLICT` (`confirmation_required`) unless all losses are confirmed. */
export function checkConfirmed(providerId: string, can: ListKindSupport, op: ListOp, confirm: readonly Loss[]): void {
  const losses = can.losses?.[op] ?? []
  if (losses.every((loss) => confirm.includes(loss))) return
  throw new PlayheadError(
    'PLH_CONFLICT',
    `${providerId}: to ${op} this loses for good: ${losses.join(', ')}. Confirm all of it.`,
    { wire: 'confirmation_required', details: { op, losses } },
  )
}

/** The normalized title. Throws `PLH_INVALID` (`invalid_title`) if the service does not accept it. */
export function checkTitle({ maxTitle = DEFAULT_MAX_TITLE }: ListKindSupport, given: NewList['title']): string {
  const title = given.trim()
  if (title !== '' && title.length <= maxTitle) return title
  throw new PlayheadError('PLH_INVALID', `The title of a list has 1 to ${maxTitle} characters.`, {
    wire: 'invalid_title',
    details: { limit: maxTitle },
  })
}

/** Throws `PLH_INVALID` (`unsupported_type`) for a first entry of an unsupported kind. */
export function checkFirst({ kinds }: ListKindSupport, { first }: Pick<NewList, 'first'>): void {
  if (first === undefined || kinds.includes(kindOf(first))) return
  throw new PlayheadError('PLH_INVALID', `Such a list cannot begin with this kind of item (${kindOf(first)}).`, {
    wire: 'unsupported_type',
  })
}

/** Why an entry cannot be removed or moved, beyond the item checks. */
export function entryRefusal(
  { byEntry }: ListKindSupport,
  op: ListOp,
  { item, after }: ListWriteItem,
): string | undefined {
  if (op === 'add') return undefined
  if ((byEntry || op === 'move') && item.native?.list_item_id === undefined) return 'entry_unknown'
  return op === 'move' && after === undefined ? 'place_missing' : undefined
}

/** Throws `PLH_CONFLICT` (`changed_since_read`) if the list differs from what the caller read. */
export function checkUnchanged(
  providerId: string,
  known: { readonly title: string; readonly count: number },
  now: Partial<typeof known>,
): void {
  const isSame =
    (now.title === undefined || now.title === known.title) && (now.count === undefined || now.count === known.count)
  if (isSame) return
  throw new PlayheadError('PLH_CONFLICT', `${providerId}: the list has changed since it was looked at.`, {
    wire: 'changed_since_read',
    details: { count: now.count ?? null },
  })
}

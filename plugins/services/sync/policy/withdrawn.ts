// Handles items that were seen because of a manual add that has since been deleted. The deletion is not a removal by a person:
// the account counts as one that never had the item. If the other side has it only because of the add, both sides stay
// unchanged until one of them changes.
import { defined, type Group, type Row, type Side } from '@playhead/sdk'
import { type BaseRow, type BaseState, type SeenState, slotOf } from '../store/base.ts'
import { other, SIDES } from '../feature-run.ts'

/** The reason of a difference that stays after its manual add was deleted. */
const WITHDRAWN = 'manual_add_withdrawn'

interface GroupNow {
  readonly rows: Readonly<Record<Side, Row | null>>
  presence(side: Side): Group['presenceA']
  /** As `Groups.byHand`. */
  byHand(side: Side): 'only' | 'too' | undefined
}

type Draft = { -readonly [name in keyof BaseState]: BaseState[name] }

/** The base without manual adds that are gone; the same object if there are none. */
export function withoutWithdrawn(base: BaseRow, now: GroupNow): BaseRow {
  const { state } = base
  if (state.a?.m === undefined && state.b?.m === undefined && state.s?.r !== WITHDRAWN) return base
  const next: Draft = { ...state }
  const isWanted = SIDES.some((side) => now.byHand(side) !== undefined)
  // A new add is a new request by the person.
  if (isWanted && state.s?.r === WITHDRAWN) delete next.s
  let isSettled = false
  for (const side of SIDES) {
    const seen = state[side]
    if (seen?.m === undefined) continue
    const row = now.rows[side]
    if (now.byHand(side) === 'only') keepUndone(next, side, row, seen)
    // The account has acquired the item since.
    else if (now.byHand(side) === 'too' || row?.value === seen.v) next[side] = ofAccount(seen)
    else if (row !== null) {
      next[side] = { v: row.value, ...defined({ e: row.evidenceMs }) }
      isSettled ||= seen.m === 2
    } else if (now.presence(side) === 'absent') {
      delete next[side]
      isSettled ||= seen.m === 2 && hasAny(other(side))
    }
  }
  if (isSettled && !isWanted) next.s = { a: valueNow('a'), b: valueNow('b'), r: WITHDRAWN }
  return JSON.stringify(next) === JSON.stringify(state) ? base : { ...base, state: next }

  function hasAny(side: Side): boolean {
    return now.presence(side) !== 'absent' || pendingOf(side) !== undefined
  }

  function pendingOf(side: Side): string | undefined {
    const pending = state[slotOf(side)]
    return pending === undefined || pending.o === 'remove' ? undefined : pending.v
  }

  function valueNow(side: Side): string | null {
    const row = now.rows[side]
    if (row !== null) return row.value
    return pendingOf(side) ?? (now.presence(side) === 'unknown' ? (state[side]?.v ?? null) : null)
  }
}

/** An undo, compared with the account's rows without the manual add. */
function keepUndone(next: Draft, side: Side, row: Row | null, seen: SeenState): void {
  if (next.s === undefined || next.s.r !== undefined || next.s[side] !== null || row?.value !== seen.v) return
  next.s = { ...next.s, [side]: row.value }
}

function ofAccount({ m: _m, ...seen }: SeenState): SeenState {
  return seen
}

// A group in the form that its feature sees: rows, their presence, and the base, without parts that must not be decided.
import type { Group, Pending, Row, Seen, Side } from '@playhead/sdk'
import { anyContradict, type Item, rowKey } from '@playhead/sdk/items'
import { type BaseRow, type BaseState, type PendingState, type SeenState, slotOf } from '../store/base.ts'
import { type Groups, rowIn } from '../library/groups.ts'
import type { OwnWrite } from '../library/own-writes.ts'
import type { Given } from '../library/viewings.ts'
import type { SideRead } from '../library/read-side.ts'
import { GONE } from '../library/rows.ts'
import { textsOf } from '../library/token-numbers.ts'
import { baseItem, withoutCorrectedId } from '../library/base-item.ts'
import { withoutWithdrawn } from '../policy/withdrawn.ts'
import { isUncovered, OUT_OF_SCOPE } from './coverage.ts'
import type { ReadChecks } from './read-checks.ts'
import { isWithoutHistory, type FeatureRun, other, SIDES } from '../feature-run.ts'

/** Reason of rows that a list with a limit does not show any more. */
const LIST_LIMIT = 'list_limit'
/** Reason of rows that are missing without proof of a removal, because the item left the library. */
const LEFT = 'left_library'

export interface GroupView {
  readonly group: Group
  /** The stored base row; several rows of one item are merged. */
  readonly base: BaseRow | null
  /** The item with all known ids. */
  readonly item: Item
  /** The item without the ids of a mapping, which may change. */
  readonly stored: Item
  /** As `BaseState.j`. */
  readonly joined?: readonly string[]
  readonly ambiguous: boolean
  /** The side gets no writes: its row cannot be interpreted. */
  readonly unclear: Readonly<Record<Side, boolean>>
  /** Confirmed writes that did not show within the grace period. */
  readonly lost: readonly { readonly side: Side; readonly pending: PendingState }[]
  /** Missing rows that are out of scope, or of a list with a cap, and not removed. */
  readonly dormant: Readonly<Record<Side, SeenState['d']>>
  /** The account had the row, and its absence proves nothing: the item left the library, for instance. */
  readonly gone: Readonly<Record<Side, boolean>>
  /** In a pair without history: whether the service says that the title was finished, so that it dropped the position. */
  readonly finished: Readonly<Record<Side, IsWatched | undefined>>
  /** Why the anime mapping has no further ids for the item. */
  readonly unmapped?: string
  /** A manual add represents the side, so the side gets no writes. */
  readonly byHand: Readonly<Record<Side, boolean>>
  /** The state differs from the stored base: a manual add was deleted. */
  readonly restated: boolean
  /** The side that shows the row again after both had lost it: a person added it there after the other side removed it. */
  readonly returned: Side | null
  /** The side on which a person entered the row again, after it was removed there. */
  readonly putBack?: Side
  /** The writes of Playhead that the rows show, as far as decisions need them. */
  readonly written?: Readonly<Partial<Record<Side, OwnWrite>>>
  /** As `Decision.over`. */
  readonly over?: readonly Side[]
  /** An add to the side would repeat a play that was recorded outside a run. */
  readonly repeats: Readonly<Record<Side, Given | undefined>>
}

/** `unknown`: the history that would show it could not be read. */
export type IsWatched = boolean | 'unknown'
export type Watched = ReadonlyMap<number, { readonly a?: IsWatched; readonly b?: IsWatched }>

export interface ViewInput {
  readonly run: FeatureRun
  readonly groups: Groups
  readonly reads: Readonly<Record<Side, SideRead>>
  readonly checks: ReadChecks
  readonly watched: Watched
  /** Cached from the plan to the commit if there are few groups. */
  readonly views?: Map<number, GroupView>
}

/** A confirmed write may stay invisible for this long, and in one complete read after it. */
export const GRACE_MS = 24 * 3_600_000

export function viewOf(input: ViewInput, index: number, bases: ReadonlyMap<number, BaseRow>): GroupView {
  const { run, groups, reads, checks } = input
  const found = baseOf(groups, index, bases)
  const at = { a: groups.aOf(index), b: groups.bOf(index) }
  const isGone = (side: Side) => at[side] >= 0 && reads[side].rows.skip(at[side]) === GONE
  const rowOf = (side: Side): Row | null => {
    const { rows } = reads[side]
    if (at[side] < 0 || rows.skip(at[side]) !== undefined) return null
    const evidenceMs = rows.evidence(at[side])
    return { item: rows.item(at[side]), value: rows.value(at[side]), evidenceMs }
  }
  const rows = { a: rowOf('a'), b: rowOf('b') }
  const isUnclear = (side: Side) => (at[side] >= 0 && rows[side] === null) || groups.isUnclear(index, side)
  const unclear = { a: isUnclear('a'), b: isUnclear('b') }
  const byHand = (side: Side) => groups.byHand(index, side)
  const base =
    found === null
      ? null
      : withoutEnteredAgain(
          withoutWithdrawn(corrected(found), { rows, byHand, presence: (side) => presenceWith(found.state, side) }),
        )
  const stored = base?.state ?? {}

  function corrected(row: BaseRow): BaseRow {
    // Tokens of a mapping are not ids of the item.
    const item = row.state.j === undefined ? withoutCorrectedId(row.item, liveItems(input, index, rows)) : row.item
    return item === row.item ? row : { ...row, item }
  }

  const dormant = { a: dormancy(stored, 'a'), b: dormancy(stored, 'b') }

  function dormancy(state: BaseState, side: Side): SeenState['d'] {
    const seen = state[side]
    if (seen === undefined || rows[side] !== null) return undefined
    const { cap, pushedOut } = checks[side]
    if (pushedOut.has(index) || (seen.d === 2 && cap !== null)) return 2
    return seen.d === 1 || isUncovered(checks[side].uncovered, found!.item) ? 1 : undefined
  }

  function presenceWith(state: BaseState, side: Side): Group['presenceA'] {
    if (rows[side] !== null) return 'present'
    if (unclear[side] || dormancy(state, side) !== undefined || !reads[side].complete) return 'unknown'
    // A missing row after an own removal proves nothing else, so it is accepted even after an interruption.
    const isRemoved = state[slotOf(side)]?.o === 'remove'
    return state[side] !== undefined && checks[side].unknownIfSeen && !isRemoved ? 'unknown' : 'absent'
  }

  /** Rows that a person is known to have entered after a write: they differ from the rows that the pair saw and wrote. */
  function withoutEnteredAgain(row: BaseRow): BaseRow {
    let { state } = row
    for (const side of SIDES) {
      const { [slotOf(side)]: pending, [side]: seen, ...rest } = state
      if (pending === undefined || rows[side] === null) continue
      // A read missed the added row after the grace period.
      const isLate = seen === undefined && (run.state?.readAtMs[side] ?? 0) - pending.t >= GRACE_MS
      const isDatedLater = (rows[side].evidenceMs ?? -Infinity) > Math.max(pending.t, seen?.e ?? -Infinity)
      if (pending.o === 'remove' ? isDatedLater : pending.o === 'add' && isLate) state = rest
    }
    return state === row.state ? row : { ...row, state }
  }

  const isFirstSight = () =>
    found === null &&
    SIDES.some((side) => rows[side] !== null && isUncovered(checks[side].newlyCovered, rows[side].item))

  const presences = { a: presenceWith(stored, 'a'), b: presenceWith(stored, 'b') }
  const lost: { side: Side; pending: PendingState }[] = []
  const pendingOf = (side: Side): Pending | null => {
    const pending = stored[slotOf(side)]
    if (pending === undefined) return null
    if (
      presences[side] !== 'unknown' &&
      !isVisible(pending, rows[side], stored[side]) &&
      (pending.u === 1 || ((run.state?.readAtMs[side] ?? 0) > pending.t && run.nowMs - pending.t >= GRACE_MS))
    ) {
      // An item that both sides have must not be removed any more. An uncertain write was never confirmed, so it is not lost;
      // but an update of a row that still has its former value is to be repeated.
      const isLost =
        pending.u === 1
          ? pending.o === 'update' && rows[side]?.value === stored[side]?.v
          : pending.o !== 'remove' || rows[other(side)] === null
      if (isLost) lost.push({ side, pending })
      return null
    }
    return { op: pending.o, value: pending.v, atMs: pending.t }
  }
  const isReturned = (side: Side) =>
    rows[side] !== null &&
    rows[other(side)] === null &&
    // A list that became longer has no limit, so it had lost the row.
    (stored[side]?.d === undefined || (stored[side].d === 2 && checks[side].cap === null)) &&
    stored[side]?.at !== undefined &&
    stored[other(side)]?.at !== undefined
  const returned = SIDES.find(isReturned) ?? null
  const seen = (side: Side): Seen | null => {
    const state = stored[side]
    return state === undefined || returned === side
      ? null
      : { value: state.v, seenAtMs: seenAt(run, side, state), evidenceMs: state.e }
  }
  const { s } = stored
  const settled = s === undefined ? null : { a: s.a, b: s.b, reason: s.r }
  const pendingA = pendingOf('a')
  const pendingB = pendingOf('b')
  const known = (stored.a ?? stored.b ?? settled ?? pendingA ?? pendingB) != null
  const live = liveItems(input, index, rows)
  // Agreeing rows of both sides override the base.
  const agree = rows.a !== null && rows.b !== null && !anyContradict(live)
  const items = base === null || agree ? live : [base.item, ...live]
  // If both sides contradict the base, they are right and it is outdated.
  const isOther = (row: Row | null) => base !== null && row !== null && anyContradict([base.item, row.item])
  const outdated = isOther(rows.a) && isOther(rows.b)
  // A skipped row is the only information about the item; lists show it.
  const skippedRow = base === null && rows.a === null && rows.b === null ? items[0] : undefined
  const before = outdated ? undefined : (base?.item ?? skippedRow)
  const named = namesOf(input, at, before, stored.j, rows)
  const [unmapped] = SIDES.flatMap((side) => (at[side] < 0 ? [] : (reads[side].rows.unmapped(at[side]) ?? [])))
  const watched = input.watched.get(index)
  return {
    base,
    ...named,
    unmapped,
    unclear,
    lost,
    dormant,
    gone: { a: isGone('a'), b: isGone('b') },
    finished: isWithoutHistory(run) ? { a: watched?.a, b: watched?.b } : { a: undefined, b: undefined },
    byHand: { a: byHand('a') !== undefined, b: byHand('b') !== undefined },
    restated: base !== found,
    returned,
    // Rows that this pair saw on the side follow the rules for removals.
    repeats: {
      a: stored.a === undefined ? groups.repeats(index, 'a') : undefined,
      b: stored.b === undefined ? groups.repeats(index, 'b') : undefined,
    },
    ambiguous: groups.isAmbiguous(index) || anyContradict(items),
    group: {
      key: base?.key ?? rowKey(rows.a?.item ?? rows.b?.item ?? named.item, run.plays),
      base: known ? { a: seen('a'), b: seen('b'), pendingA, pendingB, settled } : null,
      a: rows.a,
      b: rows.b,
      presenceA: presences.a,
      presenceB: presences.b,
      watchedA: watched?.a === 'unknown' ? true : watched?.a,
      watchedB: watched?.b === 'unknown' ? true : watched?.b,
      ...(groups.isSamePlay(index) ? { samePlay: true } : {}),
      ...(isFirstSight() ? { firstSight: true } : {}),
    },
  }
}

/** The item for writes, and the part that the base stores, which must be valid without the mapping. */
function namesOf(
  { reads, run }: ViewInput,
  at: Readonly<Record<Side, number>>,
  before: Item | undefined,
  joined: readonly string[] | undefined,
  rows: Readonly<Record<Side, Row | null>>,
): Pick<GroupView, 'item' | 'stored' | 'joined'> {
  const present = SIDES.filter((side) => rows[side] !== null)
  const item = baseItem(before, rows.a?.item, rows.b?.item)
  if (joined === undefined && !present.some((side) => reads[side].rows.isRenamed(at[side])))
    return { item, stored: item }
  const given = (side: Side) => (rows[side] === null ? undefined : reads[side].rows.given(at[side]))
  const isPlaced = (side: Side) => positionOf(rows[side]!.item) !== positionOf(given(side)!)
  if (joined === undefined && !present.some(isPlaced)) return { item, stored: baseItem(before, given('a'), given('b')) }
  // Ids of a show must not be combined with numbers within an entry.
  const names = present.flatMap((side) => textsOf(run, given(side)!, side))
  return {
    item: baseItem(present.length === 0 ? before : undefined, rows.a?.item, rows.b?.item),
    stored: baseItem(before ?? given('a') ?? given('b'), undefined, undefined),
    joined: [...new Set([...(joined ?? []), ...names])].sort(),
  }
}

function positionOf({ type, show_ids: showIds, season, episode }: Item): string {
  return type === 'episode' ? JSON.stringify([showIds, season, episode]) : ''
}

/** The side under which an item without an operation is listed. */
export function sideOfNote({ b }: Pick<Group, 'b'>): Side {
  return b === null ? 'b' : 'a'
}

/** Whether the row shows a confirmed write. */
export function isVisible(pending: PendingState, row: Row | null, before: SeenState | undefined): boolean {
  if (pending.o === 'remove') return row === null
  if (row === null) return false
  // A third value is the service's rounding or a later change by a person; either way the write was seen.
  return pending.o === 'add' || row.value === pending.v || row.value !== before?.v
}

export function seenAt(run: FeatureRun, side: Side, seen: SeenState): number {
  return seen.at ?? Math.max(seen.t ?? 0, run.state?.readAtMs[side] ?? 0)
}

function baseOf(groups: Groups, index: number, bases: ReadonlyMap<number, BaseRow>): BaseRow | null {
  const first = groups.baseOf(index)
  if (first < 0) return null
  const [row, ...more] = [first, ...groups.moreBases(index)].flatMap((each) => bases.get(groups.base.ids[each]!) ?? [])
  if (row === undefined) return null
  let { item, state } = row
  for (const next of more) {
    item = baseItem(item, next.item, undefined)
    state = Object.assign({}, next.state, state)
  }
  return { ...row, item, state }
}

function liveItems({ groups, reads }: ViewInput, index: number, rows: Record<Side, Row | null>): Item[] {
  const live = SIDES.flatMap((side) => {
    const at = rowIn(groups, side, index)
    return at < 0 ? [] : [rows[side]?.item ?? reads[side].rows.item(at)]
  })
  live.push(...groups.moreRows(index).map(({ side, index: at }) => reads[side].rows.item(at)))
  return live
}

/** Both sides are unchanged since the group was settled. An unknown presence counts as unchanged. */
export function stillSettled({ group, base }: GroupView): boolean {
  const settled = base?.state.s
  if (settled === undefined) return false
  return SIDES.every((side) => presenceOf(group, side) === 'unknown' || settled[side] === (group[side]?.value ?? null))
}

export function presenceOf({ presenceA, presenceB }: Group, side: Side): Group['presenceA'] {
  return side === 'a' ? presenceA : presenceB
}

/** Why an item is left as it is although the accounts differ, or may differ; undefined if the pair knows about both. */
export function uncoveredReason(
  { pair, options }: FeatureRun,
  { group, base, dormant, gone }: Pick<GroupView, 'group' | 'base' | 'dormant' | 'gone'>,
): string | undefined {
  for (const side of SIDES) {
    const from = other(side)
    const isThere = group[from] !== null
    // The source of a one-way pair gets nothing. What its reads leave out may be gone there, and stays at the target.
    const isFollowed = options['remove'] === true && base?.state[side] !== undefined && isThere
    if (pair.mode === 'one_way' && side === 'a' && !isFollowed) continue
    // A title that a person removed from one account may still be on the other.
    const isTakenOff = !isThere && base?.state[from] !== undefined && dormant[from] === undefined
    if (dormant[side] !== undefined && (isThere || isTakenOff)) return dormant[side] === 2 ? LIST_LIMIT : OUT_OF_SCOPE
    if (gone[side] && isThere) return LEFT
  }
  return undefined
}

// Rows that Playhead wrote itself, in any pair. A service may date them by its own clock, so they take the evidence of the row
// that caused the write and do not count as newer than the person's action.
import { defined, type Feature, type FeatureSupport } from '@playhead/sdk'
import {
  type Item,
  parseTime,
  type Progress,
  progressOf,
  REPORTED_PLAY_MS,
  shownAs,
  tokensOf,
  ZONES_MS,
} from '@playhead/sdk/items'
import { type Group, type Row, type Side, timeMs } from '@playhead/sdk/sync'
import { other, SIDES } from '../feature-run.ts'
import { TIME_FIELDS } from '../store/origin-of.ts'
import { type JournalledWrite, journalOf } from '../store/written.ts'
import { OLDEST_CACHE_MS, type OwnWrite, type OwnWrites } from '../library/own-writes.ts'
import { slotOf } from '../store/base.ts'
import { type GroupView, seenAt, type ViewInput } from './view.ts'

/** Services round positions to seconds, minutes or percent. */
const POSITION_MS = 60_000
const POSITION_PERCENT = 1
/** How far the clock of a service may be ahead if no earlier write shows it. */
const CLOCK_MS = 15 * 60_000
const DAY_MS = 86_400_000
/** A time that differs more does not belong to the write. */
export const MAX_CLOCK_MS = 3_600_000
const SAMPLES = 200

/**
 * A position that differs by more than the rounding of services is not the written one: a person continued watching or went
 * back.
 */
export function isOtherPosition(shown: Item, to: Progress | undefined): boolean {
  if (to === undefined) return false
  const from = progressOf(shown)
  if (from.positionMs !== undefined && to.positionMs !== undefined)
    return (
      Math.abs(from.positionMs - to.positionMs) >
      Math.max(POSITION_MS, ((from.durationMs ?? 0) * POSITION_PERCENT) / 100)
    )
  return (
    from.percent !== undefined && to.percent !== undefined && Math.abs(from.percent - to.percent) > POSITION_PERCENT
  )
}

interface Clock {
  /** How far the clock of the service is ahead; undefined if no earlier write shows it. */
  readonly aheadMs: number | undefined
  /** The service stores the date that the request contains. */
  readonly keepsDates: boolean
}

export function createOrigins({ run, reads }: ViewInput, own: OwnWrites) {
  const { feature, state, engine } = run
  const field = feature === 'playlists' ? undefined : TIME_FIELDS[feature]
  const hasOneValue = feature === 'ratings' || feature === 'progress'
  const clocks: Partial<Record<Side, Promise<Clock>>> = {}

  /** The time from which the row would count as an own write; undefined if its evidence has no influence. */
  function sinceOf({ group, base }: GroupView, side: Side): number | undefined {
    const row = group[side]
    const opposite = group[other(side)]
    const lost = base?.state[other(side)]
    if (row === null || (opposite !== null && opposite.value === row.value)) return undefined
    const readAtMs = state?.readAtMs[side] ?? null
    // Of two values the later one wins, also where a service has no times, or keeps those of the cause.
    if (opposite !== null && hasOneValue) {
      if (group.base?.[side]?.value !== row.value) return readAtMs ?? 0
      const isCompared = group.base[other(side)]?.value !== opposite.value
      if (isCompared && row.evidenceMs !== undefined) return Math.min(row.evidenceMs - DAY_MS, readAtMs ?? 0)
    }
    // An added rating is as old as its origin, also by way of a service without times.
    if (row.evidenceMs === undefined) return feature === 'ratings' && lost === undefined ? (readAtMs ?? 0) : undefined
    // Another pair may have written before the first run of this one.
    if (readAtMs === null) return 0
    const sinceMs = opposite === null && lost !== undefined ? seenAt(run, other(side), lost) : readAtMs
    // A date is the start of a day somewhere.
    if (row.evidenceMs > sinceMs || isDate(row.item)) return Math.max(0, Math.min(sinceMs, readAtMs) - OLDEST_CACHE_MS)
    // A loss on the other side is compared with the time of that loss, which may be older than the last read.
    return opposite === null && lost !== undefined ? row.evidenceMs - DAY_MS : undefined
  }

  const isDate = (item: Item) => field !== undefined && parseTime(item[field])?.precision === 'date'
  const timeOf = (item: Item) => (field === undefined ? undefined : timeMs(item[field]))

  /** Evaluates earlier writes to the account: rows whose time is that of their write by the service's clock. */
  async function readClock(side: Side): Promise<Clock> {
    const { rows, account } = reads[side]
    const { uid, provider } = run.sides[side]
    const writes = new Map<string, JournalledWrite>()
    const of = { uid, provider, account, feature, sinceMs: 0 }
    for await (const page of journalOf(engine.db, of, { ops: ['add', 'update'], ofPairs: true })) {
      for (const write of page)
        for (const token of tokensOf(write.item)) if (!writes.has(token)) writes.set(token, write)
      if (writes.size >= SAMPLES * 5) break
    }
    const ahead: number[] = []
    let kept = 0
    for (let index = 0; index < rows.size && ahead.length + kept < SAMPLES && writes.size > 0; index += 1) {
      const atMs = rows.evidence(index)
      const item = atMs === undefined ? undefined : rows.item(index)
      if (item === undefined || isDate(item)) continue
      const write = tokensOf(item).flatMap((token) => writes.get(token) ?? [])[0]
      // A person may have changed rows that were written after the last read.
      if (write === undefined || write.doneAtMs >= (state?.readAtMs[side] ?? 0)) continue
      const sentMs = timeOf(write.item)
      if (sentMs !== undefined && Math.abs(sentMs - atMs!) < REPORTED_PLAY_MS) kept += 1
      else if (Math.abs(atMs! - write.doneAtMs) <= MAX_CLOCK_MS) ahead.push(atMs! - write.doneAtMs)
    }
    ahead.sort((x, y) => x - y)
    const aheadMs = ahead[Math.floor((ahead.length - 1) / 2)]
    return { aheadMs, keepsDates: kept > ahead.length }
  }

  async function isStampOf(side: Side, row: Row, write: OwnWrite): Promise<boolean> {
    const { item, evidenceMs: atMs } = row
    if (atMs === undefined) return isValueOf(feature, row, write, run.sides[side].support)
    if (isDate(item)) return atMs >= write.sentAtMs - DAY_MS - ZONES_MS && atMs <= write.doneAtMs + ZONES_MS
    if (atMs < write.sentAtMs - REPORTED_PLAY_MS) return false
    const { aheadMs, keepsDates } = await (clocks[side] ??= readClock(side))
    if (keepsDates && timeMs(write.time) !== undefined) return false
    return atMs <= write.doneAtMs + (aheadMs === undefined ? CLOCK_MS : Math.max(aheadMs, 0) + REPORTED_PLAY_MS)
  }

  /** The write that the row shows, if it influences the decision. */
  async function writeOf(view: GroupView, side: Side): Promise<OwnWrite | undefined> {
    const row = view.group[side]
    const sinceMs = sinceOf(view, side)
    if (row === null || sinceMs === undefined) return undefined
    const write = await own.ofPair(side, view.item, sinceMs)
    const isOther =
      write === undefined ||
      isOtherPosition(row.item, write.position) ||
      (feature === 'ratings' && isOtherRating(row, write, run.sides[side].support)) ||
      (hasNewTime(view, side, write) && !isPlayOf(row, write)) ||
      !(isSentTime(row, write) || (await isStampOf(side, row, write)))
    return isOther ? undefined : write
  }

  function restoreRow(row: Row | null, write: OwnWrite | undefined): Row | null {
    if (row === null || write === undefined) return row
    const { evidenceMs: _, ...rest } = row
    const originMs = timeMs(write.time)
    // The value of a play is its time.
    const item = field === undefined || field === 'watched_at' ? row.item : withTime(row.item, field, write.time)
    return { ...rest, item, ...defined({ evidenceMs: originMs }) }
  }

  /** The pair does not wait for a rating or position that a later write, of another pair or a person, replaced. */
  async function withoutReplaced(view: GroupView): Promise<GroupView> {
    let { group, over = [] } = view
    for (const side of hasOneValue ? SIDES : []) {
      const [pending, row] = [view.base?.state[slotOf(side)], group[side]]
      if (pending === undefined || pending.o === 'remove' || row === null || row.value === pending.v) continue
      const [last] = await own.find(side, 'shown', view.item, pending.t)
      if (last === undefined || last.value === pending.v || !(await isShown(side, row, last))) continue
      const seen = { [side]: { value: pending.v, seenAtMs: pending.t }, [side === 'a' ? 'pendingA' : 'pendingB']: null }
      group = { ...group, base: { ...group.base!, ...seen } }
      over = [...over, side]
    }
    return over.length === 0 ? view : { ...view, group, over }
  }

  /** A play that Playhead wrote, and that was played before the other account lost the item, does not change the item. */
  function seenAsWritten({ group, base }: GroupView, side: Side, write: OwnWrite | undefined): Group['base'] {
    const [row, seen, lost] = [group[side], group.base?.[side], base?.state[other(side)]]
    if (feature !== 'history' || write === undefined || group[other(side)] !== null) return group.base
    if (row === null || seen == null || lost === undefined) return group.base
    const lostMs = seenAt(run, other(side), lost)
    const isBefore = (timeMs(write.time) ?? Infinity) <= lostMs && (write.lackedAtMs ?? -Infinity) < lostMs
    return isBefore ? { ...group.base!, [side]: { ...seen, value: row.value } } : group.base
  }

  /** As `Group.outdated`. */
  function outdatedSide({ a, b }: Pick<Group, Side>, written: NonNullable<GroupView['written']>): Side | undefined {
    if (!hasOneValue || a === null || b === null || isDate(a.item) || isDate(b.item)) return undefined
    return SIDES.find((side) => {
      const [copy, row] = side === 'a' ? [a, b] : [b, a]
      return (row.evidenceMs ?? 0) > Math.max(copy.evidenceMs ?? Infinity, written[side]?.lackedAtMs ?? Infinity)
    })
  }

  /** The row shows the write, with the time of the write or of its cause. */
  async function isShown(side: Side, row: Row, write: OwnWrite): Promise<boolean> {
    if (!isValueOf(run.feature, row, write, run.sides[side].support)) return false
    return isSentTime(row, write) || (await isStampOf(side, row, write))
  }

  /** A read after the write showed it with another time, so the time of this row does not come from the write. */
  function hasNewTime({ group, base }: GroupView, side: Side, { doneAtMs }: OwnWrite): boolean {
    const seen = base?.state[side]
    // While the write is pending, the base still has the previous row.
    if (seen?.e === undefined || base?.state[slotOf(side)] !== undefined) return false
    const before = seen.e === group[side]!.evidenceMs ? seen.p : { e: seen.e, t: seenAt(run, side, seen) }
    return before !== undefined && before.t > doneAtMs
  }

  /** The base of an undecided item is older than the last read, and may have an earlier play. */
  const isPlayOf = (row: Row, write: OwnWrite) => feature === 'history' && isSentTime(row, write)

  return {
    /** The views; their rows have the evidence of their origin. */
    async restore(views: readonly GroupView[]): Promise<readonly GroupView[]> {
      if (state === null && (await own.hasNone('a')) && (await own.hasNone('b'))) return views
      const restored: GroupView[] = []
      for (const each of views) {
        const view = await withoutReplaced(each)
        const written = defined({ a: await writeOf(view, 'a'), b: await writeOf(view, 'b') })
        const rows = { a: restoreRow(view.group.a, written.a), b: restoreRow(view.group.b, written.b) }
        const isSame = rows.a === view.group.a && rows.b === view.group.b
        const [lone, base] = [view.group.a === null ? 'b' : 'a', view.group.base] as const
        const seen = base === null ? base : seenAsWritten(view, lone, written[lone])
        const group = { ...view.group, base: seen, ...rows, ...defined({ outdated: outdatedSide(rows, written) }) }
        restored.push(isSame ? view : { ...view, written, group })
      }
      return restored
    },
    isShown,
  }
}

function isSentTime({ evidenceMs: atMs }: Row, write: OwnWrite): boolean {
  const sentMs = timeMs(write.time)
  return sentMs !== undefined && atMs !== undefined && Math.abs(sentMs - atMs) < REPORTED_PLAY_MS
}

/** Disregards how the service rounds the written rating: some round by a point without declaring it. */
function isOtherRating({ value }: Row, write: OwnWrite, { ratingScale }: FeatureSupport): boolean {
  const made = shownAs(Number(write.value), ratingScale)
  return [made, Number(write.value)].every((each) => Math.abs(Number(value) - each) > 1)
}

/** The written value, or its rounding by the service. The value of history is its time. */
function isValueOf(feature: Feature, row: Row, write: OwnWrite, { ratingScale }: FeatureSupport): boolean {
  if (feature === 'progress') return !isOtherPosition(row.item, write.position)
  if (feature !== 'ratings' || row.value === write.value) return true
  return row.value === String(shownAs(Number(write.value), ratingScale))
}

function withTime(item: Item, field: 'added_at' | 'rated_at' | 'progress_at', time: string | undefined): Item {
  const { [field]: _, ...rest } = item
  return time === undefined ? rest : { ...rest, [field]: time }
}

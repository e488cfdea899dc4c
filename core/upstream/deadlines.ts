// The time limits of all requests, with one timer: a request has several limits, most of which end long before they are
// reached. Only time that the process could use counts, see `countUsable`.
import { countUsable } from '@playhead/sdk/host'

/** A limit is checked this often in its time, so that a suspended machine uses up at most one part of it. */
const PARTS = 20
/** At least this share of the passed time counts: a limit is reached after three times its length at the latest. */
const LEAST_SHARE = 1 / 3

/** A time limit. */
export interface Deadline {
  /** Usable time of the process at which it is reached, and the longest time between two checks. Set by `startDeadline`. */
  atMs: number
  partMs: number
  /** Called once, when the time is used up. */
  onReached(): void
}

const open = new Set<Deadline>()
let timer: NodeJS.Timeout | undefined
let count = countUsable(LEAST_SHARE)
/** Usable time at the last check, the time of that check, and the time from it until the next one. */
let [usableMs, checkedAtMs, untilNextMs] = [0, 0, 0]

/** Starts or restarts a limit. */
export function startDeadline(deadline: Deadline, ms: number): void {
  const nowMs = performance.now()
  if (timer === undefined) {
    count = countUsable(LEAST_SHARE)
    ;[checkedAtMs, untilNextMs] = [nowMs, 0]
  }
  const passedMs = Math.min(nowMs - checkedAtMs, untilNextMs)
  deadline.partMs = ms / PARTS
  deadline.atMs = usableMs + passedMs + ms
  open.add(deadline)
  if (timer !== undefined && untilNextMs - passedMs <= deadline.partMs) return
  if (timer !== undefined) advance()
  checkIn(deadline.partMs)
}

export function stopDeadline(deadline: Deadline): void {
  open.delete(deadline)
  if (open.size > 0) return
  clearTimeout(timer)
  timer = undefined
}

function check(): void {
  timer = undefined
  advance()
  let nextMs = Number.POSITIVE_INFINITY
  for (const deadline of open) {
    const leftMs = deadline.atMs - usableMs
    // Parts add up to the limit, except for rounding.
    if (leftMs >= 1e-3) nextMs = Math.min(nextMs, leftMs, deadline.partMs)
    else {
      open.delete(deadline)
      deadline.onReached()
    }
  }
  // A reached limit may have started another one.
  if (nextMs < Number.POSITIVE_INFINITY && (timer === undefined || nextMs < untilNextMs)) checkIn(nextMs)
}

function advance(): void {
  const nowMs = performance.now()
  usableMs += count(Math.min(nowMs - checkedAtMs, untilNextMs))
  checkedAtMs = nowMs
}

function checkIn(ms: number): void {
  clearTimeout(timer)
  untilNextMs = Math.max(1, ms)
  timer = setTimeout(check, untilNextMs)
}

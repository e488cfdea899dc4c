// Joins the sittings of a playback log into viewings. Such logs have a row for each time that a player started: a film that was
// paused overnight has two, and a glance has one. They say how long was played, and not always how long the work is.

/** A stretch of playing one work. */
export interface Sitting {
  /** Epoch milliseconds. Local times without a zone may all be given as if they were UTC. */
  readonly startMs: number
  /** Played within it, in milliseconds, without pauses. */
  readonly playedMs: number
}

export interface ViewingRules {
  /** Length of the work in milliseconds; absent if unknown. */
  readonly lengthMs?: number | undefined
  /** Assumed if the length is unknown and no sitting was longer, in milliseconds. */
  readonly usualMs: number
  /** Shorter viewings are left out, in milliseconds. */
  readonly leastMs: number
  /** Part of the length, from 0 to 1, below which a viewing is left out; without a length of the longest viewing of the work. */
  readonly leastPart: number
}

/** A work that was watched once. */
export interface Viewing<One extends Sitting> {
  /** In the order of time. */
  readonly sittings: readonly [One, ...One[]]
  readonly playedMs: number
}

const DAY_MS = 86_400_000
/** A film that is not continued within this time is begun again. */
const LONGEST_PAUSE_MS = 3 * DAY_MS
/** Players stop and start again within a viewing, also during the credits. */
const SHORT_PAUSE_MS = 30 * 60_000
/** Parts are watched twice after a pause. */
const REPEATED = 1.2
const COMPLETE = 0.8

/**
 * The viewings of one work, in the order of time. A viewing continues while the played time fits into the length of the work;
 * after its end only a short pause continues it, so that the same film on the next evening is another viewing.
 *
 * @param sittings of one work and one person, in any order; equal ones count once
 * @example
 * for (const { sittings } of viewingsOf(rows, { lengthMs, usualMs: 6_000_000, leastMs: 300_000, leastPart: 0.8 }))
 *   plays.push(playAt(sittings.at(-1)!))
 */
export function viewingsOf<One extends Sitting>(
  sittings: Iterable<One>,
  { lengthMs, usualMs, leastMs, leastPart }: ViewingRules,
): readonly Viewing<One>[] {
  const inOrder = [...new Map([...sittings].map((one) => [`${one.startMs} ${one.playedMs}`, one])).values()].sort(
    (a, b) => a.startMs - b.startMs,
  )
  const wholeMs = lengthMs ?? Math.max(usualMs, ...inOrder.map(({ playedMs }) => playedMs))
  const viewings: { sittings: [One, ...One[]]; playedMs: number; endMs: number }[] = []
  for (const one of inOrder) {
    const last = viewings.at(-1)
    const endMs = one.startMs + one.playedMs
    if (last === undefined || !isContinued(last, one, wholeMs)) {
      viewings.push({ sittings: [one], playedMs: one.playedMs, endMs })
      continue
    }
    last.sittings.push(one)
    last.playedMs += one.playedMs
    last.endMs = Math.max(last.endMs, endMs)
  }
  const longestMs = lengthMs ?? Math.max(...viewings.map(({ playedMs }) => playedMs))
  return viewings
    .filter(({ playedMs }) => playedMs >= leastMs && playedMs >= leastPart * longestMs)
    .map(({ sittings: own, playedMs }) => ({ sittings: own, playedMs }))
}

function isContinued(
  { playedMs, endMs }: { readonly playedMs: number; readonly endMs: number },
  next: Sitting,
  wholeMs: number,
): boolean {
  const pauseMs = next.startMs - endMs
  if (pauseMs > LONGEST_PAUSE_MS || playedMs + next.playedMs > wholeMs * REPEATED) return false
  return playedMs < wholeMs * COMPLETE || pauseMs <= SHORT_PAUSE_MS
}

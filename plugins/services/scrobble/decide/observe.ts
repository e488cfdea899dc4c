// The state machine of a viewing, for watchers and webhooks: the effect of an observation on a destination. Pure.
import type { Observation, Thresholds } from '../contract.ts'
import {
  type EarlierPlay,
  type Emission,
  type LastReport,
  playOf,
  type SeenEvent,
  type Verdict,
  type Viewing,
} from './viewing.ts'
import { defined } from '@playhead/sdk'

/** A start up to this position begins the item. */
const FRESH_PERCENT = 5
/** A completion stays valid for viewings without a fresh start: the credits, another device, a late report. */
export const COMPLETION_MEMORY_MS = 48 * 3_600_000
/** The position that players report as the end if they do not know the exact one. */
const END_PERCENT = 98
const SAME_EVENT_MS = 1_000
/** Within this time a webhook sender may repeat an event, even after later ones have arrived. */
const SENT_AGAIN_MS = 10 * 60_000
const EVENTS_KEPT = 8
const INSTANT_MS = 2_000
const JITTER_MS = 2_000
const UPDATE_STEP = 5
const HALF = 50
/** Stored for each item and device, for late reports. */
const VIEWINGS_BEFORE = 3
/** A viewing that was idle at its beginning for this long starts over with the next start there. */
const AWAY_MS = 10 * 60_000
/** A rewatch takes at least this share of the item's length. */
const LEAST_SHARE = 0.25
/** A shorter playback is not a separate play. */
const BRIEF_MS = 60_000
// Allows for playback at 1.6 times the speed, and for the delay of a report.
const SPEED = 1.6
const SLACK_MS = 8_000
const JUMP_WITHOUT_DURATION = 30

type Action = 'start' | 'pause' | 'stop' | 'progress'

/**
 * @param known the viewing so far; undefined for the first observation
 * @param plays the tracker's plays of this item, from any viewing
 */
export function observe(
  known: Viewing | undefined,
  reportedNow: Observation,
  thresholds: Thresholds,
  plays: readonly EarlierPlay[],
): Verdict {
  const seen = credible(known, reportedNow)
  if (known !== undefined && isSentAgain(known, seen))
    return ended({ next: known, percent: known.percent ?? 0 }, 'dedup', 'duplicate_event')
  const action = actionOf(known, seen)
  const durationMs = seen.durationMs ?? known?.durationMs ?? null
  const reported = percentOf(seen, durationMs)
  // A stored webhook describes the past; only a watched mark is still relevant.
  if (known !== undefined && seen.atMs < known.lastAtMs - JITTER_MS) {
    const isEnd = seen.completed === true || (action === 'stop' && (reported ?? 0) >= thresholds.watchedAt)
    if (isEnd && seen.atMs < known.startedAtMs) return observeLateEnd(known, seen, thresholds, plays)
    if (!isEnd || isTooEarly(known, seen, durationMs, thresholds))
      return ended({ next: known, percent: known.percent ?? 0 }, 'ignored', 'outdated')
  }
  const isNew =
    known !== undefined &&
    action !== 'stop' &&
    (isFreshStart(known, reported, thresholds) || isForgotten(known, seen.atMs, reported, thresholds))
  const was = isNew ? undefined : known
  const jumped = was !== undefined && isJump(was, seen.atMs, reported, durationMs) && seen.completed !== true
  const percent = accept(was, seen, action, reported, thresholds)
  // A start at the beginning, regardless of earlier positions.
  const isRestarted =
    (action === 'start' || action === 'progress') && reported !== undefined && percent <= FRESH_PERCENT
  const began = isRestarted && isAway(was, seen.atMs) ? undefined : was
  const reached = jumped ? was.reached : Math.max(was?.reached ?? 0, percent)
  const next: Viewing = {
    item: seen.item,
    last: reportOf(seen),
    durationMs,
    startedAtMs: began?.startedAtMs ?? seen.atMs,
    fresh: began?.fresh ?? percent <= FRESH_PERCENT,
    startSeen: was?.startSeen === true || action === 'start',
    lastAtMs: Math.max(seen.atMs, was?.lastAtMs ?? 0),
    percent,
    reached,
    countsAtMs: was?.countsAtMs ?? (reached >= thresholds.watchedAt ? seen.atMs : null),
    jumped,
    level: levelOf(seen),
    emitted: was?.emitted ?? null,
    sent: was?.sent ?? null,
    lastPauseAtMs: was?.lastPauseAtMs ?? null,
    pauseDueAtMs: levelOf(seen) === 'paused' ? (was?.pauseDueAtMs ?? null) : null,
    events: eventsWith(known?.events ?? [], seen),
    stoppedAtMs: action === 'stop' ? seen.atMs : (was?.stoppedAtMs ?? known?.stoppedAtMs ?? null),
    completedAtMs: was?.completedAtMs ?? null,
    lastPlay: known?.lastPlay ?? null,
    before: known === undefined || began !== undefined ? (known?.before ?? []) : pastOf(known, seen.atMs),
  }
  const step = { action, was, next, seen, thresholds, percent, jumped, plays }
  // The item was watched and restarted without a stop in between.
  const missed =
    isNew && known.level !== 'stopped' && known.completedAtMs === null && known.reached >= thresholds.watchedAt
  if (missed && !isRecorded(known, plays, known.lastAtMs)) {
    const closing = closingOf(known)
    const before =
      next.before?.map((one) => (one.startedAtMs === known.startedAtMs ? counted(one, closing) : one)) ?? []
    return { ...decide({ ...step, next: { ...next, before } }), closing }
  }
  return decide(step)
}

/**
 * A player that reports the end on every stop cannot have played so far at that time. The position of that time is not stored,
 * and that of now, which later playback reached, does not contradict the end.
 */
function isTooEarly(known: Viewing, seen: Observation, durationMs: number | null, { watchedAt }: Thresholds): boolean {
  if (seen.completed === true || durationMs === null || !known.fresh) return false
  const playedMs = (seen.atMs - known.startedAtMs) * SPEED + SLACK_MS
  return FRESH_PERCENT + (playedMs / durationMs) * 100 < watchedAt
}

/** The end of an earlier viewing, judged by the stored data of that viewing. Only a play is still relevant. */
function observeLateEnd(
  known: Viewing,
  seen: Observation,
  thresholds: Thresholds,
  plays: readonly EarlierPlay[],
): Verdict {
  const past = known.before?.find(({ startedAtMs }) => startedAtMs <= seen.atMs)
  const verdict = observe(past, seen, thresholds, plays)
  const { emission } = verdict
  const seenPast = emission?.completed === true ? counted(verdict.viewing, emission) : verdict.viewing
  const before = known.before?.map((one) => (one === past ? seenPast : one)) ?? []
  const viewing: Viewing = { ...known, before }
  if (verdict.outcome !== 'emit' || verdict.emission?.completed === true) return { ...verdict, viewing }
  return ended({ next: viewing, percent: verdict.percent }, 'ignored', 'outdated')
}

/** Includes the resulting play, for the next start of the service. */
function counted(viewing: Viewing, emission: Emission): Viewing {
  return { ...viewing, completedAtMs: emission.atMs, lastPlay: playOf(emission) }
}

/** The viewings before the next one, newest first. */
function pastOf(known: Viewing, nowMs: number): readonly Viewing[] {
  const all = [{ ...known, before: [] }, ...(known.before ?? [])]
  return all.filter(({ lastAtMs }) => nowMs - lastAtMs < COMPLETION_MEMORY_MS).slice(0, VIEWINGS_BEFORE)
}

/**
 * A watched mark during playback may come from a person or from a sync. It counts as the end of this viewing only in the second
 * half of the item.
 */
function credible(known: Viewing | undefined, seen: Observation): Observation {
  if (seen.completed !== true || seen.kind === 'event') return seen
  const percent = percentOf(seen, seen.durationMs ?? known?.durationMs ?? null) ?? 0
  if (Math.max(known?.reached ?? 0, percent) >= HALF) return seen
  const { completed: _mark, ...rest } = seen
  return rest
}

function decide(step: Step): Verdict {
  const { action, was, next, seen } = step
  // The position was judged with the first report.
  if (was !== undefined && isRepeated(was, seen))
    return ended({ ...step, next: { ...was, events: next.events ?? [] } }, 'dedup', 'duplicate_event')
  if (action === 'stop') return stop(step)
  if (next.completedAtMs !== null) {
    return action === 'progress' ? ended(step, 'ignored', 'unchanged') : ended(step, 'suppressed', 'duplicate_finish')
  }
  if (action === 'pause') return pause(step)
  return seen.state === 'paused' ? stillPaused(step) : start(step, action)
}

function closingOf(viewing: Viewing): Emission {
  const { reached, durationMs, lastAtMs: atMs, startedAtMs, countsAtMs = null } = viewing
  const whole = isWhole(viewing, atMs)
  return {
    action: 'stop',
    percent: round(reached),
    durationMs,
    completed: true,
    whole,
    seek: false,
    atMs,
    startedAtMs,
    countsAtMs,
  }
}

/** The pending pause of a debounced viewing; undefined if playback resumed or ended meanwhile. */
export function settle(viewing: Viewing, nowMs: number): Verdict | undefined {
  const { pauseDueAtMs, level, emitted, percent } = viewing
  if (pauseDueAtMs === null || nowMs < pauseDueAtMs || level !== 'paused' || emitted?.action !== 'start')
    return undefined
  return emit({ next: { ...viewing, pauseDueAtMs: null }, percent: percent ?? 0, atMs: nowMs }, 'pause')
}

/** The play of a watched viewing whose reports ended without a stop; undefined if there is no play to count. */
export function abandon(
  viewing: Viewing,
  { watchedAt }: Thresholds,
  plays: readonly EarlierPlay[],
): Verdict | undefined {
  const { level, completedAtMs, reached, lastAtMs } = viewing
  if (level === 'stopped' || completedAtMs !== null || reached < watchedAt) return undefined
  const next: Viewing = { ...viewing, level: 'stopped', stoppedAtMs: lastAtMs, completedAtMs: lastAtMs }
  if (isRecorded(viewing, plays, lastAtMs))
    return { viewing: next, outcome: 'suppressed', reason: 'duplicate_finish', percent: round(reached) }
  return emit({ next, percent: reached, atMs: lastAtMs, completed: true }, 'stop')
}

interface Step {
  readonly action: Action
  readonly was: Viewing | undefined
  readonly next: Viewing
  readonly seen: Observation
  readonly thresholds: Thresholds
  readonly percent: number
  readonly jumped: boolean
  readonly plays: readonly EarlierPlay[]
}

function start(step: Step, action: Action): Verdict {
  const { was, next, seen, thresholds, percent, jumped } = step
  if (percent >= thresholds.suppressStartAt) {
    return action === 'start' ? ended(step, 'suppressed', 'late_start') : ended(step, 'ignored', 'unchanged')
  }
  const sinceStopMs = next.stoppedAtMs === null ? Infinity : seen.atMs - next.stoppedAtMs
  if (
    next.emitted?.action !== 'start' &&
    sinceStopMs < thresholds.guardAutoplayMs &&
    percent < thresholds.startGuardMinProgress
  ) {
    return ended(step, 'suppressed', 'autoplay_guard')
  }
  if (was?.emitted?.action === 'start') {
    const moved = Math.abs(percent - was.emitted.percent)
    // A seek is sent at once, but not every step while a person drags the slider.
    const isSeek = jumped && moved >= 1 && seen.atMs - was.emitted.atMs >= SAME_EVENT_MS
    if (action === 'start' && moved < 1)
      return ended(step, seen.kind === 'event' ? 'dedup' : 'ignored', 'duplicate_event')
    if (action === 'progress' && !isSeek && moved < UPDATE_STEP) return ended(step, 'ignored', 'unchanged')
    return emit({ next, percent, atMs: seen.atMs, seek: isSeek || (moved >= UPDATE_STEP && jumped) }, 'start')
  }
  return emit({ next, percent, atMs: seen.atMs }, 'start')
}

function pause(step: Step): Verdict {
  const { was, next, seen, thresholds, percent } = step
  const lastMs = was?.lastPauseAtMs ?? null
  if (lastMs !== null && seen.atMs - lastMs < thresholds.pauseDebounceMs) {
    // The destination still assumes playback; the pause follows after the debounce time.
    const isOwed = was?.emitted?.action === 'start'
    return ended(
      { ...step, next: { ...next, pauseDueAtMs: isOwed ? lastMs + thresholds.pauseDebounceMs : null } },
      'debounced',
      'pause_debounce',
    )
  }
  return emit({ next, percent, atMs: seen.atMs }, 'pause')
}

function stillPaused(step: Step): Verdict {
  const { next, seen, percent } = step
  if (next.pauseDueAtMs !== null && seen.atMs >= next.pauseDueAtMs && next.emitted?.action === 'start')
    return emit({ next: { ...next, pauseDueAtMs: null }, percent, atMs: seen.atMs }, 'pause')
  return ended(step, 'ignored', 'unchanged')
}

function stop(step: Step): Verdict {
  const { was, next, seen, thresholds, percent, jumped, plays } = step
  // Some players report the end when playback is aborted. Webhooks alone do not show a seek, so for them only a report of the
  // very end is doubted.
  const doubtedFrom = Math.max(thresholds.watchedAt, seen.kind === 'event' ? END_PERCENT : 0)
  const isDemoted = jumped && percent >= doubtedFrom && (was?.percent ?? 0) < thresholds.stopPauseThreshold
  const shown = isDemoted ? next.reached : Math.max(next.reached, percent)
  const isWatched = seen.completed === true || shown >= thresholds.watchedAt
  if (next.completedAtMs !== null) return ended(step, 'suppressed', 'duplicate_finish')
  if (isWatched) {
    const completed: Viewing = {
      ...next,
      completedAtMs: seen.atMs,
      level: seen.state === 'stopped' ? 'stopped' : next.level,
    }
    // Another device, another server, or the credits of a play that the tracker has.
    if (isRecorded(next, plays, seen.atMs)) return ended({ ...step, next: completed }, 'suppressed', 'duplicate_finish')
    return emit({ next: completed, percent: Math.max(percent, next.reached), atMs: seen.atMs, completed: true }, 'stop')
  }
  // Sent as a stop, or as a pause if the stop was demoted.
  const isTold = was?.emitted?.action === 'stop' || was?.emitted?.action === 'pause'
  if (was?.level === 'stopped' && isTold)
    return ended({ ...step, next: { ...next, percent: was.percent, jumped: false } }, 'suppressed', 'duplicate_stop')
  if (isInstant(step)) return ended(step, 'suppressed', 'instant_stop')
  if (isDemoted) {
    const last = was?.percent ?? 0
    return emit(
      { next: { ...next, percent: last, jumped: false }, percent: last, atMs: seen.atMs },
      'pause',
      'position_jump',
    )
  }
  return emit({ next, percent, atMs: seen.atMs }, 'stop')
}

function isInstant({ next, seen, thresholds, percent }: Step): boolean {
  return (
    next.startSeen &&
    seen.atMs - next.startedAtMs < INSTANT_MS &&
    percent > FRESH_PERCENT &&
    percent < thresholds.forceStopAt
  )
}

function isRecorded(viewing: Viewing, plays: readonly EarlierPlay[], endedAtMs: number): boolean {
  return plays.some((play) => isSamePlay(viewing, play, endedAtMs))
}

/**
 * Whether the tracker's play is this viewing: their times overlap, or the later one only covers the rest of the item. The play may be
 * the later one if the end of this viewing was not reported.
 */
function isSamePlay(viewing: Viewing, play: EarlierPlay, endedAtMs: number): boolean {
  const playedUntilMs = viewing.countsAtMs ?? endedAtMs
  if (viewing.startedAtMs < (play.countsAtMs ?? play.endedAtMs) && play.startedAtMs < playedUntilMs) return true
  // The start and the end were reported at once, so the webhooks are late.
  const leastMs = Math.min(BRIEF_MS, (viewing.durationMs ?? Infinity) * LEAST_SHARE)
  if (viewing.last.method === 'webhook' && viewing.startSeen && endedAtMs - viewing.startedAtMs < leastMs) return true
  const isLast = play.startedAtMs < viewing.startedAtMs
  const isRest = isLast ? !isWhole(viewing, endedAtMs) : play.whole !== true
  return isRest && Math.abs(endedAtMs - play.endedAtMs) < COMPLETION_MEMORY_MS
}

/** A player that briefly reports the beginning has not started there. */
function isWhole(
  { startedAtMs, fresh, durationMs }: Pick<Viewing, 'startedAtMs' | 'fresh' | 'durationMs'>,
  endedAtMs: number,
): boolean {
  return fresh && endedAtMs - startedAtMs >= (durationMs ?? 0) * LEAST_SHARE
}

function ended(
  { next, percent }: Pick<Step, 'next' | 'percent'>,
  outcome: Verdict['outcome'],
  reason: string,
): Verdict {
  return { viewing: next, outcome, reason, percent: round(percent) }
}

function emit(
  {
    next,
    percent,
    atMs,
    completed = false,
    seek = false,
  }: {
    readonly next: Viewing
    readonly percent: number
    readonly atMs: number
    readonly completed?: boolean
    readonly seek?: boolean
  },
  action: Emission['action'],
  reason?: string,
): Verdict {
  const rounded = round(percent)
  const viewing: Viewing = {
    ...next,
    emitted: { action, percent: rounded, atMs },
    lastPauseAtMs: action === 'pause' ? atMs : next.lastPauseAtMs,
  }
  const { durationMs, startedAtMs, countsAtMs = null } = next
  return {
    viewing,
    outcome: 'emit',
    ...defined({ reason }),
    percent: rounded,
    emission: {
      action,
      percent: rounded,
      durationMs,
      completed,
      whole: isWhole(next, atMs),
      seek,
      atMs,
      startedAtMs,
      countsAtMs,
    },
  }
}

function actionOf(known: Viewing | undefined, { kind, state, completed }: Observation): Action {
  if (state === 'stopped' || completed === true) return 'stop'
  if (kind === 'event') return state === 'paused' ? 'pause' : 'start'
  if (state === 'paused') return known === undefined || known.level === 'playing' ? 'pause' : 'progress'
  // Buffering counts only at the beginning of an item.
  return known === undefined || known.level !== 'playing' ? 'start' : 'progress'
}

function reportOf({ method, session, account, deviceId, device, server }: Observation): LastReport {
  return { method, session, account, ...defined({ deviceId, device, server }) }
}

function levelOf({ state }: Observation): Viewing['level'] {
  return state === 'buffering' ? 'playing' : state
}

/** Near the beginning after the item was stopped, completed, or watched. */
function isFreshStart(known: Viewing, reported: number | undefined, { watchedAt }: Thresholds): boolean {
  if (reported === undefined || reported > FRESH_PERCENT) return false
  return known.completedAtMs !== null || known.level === 'stopped' || known.reached >= watchedAt
}

/** Resumed so late that the counted time is outdated; credits still belong to the earlier play. */
function isForgotten(
  { lastAtMs, completedAtMs }: Viewing,
  atMs: number,
  reported: number | undefined,
  { watchedAt }: Thresholds,
): boolean {
  return atMs - lastAtMs > COMPLETION_MEMORY_MS && (completedAtMs === null || (reported ?? 100) < watchedAt)
}

/** At another position, or idle for long: a pending start at the beginning is void. */
function isAway(was: Viewing | undefined, atMs: number): boolean {
  if (was === undefined || (was.percent ?? 0) > FRESH_PERCENT) return true
  const playedUntilMs = was.level === 'paused' ? (was.lastPauseAtMs ?? was.lastAtMs) : was.lastAtMs
  return atMs - playedUntilMs > AWAY_MS
}

function isRepeated({ events = [] }: Viewing, { kind, state, atMs, completed }: Observation): boolean {
  const last = events.at(-1)
  return (
    kind === 'event' &&
    last?.state === state &&
    completed !== true &&
    atMs - last.atMs < SAME_EVENT_MS &&
    atMs >= last.atMs
  )
}

/**
 * An event that arrives again after later ones, with its position to the millisecond. Continued playback may lead to the same
 * stop again, and a person may start again.
 */
function isSentAgain({ events = [], level, ...was }: Viewing, seen: Observation): boolean {
  if (seen.kind !== 'event' || (seen.positionMs === undefined && seen.completed !== true)) return false
  const at = events.findLastIndex((one) => isEqual(one, seen))
  if (at < 0 || at === events.length - 1) return false
  if (Math.abs(seen.atMs - events[at]!.atMs) >= SENT_AGAIN_MS) return false
  if (seen.completed !== true && seen.state === 'paused') return true
  if (seen.completed !== true && seen.state === 'playing')
    return level === 'playing' && !events.slice(at).some(({ state }) => state === 'stopped')
  const durationMs = seen.durationMs ?? was.durationMs
  const percent = percentOf(seen, durationMs) ?? HALF
  // Some players report the very end when they are aborted; this is judged as a stop.
  return (seen.completed === true || percent < END_PERCENT) && isJump(was, seen.atMs, percent, durationMs)
}

function isEqual(one: SeenEvent, { state, positionMs, completed }: Observation): boolean {
  return one.state === state && one.positionMs === positionMs && one.completed === completed
}

function eventsWith(events: readonly SeenEvent[], seen: Observation): readonly SeenEvent[] {
  if (seen.kind !== 'event') return events
  const { state, atMs, positionMs, completed } = seen
  const event: SeenEvent = { state, atMs, ...defined({ positionMs, completed }) }
  return [...events.filter((one) => atMs - one.atMs < SENT_AGAIN_MS), event].slice(-EVENTS_KEPT)
}

function percentOf({ positionMs, percent }: Observation, durationMs: number | null): number | undefined {
  if (positionMs !== undefined && durationMs !== null)
    return Math.min(100, Math.max(0, (positionMs / durationMs) * 100))
  return percent
}

/** A forward jump that playback cannot explain. */
function isJump(
  was: Pick<Viewing, 'percent' | 'lastAtMs'>,
  atMs: number,
  reported: number | undefined,
  durationMs: number | null,
): boolean {
  if (reported === undefined || was.percent === null) return false
  const elapsedMs = Math.max(0, atMs - was.lastAtMs)
  const gained = reported - was.percent
  if (durationMs === null) return gained >= JUMP_WITHOUT_DURATION && elapsedMs < 60_000
  return (gained / 100) * durationMs > SPEED * elapsedMs + SLACK_MS
}

function accept(
  was: Viewing | undefined,
  { completed, atMs }: Observation,
  action: Action,
  reported: number | undefined,
  { forceStopAt, regressTolerance }: Thresholds,
): number {
  const last = was?.percent ?? 0
  if (completed === true) return Math.max(reported ?? 0, last, 95, forceStopAt)
  if (reported === undefined) return last
  if (was === undefined || action === 'start') return reported
  // Some players report 0 or the beginning at their end.
  if (action === 'stop' && last >= forceStopAt && !was.jumped && reported < last) return last
  if (!was.jumped && reported + regressTolerance < last && atMs - was.lastAtMs <= JITTER_MS) return last
  if (action === 'pause' && reported >= 99.9 && last > 0) return Math.max(last, 95)
  return reported
}

function round(percent: number): number {
  return Math.round(percent * 100) / 100
}

// Writes positions. A position near the end would mark the work as watched, and one near the start is ignored, so neither is sent.
// Removing a position must keep the watched mark.
import type { WriteRequest, WriteResult } from '@playhead/sdk'
import { positionMsOf, progressOf } from '@playhead/sdk/items'
import { secondsOf } from '../items.ts'
import type { Server, Session } from '../session.ts'
import { change, type ItemOutcome, nowSeconds, report, statesOf, type Target } from '../library/targets.ts'
import type { Metadata } from '../wire.ts'
import { type States, writeStates } from './states.ts'

/** The server counts an item as watched from this position. */
export const COMPLETE_PERCENT = 90
const MIN_MS = 60_000
/** The server may round to seconds. */
const SAME_MS = 1_000

export function writeProgress(session: Session, request: WriteRequest, signal: AbortSignal): Promise<WriteResult> {
  const isRemoval = request.op === 'remove'
  const positions = new Map<string, number>()

  async function send(server: Server, { write: { item }, copies }: Target): Promise<ItemOutcome> {
    if (isRemoval) {
      for (const { rating_key: ratingKey } of copies)
        await change(server, 'GET', '/:/progress', ratingKey, { time: 0, state: 'stopped' }, signal)
      return { outcome: 'applied' }
    }
    const at = secondsOf(item.progress_at)
    if (at !== undefined && at > nowSeconds()) return { outcome: 'rejected', reason: 'time_in_future' }
    for (const { rating_key: ratingKey, duration_ms: own } of copies) {
      const durationMs = own ?? item.duration_ms
      const positionMs = durationMs === undefined ? undefined : positionMsOf(progressOf(item), durationMs)
      if (durationMs === undefined || positionMs === undefined)
        return { outcome: 'rejected', reason: 'missing_duration' }
      if (positionMs < MIN_MS) return { outcome: 'rejected', reason: 'position_too_small' }
      if (positionMs >= (durationMs * COMPLETE_PERCENT) / 100) return { outcome: 'rejected', reason: 'would_complete' }
      positions.set(ratingKey, positionMs)
      await report(server, { key: ratingKey, positionMs, durationMs, at }, true, signal)
    }
    return { outcome: 'applied' }
  }

  // Some servers store a position of zero; there, items without a watched mark are cleared through that mark.
  async function clearRest(server: Server, after: States, all: readonly string[]): Promise<States> {
    const rest = [...after.values()].filter(({ viewOffset = 0, viewCount = 0 }) => viewOffset > 0 && viewCount === 0)
    if (rest.length === 0) return after
    for (const { ratingKey } of rest) await change(server, 'PUT', '/:/unscrobble', ratingKey as string, {}, signal)
    return statesOf(server, all, signal)
  }

  return writeStates(
    session,
    request,
    {
      send,
      isSo: (state, key) => isWanted(state, isRemoval ? 0 : positions.get(key)),
      isAsRead: ({ viewOffset = 0 }, { progress_ms: read = viewOffset }) => Math.abs(viewOffset - read) <= SAME_MS,
      unseen: isRemoval ? 'progress_remove_unconfirmed' : 'write_not_visible',
      ...(isRemoval ? { finish: clearRest } : {}),
    },
    signal,
  )
}

function isWanted(state: Metadata | undefined, positionMs: number | undefined): boolean {
  return positionMs !== undefined && Math.abs((state?.viewOffset ?? 0) - positionMs) <= SAME_MS
}

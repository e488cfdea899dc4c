// Reads ratings and positions from library rows.
import { defined, type ReadPart, type ReadRequest } from '@playhead/sdk'
import { RATING_SCALES, ratingFrom } from '@playhead/sdk/items'
import { timeText } from '../items.ts'
import { type Plan, readLibrary } from './library.ts'
import type { Session } from '../session.ts'

const RATINGS: Plan = {
  kinds: ['movie', 'show', 'season', 'episode'],
  filter: { 'userRating>>': 0 },
  toRow(row, item) {
    const rating = ratingFrom(row.userRating, RATING_SCALES.tenPointsHalves)
    const ratedAt = timeText(row.lastRatedAt)
    return rating === undefined ? undefined : { ...item, rating, ...defined({ rated_at: ratedAt }) }
  },
}

const PROGRESS: Plan = {
  kinds: ['movie', 'episode'],
  filter: { 'viewOffset>>': 0 },
  toRow({ viewOffset = 0, duration, lastViewedAt }, item) {
    if (viewOffset <= 0) return undefined
    const progressAt = timeText(lastViewedAt)
    return {
      ...item,
      progress_ms: duration === undefined ? viewOffset : Math.min(viewOffset, duration),
      ...(duration === undefined || duration < 1 ? {} : { duration_ms: duration }),
      ...defined({ progress_at: progressAt }),
    }
  },
}

export function readRatings(session: Session, request: ReadRequest, signal: AbortSignal): AsyncIterable<ReadPart> {
  return readLibrary(session, request, RATINGS, signal)
}

export function readProgress(session: Session, request: ReadRequest, signal: AbortSignal): AsyncIterable<ReadPart> {
  return readLibrary(session, request, PROGRESS, signal)
}

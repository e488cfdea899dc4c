// Writes of watchlist, ratings, and history by item or by play.
import { createWrites } from '@playhead/trakt-dialect'
import { writeBatch } from './batch.ts'
import { resized } from '../capacity.ts'
import { verdictOfError } from './outcomes.ts'
import type { Session } from '../session.ts'
import { WriteAnswer } from '../wire.ts'

export const WRITES = createWrites<Session>({
  paths: {
    watchlist: ['/sync/watchlist', '/sync/watchlist/remove'],
    ratings: ['/sync/ratings', '/sync/ratings/remove'],
    history: ['/sync/history', '/sync/history/remove'],
  },
  timeText: ({ atMs }) => new Date(atMs).toISOString(),
  write: writeBatch,
  outcomeOf: verdictOfError,
  async removePlays(session, ids, signal) {
    resized(session, 'history', undefined)
    const answer = await session.writes.request({
      method: 'POST',
      path: '/sync/history/remove',
      json: { ids },
      idempotent: true,
      signal,
    })
    const { not_found: notFound } = await answer.json(WriteAnswer)
    const missing = new Set((notFound?.ids ?? []).map(Number))
    return (id) => ({ outcome: missing.has(id) ? 'already' : 'applied' })
  },
})

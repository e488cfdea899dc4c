// Writes of watchlist, ratings, and history by item or by play.
import { formatTime } from '@playhead/sdk/items'
import type { ItemOutcome } from '@playhead/sdk/provider'
import { createWrites, DOUBT } from '@playhead/trakt-dialect'
import { writeBatch } from './batch.ts'
import { outcomeOfFailure } from './outcomes.ts'
import type { Session } from '../session.ts'
import { Removed } from '../wire.ts'

export const WRITES = createWrites<Session>({
  paths: {
    watchlist: ['/watchlist/items/add', '/watchlist/items/remove'],
    ratings: ['/sync/ratings', '/sync/ratings/remove'],
    history: ['/sync/watched', '/sync/watched/remove'],
  },
  timeText: formatTime,
  write: writeBatch,
  outcomeOf: (error) => outcomeOfFailure(error, true),
  async removePlays({ writes }, ids, signal) {
    const answer = await writes.request({
      method: 'POST',
      path: '/sync/watched/plays/remove',
      json: { play_ids: ids },
      idempotent: true,
      signal,
    })
    const { removed = 0, not_found: missingIds = [] } = await answer.json(Removed)
    const missing = new Set(Array.isArray(missingIds) ? missingIds.map(Number) : [])
    const otherwise: ItemOutcome = removed + missing.size >= ids.length ? { outcome: 'applied' } : DOUBT
    return (id) => (missing.has(id) ? { outcome: 'already' } : otherwise)
  },
})

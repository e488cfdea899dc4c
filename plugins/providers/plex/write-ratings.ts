// Ratings, from 1 to 10, written to every copy of the work and looked at afterwards.
import { holdsRating, RATING_SCALES, ratingTo, writeInTurn, type WriteRequest, type WriteResult } from '@playhead/sdk'
import { secondsOf } from './items.ts'
import type { Session } from './session.ts'
import { asPerson, byKey, change, findAll, inOrder, nowSeconds, statesOf, type Target } from './targets.ts'

/** What takes a rating away. */
const CLEARED = -1

export function writeRatings(session: Session, request: WriteRequest, signal: AbortSignal): Promise<WriteResult> {
  return asPerson(
    session,
    request,
    async () => {
      const { account } = session
      const server = await session.server(signal)
      const { found, refused } = await findAll(server, request.items, signal)
      const targets = new Map(found.map((target) => [target.write.key, target]))
      const result = await writeInTurn(
        found.map(({ write }) => write),
        async ({ key, item }) => {
          const { copies } = targets.get(key) as Target
          if (request.op !== 'remove' && item.rating === undefined) return { outcome: 'rejected', reason: 'invalid_rating' }
          const at = secondsOf(item.rated_at)
          const query =
            request.op === 'remove'
              ? { rating: CLEARED }
              : {
                  rating: ratingTo(item.rating as number, RATING_SCALES.tenPointsHalves),
                  // The server refuses what is still to come.
                  ...(at === undefined || at > nowSeconds() ? {} : { ratedAt: at }),
                }
          for (const { rating_key: ratingKey } of copies) await change(server, 'PUT', '/:/rate', ratingKey, query, signal)
          return { outcome: 'applied', native: { item_id: (copies[0] as { rating_key: string }).rating_key } }
        },
        { log: account.log, atOnce: account.profile.rating_workers },
      )

      const outcomes = byKey(result)
      const written = found.filter(({ write: { key } }) => ['applied', 'unknown'].includes(outcomes.get(key)?.outcome ?? ''))
      const after = await statesOf(
        server,
        written.flatMap(({ copies }) => copies.map(({ rating_key: key }) => key)),
        signal,
      ).catch(lost)
      for (const {
        write: { key, item },
        copies,
      } of written) {
        const holds =
          after !== undefined &&
          copies.every(({ rating_key: ratingKey }) => {
            const rating = after.get(ratingKey)?.userRating
            return request.op === 'remove' ? !rating : holdsRating(rating, item.rating as number, RATING_SCALES.tenPointsHalves)
          })
        if (holds) outcomes.set(key, { outcome: 'applied', native: { item_id: (copies[0] as { rating_key: string }).rating_key } })
        else
          outcomes.set(
            key,
            after === undefined ? { outcome: 'unknown', reason: 'not_verified' } : { outcome: 'rejected', reason: 'write_not_visible' },
          )
      }
      return inOrder(request, new Map([...refused, ...outcomes]), result)

      function lost(error: unknown): undefined {
        account.log.warn({ err: error }, 'what was written to Plex could not be looked at')
      }
    },
    signal,
  )
}

// Writes watchlist and ratings, one request per item.
import { isRating, kindOf, RATING_SCALES, ratingTo } from '@playhead/sdk/items'
import {
  type ItemOutcome,
  type WriteItem,
  writeInTurn,
  type WriteRequest,
  type WriteResult,
} from '@playhead/sdk/provider'
import { keepingWatchlist } from './keep-watchlisted.ts'
import type { ListName, Wanted } from '../memory.ts'
import { send, setWatchlist } from './send.ts'
import type { Session } from '../session.ts'
import { pathOf, type Target, targetOf } from './targets.ts'

type Op = WriteRequest['op']
type Send = (item: WriteItem, target: Target) => Promise<ItemOutcome>

export function writeWatchlist(
  session: Session,
  { op, items }: WriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  const wanted = op !== 'remove'
  return write(session, op, items, signal, async (_item, target) => {
    const outcome = await setWatchlist(session, target, wanted, signal)
    await noteWrite(session, `watchlist/${target.namespace === 'movie' ? 'movies' : 'tv'}`, target, wanted, outcome)
    return outcome
  })
}

export function writeRatings(session: Session, { op, items }: WriteRequest, signal: AbortSignal): Promise<WriteResult> {
  return write(session, op, items, signal, async ({ item }, target) => {
    const list =
      target.season !== undefined
        ? 'ratings/episodes'
        : (`ratings/${target.namespace === 'movie' ? 'movies' : 'tv'}` as const)
    if (op === 'remove') {
      const outcome = await send(session, { method: 'DELETE', path: `${pathOf(target)}/rating` }, false, signal)
      await noteWrite(session, list, target, false, outcome)
      return outcome
    }
    const { rating } = item
    if (!isRating(rating)) return { outcome: 'rejected', reason: 'missing_rating' }
    return keepingWatchlist(session, target, signal, async () => {
      const value = ratingTo(rating, RATING_SCALES.tenPointsHalves)
      const outcome = await send(
        session,
        { method: 'POST', path: `${pathOf(target)}/rating`, json: { value } },
        true,
        signal,
      )
      await noteWrite(session, list, target, rating, outcome)
      return outcome
    })
  })
}

function write(
  session: Session,
  op: Op,
  items: readonly WriteItem[],
  signal: AbortSignal,
  work: Send,
): Promise<WriteResult> {
  return writeInTurn(
    items,
    async (item) => {
      // Neither list has seasons.
      if (kindOf(item.item) === 'season') return { outcome: 'unsupported', reason: 'unsupported_type' }
      const own = op === 'remove' ? item.item : item.current
      const named = await targetOf(session, own ?? item.item, own !== undefined, signal)
      if ('refused' in named) return named.refused
      const { reason, ...outcome } = await work(item, named.target)
      return reason === undefined || reason === 'updated' ? outcome : { ...outcome, reason }
    },
    { log: session.account.log },
  )
}

async function noteWrite(
  { memory }: Session,
  list: ListName,
  target: Target,
  wanted: Wanted,
  { outcome }: ItemOutcome,
): Promise<void> {
  if (outcome !== 'applied') return
  const { id, season, episode } = target
  await memory.wrote(list, season === undefined ? id : `${id}/${season}/${episode}`, wanted)
}

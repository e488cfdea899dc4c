// Where somebody stopped. A position near the end would mark the work as watched, and one at the beginning is ignored by the server:
// neither is sent. Taking a position away must not take the watched mark with it.
import { positionMsOf, progressOf, writeInTurn, type WriteRequest, type WriteResult } from '@playhead/sdk'
import { secondsOf } from './items.ts'
import type { Session } from './session.ts'
import { asPerson, byKey, change, findAll, inOrder, type ItemOutcome, nowSeconds, report, statesOf, type Target } from './targets.ts'
import type { Metadata } from './wire.ts'

/** From here on the server counts an item as seen. */
export const COMPLETE_PERCENT = 90
const SHORTEST_MS = 60_000
/** The server may round to seconds. */
const SAME_MS = 1_000

export function writeProgress(session: Session, request: WriteRequest, signal: AbortSignal): Promise<WriteResult> {
  return asPerson(
    session,
    request,
    async () => {
      const { account } = session
      const server = await session.server(signal)
      const { found, refused } = await findAll(server, request.items, signal)
      const targets = new Map(found.map((target) => [target.write.key, target]))
      const positions = new Map<string, number>()

      async function write({ key, item }: Target['write']): Promise<ItemOutcome> {
        const { copies } = targets.get(key) as Target
        if (request.op === 'remove') {
          for (const { rating_key: ratingKey } of copies)
            await change(server, 'GET', '/:/progress', ratingKey, { time: 0, state: 'stopped' }, signal)
          return { outcome: 'applied' }
        }
        const at = secondsOf(item.progress_at)
        if (at !== undefined && at > nowSeconds()) return { outcome: 'rejected', reason: 'time_in_future' }
        for (const { rating_key: ratingKey, duration_ms: own } of copies) {
          const durationMs = own ?? item.duration_ms
          const positionMs = durationMs === undefined ? undefined : positionMsOf(progressOf(item), durationMs)
          if (durationMs === undefined || positionMs === undefined) return { outcome: 'rejected', reason: 'missing_duration' }
          if (positionMs < SHORTEST_MS) return { outcome: 'rejected', reason: 'position_too_small' }
          if (positionMs >= (durationMs * COMPLETE_PERCENT) / 100) return { outcome: 'rejected', reason: 'would_complete' }
          positions.set(ratingKey, positionMs)
          await report(server, { key: ratingKey, positionMs, durationMs, at }, true, signal)
        }
        return { outcome: 'applied' }
      }

      const result = await writeInTurn(
        found.map((target) => target.write),
        write,
        { log: account.log },
      )
      const outcomes = byKey(result)
      const written = found.filter(({ write: { key } }) => ['applied', 'unknown'].includes(outcomes.get(key)?.outcome ?? ''))
      const keys = written.flatMap(({ copies }) => copies.map(({ rating_key: key }) => key))
      try {
        let after = await statesOf(server, keys, signal)
        if (request.op === 'remove') after = await clearRest(after, keys)
        for (const {
          write: { key },
          copies,
        } of written) {
          const isSo = copies.every(({ rating_key: ratingKey }) =>
            isWanted(after.get(ratingKey), request.op === 'remove' ? 0 : positions.get(ratingKey)),
          )
          const native = { item_id: (copies[0] as { rating_key: string }).rating_key }
          const reason = request.op === 'remove' ? 'progress_remove_unconfirmed' : 'write_not_visible'
          outcomes.set(key, isSo ? { outcome: 'applied', native } : { outcome: 'rejected', reason })
        }
      } catch (error) {
        account.log.warn({ err: error }, 'what was written to Plex could not be looked at')
        for (const {
          write: { key },
        } of written)
          outcomes.set(key, { outcome: 'unknown', reason: 'not_verified' })
      }
      return inOrder(request, new Map([...refused, ...outcomes]), result)

      // Servers that keep a position of zero: there the watched mark is the only other way, for items that have none.
      async function clearRest(after: ReadonlyMap<string, Metadata>, all: readonly string[]): Promise<ReadonlyMap<string, Metadata>> {
        const rest = [...after.values()].filter(({ viewOffset = 0, viewCount = 0 }) => viewOffset > 0 && viewCount === 0)
        if (rest.length === 0) return after
        for (const { ratingKey } of rest) await change(server, 'PUT', '/:/unscrobble', ratingKey as string, {}, signal)
        return statesOf(server, all, signal)
      }
    },
    signal,
  )
}

function isWanted(state: Metadata | undefined, positionMs: number | undefined): boolean {
  return positionMs !== undefined && Math.abs((state?.viewOffset ?? 0) - positionMs) <= SAME_MS
}

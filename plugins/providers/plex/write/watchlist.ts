// Adds and removes watchlist titles, one request each.
import { isPlayheadError } from '@playhead/sdk'
import { writeInTurn, type WriteItem, type WriteRequest, type WriteResult } from '@playhead/sdk/provider'
import { resolveHexes } from '../library/cloud-ids.ts'
import { confirmed } from '../confirmed.ts'
import { asListed } from '../read/watchlist.ts'
import type { Server, Session } from '../session.ts'
import { asPerson, type ItemOutcome } from '../library/targets.ts'

const ACTIONS = { add: 'addToWatchlist', remove: 'removeFromWatchlist' } as const
/** Statuses for titles that already are as requested. */
const ALREADY = { add: 409, remove: 404 } as const

export function writeWatchlist(session: Session, request: WriteRequest, signal: AbortSignal): Promise<WriteResult> {
  return asPerson(
    session,
    request,
    async () => {
      const { account } = session
      const { cloud } = await session.person(signal)
      const op = request.op === 'remove' ? 'remove' : 'add'
      const resolver = {
        cloud,
        store: account.store,
        profile: account.profile,
        server: await serverIfKnown(session, signal),
      }
      const hexOf = await resolveHexes(
        resolver,
        request.items.map(({ item }) => item),
      )
      const delayMs = account.profile.watchlist_write_delay_ms

      async function write(one: WriteItem): Promise<ItemOutcome> {
        const hex = nativeOf(one) ?? (await hexOf(one.item, signal))
        if (hex === undefined) return { outcome: 'not_found', reason: 'no_match' }
        if (delayMs > 0) await pause(delayMs)
        signal.throwIfAborted()
        const answer = await asListed(
          session,
          () =>
            cloud.discover.request({
              method: 'PUT',
              path: `/actions/${ACTIONS[op]}`,
              query: { ratingKey: hex },
              idempotent: true,
              accept: [404, 409],
              signal,
            }),
          signal,
        )
        await (answer.status >= 400 ? answer.text() : confirmed(answer))
        if (answer.status === ALREADY[op]) return { outcome: 'already', native: { item_id: hex } }
        if (answer.status === 404) return { outcome: 'not_found', reason: 'not_found' }
        if (answer.status === 409) return { outcome: 'rejected', reason: 'conflict' }
        return { outcome: 'applied', native: { item_id: hex } }
      }
      return writeInTurn(request.items, write, { log: account.log, atOnce: delayMs > 0 ? 1 : 5 })
    },
    signal,
  )
}

function nativeOf({ item, current }: WriteItem): string | undefined {
  return current?.native?.item_id ?? item.native?.item_id
}

// The library only saves requests, so an unreachable server is not an error.
async function serverIfKnown(session: Session, signal: AbortSignal): Promise<Server | undefined> {
  try {
    return await session.server(signal)
  } catch (error) {
    if (signal.aborted || !isPlayheadError(error)) throw error
    return undefined
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

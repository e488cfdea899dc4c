// Removes plays: all of an item by its mark, or a single one from the log. The mark is removed with a single play only
// if that was the only play.
import { parseTime } from '@playhead/sdk/items'
import {
  CHANGED_SINCE_READ,
  writeInTurn,
  type WriteItem,
  type WriteRequest,
  type WriteResult,
} from '@playhead/sdk/provider'
import { confirmed } from '../confirmed.ts'
import { rememberRemovedPlays } from '../read/removed-plays.ts'
import { lastLogged, loggedAt, SAME_PLAY_S } from '../read/play-log.ts'
import type { Server, Session } from '../session.ts'
import type { Metadata } from '../wire.ts'
import { byKey, findAll, inOrder, type ItemOutcome, statesOf, type Target, unmark } from '../library/targets.ts'

export async function removeWatched(
  session: Session,
  server: Server,
  request: WriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  const { account } = session
  const { found, refused } = await findAll(server, request.items, signal)
  const targets = new Map(found.map((target) => [target.write.key, target]))
  const keys = found.flatMap(({ copies }) => copies.map(({ rating_key: key }) => key))
  const before = await statesOf(server, keys, signal)
  const result = await writeInTurn(
    found.map(({ write }) => write),
    async (write) => {
      const marked = (targets.get(write.key) as Target).copies.filter(
        ({ rating_key: ratingKey }) => before.get(ratingKey)?.viewCount,
      )
      if (marked.length === 0) return { outcome: 'already' }
      if (isViewedSince(before.get(nativeOf(write)?.item_id ?? ''), write)) return CHANGED_SINCE_READ
      for (const { rating_key: ratingKey, duration_ms: durationMs } of marked)
        await unmark(server, ratingKey, before.get(ratingKey), durationMs, signal)
      return { outcome: 'applied' }
    },
    { log: account.log, atOnce: account.profile.history_workers },
  )

  const outcomes = byKey(result)
  const written = found.filter(({ write: { key } }) =>
    ['applied', 'unknown'].includes(outcomes.get(key)?.outcome ?? ''),
  )
  try {
    const after = await statesOf(
      server,
      written.flatMap(({ copies }) => copies.map(({ rating_key: key }) => key)),
      signal,
    )
    for (const {
      write: { key },
      copies,
    } of written) {
      const isLeft = copies.some(({ rating_key: ratingKey }) => after.get(ratingKey)?.viewCount)
      outcomes.set(key, isLeft ? { outcome: 'rejected', reason: 'write_not_visible' } : { outcome: 'applied' })
    }
  } catch (error) {
    account.log.warn({ err: error }, 'the removals at Plex could not be verified')
    for (const {
      write: { key },
    } of written)
      outcomes.set(key, { outcome: 'unknown', reason: 'not_verified' })
  }
  return inOrder(request, new Map([...refused, ...outcomes]), result)
}

/** The person has watched it again. The time of a view in progress is not a play. */
function isViewedSince(state: Metadata | undefined, { item, current = item }: WriteItem): boolean {
  const read = parseTime(current.watched_at)
  if (state?.lastViewedAt === undefined || read === undefined || (state.viewOffset ?? 0) > 0) return false
  return state.lastViewedAt > read.atMs / 1_000 + SAME_PLAY_S
}

export async function removePlays(
  session: Session,
  server: Server,
  request: WriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  const { account } = session
  // A play that is logged for each copy of its work is a single play.
  const copies = server.isOwner ? await otherCopies(server, request.items) : new Map<string, readonly string[]>()
  const before = await statesOf(
    server,
    request.items.flatMap((write) => [nativeOf(write)?.item_id ?? [], copies.get(write.key) ?? []].flat()),
    signal,
  )
  const removed: (readonly [string, number])[] = []
  const result = await writeInTurn(request.items, removeOne, {
    log: account.log,
    atOnce: account.profile.history_workers,
  })
  await rememberRemovedPlays(account.store, removed)
  return result

  async function removeOne(write: WriteItem): Promise<ItemOutcome> {
    const { event_id: eventId, item_id: ratingKey } = nativeOf(write) ?? {}
    const at = parseTime(write.item.watched_at)?.atMs
    if (eventId === undefined) {
      const state = ratingKey === undefined ? undefined : before.get(ratingKey)
      // For a play known only by its mark, the mark is the play if there is no other.
      const isOnly =
        ratingKey !== undefined &&
        state?.viewCount === 1 &&
        isLastView(state, at) &&
        (await lastLogged(server, ratingKey, signal)) === undefined
      if (!isOnly) return { outcome: 'rejected', reason: 'exact_play_unknown' }
      await unmark(server, ratingKey, state, null, signal)
      return { outcome: 'applied' }
    }
    if (!server.isOwner) return { outcome: 'unsupported', reason: 'owner_only' }
    if (at !== undefined)
      for (const key of copies.get(write.key) ?? [])
        for (const play of await loggedAt(server, key, at / 1_000, signal))
          if (play.eventId !== undefined) await removeLogged(play.eventId, key, at)
    return { outcome: (await removeLogged(eventId, ratingKey, at)) ? 'applied' : 'already' }
  }

  /** @returns false if the log no longer has the entry */
  async function removeLogged(
    eventId: string,
    ratingKey: string | undefined,
    atMs: number | undefined,
  ): Promise<boolean> {
    const answer = await server.http.request({
      method: 'DELETE',
      path: `/status/sessions/history/${encodeURIComponent(eventId)}`,
      idempotent: true,
      accept: [404],
      signal,
    })
    await (answer.status === 404 ? answer.text() : confirmed(answer))
    const state = ratingKey === undefined ? undefined : before.get(ratingKey)
    if (ratingKey !== undefined) server.lastPlays.delete(ratingKey)
    if (ratingKey !== undefined && state?.viewCount) {
      const isOnly = state.viewCount === 1 && (await lastLogged(server, ratingKey, signal)) === undefined
      if (isOnly) await unmark(server, ratingKey, state, null, signal)
      else if (isLastView(state, atMs)) removed.push([ratingKey, state.lastViewedAt as number])
    }
    return answer.status !== 404
  }
}

function isLastView({ lastViewedAt }: Metadata, atMs: number | undefined): boolean {
  return lastViewedAt !== undefined && atMs !== undefined && Math.abs(lastViewedAt - atMs / 1_000) <= SAME_PLAY_S
}

/** Keys of the other items of each work, by key of the write. */
async function otherCopies(
  server: Server,
  writes: readonly WriteItem[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = await server.index.find(writes.map(({ item }) => item))
  return new Map(
    writes.map((write, at) => {
      const answer = found[at]
      const keys = answer?.outcome === 'found' ? answer.items.map(({ rating_key: key }) => key) : []
      return [write.key, keys.filter((key) => key !== nativeOf(write)?.item_id)]
    }),
  )
}

function nativeOf({ item, current }: WriteItem): WriteItem['item']['native'] {
  return item.native ?? current?.native
}

// Writes a watchlist stored in a playlist or collection: one request for many items, then the list is read again to
// determine outcomes.
import { isPlayheadError } from '@playhead/sdk'
import {
  type ItemOutcome,
  outcomeOfError,
  type WriteOutcome,
  type WriteRequest,
  type WriteResult,
} from '@playhead/sdk/provider'
import { openListing } from '../read/listing.ts'
import { addToList, createList, findList, linesOf, type ListKind, removeFromList } from '../lists.ts'
import type { Session } from '../session.ts'
import { findTargets, withoutTarget } from './targets.ts'

const PAGE = 1_000

export async function writeList(
  session: Session,
  kind: ListKind,
  request: WriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  const found = await findTargets(session, [], request.items, signal)
  let listId = await findList(session, kind, signal)
  const before = listId === undefined ? NONE : await readLines(session, kind, listId, signal)
  const removes = request.op === 'remove'
  const works = new Map<string, readonly string[]>()
  const outcomes = new Map<string, ItemOutcome>()

  for (const { key } of request.items) {
    const place = found.get(key)!
    if ('reason' in place) {
      outcomes.set(key, withoutTarget(place))
      continue
    }
    const itemIds = place.targets.map(({ entry }) => entry.id)
    if (itemIds.some((id) => before.has(id)) === removes) works.set(key, itemIds)
    else outcomes.set(key, { outcome: 'already' })
  }

  if (works.size > 0) {
    let failure: ItemOutcome | undefined
    try {
      if (removes)
        await removeFromList(
          session,
          kind,
          listId!,
          [...works.values()].flat().flatMap((id) => before.get(id) ?? []),
        )
      // Any copy will do.
      else
        listId = await put(
          session,
          kind,
          listId,
          [...works.values()].map(([first]) => first!),
        )
    } catch (error) {
      failure = outcomeOfError(error)
      if (failure === undefined) throw error
      if (failure.outcome !== 'unknown') for (const key of works.keys()) outcomes.set(key, failure)
    }
    if (failure === undefined || failure.outcome === 'unknown') await verify(failure)
  }

  async function verify(failure: ItemOutcome | undefined): Promise<void> {
    const after =
      listId === undefined
        ? undefined
        : await readLines(session, kind, listId, signal).catch((error: unknown) => {
            // The outcomes are reported as unknown.
            if (!isPlayheadError(error)) throw error
            session.log.warn({ err: error }, 'the list could not be verified after writing')
            return undefined
          })
    for (const [key, itemIds] of works) {
      const isDone = after !== undefined && itemIds.some((id) => after.has(id)) !== removes
      outcomes.set(key, isDone ? { outcome: 'applied' } : (failure ?? { outcome: 'unknown', reason: 'unconfirmed' }))
    }
  }

  return { outcomes: request.items.map(({ key }): WriteOutcome => ({ key, ...outcomes.get(key)! })) }
}

const NONE: ReadonlyMap<string, readonly string[]> = new Map()

async function put(
  session: Session,
  kind: ListKind,
  listId: string | undefined,
  itemIds: readonly string[],
): Promise<string> {
  if (listId !== undefined) {
    await addToList(session, kind, listId, itemIds)
    return listId
  }
  // A collection is created with one item; the others follow in chunks.
  const [first, ...rest] = itemIds
  const created = await createList(session, kind, [first!])
  if (rest.length > 0) await addToList(session, kind, created, rest)
  return created
}

/** Entry ids by server id of the film or show; in a collection the entry id is that id itself. */
async function readLines(
  session: Session,
  kind: ListKind,
  listId: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { ask, idOf } = await linesOf(session, kind, listId)
  const lines = new Map<string, string[]>()
  for await (const rows of openListing(session, ask, { limit: PAGE, signal, idOf }).pages()) {
    for (const row of rows) {
      const work = row.Type?.toLowerCase() === 'episode' && row.SeriesId ? row.SeriesId : row.Id
      const line = idOf(row)
      const known = lines.get(work)
      if (known === undefined) lines.set(work, [line])
      else known.push(line)
    }
  }
  return lines
}

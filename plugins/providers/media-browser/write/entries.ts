// Writes to a playlist or collection. The servers return nothing, so the list is read again to determine outcomes.
import { defined, PlayheadError } from '@playhead/sdk'
import {
  type ItemOutcome,
  type ListWriteRequest,
  moveEntries,
  type MoveResult,
  outcomeOfError,
  writeInTurn,
  type WriteItem,
  type WriteOutcome,
  type WriteResult,
} from '@playhead/sdk/provider'
import { addToList, removeFromList } from '../lists.ts'
import { lineOf, readLineIds } from '../read/entries.ts'
import type { Session } from '../session.ts'
import { findTargets, withoutTarget } from './targets.ts'
import type { Row } from '../wire.ts'

const NOT_MOVED: Readonly<Record<Exclude<MoveResult, 'moved'>, ItemOutcome>> = {
  same: { outcome: 'already' },
  entry_unknown: { outcome: 'not_found', reason: 'entry_unknown' },
  place_unknown: { outcome: 'rejected', reason: 'place_unknown' },
}

export async function writeEntries(
  session: Session,
  request: ListWriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  const before = await readLineIds(session, request.list, signal)
  if (before === undefined) {
    throw new PlayheadError('PLH_CONFLICT', 'The list could not be read completely, so nothing was written to it.', {
      wire: 'incomplete_read',
    })
  }
  if (request.op === 'move') return move(session, request, before, signal)
  return request.op === 'add' ? add(session, request, before, signal) : remove(session, request, before, signal)
}

async function add(
  session: Session,
  { list, items }: ListWriteRequest,
  before: readonly Row[],
  signal: AbortSignal,
): Promise<WriteResult> {
  const found = await findTargets(session, [], items, signal)
  const outcomes = new Map<string, ItemOutcome>()
  const wanted = new Map<string, string>()
  for (const { key } of items) {
    const place = found.get(key)!
    if ('reason' in place) outcomes.set(key, withoutTarget(place))
    else {
      const copies = place.targets.map(({ entry }) => entry.id)
      const isThere =
        !list.duplicates &&
        (before.some(({ Id }) => copies.includes(Id)) || [...wanted.values()].some((id) => copies.includes(id)))
      if (isThere) outcomes.set(key, { outcome: 'already' })
      // Any copy will do.
      else wanted.set(key, copies[0]!)
    }
  }
  const kind = list.kind === 'playlist' ? 'playlist' : 'collections'
  return settled(session, { list, items, outcomes, keys: [...wanted.keys()] }, signal, {
    send: () => addToList(session, kind, list.id, [...wanted.values()]),
    isDone: (key, after) => {
      const id = wanted.get(key)!
      const added = [...wanted.values()].filter((one) => one === id).length
      return countOf(after, id) >= countOf(before, id) + added
    },
  })
}

async function remove(
  session: Session,
  { list, items }: ListWriteRequest,
  before: readonly Row[],
  signal: AbortSignal,
): Promise<WriteResult> {
  const outcomes = new Map<string, ItemOutcome>()
  const lines = new Map<string, readonly string[]>()
  const there = new Set(before.map((row) => lineOf(list, row)))
  const named = list.kind === 'playlist' ? undefined : await findTargets(session, [], items, signal)
  for (const { key, item } of items) {
    const place = named?.get(key)
    const ids =
      place === undefined
        ? [item.native?.list_item_id ?? '']
        : 'targets' in place
          ? place.targets.map(({ entry }) => entry.id)
          : []
    const present = ids.filter((id) => there.has(id))
    if (place !== undefined && 'reason' in place) outcomes.set(key, withoutTarget(place))
    else if (present.length === 0) outcomes.set(key, { outcome: 'already' })
    else lines.set(key, present)
  }
  const kind = list.kind === 'playlist' ? 'playlist' : 'collections'
  return settled(session, { list, items, outcomes, keys: [...lines.keys()] }, signal, {
    send: () => removeFromList(session, kind, list.id, [...new Set([...lines.values()].flat())]),
    isDone: (key, after) => !after.some((row) => lines.get(key)!.includes(lineOf(list, row))),
  })
}

interface Pending extends Pick<ListWriteRequest, 'list' | 'items'> {
  readonly outcomes: Map<string, ItemOutcome>
  readonly keys: readonly string[]
}

/** Sends and verifies, also when the response was lost. */
async function settled(
  session: Session,
  { list, items, outcomes, keys }: Pending,
  signal: AbortSignal,
  {
    send,
    isDone,
  }: { readonly send: () => Promise<void>; readonly isDone: (key: string, after: readonly Row[]) => boolean },
): Promise<WriteResult> {
  let retryAfterMs: number | undefined
  if (keys.length > 0) {
    let failure: ItemOutcome | undefined
    try {
      await send()
    } catch (error) {
      failure = outcomeOfError(error)
      if (failure === undefined) throw error
      retryAfterMs = (error as PlayheadError).retryAfterMs
    }
    const isOpen = failure === undefined || failure.outcome === 'unknown' || failure.outcome === 'failed'
    const after = isOpen
      ? await readLineIds(session, list, signal).catch((error: unknown) => {
          // The outcomes are reported as unknown.
          session.log.warn({ err: error }, 'the list could not be verified after writing')
          return undefined
        })
      : undefined
    for (const key of keys) {
      outcomes.set(
        key,
        after !== undefined && isDone(key, after)
          ? { outcome: 'applied' }
          : (failure ?? { outcome: 'unknown', reason: 'unconfirmed' }),
      )
    }
  }
  return {
    outcomes: items.map(({ key }): WriteOutcome => ({ key, ...outcomes.get(key)! })),
    ...defined({ retryAfterMs }),
  }
}

/** Sequential: each position depends on the moves before it. */
function move(
  session: Session,
  { list, items }: ListWriteRequest,
  before: readonly Row[],
  signal: AbortSignal,
): Promise<WriteResult> {
  const { dialect, upstream, log } = session
  let order: readonly string[] = before.map((row) => lineOf(list, row))
  const places = new Map(items.map(({ key, after = null }) => [key, after]))
  return writeInTurn(
    items,
    async ({ key, item }: WriteItem) => {
      const entry = item.native?.list_item_id ?? ''
      const next = moveEntries(order, [{ entry, after: places.get(key) ?? null }])
      const result = next.results[0] as MoveResult
      if (result !== 'moved') return NOT_MOVED[result]
      const answer = await upstream.request({
        ...dialect.movePlaylistItem(list.id, entry, next.order.indexOf(entry)),
        idempotent: true,
        signal,
      })
      await answer.text()
      order = next.order
      return { outcome: 'applied' }
    },
    { log, atOnce: 1 },
  )
}

function countOf(rows: readonly Row[], id: string): number {
  return rows.filter(({ Id }) => Id === id).length
}

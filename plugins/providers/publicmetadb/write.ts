// Writes watchlist, history and positions, one request per item.
import { isPlayheadError, type UpstreamAnswer, type UpstreamRequest } from '@playhead/sdk'
import { formatTime, type Item, positionMsOf, progressOf } from '@playhead/sdk/items'
import {
  idText,
  type ItemOutcome,
  outcomeOfError,
  playTime,
  readConfirmation,
  type WriteItem,
  writeInTurn,
  type WriteRequest,
  type WriteResult,
} from '@playhead/sdk/provider'
import { type Named, namedBy } from './items.ts'
import type { Session } from './session.ts'
import { unwatch } from './unwatch.ts'
import { createWatchlist, findWatchlist } from './watchlist-list.ts'
import { Written } from './wire.ts'

const NO_IDS: ItemOutcome = { outcome: 'unsupported', reason: 'missing_ids' }
const ROW_UNKNOWN: ItemOutcome = { outcome: 'rejected', reason: 'row_unknown' }

export async function writeWatchlist(
  session: Session,
  { op, items }: WriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  const list =
    (await findWatchlist(session, signal)) ?? (op === 'remove' ? undefined : await createWatchlist(session, signal))
  if (list === undefined) return { outcomes: items.map(({ key }) => ({ key, outcome: 'already' })) }
  return writeEntries(session, list, op, items, signal)
}

/** Entries of any list: added by work, removed by row id. */
export function writeEntries(
  session: Session,
  list: string,
  op: WriteRequest['op'],
  items: readonly WriteItem[],
  signal: AbortSignal,
): Promise<WriteResult> {
  const path = `/lists/${encodeURIComponent(list)}/items`
  return inTurn(session, items, (item) =>
    op === 'remove'
      ? removeRow(session, path, nativeOf(item, 'list_item_id'), signal)
      : post(session, { path, idempotent: true, signal }, namedBy(item.item), 'list_item_id'),
  )
}

export function writeHistory(
  session: Session,
  { op, plays, items }: WriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  if (op !== 'remove') return inTurn(session, items, ({ item }) => addPlay(session, item, signal))
  const remove = (id: string | undefined) => removeRow(session, '/watched', id, signal, 'exact_play_unknown')
  return plays === true
    ? inTurn(session, items, (item) => remove(nativeOf(item, 'event_id')))
    : unwatch(session, items, signal, remove)
}

export function writeProgress(
  session: Session,
  { op, items }: WriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  return inTurn(session, items, (item) =>
    op === 'remove'
      ? removeRow(session, '/resume', nativeOf(item, 'item_id'), signal)
      : setPosition(session, item.item, signal),
  )
}

function inTurn(
  { account }: Session,
  items: readonly WriteItem[],
  write: (item: WriteItem) => Promise<ItemOutcome>,
): Promise<WriteResult> {
  return writeInTurn(items, write, { log: account.log, atOnce: 2 })
}

async function addPlay(session: Session, item: Item, signal: AbortSignal): Promise<ItemOutcome> {
  const time = playTime(item, session.now())
  if ('refused' in time) return time.refused
  return post(session, { path: '/watched', signal }, namedBy(item), 'event_id', { watched_at: formatTime(time) })
}

async function setPosition({ upstream }: Session, item: Item, signal: AbortSignal): Promise<ItemOutcome> {
  const progress = progressOf(item)
  const position = positionMsOf(progress)
  const named = namedBy(item)
  if (named === undefined) return NO_IDS
  if (position === undefined || progress.durationMs === undefined)
    return { outcome: 'rejected', reason: 'duration_missing' }
  const answer = await upstream.request({
    method: 'POST',
    path: '/resume',
    json: { ...named, position_ms: position, runtime_ms: progress.durationMs },
    accept: [400, 422],
    idempotent: true,
    signal,
  })
  if (answer.status >= 400) return refused(answer)
  const { action, item: row } = await answer.json(Written)
  switch (action) {
    case 'created':
    case 'updated':
      return { outcome: 'applied', ...nativeFrom(row?.['id'], 'item_id') }
    case 'ignored':
      return { outcome: 'rejected', reason: 'position_too_small' }
    // The write would mark the item as watched, which was not requested.
    case 'completed':
      return { outcome: 'unknown', reason: 'completed_by_service' }
    default:
      return { outcome: 'unknown', reason: 'invalid_response' }
  }
}

async function post(
  { upstream }: Session,
  request: Pick<UpstreamRequest, 'path' | 'signal' | 'idempotent'>,
  named: Named | undefined,
  native: 'list_item_id' | 'event_id',
  more: object = {},
): Promise<ItemOutcome> {
  if (named === undefined) return NO_IDS
  try {
    const answer = await upstream.request({
      method: 'POST',
      json: { ...named, ...more },
      accept: [400, 409, 422],
      ...request,
    })
    if (answer.status === 409) {
      await answer.text()
      return { outcome: 'already' }
    }
    if (answer.status >= 400) return await refused(answer)
    const { success, item } = await answer.json(Written)
    if (success !== true && item == null) return { outcome: 'unknown', reason: 'invalid_response' }
    return { outcome: 'applied', ...nativeFrom(item?.['id'], native) }
  } catch (error) {
    // A failed server may have stored the play; a retry could duplicate it.
    const status = isPlayheadError(error) ? error.details?.['status'] : undefined
    if (
      request.idempotent !== true &&
      typeof status === 'number' &&
      status >= 500 &&
      outcomeOfError(error) !== undefined
    ) {
      return { outcome: 'unknown', reason: `http_${status}` }
    }
    throw error
  }
}

/** Some rejections mean that the row already exists. */
async function refused(answer: UpstreamAnswer): Promise<ItemOutcome> {
  return /\balready\b/i.test(await answer.text())
    ? { outcome: 'already' }
    : { outcome: 'rejected', reason: 'refused_by_service' }
}

async function removeRow(
  { upstream }: Session,
  path: string,
  id: string | undefined,
  signal: AbortSignal,
  otherwise = 'row_unknown',
): Promise<ItemOutcome> {
  if (id === undefined) return { ...ROW_UNKNOWN, reason: otherwise }
  const answer = await upstream.request({
    method: 'DELETE',
    path: `${path}/${encodeURIComponent(id)}`,
    accept: [404],
    idempotent: true,
    signal,
  })
  await (answer.status === 404 ? answer.text() : readConfirmation(answer))
  return { outcome: answer.status === 404 ? 'already' : 'applied' }
}

function nativeOf({ item, current }: WriteItem, name: 'list_item_id' | 'event_id' | 'item_id'): string | undefined {
  return item.native?.[name] ?? current?.native?.[name]
}

function nativeFrom(id: unknown, name: 'list_item_id' | 'event_id' | 'item_id'): Pick<ItemOutcome, 'native'> {
  const text = idText(id)
  return text === undefined ? {} : { native: { [name]: text } }
}

// Writes positions one by one, like a player that pauses; removes them by row id.
import { kindOf, progressOf } from '@playhead/sdk/items'
import {
  type ItemOutcome,
  readConfirmation,
  type WriteItem,
  writeInTurn,
  type WriteRequest,
  type WriteResult,
} from '@playhead/sdk/provider'
import type { Session } from '../session.ts'
import { nameOf } from './targets.ts'

const VERDICTS: Readonly<Record<number, ItemOutcome>> = {
  400: { outcome: 'rejected', reason: 'refused_by_service' },
  404: { outcome: 'not_found', reason: 'not_found' },
  409: { outcome: 'already' },
  422: { outcome: 'rejected', reason: 'refused_by_service' },
}
const ACCEPTED = Object.keys(VERDICTS).map(Number)

export async function writeProgress(
  session: Session,
  { op, items }: WriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  const write = (item: WriteItem) => (op === 'remove' ? clear(session, item, signal) : pause(session, item, signal))
  try {
    return await writeInTurn(items, write, { log: session.account.log, atOnce: 1 })
  } finally {
    session.activities.drop()
  }
}

async function pause(session: Session, { item }: WriteItem, signal: AbortSignal): Promise<ItemOutcome> {
  const { percent } = progressOf(item)
  const name = nameOf(item)
  if (percent === undefined) return { outcome: 'rejected', reason: 'duration_missing' }
  // Scrobbles are only known to work with IMDb ids.
  if (name?.ids['imdb'] === undefined) return { outcome: 'unsupported', reason: 'missing_ids' }
  const { ids, season, episode: number } = name
  const work =
    season === undefined
      ? { [kindOf(item)]: { ids } }
      : { show: { ids, season: { number: season, episode: { number } } } }
  const answer = await session.writes.request({
    method: 'POST',
    path: '/scrobble/pause',
    json: { ...work, progress: percent },
    accept: ACCEPTED,
    idempotent: true,
    signal,
  })
  const refused = VERDICTS[answer.status]
  await (refused === undefined ? readConfirmation(answer) : answer.text())
  return refused ?? { outcome: 'applied' }
}

async function clear(session: Session, { item, current }: WriteItem, signal: AbortSignal): Promise<ItemOutcome> {
  const id = Number(item.native?.item_id ?? current?.native?.item_id)
  if (!Number.isSafeInteger(id) || id <= 0) return { outcome: 'rejected', reason: 'row_unknown' }
  const answer = await session.writes.request({
    method: 'POST',
    path: '/scrobble/clear',
    json: { id },
    accept: [404],
    idempotent: true,
    signal,
  })
  await (answer.status === 404 ? answer.text() : readConfirmation(answer))
  return answer.status === 404 ? { outcome: 'already' } : { outcome: 'applied' }
}

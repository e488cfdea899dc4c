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
import { namesOf } from './targets.ts'
import { Scrobble } from '../wire.ts'

/** Trakt rejects positions below this. */
const MIN_PERCENT = 1

const VERDICTS: Readonly<Record<number, ItemOutcome>> = {
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
  const write = (item: WriteItem) => (op === 'remove' ? remove(session, item, signal) : pause(session, item, signal))
  try {
    return await writeInTurn(items, write, { log: session.account.log, atOnce: 1 })
  } finally {
    session.activities.drop()
  }
}

async function pause(session: Session, { item }: WriteItem, signal: AbortSignal): Promise<ItemOutcome> {
  const { percent } = progressOf(item)
  if (percent === undefined) return { outcome: 'rejected', reason: 'duration_missing' }
  if (percent < MIN_PERCENT) return { outcome: 'rejected', reason: 'position_too_small' }
  let verdict: ItemOutcome = { outcome: 'unsupported', reason: 'missing_ids' }
  for (const { ids, season, episode } of namesOf(item, session.account.profile.history_number_fallback)) {
    const work =
      season === undefined ? { [kindOf(item)]: { ids } } : { show: { ids }, episode: { season, number: episode } }
    const answer = await session.upstream.request({
      method: 'POST',
      path: '/scrobble/pause',
      json: { ...work, progress: percent },
      accept: ACCEPTED,
      idempotent: true,
      signal,
    })
    const refused = VERDICTS[answer.status]
    // A proxy page may have a success status; only Trakt returns the action.
    await (refused === undefined ? answer.json(Scrobble) : answer.text())
    verdict = refused ?? { outcome: 'applied' }
    // Unknown by its first id: try the next.
    if (verdict.outcome !== 'not_found') break
  }
  return verdict
}

async function remove(session: Session, { item, current }: WriteItem, signal: AbortSignal): Promise<ItemOutcome> {
  const id = item.native?.item_id ?? current?.native?.item_id
  if (id === undefined || !/^\d+$/.test(id)) return { outcome: 'rejected', reason: 'row_unknown' }
  const answer = await session.upstream.request({
    method: 'DELETE',
    path: `/sync/playback/${id}`,
    accept: [404],
    idempotent: true,
    signal,
  })
  await (answer.status === 404 ? answer.text() : readConfirmation(answer))
  return { outcome: answer.status === 404 ? 'already' : 'applied' }
}

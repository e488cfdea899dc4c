// Writes plays of films and episodes with their time. Shows are never sent as a whole, because all their episodes would
// be marked.
import { type Item, kindOf, parseTime } from '@playhead/sdk/items'
import {
  type ItemOutcome,
  playTime,
  type WriteItem,
  type WriteOutcome,
  type WriteRequest,
  type WriteResult,
} from '@playhead/sdk/provider'
import { PARTS } from '../read/entries.ts'
import { removeEntries } from './remove-entries.ts'
import type { Session } from '../session.ts'
import { ownTargetOf, type Target, targetOf } from './targets.ts'
import { type Batch, writeBatch } from './batch.ts'

export async function writeHistory(
  session: Session,
  { op, items }: WriteRequest,
  signal: AbortSignal,
): Promise<WriteResult> {
  if (op === 'remove') return removeHistory(session, items, signal)
  return addHistory(session, { chunk: session.account.profile.history_chunk_size }, items, signal)
}

/** Adds one completed play with a single request. */
export function addPlay(session: Session, item: Item, signal: AbortSignal): Promise<WriteResult> {
  return addHistory(session, { chunk: 1, once: true }, [{ key: 'play', item }], signal)
}

async function addHistory(
  session: Session,
  how: Pick<Batch, 'chunk' | 'once'>,
  items: readonly WriteItem[],
  signal: AbortSignal,
): Promise<WriteResult> {
  const times = items.flatMap(({ item }) => parseTime(item.watched_at)?.atMs ?? [])
  const result = await writeBatch(
    session,
    { path: '/sync/history', ...how, counting: 'added', targetOf: (item) => playOf(item, session.now()) },
    items,
    signal,
  )
  session.library.expect(PARTS, Math.min(...times, session.now()))
  return result
}

async function removeHistory(session: Session, items: readonly WriteItem[], signal: AbortSignal): Promise<WriteResult> {
  const [episodes, films] = [items.filter(isEpisode), items.filter((item) => !isEpisode(item))]
  const results: WriteResult[] = []
  if (episodes.length > 0) {
    results.push(
      await writeBatch(
        session,
        {
          path: '/sync/history/remove',
          counting: 'deleted',
          chunk: session.account.profile.history_chunk_size,
          // Without episode numbers the whole show would be removed.
          targetOf: (item) => {
            const target = ownTargetOf(item)
            return target?.episode === undefined ? { outcome: 'rejected', reason: 'row_unknown' } : target
          },
        },
        episodes,
        signal,
      ),
    )
    session.library.expect(['shows', 'anime'], undefined)
  }
  const [{ outcomes: sofar = [], retryAfterMs } = {}] = results
  if (films.length > 0 && retryAfterMs === undefined)
    results.push(await removeEntries(session, 'completed', films, signal))
  else if (films.length > 0)
    results.push({ outcomes: films.map(({ key }) => ({ key, outcome: 'rate_limited', reason: 'deferred' })) })
  const byKey = new Map(
    [...sofar, ...results.flatMap(({ outcomes }) => outcomes)].map((outcome) => [outcome.key, outcome]),
  )
  const waits = results.flatMap((result) => result.retryAfterMs ?? [])
  return {
    outcomes: items.map(({ key }) => byKey.get(key) as WriteOutcome),
    ...(waits.length === 0 ? {} : { retryAfterMs: Math.max(...waits) }),
  }
}

function playOf(written: WriteItem, nowMs: number): Target | ItemOutcome {
  const time = playTime(written.item, nowMs)
  if ('refused' in time) return time.refused
  const watchedAt = new Date(time.atMs).toISOString().replace(/\.\d+Z$/, 'Z')
  return targetOf(written, { watched_at: watchedAt }) ?? { outcome: 'unsupported', reason: 'missing_ids' }
}

function isEpisode({ item }: WriteItem): boolean {
  return kindOf(item) === 'episode'
}

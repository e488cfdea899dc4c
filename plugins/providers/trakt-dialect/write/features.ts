// Writes of watchlist, ratings, and history by item or by play.
import type { Item, Time } from '@playhead/sdk/items'
import {
  type ItemOutcome,
  playTime,
  ratingFields,
  removePlays,
  type WriteItem,
  type WriteRequest,
  type WriteResult,
} from '@playhead/sdk/provider'
import type { TrackerSession } from '../session.ts'
import type { Batch } from './batch.ts'

/** The path that adds and the one that removes. */
export type Paths = readonly [add: string, remove: string]

interface WriteDialect<Session extends TrackerSession> {
  readonly paths: Readonly<Record<'watchlist' | 'ratings' | 'history', Paths>>
  /** A time in the service's form. */
  readonly timeText: (time: Time) => string
  readonly write: (
    session: Session,
    batch: Batch,
    items: readonly WriteItem[],
    signal: AbortSignal,
  ) => Promise<WriteResult>
  /** Removes single plays by id, so that other plays of the item stay. */
  readonly removePlays: (
    session: Session,
    ids: readonly number[],
    signal: AbortSignal,
  ) => Promise<(id: number) => ItemOutcome>
  /** The outcome of a failed removal of plays, as in `BatchDialect`. */
  readonly outcomeOf: (error: unknown) => ItemOutcome | undefined
}

type Write<Session, Request> = (session: Session, request: Request, signal: AbortSignal) => Promise<WriteResult>

/** Parts of the `write` of a definition. */
type Writes<Session> = Readonly<Record<'watchlist' | 'ratings' | 'history', Write<Session, WriteRequest>>> & {
  /** Adds one completed play. */
  readonly addPlay: Write<Session, Item>
}

const NOTHING = { extra: {} }

/** A batch of a list whose entries have no fields beside the ids. */
export function listBatch(
  { account }: TrackerSession,
  feature: Batch['feature'],
  op: 'add' | 'update' | 'remove' | 'move',
  paths: Paths,
): Batch {
  return {
    feature,
    ...directed(op === 'remove', paths),
    idempotent: true,
    chunk: account.profile.watchlist_batch_size,
    extraOf: () => NOTHING,
  }
}

export function createWrites<Session extends TrackerSession>(dialect: WriteDialect<Session>): Writes<Session> {
  const { paths, timeText, write } = dialect

  function historyBatch({ account, now }: Session, isRemoval: boolean): Batch {
    return {
      feature: 'history',
      ...directed(isRemoval, paths.history),
      // Repeated plays may be stored twice.
      idempotent: isRemoval,
      chunk: account.profile.history_chunk_size,
      extraOf({ item }) {
        if (isRemoval) return NOTHING
        const time = playTime(item, now())
        return 'refused' in time ? time : { extra: { watched_at: timeText(time) } }
      },
    }
  }

  async function removeById(session: Session, items: readonly WriteItem[], signal: AbortSignal): Promise<WriteResult> {
    const { account, activities } = session
    try {
      return await removePlays(items, {
        chunk: account.profile.history_chunk_size,
        log: account.log,
        outcomeOf: dialect.outcomeOf,
        remove: (ids) => dialect.removePlays(session, ids, signal),
      })
    } finally {
      activities.drop()
    }
  }

  return {
    watchlist: (session, { op, items }, signal) =>
      write(session, listBatch(session, 'watchlist', op, paths.watchlist), items, signal),

    ratings: (session, { op, items }, signal) => {
      const batch: Batch = {
        feature: 'ratings',
        ...directed(op === 'remove', paths.ratings),
        idempotent: true,
        chunk: session.account.profile.ratings_chunk_size,
        extraOf: op === 'remove' ? () => NOTHING : ratingOf,
      }
      return write(session, batch, items, signal)
    },

    history: (session, { op, plays, items }, signal) =>
      op === 'remove' && plays === true
        ? removeById(session, items, signal)
        : write(session, historyBatch(session, op === 'remove'), items, signal),

    addPlay: (session, item, signal) =>
      write(session, { ...historyBatch(session, false), chunk: 1 }, [{ key: 'play', item }], signal),
  }
}

function directed(isRemoval: boolean, [add, remove]: Paths): Pick<Batch, 'path' | 'op'> {
  return isRemoval ? { path: remove, op: 'removes' } : { path: add, op: 'adds' }
}

function ratingOf({ item }: WriteItem): ReturnType<Batch['extraOf']> {
  const rated = ratingFields(item)
  return 'refused' in rated ? rated : { extra: rated }
}

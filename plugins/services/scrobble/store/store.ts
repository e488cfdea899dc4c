// The scrobbler's database. Changes that arrive while a transaction runs are stored together in the next one.
import { createOnce, type OwnDatabase, type PluginContext, type Tables } from '@playhead/sdk'
import type { Viewing } from '../decide/viewing.ts'
import { type Delivery, ALL_STATES, type DeliveryState, isKept, OPEN_STATES, sinkKey } from './delivery.ts'
import { migrations } from './schema.ts'
import work, { type Changes } from './thread.ts'

export interface StoredViewing {
  readonly destination: string
  readonly key: string
  readonly viewing: Viewing
}

export interface Change {
  readonly viewings?: readonly StoredViewing[]
  readonly deliveries?: readonly Delivery[]
}

interface DeliveryQuery {
  readonly states?: readonly DeliveryState[]
  readonly limit: number
  readonly offset?: number
}

export interface Store {
  /** The database, for the lease. */
  tables(): Promise<Tables>
  /** Resolves when committed. Changes are committed in order; a failure rejects all changes of its transaction. */
  commit(change: Change): Promise<void>
  /** Viewings that changed since this time. */
  viewings(sinceMs: number): Promise<readonly StoredViewing[]>
  /** Open deliveries of a tracker account, oldest first. */
  open(sink: string, limit: number): Promise<readonly Delivery[]>
  /** Tracker accounts with open deliveries. */
  sinks(): Promise<readonly string[]>
  /** Newest first. */
  list(query: DeliveryQuery): Promise<{ readonly items: readonly Delivery[]; readonly total: number }>
  counts(): Promise<Readonly<Record<string, number>>>
  get(id: string): Promise<Delivery | undefined>
  /** Plays of a tracker account since this time. */
  delivered(sink: string, sinceMs: number): Promise<readonly Delivery[]>
  /** Deletes viewings and finished deliveries from before this time. */
  prune(beforeMs: number): Promise<void>
}

type Thread = typeof work

/** Without routes and webhooks there is no database: its first use opens it. */
export function createStore(
  ctx: Pick<PluginContext, 'openDatabase' | 'assets' | 'defer'>,
  onClose: () => Promise<void>,
): Store {
  const database = createOnce(async (): Promise<OwnDatabase<Thread>> => {
    const opened = await ctx.openDatabase('plays', {
      migrations,
      onThread: { file: ctx.assets.path('store/thread.ts'), work },
      // A play that was acknowledged survives a power failure.
      flushes: 'each_commit',
    })
    // Releases run in reverse order: the queue is released before its database is closed.
    ctx.defer(onClose)
    return opened
  })
  const commit = createGroupCommit(async (changes) => (await database()).call('commit', JSON.stringify(changes)))
  const tables = async () => (await database()).db

  return {
    tables,
    async commit({ viewings = [], deliveries = [] }) {
      await database()
      return commit({
        viewings: viewings.map(({ destination, key, viewing }) => [
          destination,
          key,
          viewing.lastAtMs,
          JSON.stringify(viewing),
        ]),
        deliveries: deliveries
          .filter(isKept)
          .map((delivery) => [
            delivery.id,
            sinkKey(delivery.sink),
            delivery.state,
            delivery.atMs,
            JSON.stringify(delivery),
          ]),
        removed: deliveries.filter((delivery) => !isKept(delivery)).map(({ id }) => id),
      })
    },
    async viewings(sinceMs) {
      const rows = await (await tables()).selectFrom('viewing').selectAll().where('at', '>=', sinceMs).execute()
      return rows.map((row) => ({
        destination: String(row['destination']),
        key: String(row['key']),
        viewing: JSON.parse(String(row['doc'])) as Viewing,
      }))
    },
    open: async (sink, limit) =>
      docsOf(
        await (await tables())
          .selectFrom('delivery')
          .select('doc')
          .where('sink', '=', sink)
          .where('state', 'in', OPEN_STATES)
          .orderBy('at')
          .orderBy('id')
          .limit(limit)
          .execute(),
      ),
    async sinks() {
      const db = await tables()
      const rows = await db.selectFrom('delivery').select('sink').distinct().where('state', 'in', OPEN_STATES).execute()
      return rows.map((row) => String(row['sink']))
    },
    async list({ states = ALL_STATES, limit, offset = 0 }) {
      const db = await tables()
      const rows = await db
        .selectFrom('delivery')
        .select('doc')
        .where('state', 'in', states)
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .offset(offset)
        .execute()
      const [count] = await db
        .selectFrom('delivery')
        .select((of) => of.fn.countAll().as('n'))
        .where('state', 'in', states)
        .execute()
      return { items: docsOf(rows), total: Number(count?.['n'] ?? 0) }
    },
    async counts() {
      const rows = await (await tables())
        .selectFrom('delivery')
        .select((of) => ['state', of.fn.countAll().as('n')])
        .groupBy('state')
        .execute()
      return Object.fromEntries(rows.map((row) => [String(row['state']), Number(row['n'])]))
    },
    async get(id) {
      return docsOf(await (await tables()).selectFrom('delivery').select('doc').where('id', '=', id).execute())[0]
    },
    async delivered(sink, sinceMs) {
      const done = docsOf(
        await (await tables())
          .selectFrom('delivery')
          .select('doc')
          .where('sink', '=', sink)
          .where('state', '=', 'done')
          .where('at', '>=', sinceMs)
          .execute(),
      )
      return done.filter(({ completed }) => completed)
    },
    async prune(beforeMs) {
      const db = await tables()
      await db.deleteFrom('viewing').where('at', '<', beforeMs).execute()
      await db.deleteFrom('delivery').where('at', '<', beforeMs).where('state', 'not in', OPEN_STATES).execute()
    },
  }
}

function docsOf(rows: readonly { readonly [column: string]: unknown }[]): readonly Delivery[] {
  return rows.map((row) => JSON.parse(String(row['doc'])) as Delivery)
}

type Batch = { -readonly [member in keyof Changes]: Changes[member][number][] }

/** Limit of pending changes for a database that cannot be written. */
const MAX_KEPT = 20_000

/**
 * Joins changes that arrive while a commit runs. Changes of a failed commit are retried with the next ones, but their callers
 * receive the error.
 */
function createGroupCommit(store: (changes: Changes) => Promise<void>): (change: Changes) => Promise<void> {
  let batch: Batch = { viewings: [], deliveries: [], removed: [] }
  let waiting: Promise<void> | null = null
  let running: Promise<void> = Promise.resolve()

  async function next(): Promise<void> {
    waiting = null
    const given = batch
    batch = { viewings: [], deliveries: [], removed: [] }
    const done = store(given)
    running = done.catch(() => {})
    try {
      await done
    } catch (error) {
      if (given.deliveries.length + batch.deliveries.length < MAX_KEPT) {
        batch = {
          viewings: [...given.viewings, ...batch.viewings],
          deliveries: [...given.deliveries, ...batch.deliveries],
          removed: [...given.removed, ...batch.removed],
        }
      }
      throw error
    }
  }

  return (change) => {
    batch.viewings.push(...change.viewings)
    batch.deliveries.push(...change.deliveries)
    batch.removed.push(...change.removed)
    return (waiting ??= running.then(next))
  }
}

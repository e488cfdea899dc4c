// The activity log: writes, pages, and retention by age and number of rows.
import {
  defined,
  type ActivityLog,
  type ActivityQuery,
  type ActivityRow,
  type Ids,
  type Tables,
  createTurns,
  yieldToLoop,
} from '@playhead/sdk'
import { foldText } from '@playhead/sdk/items'
import { sql } from 'kysely'
import { deliveryOf } from './entry.ts'
import { writeDeliveries } from './record.ts'
import { EVENTS, type StoredEvent, type StoredTarget, TARGETS } from './tables.ts'

export interface Log {
  readonly capability: ActivityLog
  prune(signal?: AbortSignal): Promise<void>
  /** Rows of a kind, or of all: events and the accounts that they were sent to. */
  counts(kind?: string): Promise<{ readonly events: number; readonly targets: number }>
}

const RETENTION_SECONDS = 365 * 86_400
const MAX_ROWS = 50_000
const MAX_PER_PAGE = 500
// A write blocks other requests to the database.
const WRITE_BATCH = 250
const DELETE_BATCH = 250
const PRUNED_AFTER = 500
const MINUTES = { movie: 115, episode: 45 } as const

export function createLog(db: Tables, now: () => number, most = MAX_ROWS): Log {
  let sincePruned = 0

  // Serialized, because deliveries are matched with rows written before.
  const inTurn = createTurns()

  function find({ kinds, media_type: mediaType, status, q = '', since }: ActivityQuery) {
    let query = db.selectFrom(EVENTS)
    if (kinds !== undefined) query = query.where('kind', 'in', kinds)
    if (mediaType !== undefined) query = query.where('media_type', '=', mediaType)
    if (status !== undefined) query = query.where('status', '=', status)
    if (since !== undefined) query = query.where('captured_at', '>=', since)
    const wanted = foldText(q).trim()
    return wanted === '' ? query : query.where(sql<boolean>`instr(search, ${wanted}) > 0`)
  }

  const countOf = async (query: ReturnType<typeof find>): Promise<number> =>
    Number((await query.select((eb) => eb.fn.countAll().as('count')).executeTakeFirst())?.['count'] ?? 0)

  async function nextIds(events: ReturnType<typeof find>): Promise<string[]> {
    const rows = await events.select('fanout_id').limit(DELETE_BATCH).execute()
    return rows.map((row) => String(row['fanout_id']))
  }

  async function remove(events: () => ReturnType<typeof find>, signal?: AbortSignal): Promise<void> {
    for (;;) {
      const ids = await nextIds(events())
      if (ids.length === 0 || signal?.aborted === true) return
      await db.transaction().execute((trx) => removeEvents(trx, ids))
      await yieldToLoop()
    }
  }

  /** Returns the number of removed deliveries. One transaction: a kill in between removes nothing. */
  async function clear(trx: Tables, kind: string | undefined): Promise<number> {
    if (kind === undefined) {
      // Without a condition SQLite frees whole tables at once.
      await trx.deleteFrom(EVENTS).execute()
      return Number((await trx.deleteFrom(TARGETS).executeTakeFirst()).numDeletedRows)
    }
    for (let removed = 0; ; ) {
      const ids = await nextIds(trx.selectFrom(EVENTS).where('kind', '=', kind))
      if (ids.length === 0) return removed
      removed += await removeEvents(trx, ids)
      await yieldToLoop()
    }
  }

  async function prune(signal?: AbortSignal): Promise<void> {
    sincePruned = 0
    const oldest = Math.floor(now() / 1_000) - RETENTION_SECONDS
    await remove(() => db.selectFrom(EVENTS).where('captured_at', '<', oldest), signal)
    const last = await db
      .selectFrom(EVENTS)
      .select(['captured_at', 'id'])
      .orderBy('captured_at', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .offset(most)
      .executeTakeFirst()
    if (last === undefined) return
    const [at, id] = [Number(last['captured_at']), Number(last['id'])]
    await remove(
      () =>
        db
          .selectFrom(EVENTS)
          .where((eb) => eb.or([eb('captured_at', '<', at), eb.and([eb('captured_at', '=', at), eb('id', '<=', id)])])),
      signal,
    )
  }

  const capability: ActivityLog = {
    record: (entries) =>
      inTurn(async () => {
        const deliveries = entries.flatMap((entry) => deliveryOf(entry, now()) ?? [])
        for (let start = 0; start < deliveries.length; start += WRITE_BATCH) {
          await writeDeliveries(db, deliveries.slice(start, start + WRITE_BATCH))
          await yieldToLoop()
        }
        sincePruned += deliveries.length
        if (sincePruned >= PRUNED_AFTER) await prune()
        return deliveries.length
      }),

    async list({ limit = 100, offset = 0, ...query } = {}) {
      const events = (await find(query)
        .selectAll()
        .orderBy('captured_at', 'desc')
        .orderBy('watched_at', 'desc')
        .orderBy('id', 'desc')
        .limit(Math.min(Math.max(limit, 0), MAX_PER_PAGE))
        .offset(offset)
        .execute()) as unknown as readonly StoredEvent[]
      const targets =
        events.length === 0
          ? []
          : ((await db
              .selectFrom(TARGETS)
              .selectAll()
              .where(
                'fanout_id',
                'in',
                events.map(({ fanout_id }) => fanout_id),
              )
              .orderBy(sql`rowid`)
              .execute()) as unknown as readonly StoredTarget[])
      const byEvent = Map.groupBy(targets, ({ fanout_id }) => fanout_id)
      return {
        items: events.map((event) => toRow(event, byEvent.get(event.fanout_id) ?? [])),
        total: await countOf(find(query)),
      }
    },

    async minutes(query = {}) {
      const found = await find(query)
        .select(
          sql<number>`sum(coalesce(runtime_minutes, case media_type when 'movie'
        then ${sql.lit(MINUTES.movie)} else ${sql.lit(MINUTES.episode)} end))`.as('minutes'),
        )
        .executeTakeFirst()
      return Number(found?.['minutes'] ?? 0)
    },

    clear: (kind) =>
      inTurn(async () => {
        const removed = await db.transaction().execute((trx) => clear(trx, kind))
        const left = await db
          .selectFrom(TARGETS)
          .select((eb) => eb.fn.countAll().as('count'))
          .executeTakeFirst()
        return { removed, remaining: Number(left?.['count'] ?? 0) }
      }),
  }

  return {
    capability,
    prune: (signal) => inTurn(() => prune(signal)),
    async counts(kind) {
      const events = await countOf(find(kind === undefined ? {} : { kinds: [kind] }))
      const targets = await db
        .selectFrom(TARGETS)
        .select((eb) => eb.fn.countAll().as('count'))
        .where('fanout_id', 'in', find(kind === undefined ? {} : { kinds: [kind] }).select('fanout_id'))
        .executeTakeFirst()
      return { events, targets: Number(targets?.['count'] ?? 0) }
    },
  }
}

/** Returns the number of removed deliveries. */
async function removeEvents(trx: Tables, ids: readonly string[]): Promise<number> {
  const { numDeletedRows } = await trx.deleteFrom(TARGETS).where('fanout_id', 'in', ids).executeTakeFirst()
  await trx.deleteFrom(EVENTS).where('fanout_id', 'in', ids).execute()
  return Number(numDeletedRows)
}

function toRow(
  { title, kind, method, event, status, source, source_instance, media_type, account, ids, ...rest }: StoredEvent,
  targets: readonly StoredTarget[],
): ActivityRow {
  const [first] = targets as readonly [StoredTarget]
  const numbers = (['year', 'season', 'episode', 'progress', 'runtime_minutes'] as const).flatMap((name) =>
    rest[name] === null ? [] : [[name, Number(rest[name])] as const],
  )
  const known = JSON.parse(ids) as Ids
  return {
    id: first.id,
    kind,
    event,
    status,
    source,
    source_instance,
    target: first.target,
    target_instance: first.target_instance,
    targets: targets.map(({ target, target_instance }) => ({ target, target_instance })),
    media_type,
    title,
    ...(method === '' ? {} : { method }),
    ...(account === '' ? {} : { account }),
    ...Object.fromEntries(numbers),
    watched_at: Number(rest.watched_at),
    ...defined({ watched_on: rest.watched_on ?? undefined }),
    captured_at: Number(rest.captured_at),
    ...(Object.keys(known).length === 0 ? {} : { ids: known }),
  }
}

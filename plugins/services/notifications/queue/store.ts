// The queue in the plugin's database. A notice joins the pending delivery of its rule and target; otherwise it creates a new
// delivery.
import { msUntil, type Notice, type OwnDatabase, type Tables } from '@playhead/sdk'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { rank, type StoredNotice } from './message.ts'

export const STATES = ['queued', 'sending', 'sent', 'failed'] as const
export type State = (typeof STATES)[number]

export interface Delivery {
  readonly id: string
  /** Null for a delivery that is sent regardless of the rules. */
  readonly rule: string | null
  readonly ruleName: string | null
  readonly target: string
  readonly targetName: string
  readonly state: State
  readonly dueAtMs: number
  readonly attempts: number
  readonly isRepeat: boolean
  readonly createdAtMs: number
  readonly endedAtMs: number | null
  readonly reason: string | null
}

export interface Place {
  readonly rule: { readonly id: string; readonly name: string } | null
  readonly target: { readonly id: string; readonly name: string }
}

export interface Begun {
  readonly delivery: Delivery
  /** The most severe notices, oldest first. */
  readonly notices: readonly StoredNotice[]
  readonly total: number
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const KEPT_MS = 30 * DAY_MS
const SHOWN = 25
/** Longer than any pause of a service or a rule. */
const LONGEST_WAIT_MS = 2 * DAY_MS

export type Queue = ReturnType<typeof createQueue>

export function createQueue({ db }: Pick<OwnDatabase, 'db'>, now: () => number) {
  /**
   * Resolves to the id of the delivery; null if the notice was already sent within the last day.
   * @param dueAtMs due time of a new delivery; an existing delivery that waits longer is moved to this time
   */
  async function add(place: Place, notice: Notice, dueAtMs: number): Promise<string | null> {
    const { rule, target } = place
    return await db.transaction().execute(async (transaction) => {
      const { key } = notice
      if (key !== undefined && (await isKnown(transaction, place, key, now() - DAY_MS))) return null
      const open = rule === null ? undefined : await openOne(transaction, rule.id, target.id)
      const id = open?.id ?? randomUUID()
      if (open === undefined) {
        await transaction
          .insertInto('delivery')
          .values({
            id,
            rule: rule?.id ?? null,
            rule_name: rule?.name ?? null,
            target: target.id,
            target_name: target.name,
            state: 'queued',
            due_at: dueAtMs,
            created_at: now(),
          })
          .execute()
      } else if (dueAtMs < open.dueAtMs && open.attempts === 0 && notice.severity === 'error') {
        await transaction.updateTable('delivery').set({ due_at: dueAtMs }).where('id', '=', id).execute()
      }
      await transaction
        .insertInto('notice')
        .values({
          delivery: id,
          rule: rule?.id ?? null,
          target: target.id,
          at: notice.atMs ?? now(),
          event: notice.event,
          key: key ?? null,
          doc: JSON.stringify({ ...notice, atMs: notice.atMs ?? now() }),
        })
        .execute()
      return id
    })
  }

  /**
   * Takes a due delivery with all its current notices. Null if it is not due any more, or if the rule has reached its limit of
   * messages for this hour; the delivery is then postponed to the next free time.
   */
  async function begin(id: string, maxPerHour: number | null, isEarly = false): Promise<Begun | null> {
    return await db.transaction().execute(async (transaction) => {
      const delivery = await find(transaction, id)
      if (delivery?.state !== 'queued' || (msUntil(delivery.dueAtMs, now(), LONGEST_WAIT_MS) > 0 && !isEarly))
        return null
      const freeAtMs = maxPerHour === null ? 0 : await roomAt(transaction, delivery, maxPerHour)
      if (freeAtMs > now()) {
        await transaction.updateTable('delivery').set({ due_at: freeAtMs }).where('id', '=', id).execute()
        return null
      }
      await transaction
        .insertInto('attempt')
        .values({ rule: delivery.rule, target: delivery.target, at: now() })
        .execute()
      await transaction
        .updateTable('delivery')
        .set({ state: 'sending', attempts: delivery.attempts + 1 })
        .where('id', '=', id)
        .execute()
      const notices = await noticesOf(transaction, id)
      return {
        delivery: { ...delivery, attempts: delivery.attempts + 1 },
        notices: notices.slice(0, SHOWN),
        total: notices.length,
      }
    })
  }

  async function roomAt(tables: Tables, { rule, target }: Delivery, max: number): Promise<number> {
    const rows = await tables
      .selectFrom('attempt')
      .select('at')
      .where('target', '=', target)
      .where('rule', '=', rule)
      .where('at', '>', now() - HOUR_MS)
      // Later ones were noted by a clock that was ahead.
      .where('at', '<', now() + HOUR_MS)
      .orderBy('at', 'desc')
      .limit(max)
      .execute()
    return rows.length < max ? 0 : Number(rows.at(-1)!['at']) + HOUR_MS
  }

  async function end(
    id: string,
    change: { readonly state: 'sent' | 'failed'; readonly reason: string | null },
  ): Promise<void> {
    await db
      .updateTable('delivery')
      .set({ ...change, ended_at: now() })
      .where('id', '=', id)
      .execute()
  }

  async function later(id: string, dueAtMs: number, reason: string, isRepeat: boolean): Promise<void> {
    await db
      .updateTable('delivery')
      .set({ state: 'queued', due_at: dueAtMs, reason, ...(isRepeat ? { is_repeat: 1 } : {}) })
      .where('id', '=', id)
      .execute()
  }

  return {
    add,
    begin,
    end,
    later,
    /** After the process was killed: a message in progress may have arrived, and is sent again. */
    async resume(): Promise<void> {
      await db
        .updateTable('delivery')
        .set({ state: 'queued', due_at: now(), is_repeat: 1, reason: 'interrupted' })
        .where('state', '=', 'sending')
        .execute()
    },
    /** Due deliveries, oldest first. */
    async due(limit = 200): Promise<readonly Pick<Delivery, 'id' | 'target'>[]> {
      const rows = await db
        .selectFrom('delivery')
        .select(['id', 'target'])
        .where('state', '=', 'queued')
        .where(({ or, eb }) => or([eb('due_at', '<=', now()), eb('due_at', '>', now() + LONGEST_WAIT_MS)]))
        .orderBy('due_at')
        .limit(limit)
        .execute()
      return rows.map((row) => ({ id: String(row['id']), target: String(row['target']) }))
    },
    /** When the next delivery is due, excluding these targets. */
    async nextAt(except: readonly string[] = []): Promise<number | null> {
      let rows = db.selectFrom('delivery').where('state', '=', 'queued')
      if (except.length > 0) rows = rows.where('target', 'not in', [...except])
      const row = await rows.select((build) => build.fn.min('due_at').as('at')).executeTakeFirst()
      const at = row?.['at']
      return at === null || at === undefined ? null : Number(at)
    },
    get: (id: string) => find(db, id),
    async entry(id: string) {
      const delivery = await find(db, id)
      if (delivery === undefined) return undefined
      const notices = await noticesOf(db, id)
      return { delivery, notices: notices.slice(0, SHOWN), total: notices.length }
    },
    /** False if the delivery has not failed. */
    async retry(id: string): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('delivery')
        .set({ state: 'queued', due_at: now(), attempts: 0, ended_at: null, created_at: now() })
        .where('id', '=', id)
        .where('state', '=', 'failed')
        .executeTakeFirst()
      return Number(numUpdatedRows) > 0
    },
    async list(query: {
      readonly state?: State
      readonly target?: string
      readonly limit: number
      readonly offset: number
    }) {
      let rows = db.selectFrom('delivery')
      if (query.state !== undefined) rows = rows.where('state', '=', query.state)
      if (query.target !== undefined) rows = rows.where('target', '=', query.target)
      const [found, count] = await Promise.all([
        rows.selectAll().orderBy('created_at', 'desc').orderBy('id').limit(query.limit).offset(query.offset).execute(),
        rows.select((build) => build.fn.countAll().as('count')).executeTakeFirst(),
      ])
      const items = await Promise.all(
        found.map(async (row) => {
          const delivery = deliveryOf(row)
          const notices = await noticesOf(db, delivery.id)
          return { delivery, notices: notices.slice(0, SHOWN), total: notices.length }
        }),
      )
      return { items, total: Number(count?.['count'] ?? 0) }
    },
    async counts(): Promise<Readonly<Record<State, number>>> {
      const rows = await db
        .selectFrom('delivery')
        .select((build) => ['state', build.fn.countAll().as('count')])
        .groupBy('state')
        .execute()
      const found = Object.fromEntries(rows.map((row) => [String(row['state']), Number(row['count'])]))
      return Object.fromEntries(STATES.map((state) => [state, found[state] ?? 0])) as Record<State, number>
    },
    /** Deletes deliveries that were sent or failed more than 30 days ago. */
    async prune(): Promise<void> {
      const beforeMs = now() - KEPT_MS
      await db.transaction().execute(async (transaction) => {
        await sql`delete from notice where delivery in (select id from delivery where ended_at < ${beforeMs})`.execute(
          transaction,
        )
        await sql`delete from delivery where ended_at < ${beforeMs}`.execute(transaction)
        await sql`delete from attempt where at < ${now() - HOUR_MS}`.execute(transaction)
        await sql`delete from tally where day < ${new Date(beforeMs).toISOString().slice(0, 10)}`.execute(transaction)
      })
    },
  }
}

/** A delivery that has certainly not arrived yet. */
async function openOne(tables: Tables, rule: string, target: string): Promise<Delivery | undefined> {
  const row = await tables
    .selectFrom('delivery')
    .selectAll()
    .where('state', '=', 'queued')
    .where('rule', '=', rule)
    .where('target', '=', target)
    .where('is_repeat', '=', 0)
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? undefined : deliveryOf(row)
}

async function isKnown(tables: Tables, { rule, target }: Place, key: string, sinceMs: number): Promise<boolean> {
  const row = await tables
    .selectFrom('notice')
    .select('n')
    .where('key', '=', key)
    .where('target', '=', target.id)
    .where('rule', rule === null ? 'is' : '=', rule?.id ?? null)
    .where('at', '>', sinceMs)
    .executeTakeFirst()
  return row !== undefined
}

async function noticesOf(tables: Tables, id: string): Promise<readonly StoredNotice[]> {
  const rows = await tables.selectFrom('notice').select('doc').where('delivery', '=', id).orderBy('n').execute()
  return rows
    .map((row) => JSON.parse(String(row['doc'])) as StoredNotice)
    .sort((a, b) => rank(b.severity) - rank(a.severity) || a.atMs - b.atMs)
}

async function find(tables: Tables, id: string): Promise<Delivery | undefined> {
  const row = await tables.selectFrom('delivery').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? undefined : deliveryOf(row)
}

function deliveryOf(row: Readonly<Record<string, unknown>>): Delivery {
  const text = (name: string) => (row[name] === null || row[name] === undefined ? null : String(row[name]))
  return {
    id: String(row['id']),
    rule: text('rule'),
    ruleName: text('rule_name'),
    target: String(row['target']),
    targetName: String(row['target_name']),
    state: String(row['state']) as State,
    dueAtMs: Number(row['due_at']),
    attempts: Number(row['attempts']),
    isRepeat: Number(row['is_repeat']) === 1,
    createdAtMs: Number(row['created_at']),
    endedAtMs: row['ended_at'] === null ? null : Number(row['ended_at']),
    reason: text('reason'),
  }
}

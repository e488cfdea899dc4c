// Writes deliveries: each becomes a target of a new row, or of an existing row of the same watch event.
import { insertRows, type Tables } from '@playhead/sdk'
import { sql } from 'kysely'
import { type Delivery, searchOf } from './entry.ts'
import { EVENTS, type StoredEvent, type StoredTarget, TARGETS } from './tables.ts'

const FANOUT_SECONDS = 120

interface Row {
  readonly fanoutId: string
  event: Delivery['event']
  readonly targets: Omit<StoredTarget, 'fanout_id'>[]
  /** Stored before these deliveries. */
  readonly isKnown: boolean
  isChanged: boolean
}

/** Runs in one transaction. Calls must not overlap. */
export async function writeDeliveries(db: Tables, deliveries: readonly Delivery[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const rows = await load(trx, deliveries)
    const added: StoredTarget[] = []
    for (const delivery of deliveries) {
      const { target } = delivery
      const row = rows.ofTarget(target.id) ?? rows.fitting(delivery) ?? rows.make(delivery)
      const known = row.targets.findIndex(({ id }) => id === target.id)
      if (known === -1) {
        row.targets.push(target)
        added.push({ ...target, fanout_id: row.fanoutId })
        rows.hold(target.id, row)
        row.isChanged = true
      } else if (!isSame(row.event, delivery.event) || !isSame(row.targets[known]!, target)) {
        row.targets[known] = target
        row.event = delivery.event
        row.isChanged = true
      }
    }
    await save(trx, rows.all(), added)
  })
}

async function load(db: Tables, deliveries: readonly Delivery[]) {
  const rows = new Map<string, Row>()
  const byTarget = new Map<string, Row>()
  const stored = await db
    .selectFrom(TARGETS)
    .select('fanout_id')
    .where('id', 'in', oneOf(deliveries.map(({ target }) => target.id)))
    .execute()
  const named = [
    ...deliveries.flatMap(({ fanoutId }) => fanoutId ?? []),
    ...stored.map((row) => String(row['fanout_id'])),
  ]
  const unnamed = deliveries.filter(({ fanoutId }) => fanoutId === null).map(({ event }) => event)
  const found = await findEvents(db, named, unnamed)
  const targets =
    found.length === 0
      ? []
      : await db
          .selectFrom(TARGETS)
          .selectAll()
          .where('fanout_id', 'in', oneOf(found.map(({ fanout_id }) => fanout_id)))
          .orderBy(sql`rowid`)
          .execute()
  for (const { id: _id, fanout_id: fanoutId, search: _search, ...event } of found) {
    rows.set(fanoutId, { fanoutId, event, targets: [], isKnown: true, isChanged: false })
  }
  for (const { fanout_id: fanoutId, ...target } of targets as unknown as readonly StoredTarget[]) {
    const row = rows.get(fanoutId) as Row
    row.targets.push(target)
    byTarget.set(target.id, row)
  }

  const hasTarget = (row: Row, { target }: Delivery) =>
    row.targets.some((one) => one.target === target.target && one.target_instance === target.target_instance)

  return {
    all: () => [...rows.values()],
    ofTarget: (id: string) => byTarget.get(id),
    hold: (id: string, row: Row) => void byTarget.set(id, row),
    /** The row of the same watch event. An account can be a target of an event only once. */
    fitting(delivery: Delivery): Row | undefined {
      if (delivery.fanoutId !== null) return rows.get(delivery.fanoutId)
      const { likeness, captured_at: at } = delivery.event
      return [...rows.values()].find(
        (row) =>
          row.event.likeness === likeness &&
          !hasTarget(row, delivery) &&
          Math.abs(row.event.captured_at - at) <= FANOUT_SECONDS,
      )
    },
    make({ event, fanoutId, target }: Delivery): Row {
      const row: Row = { fanoutId: fanoutId ?? `of:${target.id}`, event, targets: [], isKnown: false, isChanged: true }
      rows.set(row.fanoutId, row)
      return row
    },
  }
}

/** Rows with one of the ids, or with the same likeness at about the same time. */
async function findEvents(
  db: Tables,
  named: readonly string[],
  unnamed: readonly Delivery['event'][],
): Promise<readonly StoredEvent[]> {
  const found = (await db
    .selectFrom(EVENTS)
    .selectAll()
    .where('fanout_id', 'in', oneOf(named))
    .execute()) as unknown as readonly StoredEvent[]
  if (unnamed.length === 0) return found
  const times = unnamed.map(({ captured_at: at }) => at)
  // A sync records thousands within minutes, so likeness is more selective than time. The + keeps SQLite from using the
  // time index.
  const alike = (await db
    .selectFrom(EVENTS)
    .selectAll()
    .where('likeness', 'in', oneOf(unnamed.map(({ likeness }) => likeness)))
    .where(sql`+captured_at`, '>=', Math.min(...times) - FANOUT_SECONDS)
    .where(sql`+captured_at`, '<=', Math.max(...times) + FANOUT_SECONDS)
    .orderBy('id')
    .execute()) as unknown as readonly StoredEvent[]
  const known = new Set(found.map(({ id }) => id))
  return [...found, ...alike.filter(({ id }) => !known.has(id))]
}

/** One bound value, so that the statement is prepared once. */
function oneOf(values: readonly string[]) {
  return sql<string>`(select value from json_each(${JSON.stringify(values)}))`
}

/** Repeated deliveries are mostly unchanged. */
function isSame<Values extends object>(known: Values, next: Values): boolean {
  return (Object.keys(next) as (keyof Values)[]).every((name) => known[name] === next[name])
}

async function save(db: Tables, rows: readonly Row[], added: readonly StoredTarget[]): Promise<void> {
  const columns = ({ fanoutId, event, targets }: Row) => ({
    ...event,
    fanout_id: fanoutId,
    search: searchOf(event, targets),
  })
  await insertRows(db, EVENTS, rows.filter(({ isKnown }) => !isKnown).map(columns))
  for (const row of rows) {
    if (row.isKnown && row.isChanged)
      await db.updateTable(EVENTS).set(columns(row)).where('fanout_id', '=', row.fanoutId).execute()
  }
  await insertRows(db, TARGETS, added)
}

// Writing deliveries: each becomes a target of a row, of an existing one where it belongs to the same watch event.
import type { Tables } from '@playhead/sdk'
import { type Delivery, searchOf } from './entry.ts'
import { EVENTS, type StoredEvent, type StoredTarget, TARGETS } from './tables.ts'

const FANOUT_SECONDS = 120

interface Row {
  readonly fanoutId: string
  event: Delivery['event']
  readonly targets: Omit<StoredTarget, 'fanout_id'>[]
  /** There before these deliveries. */
  readonly isKnown: boolean
  isChanged: boolean
}

/** In one transaction. To be called by one at a time, with as many deliveries as a statement has room for. */
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
      } else {
        row.targets[known] = target
        row.event = delivery.event
      }
      row.isChanged = true
    }
    await save(trx, rows.all(), added)
  })
}

async function load(db: Tables, deliveries: readonly Delivery[]) {
  const rows = new Map<string, Row>()
  const byTarget = new Map<string, Row>()
  const told = await db.selectFrom(TARGETS).select('fanout_id').where('id', 'in', deliveries.map(({ target }) => target.id)).execute()
  const named = [...deliveries.flatMap(({ fanoutId }) => fanoutId ?? []), ...told.map((row) => String(row['fanout_id']))]
  const times = deliveries.map(({ event }) => event.captured_at)
  const found = await db.selectFrom(EVENTS).selectAll().where((eb) => eb.or([
    eb('fanout_id', 'in', named),
    eb.and([
      eb('likeness', 'in', deliveries.flatMap(({ fanoutId, event }) => fanoutId === null ? event.likeness : [])),
      eb('captured_at', '>=', Math.min(...times) - FANOUT_SECONDS), eb('captured_at', '<=', Math.max(...times) + FANOUT_SECONDS),
    ]),
  ])).execute() as unknown as readonly StoredEvent[]
  const targets = await db.selectFrom(TARGETS).selectAll().where('fanout_id', 'in', found.map(({ fanout_id }) => fanout_id)).execute()
  for (const { id: _id, fanout_id: fanoutId, search: _search, ...event } of found) {
    rows.set(fanoutId, { fanoutId, event, targets: [], isKnown: true, isChanged: false })
  }
  for (const { fanout_id: fanoutId, ...target } of targets as unknown as readonly StoredTarget[]) {
    const row = rows.get(fanoutId) as Row
    row.targets.push(target)
    byTarget.set(target.id, row)
  }

  const isTold = (row: Row, { target }: Delivery) =>
    row.targets.some((one) => one.target === target.target && one.target_instance === target.target_instance)

  return {
    all: () => [...rows.values()],
    ofTarget: (id: string) => byTarget.get(id),
    hold: (id: string, row: Row) => void byTarget.set(id, row),
    /** The row of the same watch event. An account that was told already was told of another one. */
    fitting(delivery: Delivery): Row | undefined {
      if (delivery.fanoutId !== null) return rows.get(delivery.fanoutId)
      const { likeness, captured_at: at } = delivery.event
      return [...rows.values()].find((row) => row.event.likeness === likeness && !isTold(row, delivery)
        && Math.abs(row.event.captured_at - at) <= FANOUT_SECONDS)
    },
    make({ event, fanoutId, target }: Delivery): Row {
      const row: Row = { fanoutId: fanoutId ?? `of:${target.id}`, event, targets: [], isKnown: false, isChanged: true }
      rows.set(row.fanoutId, row)
      return row
    },
  }
}

async function save(db: Tables, rows: readonly Row[], added: readonly StoredTarget[]): Promise<void> {
  const columns = ({ fanoutId, event, targets }: Row) => ({ ...event, fanout_id: fanoutId, search: searchOf(event, targets) })
  const made = rows.filter(({ isKnown }) => !isKnown)
  if (made.length > 0) await db.insertInto(EVENTS).values(made.map(columns)).execute()
  for (const row of rows) {
    if (row.isKnown && row.isChanged) await db.updateTable(EVENTS).set(columns(row)).where('fanout_id', '=', row.fanoutId).execute()
  }
  if (added.length > 0) await db.insertInto(TARGETS).values([...added]).execute()
}

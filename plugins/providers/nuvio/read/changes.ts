// Changes of a table since a cursor, from the service's change log. Any doubt leads to a full read.
import { Type } from '@playhead/sdk'
import { createCheckpoints } from '@playhead/sdk/provider'
import { ask, isMissing } from '../rpc.ts'
import type { Session } from '../session.ts'
import { cursorOf } from './snapshot.ts'
import type { Table } from '../tables.ts'
import { type Event, Events, type Row } from '../wire.ts'

const PAGE_EVENTS = 1_000

interface Change {
  readonly op: 'upsert' | 'delete'
  readonly row: Row
}

export interface Changes {
  /** The last change of each row. */
  readonly byKey: ReadonlyMap<string, Change>
  readonly cursor: number
}

/** Undefined when the log cannot be followed from the cursor. */
export async function changesSince(
  session: Session,
  table: Table,
  since: number,
  signal: AbortSignal,
): Promise<Changes | undefined> {
  const target = await cursorOf(session, table, signal)
  if (target === undefined || target < since || session.absent.has(table.delta)) return undefined
  const byKey = new Map<string, Change>()
  let at = since
  while (at < target) {
    const page = await pageAfter(session, table, at, signal)
    if (page === undefined) return undefined
    for (const event of page) {
      const key = table.keyOf(event)
      const isKnown = event.operation === 'upsert' || event.operation === 'delete'
      if (event.event_id <= at || !isKnown || key === undefined) return undefined
      at = event.event_id
      byKey.set(key, { op: event.operation as Change['op'], row: rowOf(event) })
    }
    // The log ends before its stated position.
    if (page.length === 0) return undefined
  }
  return { byKey, cursor: at }
}

async function pageAfter(
  session: Session,
  table: Table,
  at: number,
  signal: AbortSignal,
): Promise<readonly Event[] | undefined> {
  try {
    const args = { p_profile_id: session.profileId, p_since_event_id: at, p_limit: PAGE_EVENTS }
    return await ask(session.upstream, table.delta, args, Events, signal)
  } catch (error) {
    if (!isMissing(error)) throw error
    session.absent.add(table.delta)
    return undefined
  }
}

function rowOf({ event_id: _id, operation: _operation, ...row }: Event): Row {
  return row
}

export const checkpoints = createCheckpoints(
  Type.Object({ cursor: Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }) }),
)

// The current rows of the account for writes: from the last full read, updated with the service's change log.
import { PlayheadError } from '@playhead/sdk'
import { changesSince } from '../read/changes.ts'
import type { Session } from '../session.ts'
import { type Snapshot, takeSnapshot } from '../read/snapshot.ts'
import type { Table } from '../tables.ts'
import { Row } from '../wire.ts'
import type { Mirror } from '../session.ts'

/** Throws `PLH_UPSTREAM_INVALID` (`read_incomplete`) when the rows may be incomplete. */
export async function currentRows(
  session: Session,
  table: Table,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Row>> {
  const lineage = await session.lineage()
  const cached = session.mirrors.get(table.feature)
  session.mirrors.delete(table.feature)
  const changes = cached?.lineage === lineage ? await changesSince(session, table, cached.cursor, signal) : undefined
  if (cached !== undefined && changes !== undefined) {
    const byKey = new Map(cached.byKey)
    for (const [key, { op, row }] of changes.byKey) {
      if (op === 'delete') byKey.delete(key)
      else byKey.set(key, { ...byKey.get(key), ...inShort(row) })
    }
    session.mirrors.set(table.feature, { lineage, byKey, cursor: changes.cursor })
    return byKey
  }

  const snapshot = await takeSnapshot(session, table, signal)
  const reason = (await session.lineage()) === lineage ? snapshot.flaw : 'account_changed'
  if (reason !== undefined) {
    throw new PlayheadError(
      'PLH_UPSTREAM_INVALID',
      `${session.account.name}: Nuvio's ${table.feature} could not be read as a whole.`,
      { wire: 'read_incomplete', details: { reason } },
    )
  }
  return rememberRows(session, table, lineage, snapshot)
}

/** Caches all rows for following writes, if the service has a change log. */
export function rememberRows(
  session: Session,
  table: Table,
  lineage: string,
  { rows, cursor }: Snapshot,
): Mirror['byKey'] {
  const byKey = new Map(
    rows.flatMap((row) => {
      const key = table.keyOf(row)
      return key === undefined ? [] : [[key, inShort(row)] as const]
    }),
  )
  if (cursor !== undefined) session.mirrors.set(table.feature, { lineage, byKey, cursor })
  return byKey
}

/** Without descriptions and pictures, which are most of a row. */
function inShort(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => Object.hasOwn(Row.properties, name)))
}

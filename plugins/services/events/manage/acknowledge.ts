// Acknowledging hides a group or event until it happens again.
import { type OwnDatabase, PlayheadError } from '@playhead/sdk'
import { all, change, fragment } from '../query/sql.ts'

interface Acknowledgement {
  readonly id: number
  readonly acknowledged_at: number | null
  readonly acknowledged_by: string | null
}

/** The first time and name are kept. A group hides its events, which keep their own marks. */
export async function acknowledge(
  database: OwnDatabase,
  what: 'event' | 'grp',
  id: number,
  by: string | null,
  atSeconds: number,
): Promise<Acknowledgement> {
  return await mark(database, what, id, async (transaction) => {
    await change(
      transaction,
      fragment(`UPDATE ${what} SET ack_at = ?, ack_by = ? WHERE id = ? AND ack_at IS NULL`, atSeconds, by, id),
    )
    await change(
      transaction,
      fragment(`UPDATE event SET hidden = 1 WHERE ${what === 'event' ? 'id' : 'group_id'} = ? AND hidden = 0`, id),
    )
  })
}

export async function unacknowledge(
  database: OwnDatabase,
  what: 'event' | 'grp',
  id: number,
): Promise<Acknowledgement> {
  return await mark(database, what, id, async (transaction) => {
    await change(transaction, fragment(`UPDATE ${what} SET ack_at = NULL, ack_by = NULL WHERE id = ?`, id))
    await change(
      transaction,
      what === 'event'
        ? fragment(
            'UPDATE event SET hidden = (SELECT ack_at IS NOT NULL FROM grp WHERE id = event.group_id) WHERE id = ?',
            id,
          )
        : fragment('UPDATE event SET hidden = 0 WHERE group_id = ? AND hidden = 1 AND ack_at IS NULL', id),
    )
  })
}

async function mark(
  database: OwnDatabase,
  what: 'event' | 'grp',
  id: number,
  work: (transaction: OwnDatabase['db']) => Promise<void>,
): Promise<Acknowledgement> {
  return await database.db.transaction().execute(async (transaction) => {
    await work(transaction)
    const [row] = await all(transaction, fragment(`SELECT ack_at, ack_by FROM ${what} WHERE id = ?`, id))
    if (row === undefined)
      throw new PlayheadError('PLH_NOT_FOUND', `There is no ${what === 'event' ? 'event' : 'group'} ${id}.`, {
        wire: 'not_found',
      })
    return { id, acknowledged_at: row['ack_at'] as number | null, acknowledged_by: row['ack_by'] as string | null }
  })
}

// Events in insertion order, for consumers that follow the archive.
import type { EventRow } from '@playhead/sdk'
import { all, firstNumber, fragment } from './sql.ts'
import { eventRows, type Reading } from './view.ts'

const MAX_EVENTS = 500

export async function eventsSince(
  reading: Reading,
  id: number,
  limit = MAX_EVENTS,
): Promise<{ readonly archive: string; readonly events: readonly EventRow[] }> {
  const archive = await firstNumber(reading.reader, fragment('SELECT value FROM identity'))
  const rows = await all(
    reading.reader,
    fragment('SELECT id FROM event WHERE id > ? ORDER BY id LIMIT ?', id, Math.max(1, Math.min(limit, MAX_EVENTS))),
  )
  return {
    archive: archive.toString(16),
    events: await eventRows(
      reading,
      rows.map((row) => Number(row['id'])),
    ),
  }
}

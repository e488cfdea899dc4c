// Events in insertion order, for consumers that follow the archive.
import type { EventRow } from '@playhead/sdk'
import { all, firstNumber, piece } from './sql.ts'
import { eventRows, type Reading } from './view.ts'

const MOST = 500

export async function eventsSince(
  reading: Reading,
  id: number,
  limit = MOST,
): Promise<{ readonly archive: string; readonly events: readonly EventRow[] }> {
  const archive = await firstNumber(reading.reader, piece('SELECT value FROM identity'))
  const rows = await all(
    reading.reader,
    piece('SELECT id FROM event WHERE id > ? ORDER BY id LIMIT ?', id, Math.max(1, Math.min(limit, MOST))),
  )
  return {
    archive: archive.toString(16),
    events: await eventRows(
      reading,
      rows.map((row) => Number(row['id'])),
    ),
  }
}

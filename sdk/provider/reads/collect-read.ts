// Collects a whole read in memory.
import { PlayheadError } from '../../errors.ts'
import type { Item } from '../../items/item.ts'
import type { ReadEnd, ReadPart } from './contract.ts'

export interface CollectedRead<Row extends Item = Item> {
  readonly rows: readonly Row[]
  readonly end: ReadEnd
}

/**
 * Throws errors of the stream, and `PLH_UPSTREAM_INVALID` for a stream without an end. `end` shows whether the read is
 * complete.
 * @param limit maximum rows; a longer read ends with `complete: false`, reason `truncated`. Default 1 000 000
 */
export async function collectRead<Row extends Item>(
  parts: AsyncIterable<ReadPart<Row>>,
  limit = 1_000_000,
): Promise<CollectedRead<Row>> {
  const rows: Row[] = []
  for await (const part of parts) {
    if (part.type === 'end') return { rows, end: part.end }
    for (const row of part.rows) rows.push(row)
    if (rows.length > limit)
      return {
        rows: rows.slice(0, limit),
        end: { complete: false, reason: 'truncated', semantics: 'present', account: '' },
      }
  }
  throw new PlayheadError('PLH_UPSTREAM_INVALID', 'A read ended without its end.')
}

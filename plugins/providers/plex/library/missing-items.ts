// Items that left the library. Their absence from a list proves nothing, so they are remembered until they return.
import type { Item } from '@playhead/sdk'
import type { Kind } from '../items.ts'
import { itemOf, itemsByKey } from './store.ts'
import { chunks, type Db, ITEMS, type StoredItem } from './table.ts'

const STATEMENT = 500
/** Above this number the list is truncated, and a read is incomplete. */
export const MAX_MISSING = 50_000

interface Leaving {
  readonly account: string
  readonly section: string
  readonly goneAtMs: number
}

/** Marks all items of a list that were not seen as gone. */
export async function leaveOnly(
  db: Db,
  { account, section, kind, seen, goneAtMs }: Leaving & { readonly kind: Kind; readonly seen: ReadonlySet<string> },
): Promise<void> {
  const rows = await db
    .selectFrom(ITEMS)
    .select('rating_key')
    .where('account', '=', account)
    .where('section', '=', section)
    .where('kind', '=', kind)
    .where('gone_at_ms', 'is', null)
    .execute()
  const missing = (rows as { rating_key: string }[]).map(({ rating_key: key }) => key).filter((key) => !seen.has(key))
  for (const part of chunks(missing, STATEMENT)) {
    await db
      .updateTable(ITEMS)
      .set({ gone_at_ms: goneAtMs })
      .where('account', '=', account)
      .where('rating_key', 'in', part)
      .execute()
  }
  if (missing.length > 0) await forgetReplaced(db, account)
}

export async function markMissing(db: Db, { account, section, goneAtMs }: Leaving): Promise<void> {
  await db
    .updateTable(ITEMS)
    .set({ gone_at_ms: goneAtMs })
    .where('account', '=', account)
    .where('section', '=', section)
    .where('gone_at_ms', 'is', null)
    .execute()
  await forgetReplaced(db, account)
}

export async function missingItems(db: Db, account: string, kinds: readonly Kind[]): Promise<readonly Item[]> {
  const rows = (await db
    .selectFrom(ITEMS)
    .selectAll()
    .where('account', '=', account)
    .where('gone_at_ms', 'is not', null)
    .where('kind', 'in', kinds)
    .orderBy('gone_at_ms', 'desc')
    .limit(MAX_MISSING + 1)
    .execute()) as StoredItem[]
  const shows = await itemsByKey(
    db,
    account,
    rows.flatMap(({ show_key: key }) => key ?? []),
    { includeMissing: true },
  )
  return rows.flatMap((row) => {
    const item = itemOf(row, shows.get(row.show_key ?? ''))
    return item === undefined ? [] : [item]
  })
}

// A work in another library, or back under another key, is visible again, so its absence from a list counts.
async function forgetReplaced(db: Db, account: string): Promise<void> {
  await db
    .deleteFrom(ITEMS)
    .where('account', '=', account)
    .where('gone_at_ms', 'is not', null)
    .where(
      'guid',
      'in',
      db
        .selectFrom(ITEMS)
        .select('guid')
        .where('account', '=', account)
        .where('gone_at_ms', 'is', null)
        .where('guid', 'is not', null),
    )
    .execute()
}

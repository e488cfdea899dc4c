// Tombstones: what was removed from an account on purpose. They keep every pair from adding it again for a while, and
// do nothing else.
import { type Feature, type Item, keyOf, formatKey, type Tables, tokensOf } from '@playhead/sdk'

export interface Tombstone {
  readonly token: string
  readonly removedAtMs: number
  /** What was missing elsewhere was seen to be missing then. A row that turns up later is new. */
  readonly proofAtMs: number
}

const CHUNK = 500

/** Under which names a removed row is found again; a play carries its second. */
export function tombstoneTokens(item: Item, mark = ''): string[] {
  const tokens = tokensOf(item)
  if (tokens.length > 0) return tokens.map((token) => token + mark)
  const key = keyOf(item)
  return key.ok ? [formatKey(key.value) + mark] : []
}

export async function findTombstones(
  db: Tables,
  uid: string,
  feature: Feature,
  tokens: readonly string[],
  sinceMs: number,
): Promise<Map<string, Tombstone>> {
  const found = new Map<string, Tombstone>()
  for (let start = 0; start < tokens.length; start += CHUNK) {
    const rows = await db
      .selectFrom('sync__tombstone')
      .select(['token', 'removed_at', 'proof_at'])
      .where('uid', '=', uid)
      .where('feature', '=', feature)
      .where('removed_at', '>', sinceMs)
      .where('token', 'in', tokens.slice(start, start + CHUNK))
      .execute()
    for (const row of rows)
      found.set(row.token, { token: row.token, removedAtMs: Number(row.removed_at), proofAtMs: Number(row.proof_at) })
  }
  return found
}

/** Whether there is any: most accounts have none, and need no looking up. */
export async function hasTombstones(db: Tables, uid: string, feature: Feature): Promise<boolean> {
  const row = await db
    .selectFrom('sync__tombstone')
    .select('token')
    .where('uid', '=', uid)
    .where('feature', '=', feature)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Another text after any change of which tombstones there are; null when there are none.
 * @param byHandSinceMs only of removals outside of runs since then
 */
export async function tombstoneMark(
  db: Tables,
  uid: string,
  feature: Feature,
  byHandSinceMs?: number,
): Promise<string | null> {
  const all = db
    .selectFrom('sync__tombstone')
    .select(({ fn }) => [fn.countAll().as('count'), fn.max('removed_at').as('newest')])
    .where('uid', '=', uid)
    .where('feature', '=', feature)
  const row = await (byHandSinceMs === undefined
    ? all
    : all.where('pair_id', 'is', null).where('removed_at', '>=', byHandSinceMs)
  ).executeTakeFirst()
  return row === undefined || Number(row['count']) === 0 ? null : `${String(row['count'])} ${String(row['newest'])}`
}

export async function pruneTombstones(db: Tables, beforeMs: number): Promise<void> {
  await db.deleteFrom('sync__tombstone').where('removed_at', '<', beforeMs).execute()
}

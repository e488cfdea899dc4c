// Tombstones: deliberate removals from an account. For a while they prevent every pair from adding the row there again. They
// have no other effect.
import type { Feature, Tables } from '@playhead/sdk'
import { type Item, keyOf, formatKey, tokensOf } from '@playhead/sdk/items'

export interface Tombstone {
  readonly token: string
  readonly removedAtMs: number
  /** When the absence on the other side was read. A row that appears later is new. */
  readonly proofAtMs: number
  /** Evidence time of the removed row, which may be in the future. */
  readonly evidenceMs?: number
  /** An undo reverted an add; the tombstone does not apply to later ratings by people elsewhere. */
  readonly isUndo: boolean
}

/** The stored form. */
export interface NewTombstone {
  readonly uid: string
  readonly feature: Feature
  readonly token: string
  readonly removed_at: number
  readonly proof_at: number
  readonly evidence_at: number | null
  readonly pair_id: string
  readonly run_id: string
}

const CHUNK = 500

/** Tokens of a removed row; those of a play include its time. */
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
      .select(['token', 'removed_at', 'proof_at', 'evidence_at', 'pair_id', 'run_id'])
      .where('uid', '=', uid)
      .where('feature', '=', feature)
      .where('removed_at', '>', sinceMs)
      .where('token', 'in', tokens.slice(start, start + CHUNK))
      .execute()
    for (const row of rows)
      found.set(row.token, {
        token: row.token,
        removedAtMs: Number(row.removed_at),
        proofAtMs: Number(row.proof_at),
        ...(row.evidence_at === null ? {} : { evidenceMs: Number(row.evidence_at) }),
        isUndo: row.pair_id === null && row.run_id !== null,
      })
  }
  return found
}

/** Most accounts have no tombstones and need no lookups. */
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
 * Changes whenever the set of tombstones changes; null if there are none.
 * @param byHandSinceMs restricts the set to removals outside of runs since then
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

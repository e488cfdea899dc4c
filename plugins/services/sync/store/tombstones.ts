// Tombstones: deliberate removals from an account at a service. They prevent every pair, of every profile of the account, from
// adding the row there again, until a person does. They have no other effect.
import { defined, type Feature, insertRows, type Tables } from '@playhead/sdk'
import {
  type Item,
  keyOf,
  formatKey,
  parseTime,
  REPORTED_PLAY_MS,
  sameTime,
  type Time,
  tokensOf,
} from '@playhead/sdk/items'
import { sql } from 'kysely'
import { chunksOf, pagesOf, rowsWith } from './steps.ts'

export interface Tombstone {
  /** As `accountKey` returned it when the row was removed. */
  readonly account: string
  readonly token: string
  /** The mark of the removed play, as in its key; empty for an item with all of its plays. */
  readonly play: string
  readonly removedAtMs: number
  /** When the absence on the other side was read. A row that appears later is new. */
  readonly proofAtMs: number
  /** When the account that a person removed it from last had the row; absent for an exact time. A later row elsewhere may be newer. */
  readonly lostAfterMs?: number
  /** Evidence time of the removed row, which may be in the future. */
  readonly evidenceMs?: number
  /** The day of the removed play, if the account knew no time of it. */
  readonly dayMs?: number
  /** An undo reverted an add; the tombstone does not apply to later ratings by people elsewhere. */
  readonly isUndo: boolean
}

/** When a person removed a row: after it was last seen, and before its absence was proven. Epoch milliseconds. */
export interface Loss {
  readonly lostAfterMs: number
  readonly provenAtMs: number
}

/** The stored form. */
export interface NewTombstone {
  /** As `accountKey` returns it. */
  readonly account: string
  /** The profile by which the row was removed. */
  readonly uid: string
  readonly feature: Feature
  readonly token: string
  readonly play: string
  readonly removed_at: number
  readonly proof_at: number
  readonly lost_after: number | null
  readonly evidence_at: number | null
  /** Stages of earlier versions have none. */
  readonly shown_day?: number | null
  readonly pair_id: string | null
  readonly run_id: string | null
}

/** Names the tombstones of an item or a play. */
export type TombstoneName = Pick<NewTombstone, 'account' | 'feature' | 'token' | 'play'>

const CHUNK = 500

/** A play by its mark, and by the day that its account shows instead of a time. */
type PlayName = Pick<Tombstone, 'play' | 'dayMs'>

interface Profile {
  readonly provider: string
  readonly uid: string
}

/** The account at a service, whichever profiles reach it. An account that was never read is known by its profile alone. */
export function accountKey({ provider, uid }: Profile, account = ''): string {
  return account === '' ? uid : `${provider} ${account}`
}

/** The names of an account, of before it was read too. */
export function accountKeys(profile: Profile, account?: string): readonly string[] {
  return [...new Set([accountKey(profile, account), profile.uid])]
}

/** Tokens of a removed row. */
export function tombstoneTokens(item: Item): string[] {
  const tokens = tokensOf(item)
  if (tokens.length > 0) return tokens
  const key = keyOf(item)
  return key.ok ? [formatKey(key.value)] : []
}

/** The names of the tombstones of an item, or of a play of it. */
export function namesOfTombstones(item: Item, of: Omit<TombstoneName, 'token'>): readonly TombstoneName[] {
  return tombstoneTokens(item).map((token) => ({ ...of, token }))
}

/** The day of a play of which the account knows no time; its cause may have one. */
export function dayOf(item: Item | undefined): number | undefined {
  const time = parseTime(item?.watched_at)
  return time?.precision === 'date' ? time.atMs : undefined
}

/** The name of a play that an account shows. */
export function namedPlay(play: string, item: Item): PlayName {
  return { play, ...defined({ dayMs: dayOf(item) }) }
}

/** The mark of a play, from its key; empty for the key of an item. */
export function playMarkOf(key: string): string {
  const at = key.indexOf('@')
  return at === -1 ? '' : key.slice(at)
}

/**
 * Whether a tombstone concerns a row. Pairs that compare items and pairs that compare plays name one row differently, so an
 * item as a whole meets each of its plays.
 */
export function concerns(removed: PlayName, shown: PlayName): boolean {
  if (removed.play === shown.play || removed.play === '' || shown.play === '') return true
  // Two ids are two plays of one day.
  if (removed.play.startsWith('@id:') && shown.play.startsWith('@id:')) return false
  const [was, is] = [timeOf(removed), timeOf(shown)]
  return was !== undefined && is !== undefined && sameTime(was, is, REPORTED_PLAY_MS)
}

/** A play of which the account knows the day only has no time in its mark, or that of the other account. */
function timeOf({ play, dayMs }: PlayName): Time | undefined {
  return dayMs === undefined ? parseTime(play.slice(1)) : { atMs: dayMs, precision: 'date' }
}

const ofAccounts = (db: Tables, accounts: readonly string[], feature: Feature) =>
  db.selectFrom('sync__tombstone').where('account', 'in', accounts).where('feature', '=', feature)

const rowsOf = (...of: Parameters<typeof ofAccounts>) =>
  ofAccounts(...of)
    .select(['id', 'account', 'token', 'play', 'removed_at', 'proof_at', 'lost_after', 'evidence_at'])
    .select(['shown_day', 'pair_id', 'run_id'])

/** The tombstones of an account, by token. */
export async function findTombstones(
  db: Tables,
  accounts: readonly string[],
  feature: Feature,
  tokens: readonly string[],
): Promise<Map<string, Tombstone[]>> {
  const found = await rowsWith(rowsOf(db, accounts, feature), 'token', tokens, toTombstone)
  return Map.groupBy(found, ({ token }) => token)
}

/** All tombstones of an account, in pages. */
export async function* tombstonePages(
  ...of: [db: Tables, accounts: readonly string[], feature: Feature]
): AsyncGenerator<readonly Tombstone[]> {
  for await (const rows of pagesOf(rowsOf(...of), 'id', CHUNK)) yield rows.map(toTombstone)
}

/** Most accounts have no tombstones and need no lookups. */
export async function hasTombstones(db: Tables, accounts: readonly string[], feature: Feature): Promise<boolean> {
  return (await ofAccounts(db, accounts, feature).select('id').limit(1).executeTakeFirst()) !== undefined
}

/**
 * Changes whenever the set of tombstones changes; null if there are none.
 * @param byHandSinceMs restricts the set to removals outside of runs since then
 */
export async function tombstoneMark(
  db: Tables,
  accounts: readonly string[],
  feature: Feature,
  byHandSinceMs?: number,
): Promise<string | null> {
  let all = ofAccounts(db, accounts, feature)
  if (byHandSinceMs !== undefined) all = all.where('pair_id', 'is', null).where('removed_at', '>=', byHandSinceMs)
  const row = await all
    .select(({ fn }) => [fn.countAll().as('count'), fn.max('removed_at').as('newest')])
    .executeTakeFirstOrThrow()
  return Number(row.count) === 0 ? null : `${row.count} ${row.newest}`
}

/** Stores a removal. A later one of the same row replaces it. */
export async function setTombstones(db: Tables, rows: readonly NewTombstone[]): Promise<void> {
  for (const chunk of chunksOf(rows, CHUNK))
    await insertRows(
      db,
      'sync__tombstone',
      chunk,
      sql`on conflict (account, feature, token, play) do update set
        uid = excluded.uid, removed_at = excluded.removed_at, proof_at = excluded.proof_at,
        lost_after = excluded.lost_after, evidence_at = excluded.evidence_at, shown_day = excluded.shown_day,
        pair_id = excluded.pair_id, run_id = excluded.run_id`,
    )
}

/** Ends the tombstones with these names, unless the row was removed again since. An empty play names all plays. */
export async function endTombstones(db: Tables, names: readonly TombstoneName[], upToMs: number): Promise<void> {
  for (const { account, feature, token, play } of names) {
    const own = db
      .deleteFrom('sync__tombstone')
      .where(({ and }) => and({ account, feature, token }))
      .where('removed_at', '<=', upToMs)
    await (play === '' ? own : own.where('play', 'in', ['', play])).execute()
  }
}

function toTombstone(row: Omit<NewTombstone, 'uid' | 'feature'>): Tombstone {
  return {
    account: row.account,
    token: row.token,
    play: row.play,
    removedAtMs: row.removed_at,
    proofAtMs: row.proof_at,
    ...defined({
      lostAfterMs: row.lost_after ?? undefined,
      evidenceMs: row.evidence_at ?? undefined,
      dayMs: row.shown_day ?? undefined,
    }),
    isUndo: row.pair_id === null && row.run_id !== null,
  }
}

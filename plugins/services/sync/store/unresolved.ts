// Unresolved operations and items: failed, held, ambiguous or diverged, each with its retry counters.
import { sql } from 'kysely'
import {
  ACCEPTED,
  defined,
  type Feature,
  isAccepted,
  isNotInLibrary,
  type Item,
  type Origin,
  type Tables,
} from '@playhead/sdk'
import { parseOrigin } from './origin-of.ts'
import { chunksOf, pagesOf } from './steps.ts'

/** The reason of a removal that waits for an approval. */
export const HELD = 'held_mass_delete'

/**
 * Whether ignoring an item with this reason settles it. Titles that a library lacks are not listed as problems anyway, and held changes
 * need a decision.
 */
export function settlesByIgnoring(reason: string): boolean {
  return reason !== HELD && !isNotInLibrary(reason) && !isAccepted(reason)
}

type UnresolvedOp = 'add' | 'update' | 'remove' | 'match' | 'read'

export interface Unresolved {
  readonly pair_id: string
  readonly feature: Feature
  /** The target account of the operation. */
  readonly uid: string
  readonly provider: string
  readonly provider_instance: string
  readonly op: UnresolvedOp
  readonly key: string
  readonly reason_code: string
  readonly item: Item
  readonly first_at_ms: number
  readonly last_at_ms: number
  readonly attempts: number
  readonly quarantined: boolean
  readonly run_id: string
  /** Who caused the waiting operation or the difference; null if unknown. */
  readonly origin: Origin | null
}

/** The stored row. */
export interface UnresolvedRow {
  readonly pair_id: string
  readonly feature: string
  readonly uid: string
  readonly op: string
  readonly key: string
  readonly provider: string
  readonly instance: string
  readonly reason: string
  readonly item: string
  /** Hash of the ids: new ids start the counters again. */
  readonly identity: string
  readonly attempts: number
  /** Consecutive failures that count towards quarantine. */
  readonly failures: number
  readonly skip_until_run: number
  readonly quarantined_at: number | null
  readonly first_at: number
  readonly last_at: number
  readonly run_id: string
  /** JSON of `Origin`. */
  readonly origin: string | null
}

export function unresolvedKey({ uid, op, key }: Pick<UnresolvedRow, 'uid' | 'op' | 'key'>): string {
  return `${uid} ${op} ${key}`
}

/** Rows of one pair and feature by key. Accepted ones, of which there may be many, have no item. */
export async function readUnresolved(
  db: Tables,
  pairId: string,
  feature: Feature,
): Promise<Map<string, UnresolvedRow>> {
  const found = new Map<string, UnresolvedRow>()
  const rows = db
    .selectFrom('sync__unresolved')
    .select(['pair_id', 'feature', 'uid', 'op', 'key', 'provider', 'instance', 'reason', 'identity', 'attempts'])
    .select(['failures', 'skip_until_run', 'quarantined_at', 'first_at', 'last_at', 'run_id', 'origin'])
    .select(sql<string>`case when reason in (${sql.join(ACCEPTED)}) then '' else item end`.as('item'))
    .where(({ and }) => and({ pair_id: pairId, feature }))
    .$castTo<UnresolvedRow>()
  for (let after = ''; ; ) {
    const page = await rows.where('key', '>', after).orderBy('key').limit(PAGE).execute()
    for (const row of page) found.set(unresolvedKey(row), row)
    if (page.length < PAGE) return found
    after = page.at(-1)!.key
    // A key may span two pages.
    for (const row of await rows.where('key', '=', after).execute()) found.set(unresolvedKey(row), row)
  }
}

interface OpenCount {
  readonly pair_id: string
  readonly feature: Feature
  /** Excludes rows that the target lacks, accepted and ignored ones. */
  readonly count: number
  /** Of `count`: rows that wait for an approval. */
  readonly held: number
  /** Only rows that the target lacks, including ignored ones. */
  readonly notInLibrary: number
  /** Of `notInLibrary`. */
  readonly ignored: number
}

/** Counts over all pairs, from the index alone. */
export async function countUnresolved(db: Tables): Promise<readonly OpenCount[]> {
  const rows = await db
    .selectFrom('sync__unresolved')
    .select(['pair_id', 'feature', 'reason'])
    .select(({ fn }) => fn.countAll().as('count'))
    .groupBy(['pair_id', 'feature', 'reason'])
    .execute()
  const ignored = await countIgnored(db)
  return [...Map.groupBy(rows, nameOf)].map(([name, own]) => {
    const sum = (of: (reason: string) => boolean) =>
      own.filter(({ reason }) => of(reason)).reduce((all, row) => all + Number(row.count), 0)
    const notInLibrary = sum((reason) => !isAccepted(reason) && isNotInLibrary(reason))
    const { pair_id, feature } = own[0]!
    const allIgnored = ignored.all.has(pair_id)
    return {
      ...{ pair_id, feature, notInLibrary },
      count: sum((reason) => !isAccepted(reason) && !isNotInLibrary(reason)) - ignored.single(name, settlesByIgnoring),
      held: sum((reason) => reason === HELD),
      ignored: allIgnored ? notInLibrary : ignored.single(name, isNotInLibrary),
    }
  })
}

async function countIgnored(db: Tables) {
  const all = await db.selectFrom('sync__ignored').select('pair_id').where('key', '=', '').execute()
  const single = await db
    .selectFrom('sync__ignored as i')
    .innerJoin('sync__unresolved as u', (join) =>
      ['pair_id', 'feature', 'key', 'provider', 'instance'].reduce(
        (on, name) => on.onRef(`u.${name}`, '=', `i.${name}`),
        join,
      ),
    )
    .select(['u.pair_id', 'u.feature', 'u.reason'])
    .select(({ fn }) => fn.countAll().as('count'))
    .groupBy(['u.pair_id', 'u.feature', 'u.reason'])
    .execute()
  const byName = Map.groupBy(single, nameOf)
  return {
    all: new Set(all.map(({ pair_id: pairId }) => pairId)),
    /** Items that are ignored one by one, with such a reason. */
    single: (name: string, of: (reason: string) => boolean) =>
      (byName.get(name) ?? []).reduce((sum, { reason, count }) => (of(reason) ? sum + Number(count) : sum), 0),
  }
}

function nameOf({ pair_id: pairId, feature }: Pick<UnresolvedRow, 'pair_id' | 'feature'>): string {
  return `${pairId} ${feature}`
}

/** The rows of a pair in the order of their keys, a page at a time. */
export async function* eachOpen(db: Tables, pairId: string): AsyncGenerator<Unresolved> {
  for (let offset = 0; ; offset += PAGE) {
    const rows = await db
      .selectFrom('sync__unresolved')
      .selectAll()
      .$castTo<UnresolvedRow>()
      .where('pair_id', '=', pairId)
      .orderBy('feature')
      .orderBy('key')
      .orderBy('uid')
      .orderBy('op')
      .limit(PAGE)
      .offset(offset)
      .execute()
    // A quarantined row keeps its own reason here.
    for (const row of rows) yield { ...toUnresolved(row), reason_code: row.reason }
    if (rows.length < PAGE) return
  }
}

const PAGE = 500

export interface UnresolvedQuery {
  /** Rows of the pairs and features whose last run is this one; `all` for every row. */
  readonly runId: string | 'all'
  /** Rows of one run that are still unresolved: of these pairs and features, recorded by `untilMs`. */
  readonly left?: {
    readonly of: readonly { readonly pair_id: string; readonly feature: string }[]
    readonly untilMs: number
  }
  readonly pairId?: string
  readonly feature?: Feature
  /** If false, rows that the target lacks are left out. */
  readonly notInLibrary?: boolean
  /** If false, rows that `isAccepted` names, and ignored ones, are left out. */
  readonly accepted?: boolean
  readonly offset?: number
  readonly limit?: number
}

export async function listUnresolved(
  db: Tables,
  { runId, left, pairId, feature, notInLibrary = true, accepted = true, offset = 0, limit = 1000 }: UnresolvedQuery,
): Promise<{ readonly total: number; readonly items: Unresolved[] }> {
  let query = db.selectFrom('sync__unresolved as u')
  if (left !== undefined) {
    if (left.of.length === 0) return { total: 0, items: [] }
    query = query
      .where('u.first_at', '<=', left.untilMs)
      .where(({ or, and, eb }) =>
        or(left.of.map((one) => and([eb('u.pair_id', '=', one.pair_id), eb('u.feature', '=', one.feature)]))),
      )
  } else if (runId !== 'all') {
    query = query
      .innerJoin('sync__state as s', (join) =>
        join.onRef('s.pair_id', '=', 'u.pair_id').onRef('s.feature', '=', 'u.feature'),
      )
      .where('s.last_run_id', '=', runId) as unknown as typeof query
  }
  if (pairId !== undefined) query = query.where('u.pair_id', '=', pairId)
  if (feature !== undefined) query = query.where('u.feature', '=', feature)
  if (!accepted)
    query = query.where(
      sql<boolean>`(u.reason = ${HELD} or not exists (select 1 from sync__ignored i where i.pair_id = u.pair_id
        and i.feature = u.feature and i.provider = u.provider and i.instance = u.instance and i.key = u.key))`,
    )
  if (!notInLibrary || !accepted) {
    const reasons = await query.select('u.reason').distinct().execute()
    const left = reasons
      .map(({ reason }) => String(reason))
      .filter((reason) => (!notInLibrary && isNotInLibrary(reason)) || (!accepted && isAccepted(reason)))
    if (left.length > 0) query = query.where('u.reason', 'not in', left)
  }
  const counted = await query.select((eb) => eb.fn.countAll().as('count')).executeTakeFirst()
  const rows = await query
    .selectAll('u')
    .$castTo<UnresolvedRow>()
    .orderBy('u.reason')
    .orderBy('u.key')
    .orderBy('u.uid')
    .orderBy('u.op')
    .limit(limit)
    .offset(offset)
    .execute()
  return { total: Number(counted?.count ?? 0), items: rows.map(toUnresolved) }
}

/** Rows with all of these. */
export type UnresolvedClear = { readonly pairId?: string } & Partial<
  Pick<UnresolvedRow, 'feature' | 'uid' | 'op' | 'key'>
>

/** Deletes rows with their counters, so that the next run tries again. Returns their number. */
export async function clearUnresolved(db: Tables, { pairId, feature, uid, op, key }: UnresolvedClear): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('sync__unresolved')
    .where(({ and }) => and(defined({ pair_id: pairId, feature, uid, op, key })))
    .executeTakeFirst()
  return Number(numDeletedRows)
}

type UnresolvedOf = UnresolvedId & Pick<UnresolvedRow, 'provider' | 'instance' | 'item'> & { readonly feature: Feature }

/** Deletes the rows that match, as `clearUnresolved` does. */
export async function clearUnresolvedOf(db: Tables, matches: (row: UnresolvedOf) => boolean): Promise<void> {
  const rows = db
    .selectFrom('sync__unresolved')
    .select(['rowid', 'pair_id', 'feature', 'uid', 'op', 'key', 'provider', 'instance', 'item'])
    .$castTo<UnresolvedOf & { readonly rowid: number }>()
  for await (const page of pagesOf(rows, 'rowid', PAGE)) await clearUnresolvedRows(db, page.filter(matches))
}

export type UnresolvedId = Pick<UnresolvedRow, 'pair_id' | 'feature' | 'uid' | 'op' | 'key'>

/** As `clearUnresolved`, for many rows. */
export async function clearUnresolvedRows(db: Tables, rows: readonly UnresolvedId[]): Promise<number> {
  let cleared = 0
  for (const chunk of chunksOf(rows, PAGE)) {
    const part = JSON.stringify(chunk.map(({ pair_id, feature, uid, op, key }) => [pair_id, feature, uid, op, key]))
    const { numAffectedRows = 0n } = await sql`
      delete from sync__unresolved where (pair_id, feature, uid, op, key) in (
        select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 from json_each(${part}))`.execute(db)
    cleared += Number(numAffectedRows)
  }
  return cleared
}

export function toUnresolved(row: UnresolvedRow): Unresolved {
  const { pair_id, uid, provider, key, attempts, run_id } = row
  const quarantined = row.quarantined_at !== null
  return {
    ...{ pair_id, uid, provider, key, attempts, run_id, quarantined },
    feature: row.feature as Feature,
    provider_instance: row.instance,
    op: row.op as UnresolvedOp,
    reason_code: quarantined ? 'quarantined' : row.reason,
    item: JSON.parse(row.item) as Item,
    first_at_ms: row.first_at,
    last_at_ms: row.last_at,
    origin: parseOrigin(row.origin),
  }
}

// Unresolved items that need a person, by reason, and pages of them. Held changes are not among them: a person decides about
// all of a feature at once.
import { ACCEPTED, defined, type Feature, isNotInLibrary, type Tables } from '@playhead/sdk'
import { sql } from 'kysely'
import { HELD, type UnresolvedRow } from './unresolved.ts'

export interface ProblemRowQuery {
  /** Of these pairs and features. */
  readonly of: readonly { readonly pair_id: string; readonly feature: Feature }[]
  readonly provider?: string | undefined
  readonly instance?: string | undefined
  /** Epoch milliseconds: recorded by then. */
  readonly untilMs?: number | undefined
  readonly ignored: boolean
}

export interface ReasonCount {
  readonly reason: string
  readonly quarantined: boolean
  readonly count: number
}

export async function countByReason(db: Tables, query: ProblemRowQuery): Promise<readonly ReasonCount[]> {
  if (query.of.length === 0) return []
  const found = await rowsOf(db, query)
    .select(['u.reason', QUARANTINED.as('quarantined')])
    .select(({ fn }) => fn.countAll().as('count'))
    .groupBy(['u.reason', QUARANTINED])
    .execute()
  return found.flatMap(({ reason, quarantined, count }) =>
    isNotInLibrary(String(reason))
      ? []
      : [{ reason: String(reason), quarantined: Number(quarantined) === 1, count: Number(count) }],
  )
}

/** Newest first. */
export async function problemRows(
  db: Tables,
  query: ProblemRowQuery,
  reasons: readonly Omit<ReasonCount, 'count'>[],
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<readonly UnresolvedRow[]> {
  if (query.of.length === 0 || reasons.length === 0) return []
  return await rowsOf(db, query)
    .where(({ or, and, eb }) =>
      or(
        reasons.map(({ reason, quarantined }) =>
          and([eb('u.reason', '=', reason), eb(QUARANTINED, '=', Number(quarantined))]),
        ),
      ),
    )
    .selectAll('u')
    .$castTo<UnresolvedRow>()
    .orderBy(sql`u.first_at desc, u.pair_id, u.feature, u.key, u.uid, u.op`)
    .limit(limit)
    .offset(offset)
    .execute()
}

const QUARANTINED = sql<number>`u.quarantined_at is not null`

function rowsOf(db: Tables, { of, provider, instance, untilMs, ignored }: ProblemRowQuery) {
  const isIgnored = sql<boolean>`exists (select 1 from sync__ignored i where i.pair_id = u.pair_id
    and i.feature = u.feature and i.provider = u.provider and i.instance = u.instance and i.key = u.key)`
  let rows = db
    .selectFrom('sync__unresolved as u')
    .where('u.reason', 'not in', [...ACCEPTED, HELD])
    .where(ignored ? isIgnored : sql<boolean>`not ${isIgnored}`)
    .where(({ and }) => and(defined({ 'u.provider': provider, 'u.instance': instance })))
    .where(({ or, and, eb }) =>
      or(of.map((one) => and([eb('u.pair_id', '=', one.pair_id), eb('u.feature', '=', one.feature)]))),
    )
  if (untilMs !== undefined) rows = rows.where('u.first_at', '<=', untilMs)
  return rows
}

// Counts and times of the stored data of accounts and pairs, never the rows themselves.
import { type RawBuilder, sql } from 'kysely'
import type { Account, Feature, StoredArtifact, StoredPairState, StoredState, Tables } from '@playhead/sdk'
import type { PairFeatureState } from '../store/state.ts'

type Row = Readonly<Record<string, unknown>>

export async function storedState(
  db: Tables,
  accounts: readonly Pick<Account, 'uid' | 'provider' | 'instance'>[],
  blackbox: StoredState['blackbox'],
): Promise<StoredState> {
  const byUid = new Map(accounts.map(({ uid, provider, instance }) => [uid, { provider, instance }]))
  const artifacts: StoredArtifact[] = []
  for (const counted of countsOf(blackbox))
    for (const row of (await counted.execute(db)).rows)
      artifacts.push({
        kind: row['kind'] as StoredArtifact['kind'],
        ...(byUid.get(String(row['uid'])) ?? { provider: text(row['provider']), instance: text(row['instance']) }),
        feature: (row['feature'] ?? null) as Feature | null,
        pair_id: text(row['pair_id']),
        entries: Number(row['entries']),
        oldestMs: time(row['oldest']),
        newestMs: time(row['newest']),
        ...(row['hot'] == null ? {} : { hot: Number(row['hot']) }),
      })
  return { artifacts, pairs: await pairStates(db), blackbox }
}

function countsOf({ promoteAfter }: StoredState['blackbox']): readonly RawBuilder<Row>[] {
  const unresolved = sql`
    select pair_id, uid, provider, instance, feature, count(*) as entries, count(quarantined_at) as quarantined,
      min(quarantined_at) as quarantined_at, min(first_at) as oldest, max(last_at) as newest,
      sum(attempts >= 3) as hot, sum(failures >= 1 and quarantined_at is null) as failing,
      sum(failures >= ${promoteAfter} and quarantined_at is null) as failing_hot
    from sync__unresolved group by pair_id, uid, provider, instance, feature`
  return [
    sql`select 'index' as kind, uid, provider, instance, feature, row_count as entries, read_at as newest
      from sync__inventory`,
    sql`select 'watermarks' as kind, uid, provider, instance, feature, 1 as entries, read_at as oldest,
      read_at as newest from sync__inventory where checkpoint is not null`,
    sql`with places as materialized (${unresolved})
      select 'unresolved' as kind, uid, provider, instance, feature, pair_id, entries - quarantined as entries,
        oldest, newest, hot from places where entries > quarantined
      union all select 'blackbox', uid, provider, instance, feature, pair_id, quarantined, quarantined_at, newest, null
        from places where quarantined > 0
      union all select 'flap', uid, provider, instance, feature, pair_id, failing, null, null, failing_hot
        from places where failing > 0`,
    sql`select 'tombstones' as kind, uid, feature, count(*) as entries, min(removed_at) as oldest,
      max(removed_at) as newest from sync__tombstone group by uid, feature`,
    sql`select 'shadow' as kind, uid, 'history' as feature, count(*) as entries, min(ended_at) as oldest,
      max(ended_at) as newest from sync__recorded group by uid`,
    sql`select 'policy' as kind, provider, instance, feature,
      adds + iif(json_valid(blocks), json_array_length(blocks), 0) as entries
      from sync__policy where entries > 0`,
    sql`select 'pair_state' as kind, pair_id, feature, count(*) as entries from sync__base group by pair_id, feature`,
  ]
}

async function pairStates(db: Tables): Promise<readonly StoredPairState[]> {
  const rows = await db.selectFrom('sync__state').select(['pair_id', 'feature', 'state']).execute()
  return rows.map((row): StoredPairState => {
    const known = { pair_id: String(row['pair_id']), feature: row['feature'] as Feature }
    try {
      const state = JSON.parse(String(row['state'])) as PairFeatureState
      return {
        ...known,
        problem: null,
        lastRunAtMs: state.lastRunAtMs ?? null,
        runs: state.runs ?? 0,
        readAtMs: { source: state.readAtMs.a, target: state.readAtMs.b },
      }
    } catch {
      return { ...known, problem: 'unreadable', lastRunAtMs: null, runs: 0, readAtMs: { source: null, target: null } }
    }
  })
}

function time(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value)
}

function text(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value)
}

// Counts and times of the stored data of accounts and pairs, never the rows themselves.
import type { Account, Feature, StoredArtifact, StoredPairState, StoredState, Tables } from '@playhead/sdk'
import type { PairFeatureState } from '../store/state.ts'

type Row = Readonly<Record<string, unknown>>
type Place = Pick<StoredArtifact, 'provider' | 'instance' | 'feature' | 'pair_id'>

export async function storedState(
  db: Tables,
  accounts: readonly Pick<Account, 'uid' | 'provider' | 'instance'>[],
  blackbox: StoredState['blackbox'],
): Promise<StoredState> {
  const byUid = new Map(accounts.map(({ uid, provider, instance }) => [uid, { provider, instance }]))
  const placeOf = (row: Row): Place => ({
    ...(byUid.get(String(row['uid'])) ?? { provider: text(row['provider']), instance: text(row['instance']) }),
    feature: (row['feature'] ?? null) as Feature | null,
    pair_id: text(row['pair_id']),
  })
  const artifacts: StoredArtifact[] = []
  const add = (kind: StoredArtifact['kind'], row: Row, more: Partial<StoredArtifact> = {}) =>
    artifacts.push({
      kind,
      ...placeOf(row),
      entries: Number(row['entries'] ?? 0),
      oldestMs: time(row['oldest']),
      newestMs: time(row['newest']),
      ...more,
    })

  for (const row of await inventories(db)) {
    add('index', row)
    if (row['checkpoint'] != null) add('watermarks', { ...row, entries: 1, oldest: row['newest'] })
  }
  for (const row of await unresolved(db)) {
    const [quarantined, failing] = [Number(row['quarantined']), Number(row['failing'])]
    const waiting = Number(row['entries']) - quarantined
    if (waiting > 0) add('unresolved', { ...row, entries: waiting }, { hot: Number(row['hot']) })
    if (quarantined > 0) add('blackbox', { ...row, entries: quarantined, oldest: row['quarantined_at'] })
    if (failing > 0)
      add('flap', { ...row, entries: failing, oldest: null, newest: null }, { hot: Number(row['failing_hot']) })
  }
  for (const row of await grouped(db, 'sync__tombstone', 'removed_at')) add('tombstones', row)
  for (const row of await grouped(db, 'sync__recorded', 'ended_at', false))
    add('shadow', { ...row, feature: 'history' })
  for (const row of await policies(db)) add('policy', row)
  for (const row of await bases(db)) add('pair_state', row)
  return { artifacts, pairs: await pairStates(db), blackbox }

  async function unresolved(tables: Tables): Promise<readonly Row[]> {
    return tables
      .selectFrom('sync__unresolved')
      .select(['pair_id', 'uid', 'provider', 'instance', 'feature'])
      .select(({ fn, eb }) => [
        fn.countAll().as('entries'),
        fn.count('quarantined_at').as('quarantined'),
        fn.min('quarantined_at').as('quarantined_at'),
        fn.min('first_at').as('oldest'),
        fn.max('last_at').as('newest'),
        fn.sum(eb.case().when('attempts', '>=', 3).then(1).else(0).end()).as('hot'),
        fn.sum(isFailing(eb, 1)).as('failing'),
        fn.sum(isFailing(eb, blackbox.promoteAfter)).as('failing_hot'),
      ])
      .groupBy(['pair_id', 'uid', 'provider', 'instance', 'feature'])
      .execute()
  }
}

// biome-ignore lint/suspicious/noExplicitAny: an expression builder of an untyped database
function isFailing(eb: any, failures: number) {
  return eb
    .case()
    .when(eb.and([eb('failures', '>=', failures), eb('quarantined_at', 'is', null)]))
    .then(1)
    .else(0)
    .end()
}

async function inventories(db: Tables): Promise<readonly Row[]> {
  return db
    .selectFrom('sync__inventory')
    .select(['uid', 'provider', 'instance', 'feature', 'checkpoint', 'row_count as entries', 'read_at as newest'])
    .execute()
}

async function grouped(db: Tables, table: string, at: string, byFeature = true): Promise<readonly Row[]> {
  const by = byFeature ? ['uid', 'feature'] : ['uid']
  return db
    .selectFrom(table)
    .select(by)
    .select(({ fn }) => [fn.countAll().as('entries'), fn.min(at).as('oldest'), fn.max(at).as('newest')])
    .groupBy(by)
    .execute()
}

async function policies(db: Tables): Promise<readonly Row[]> {
  const rows = await db
    .selectFrom('sync__policy')
    .select(['provider', 'instance', 'feature', 'adds', 'blocks'])
    .execute()
  return rows
    .map((row) => ({ ...row, entries: Number(row['adds']) + parsedLength(row['blocks']) }))
    .filter(({ entries }) => entries > 0)
}

async function bases(db: Tables): Promise<readonly Row[]> {
  return db
    .selectFrom('sync__base')
    .select(['pair_id', 'feature'])
    .select(({ fn }) => fn.countAll().as('entries'))
    .groupBy(['pair_id', 'feature'])
    .execute()
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

function parsedLength(json: unknown): number {
  try {
    const value: unknown = JSON.parse(String(json))
    return Array.isArray(value) ? value.length : 0
  } catch {
    return 0
  }
}

function time(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value)
}

function text(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value)
}

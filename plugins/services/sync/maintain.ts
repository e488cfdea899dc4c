// Maintenance actions of the sync: stored state of pairs and accounts, caches, and runs.
import {
  accountName,
  type Accounts,
  FEATURES,
  type Feature,
  type MaintenanceAction,
  type MaintenanceDescription,
  type MaintenanceEffect,
  type MaintenanceOptions,
  type MaintenanceTouch,
  PlayheadError,
  type Remote,
  type Tables,
  yieldToLoop,
} from '@playhead/sdk'
import { type RawBuilder, sql } from 'kysely'
import { namesOf, type Pair } from './pairs/pair.ts'

interface MaintainDependencies {
  readonly db: Tables
  readonly pairs: () => readonly Pair[]
  readonly accounts: Pick<Remote<Accounts>, 'list'>
}

/** Absent: all rows. */
interface Scope {
  readonly pairIds?: readonly string[]
  readonly uids?: readonly string[]
  readonly feature?: Feature
}

/** The rows that an action affects. */
interface Part {
  readonly table: string
  readonly label: string
  readonly where: (scope: Scope) => readonly RawBuilder<unknown>[]
  /** The new values of changed rows. Absent: the rows are deleted. */
  readonly set?: RawBuilder<unknown>
}

const PATH = 'databases/sync/library.sqlite'
const CHUNK = 5_000
const SCOPE_OPTIONS = ['pair_id', 'provider', 'instance', 'feature'] as const

const isIn = (column: string, values: readonly string[] | undefined) =>
  values === undefined ? [] : [values.length === 0 ? sql`0` : sql`${sql.ref(column)} in (${sql.join(values)})`]
const ofFeature = ({ feature }: Scope) => (feature === undefined ? [] : [sql`feature = ${feature}`])
const ofPair = (scope: Scope) => [...isIn('pair_id', scope.pairIds), ...ofFeature(scope)]
const ofAccount = (scope: Scope) => [...isIn('uid', scope.uids), ...ofFeature(scope)]
/** Proofs of all pairs, regardless of the scope: a proof depends on the cleared rows. */
const PROOFS: Part = { table: 'sync__rest', label: 'proofs that nothing changed', where: () => [] }
const deleted = (table: string, label: string, where: Part['where']): Part => ({ table, label, where })

/** In this order: without its state the other rows of a pair prove nothing, even after a crash between two deletions. */
const STATE: readonly Part[] = [
  deleted('sync__state', 'states of pairs', ofPair),
  PROOFS,
  deleted('sync__base', 'rows that both accounts had', ofPair),
  deleted('sync__unresolved', 'unresolved items', ofPair),
  deleted('sync__tombstone', 'marks of removed items', (scope) => {
    const of = isIn('uid', scope.uids)
    // Another profile of the account may have removed the item.
    const isOfAccount = sql`account in (select provider || ' ' || account from sync__inventory where ${all(of)})`
    return [...(of.length === 0 ? [] : [sql`(${all(of)} or ${isOfAccount})`]), ...ofFeature(scope)]
  }),
  deleted('sync__inventory_row', 'rows of the last reads', (scope) => {
    const of = ofAccount(scope)
    return of.length === 0 ? [] : [sql`inventory_id in (select id from sync__inventory where ${all(of)})`]
  }),
  deleted('sync__inventory', 'last reads of accounts', ofAccount),
]

const CACHE: readonly Part[] = [
  PROOFS,
  {
    table: 'sync__inventory',
    label: 'places from which accounts are read on',
    where: (scope) => [sql`checkpoint is not null`, ...ofAccount(scope)],
    set: sql`checkpoint = null`,
  },
  {
    table: 'sync__unresolved',
    label: 'waits and quarantines of unresolved items',
    where: (scope) => [sql`(failures > 0 or skip_until_run > 0 or quarantined_at is not null)`, ...ofPair(scope)],
    set: sql`failures = 0, skip_until_run = 0, quarantined_at = null`,
  },
]

const REPORTS: readonly Part[] = [deleted('sync__run', 'runs', () => [sql`finished_at_ms is not null`])]

function all(conditions: readonly RawBuilder<unknown>[]): RawBuilder<boolean> {
  return conditions.length === 0 ? sql<boolean>`1` : sql<boolean>`(${sql.join(conditions, sql` and `)})`
}

export function createMaintenance(deps: MaintainDependencies): Readonly<Record<string, MaintenanceAction>> {
  return {
    'sync-state': actionOf(deps, STATE, {
      title: 'Clear the sync state',
      note: 'Deletes the sync state of all accounts and pairs, including recorded removals and failed items. The next run is like a first run: it adds and matches, and removes nothing. Pairs, runs, plans, blocks, added items, playlists, recorded plays and the activity log are kept.',
      group: 'state',
      losesData: true,
      backupFirst: true,
      alone: true,
      adviseDryRun: true,
      options: SCOPE_OPTIONS,
    }),
    'sync-cache': actionOf(deps, CACHE, {
      title: 'Clear the sync caches',
      note: 'The next run reads all accounts completely, compares all pairs, and tries failed items again. The sync state is kept.',
      group: 'provider-cache',
      losesData: false,
      backupFirst: false,
      alone: true,
      options: SCOPE_OPTIONS,
    }),
    'sync-reports': actionOf(deps, REPORTS, {
      title: 'Delete the list of runs',
      note: 'Deletes finished runs. Their plans are kept, so you can still undo them.',
      group: 'reports',
      losesData: true,
      backupFirst: false,
      alone: true,
    }),
  }
}

function actionOf(
  deps: MaintainDependencies,
  parts: readonly Part[],
  description: MaintenanceDescription,
): MaintenanceAction {
  const { db } = deps
  async function effectOf(
    options: MaintenanceOptions,
    touch: (part: Part, where: RawBuilder<boolean>) => Promise<number>,
  ): Promise<MaintenanceEffect> {
    const scope = await scopeOf(deps, options)
    const touches: MaintenanceTouch[] = []
    for (const part of parts) {
      const { table, label, set } = part
      const items = await touch(part, all(part.where(scope)))
      if (items > 0) touches.push({ path: PATH, table, label, op: set === undefined ? 'delete' : 'change', items })
    }
    return { touches }
  }
  return {
    describe: () => description,
    preview: (options) => effectOf(options, ({ table }, where) => countRows(db, table, where)),
    run: (options, signal) => effectOf(options, (part, where) => touchRows(db, part, where, signal)),
  }
}

/** Throws before any change: `PLH_NOT_FOUND` or `PLH_INVALID` for unknown accounts or pairs. */
async function scopeOf({ pairs, accounts }: MaintainDependencies, options: MaintenanceOptions): Promise<Scope> {
  const [pairId, provider, instance, feature] = SCOPE_OPTIONS.map((name) => textOf(options, name))
  if (feature !== undefined && !FEATURES.includes(feature as Feature))
    throw new PlayheadError('PLH_INVALID', `There is no feature ${shown(feature)}.`, { wire: 'unsupported_feature' })
  const known = await accounts.list()
  const ofFeature = feature === undefined ? {} : { feature: feature as Feature }
  if (pairId !== undefined && !pairs().some(({ id }) => id === pairId))
    throw new PlayheadError('PLH_NOT_FOUND', `There is no pair ${shown(pairId)}.`, { wire: 'pair_not_found' })
  if (provider === undefined && instance !== undefined)
    throw new PlayheadError('PLH_INVALID', 'Send instance together with provider.', { wire: 'provider_required' })
  if (provider === undefined)
    // Rows of accounts are shared with other pairs.
    return pairId === undefined ? ofFeature : { ...ofFeature, pairIds: [pairId], uids: [] }
  const ofProvider = known.filter((account) => account.provider === provider)
  if (ofProvider.length === 0)
    throw new PlayheadError('PLH_NOT_FOUND', `There is no provider ${shown(provider)}.`, { wire: 'unknown_provider' })
  const chosen = ofProvider.filter((account) => instance === undefined || account.instance === instance)
  if (chosen.length === 0)
    throw new PlayheadError('PLH_NOT_FOUND', `${provider} has no profile ${shown(instance ?? '')}.`, {
      wire: 'unknown_instance',
    })
  const names = new Set(chosen.map((account) => accountName(account.provider, account.instance)))
  return {
    ...ofFeature,
    uids: chosen.map(({ uid }) => uid),
    pairIds: pairs()
      .filter(({ id }) => pairId === undefined || id === pairId)
      .filter((pair) => Object.values(namesOf(pair)).some((name) => names.has(name)))
      .map(({ id }) => id),
  }
}

async function countRows(db: Tables, table: string, where: RawBuilder<boolean>): Promise<number> {
  const counted = sql<{ readonly count: number }>`select count(*) as count from ${sql.table(table)} where ${where}`
  return Number((await counted.execute(db)).rows[0]?.count ?? 0)
}

async function touchRows(
  db: Tables,
  { table, set }: Part,
  where: RawBuilder<boolean>,
  signal?: AbortSignal,
): Promise<number> {
  const name = sql.table(table)
  const change = set === undefined ? sql`delete from ${name}` : sql`update ${name} set ${set}`
  const some = sql`${change} where rowid in (select rowid from ${name} where ${where} limit ${CHUNK})`
  for (let touched = 0; ; ) {
    signal?.throwIfAborted()
    const count = Number((await some.execute(db)).numAffectedRows ?? 0)
    touched += count
    if (count < CHUNK) return touched
    await yieldToLoop()
  }
}

function textOf(options: MaintenanceOptions, name: string): string | undefined {
  const value = options[name]
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string') return value
  throw new PlayheadError('PLH_INVALID', `${name} is a text.`, { wire: `invalid_${name}` })
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 80))
}

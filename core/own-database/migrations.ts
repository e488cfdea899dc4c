// Runs migrations once each, in order, each in a recorded transaction.
import type { Logger, Migration, Tables } from '@playhead/sdk'
import { PlayheadError, untilAborted } from '@playhead/sdk/host'
import type { Running } from './running.ts'

const STILL_MS = 10_000

/** Connects the staging of a plugin with its migrations. */
export interface MigrationParts {
  /** A rollback took place: recorded migrations of a later version are accepted. */
  readonly allowsNewer?: boolean | undefined
  /** Reports when the database works or waits, as opposed to the code of a migration. */
  readonly running?: Running | undefined
  /** Aborts a migration, which is then rolled back. */
  readonly signal?: AbortSignal | undefined
  readonly log?: Logger | undefined
}

interface MigrationOptions extends MigrationParts {
  readonly db: Tables
  /** Owner of the tables; each owner has separate records. */
  readonly owner: string
  readonly migrations: readonly Migration[]
  /** Table of the recorded migrations. */
  readonly record: string
  readonly now: () => number
  /** Called once before existing tables are changed. Throwing leaves them unchanged. */
  readonly before?: (() => Promise<void>) | undefined
  /**
   * The database on a thread of its own, for changes of existing tables: a statement on many rows is slow and would
   * block this thread. Default: `db`.
   */
  readonly onThread?: (() => OnThread) | undefined
  /** Runs one migration inside its transaction, with checks. */
  readonly guard?: (transaction: Tables, migration: Migration) => Promise<void>
}

export interface OnThread extends AsyncDisposable {
  readonly db: Tables
}

/**
 * Returns the names of the migrations that ran. Throws `PLH_CONFLICT` if the recorded ones are not a prefix of the
 * list, or are only some of those that one replaces.
 */
export async function runMigrations(options: MigrationOptions): Promise<readonly string[]> {
  const { db, owner, migrations, record, before, onThread, allowsNewer = false, running, log } = options
  using waiting = during(running)
  await db.schema
    .createTable(record)
    .ifNotExists()
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('applied_at_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint(`${record}_key`, ['owner', 'position'])
    .execute()

  const names = migrations.flatMap(recordsOf)
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined)
    throw new PlayheadError('PLH_CONFLICT', `${owner} has two migrations named "${repeated}".`)

  const rows = await db.selectFrom(record).select('name').where('owner', '=', owner).orderBy('position').execute()
  const recorded = rows.map((row) => String(row['name']))
  const different = recorded.findIndex((name, index) => names[index] !== name)
  if (different !== -1 && !(allowsNewer && different === names.length)) {
    const here = names[different] === undefined ? 'missing' : `"${names[different]}"`
    throw new PlayheadError(
      'PLH_CONFLICT',
      `The tables of ${owner} were made by other code: migration ${different + 1} in the database is ` +
        `"${recorded[different]}", here it is ${here}. Install the version that made them, or a later one.`,
    )
  }

  if (recorded.length >= names.length) return []
  let end = 0
  for (const migration of migrations) {
    const begin = end
    end += recordsOf(migration).length
    // All records except the migration's own name: the tables are the same.
    if (recorded.length > begin && recorded.length < end - 1) throw incomplete(owner, migration, names[recorded.length])
  }
  if (recorded.length === 0) {
    waiting[Symbol.dispose]()
    return await applyAll(options, db, 0)
  }

  await before?.()
  log?.info({ owner, migrations: names.slice(recorded.length) }, `the tables of ${owner} are changed`)
  const beganAt = performance.now()
  const still = setInterval(
    () =>
      log?.info(
        { owner, seconds: Math.round((performance.now() - beganAt) / 1_000) },
        `the tables of ${owner} are still being changed`,
      ),
    STILL_MS,
  ).unref()
  try {
    await using thread = onThread?.()
    waiting[Symbol.dispose]()
    const ran = await applyAll(options, thread?.db ?? db, recorded.length)
    const ms = Math.round(performance.now() - beganAt)
    log?.info({ owner, ms }, `the tables of ${owner} were changed`)
    return ran
  } finally {
    clearInterval(still)
  }
}

async function applyAll(options: MigrationOptions, db: Tables, known: number): Promise<readonly string[]> {
  const { owner, migrations, record, now, guard = apply, running, signal } = options
  const ran: string[] = []
  let end = 0
  for (const migration of migrations) {
    const begin = end
    const records = recordsOf(migration).map((name, index) => ({ owner, position: begin + index, name }))
    end += records.length
    if (end <= known) continue
    // Another connection may be writing.
    using waiting = during(running)
    await db.transaction().execute(async (transaction) => {
      signal?.throwIfAborted()
      // Another version of the plugin may have opened the file meanwhile.
      const done = await transaction
        .selectFrom(record)
        .select('name')
        .where('owner', '=', owner)
        .where('position', '=', end - 1)
        .executeTakeFirst()
      if (done?.['name'] === migration.name) return
      waiting[Symbol.dispose]()
      if (known <= begin) {
        const work = guard(transaction, migration)
        await (signal === undefined ? work : untilAborted(work, signal))
        ran.push(migration.name)
      }
      const applied_at_ms = now()
      await transaction
        .insertInto(record)
        .values(records.filter(({ position }) => position >= known).map((row) => ({ ...row, applied_at_ms })))
        .execute()
    })
  }
  return ran
}

/**
 * A migration is recorded after those that it replaces, whether they ran or not: so all databases have the same records,
 * and earlier versions see them as newer.
 */
function recordsOf({ name, replaces = [] }: Migration): readonly string[] {
  return [...replaces, name]
}

function incomplete(owner: string, { name, replacedAfter }: Migration, missing: string | undefined): PlayheadError {
  return new PlayheadError(
    'PLH_CONFLICT',
    `The tables of ${owner} have only some of the migrations that "${name}" replaces; the next one is "${missing}". Nothing ` +
      `was changed: open them once with ${replacedAfter ?? 'an earlier version'}, and then with this one.`,
  )
}

function apply(transaction: Tables, migration: Migration): Promise<void> {
  return migration.up(transaction)
}

function during(running: Running | undefined): Disposable {
  const end = running?.begin()
  return { [Symbol.dispose]: () => end?.() }
}

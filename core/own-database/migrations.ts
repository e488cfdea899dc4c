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
 * list.
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

  const names = migrations.map((migration) => migration.name)
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

  if (recorded.length >= migrations.length) return []
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
  for (const [position, migration] of migrations.entries()) {
    if (position < known) continue
    // Another connection may be writing.
    using waiting = during(running)
    await db.transaction().execute(async (transaction) => {
      signal?.throwIfAborted()
      // Another version of the plugin may have opened the file meanwhile.
      const done = await transaction
        .selectFrom(record)
        .select('name')
        .where('owner', '=', owner)
        .where('position', '=', position)
        .executeTakeFirst()
      if (done?.['name'] === migration.name) return
      waiting[Symbol.dispose]()
      const work = guard(transaction, migration)
      await (signal === undefined ? work : untilAborted(work, signal))
      await transaction
        .insertInto(record)
        .values({ owner, position, name: migration.name, applied_at_ms: now() })
        .execute()
      ran.push(migration.name)
    })
  }
  return ran
}

function apply(transaction: Tables, migration: Migration): Promise<void> {
  return migration.up(transaction)
}

function during(running: Running | undefined): Disposable {
  const end = running?.begin()
  return { [Symbol.dispose]: () => end?.() }
}

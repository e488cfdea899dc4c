// The history of settings changes. Paths only: values may be secret or personal.
import type { Logger, Tables } from '@playhead/sdk'
import type { ChangeRecord } from './service.ts'

const TABLE = 'core__config_history'
const MAX_ENTRIES = 500
const MAX_PATHS = 200
const MAX_UNWRITTEN = 1_000

export async function createHistoryTable(db: Tables): Promise<void> {
  await db.schema
    .createTable(TABLE)
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('at_ms', 'bigint', (column) => column.notNull())
    .addColumn('actor', 'text', (column) => column.notNull())
    .addColumn('revision', 'text', (column) => column.notNull())
    .addColumn('paths', 'text', (column) => column.notNull())
    .execute()
}

interface ConfigHistory {
  /** Records a change; failures are logged, because the change is already saved. */
  record(entry: ChangeRecord): void
  /** Newest first. */
  list(limit?: number): Promise<readonly ChangeRecord[]>
  /** Resolves when all records are written. */
  settled(): Promise<void>
}

export function createConfigHistory(db: Tables, log: Logger): ConfigHistory {
  const unwritten: ChangeRecord[] = []
  let writing: Promise<void> | undefined

  return {
    record(entry) {
      if (unwritten.length >= MAX_UNWRITTEN) {
        log.warn(
          { by: entry.by },
          'a configuration change is missing in the history, because the database does not keep up',
        )
        return
      }
      unwritten.push(entry)
      writing ??= write().finally(() => {
        writing = undefined
      })
    },

    async list(limit = MAX_ENTRIES) {
      const rows = await db.selectFrom(TABLE).selectAll().orderBy('id', 'desc').limit(limit).execute()
      return rows.map((row) => ({
        by: String(row['actor']),
        atMs: Number(row['at_ms']),
        revision: String(row['revision']),
        paths: JSON.parse(String(row['paths'])) as string[],
      }))
    },

    async settled() {
      await writing
    },
  }

  async function write(): Promise<void> {
    while (unwritten.length > 0) {
      const entries = unwritten.splice(0)
      try {
        await db.transaction().execute(async (transaction) => {
          await transaction
            .insertInto(TABLE)
            .values(
              entries.map(({ by, atMs, revision, paths }) => ({
                at_ms: atMs,
                actor: by,
                revision,
                paths: JSON.stringify(paths.slice(0, MAX_PATHS)),
              })),
            )
            .execute()
          const kept = transaction.selectFrom(TABLE).select('id').orderBy('id', 'desc').limit(MAX_ENTRIES)
          await transaction.deleteFrom(TABLE).where('id', 'not in', kept).execute()
        })
      } catch (error) {
        log.error({ err: error }, 'configuration changes could not be noted in the history')
      }
    }
  }
}

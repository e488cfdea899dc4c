// Opens a plugin's database file with a writer and a reader thread, and handles corrupt files.
import { rename } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Logger, NoWork, OwnDatabase, OwnDatabaseOptions, Tables, ThreadWork } from '@playhead/sdk'
import { batchQuery, callQuery, statementsQuery } from './dialect.ts'
import { exists, makeFile, moveFiles, removeFiles, sizeOf } from './files.ts'
import { createConnection, type Connection } from './connection.ts'
import { type MigrationParts, runMigrations } from './migrations.ts'
import { toChunks } from './chunks.ts'
import { asUnreadable, isDamage } from './readable.ts'
import { createFileRevision } from './revision.ts'

const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/
const MAX_NAME = 64
// Twice, within the time limit of a release.
const CLOSE_MS = 2_000

interface OwnDatabaseRequest<Work extends ThreadWork = NoWork> extends MigrationParts {
  /** Folder of the plugin's databases, created on first use. */
  readonly folder: string
  /** The plugin's id. */
  readonly owner: string
  readonly name: string
  readonly options: OwnDatabaseOptions<Work>
  readonly log: Logger
  readonly now: () => number
  /** Called with the file before existing tables are changed. */
  readonly beforeMigration?: ((file: string) => Promise<void>) | undefined
}

export async function openOwnDatabase<Work extends ThreadWork = NoWork>({
  folder,
  owner,
  name,
  options,
  log,
  now,
  beforeMigration,
  allowsNewer,
  running,
  signal,
}: OwnDatabaseRequest<Work>): Promise<OwnDatabase<Work>> {
  if (!NAME.test(name) || name.length > MAX_NAME)
    throw new TypeError(`"${name}" is not a name for a database: lower-case words joined by "-"`)
  const file = join(folder, `${name}.sqlite`)
  const migrate = (db: Tables) =>
    runMigrations({
      db,
      owner,
      migrations: options.migrations,
      record: 'playhead__migrations',
      now,
      before: () => beforeMigration?.(file) ?? Promise.resolve(),
      allowsNewer,
      running,
      signal,
      log,
    })
  let isOpening = true

  async function open(): Promise<Connection> {
    await makeFile(file)
    const connection = createConnection({
      file,
      readOnly: false,
      module: options.onThread?.file ?? null,
      pragmas: pragmasOf(options),
      ...(options.onThread?.keepsState === true ? { idleMs: Number.POSITIVE_INFINITY } : {}),
      // Those of migrations.
      beginStatement: () => (isOpening ? running?.begin() : undefined),
    })
    try {
      await connection.open().catch((error: unknown) => {
        throw isDamage(error) ? error : asUnreadable(file, error)
      })
      await migrate(connection.db)
      return connection
    } catch (error) {
      await connection.close(CLOSE_MS)
      throw error
    }
  }

  /** A free name beside the file. */
  async function freeName(): Promise<string> {
    for (let atMs = now(); ; atMs += 1) {
      const aside = join(folder, `${name}.bad-${new Date(atMs).toISOString().replaceAll(/[-:.]/g, '')}`)
      if (!(await exists(aside))) return aside
    }
  }

  let setAside: string | null = null
  const writer = await open().catch(async (error: unknown) => {
    if (!isDamage(error)) throw error
    if (options.onUnreadable !== 'set_aside') throw asUnreadable(file, error)
    const aside = await freeName()
    await moveFiles(file, aside)
    setAside = basename(aside)
    log.error(
      { err: error, file, setAside },
      'a database could not be read; it was set aside, and an empty one takes its place',
    )
    return await open()
  })
  isOpening = false
  const reader = createConnection({ file, readOnly: true })
  const revision = createFileRevision(file)

  return {
    db: writer.db,
    reader: reader.db,
    setAside,

    async insertMany(sql, rows, { before = [], after = [] } = {}) {
      if (rows.length === 0) return 0
      return await writer.db.transaction().execute(async (transaction) => {
        if (before.length > 0) await transaction.executeQuery(statementsQuery(before))
        let changed = 0n
        for (const chunk of toChunks(rows)) {
          const { numAffectedRows } = await transaction.executeQuery(batchQuery(sql, chunk))
          changed += numAffectedRows ?? 0n
        }
        if (after.length > 0) await transaction.executeQuery(statementsQuery(after))
        return Number(changed)
      })
    },

    async call(name, argument) {
      return await writer.db.transaction().execute(async (transaction) => {
        const { rows } = await transaction.executeQuery(callQuery(name, argument))
        return rows[0]?.value as ReturnType<Work[typeof name]>
      })
    },

    revision: revision.now,

    async size() {
      return { file: await sizeOf(file), log: await sizeOf(`${file}-wal`) }
    },

    async replace() {
      // Created under another name, so that a failure leaves the current file untouched.
      const fresh = join(folder, `${name}.new`)
      await writer.alone(async () => {
        await removeFiles(fresh)
        await makeFile(fresh)
        const maker = createConnection({ file: fresh, readOnly: false })
        try {
          await migrate(maker.db)
        } finally {
          await maker.close(CLOSE_MS)
        }
        await reader.whileClosed(() =>
          writer.whileClosed(async () => {
            revision.close()
            const aside = await freeName()
            await moveFiles(file, aside)
            try {
              await rename(fresh, file)
            } catch (error) {
              await moveFiles(aside, file)
              throw error
            }
            // A call during the exchange may have opened the former file.
            revision.close()
            await removeFiles(aside)
          }),
        )
      })
    },

    async close() {
      await reader.close(CLOSE_MS)
      revision.end()
      // The last connection to close merges the log into the file.
      await writer.close(CLOSE_MS)
    },
  }
}

function pragmasOf({
  flushes,
  checkpointPages,
}: Pick<OwnDatabaseOptions, 'flushes' | 'checkpointPages'>): readonly string[] {
  return [
    ...(flushes === 'each_commit' ? ['synchronous = FULL'] : []),
    ...(checkpointPages === undefined ? [] : [`wal_autocheckpoint = ${Math.trunc(checkpointPages)}`]),
  ]
}

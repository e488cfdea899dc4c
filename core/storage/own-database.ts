// Database files of plugins: `databases/<plugin id>/<name>.sqlite`.
import type { Logger, OpenDatabase } from '@playhead/sdk'
import type { MigrationParts } from '../own-database/migrations.ts'
import { openOwnDatabase } from '../own-database/open.ts'
import type { Clock } from '../clock.ts'
import type { DataDirectory } from './data-directory.ts'

export interface OwnDatabasesOptions {
  readonly dataDirectory: Pick<DataDirectory, 'pluginDatabases'>
  readonly clock: Clock
  readonly beforeMigration?: (file: string) => Promise<void>
}

/** Opens databases for plugins; the caller closes them. */
type OwnDatabases = (plugin: string, log: Logger, migrating?: MigrationParts) => OpenDatabase

export function createOwnDatabases({ dataDirectory, clock, beforeMigration }: OwnDatabasesOptions): OwnDatabases {
  return (plugin, log, migrating) => (name, options) =>
    openOwnDatabase({
      ...migrating,
      folder: dataDirectory.pluginDatabases(plugin),
      owner: plugin,
      name,
      options,
      log,
      now: () => clock.now(),
      beforeMigration,
    })
}

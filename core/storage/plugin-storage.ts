// The databases and files of a plugin in a data directory.
import type { PluginNeeds } from '@playhead/sdk'
import { SHARED_FOLDERS, type DataDirectory } from './data-directory.ts'
import { createOwnDatabases, type OwnDatabasesOptions } from './own-database.ts'
import { createPluginFiles } from './plugin-files.ts'

interface PluginStorageOptions extends OwnDatabasesOptions {
  readonly dataDirectory: Pick<DataDirectory, 'pluginDatabases' | 'pluginFiles' | 'shared'>
}

export function createPluginStorage({ dataDirectory, ...options }: PluginStorageOptions) {
  const databaseFolder = (plugin: string) => dataDirectory.pluginDatabases(plugin)
  return {
    databaseFolder,
    ownDatabases: createOwnDatabases({ dataDirectory, ...options }),
    files: (pluginId: string, needs: PluginNeeds) => createPluginFiles({ dataDirectory, pluginId, needs }),
    /** For the plugin's own thread. */
    pathsOf: (plugin: string) => ({
      ownDatabases: databaseFolder(plugin),
      files: dataDirectory.pluginFiles(plugin),
      shared: Object.fromEntries(SHARED_FOLDERS.map((name) => [name, dataDirectory.shared(name)])),
    }),
  }
}

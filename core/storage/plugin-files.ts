// A plugin's view of the data directory: its own folder, and the shared folders in its manifest.
import { PlayheadError, type FileArea, type FileEntry, type PluginFiles, type PluginNeeds } from '@playhead/sdk'
import { pathParts } from './confined-path.ts'
import { SHARED_FOLDERS, type DataDirectory, type SharedFolder } from './data-directory.ts'
import { createFileArea } from './files.ts'

export interface PluginFilesOptions {
  readonly dataDirectory: Pick<DataDirectory, 'shared' | 'pluginFiles'>
  readonly pluginId: string
  readonly needs: Pick<PluginNeeds, 'files' | 'listFiles'>
}

export function createPluginFiles({ dataDirectory, pluginId, needs }: PluginFilesOptions): PluginFiles {
  // Created on first use.
  let own: FileArea | undefined
  const area = (): FileArea => (own ??= createFileArea(dataDirectory.pluginFiles(pluginId)))

  return {
    read: async (path) => await area().read(path),
    readStream: async (path, range) => await area().readStream(path, range),
    write: async (path, content) => await area().write(path, content),
    writeStream: async (path, source) => await area().writeStream(path, source),
    append: async (path, content, at) => await area().append(path, content, at),
    list: async (path) => await area().list(path),
    stat: async (path) => await area().stat(path),
    remove: async (path) => await area().remove(path),

    shared(folder) {
      if (!isShared(folder) || needs.files?.includes(folder) !== true) {
        throw undeclared(`${pluginId} uses the shared folder "${folder}"; add it to needs.files in its plugin.json.`)
      }
      return createFileArea(dataDirectory.shared(folder))
    },

    async listShared(path): Promise<readonly FileEntry[]> {
      if (needs.listFiles !== true) {
        throw undeclared(`${pluginId} lists the shared folders; set needs.listFiles in its plugin.json.`)
      }
      const [folder, ...below] = pathParts(path)
      if (folder === undefined)
        return SHARED_FOLDERS.map((name) => ({ name, isDir: true })).sort((a, b) => (a.name < b.name ? -1 : 1))
      if (!isShared(folder)) throw new PlayheadError('PLH_NOT_FOUND', `There is no "${folder}".`)
      return await createFileArea(dataDirectory.shared(folder)).list(below.join('/'))
    },
  }
}

function isShared(folder: string): folder is SharedFolder {
  return (SHARED_FOLDERS as readonly string[]).includes(folder)
}

function undeclared(message: string): PlayheadError {
  return new PlayheadError('PLH_PLUGIN_UNDECLARED', message)
}

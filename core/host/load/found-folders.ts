// Finds plugin folders in the data directory that no registry lists. After a scan they are in the list, disabled: their
// code must not run before a person enables it.
import { readdir, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { changeRegistry, readEntries, readManifest, type RegisteredPlugin } from './registry.ts'

const FOLDER = 'plugins'

interface FoundFolders {
  /** Ids of the plugins that were added to the registry. */
  readonly added: readonly string[]
}

/**
 * Adds each folder of `<data>/plugins` with a valid plugin.json to the registry. The folder's name must be the plugin's
 * id. Folders of packages and of known ids are skipped.
 */
export async function addFoundFolders(
  userRegistry: string,
  packages: string,
  known: readonly Pick<RegisteredPlugin, 'id' | 'directory'>[],
): Promise<FoundFolders> {
  const parent = join(dirname(userRegistry), FOLDER)
  const entries = await readdir(parent, { withFileTypes: true }).catch(() => [])
  // The next scan reports an unreadable registry; do not overwrite it.
  const registered = await readEntries(userRegistry).catch(() => undefined)
  if (registered === undefined) return { added: [] }
  const listed = new Set([...known, ...registered].map(({ id }) => id))
  const directories = new Set(
    await Promise.all(known.map(({ directory }) => realpath(directory).catch(() => directory))),
  )
  const added: string[] = []
  for (const { name } of entries.filter((entry) => entry.isDirectory() && entry.name !== basename(packages))) {
    if (listed.has(name) || directories.has(await realpath(join(parent, name)))) continue
    // A folder without a valid plugin.json is not a plugin, or is still being copied.
    const isPlugin = await readManifest(join(parent, name), name).then(
      () => true,
      () => false,
    )
    if (isPlugin) added.push(name)
  }
  if (added.length > 0)
    await changeRegistry(userRegistry, (plugins) => [
      ...plugins,
      ...added
        .filter((id) => !plugins.some((one) => one.id === id))
        .map((id) => ({ id, source: `./${FOLDER}/${id}`, enabled: false })),
    ])
  return { added }
}

// Plugins in folders of this machine, such as an author's own: added to the registry switched off, reviewed, and taken out.
import { readFile, realpath } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { PlayheadError, type PluginManifest } from '@playhead/sdk'
import { changeRegistry, readManifest, readRegistries, type RegistryFiles } from '../host/load/registry.ts'
import { rivalsOf } from '../host/load/rivals.ts'
import { asksOf, describeAsk, type Ask } from './asks.ts'

export interface PluginFolder {
  readonly directory: string
  readonly manifest: PluginManifest
}

interface FolderReview {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly directory: string
  readonly asks: readonly { readonly ask: Ask; readonly text: string }[]
  readonly notes: readonly string[]
}

interface Folders {
  /**
   * Adds the plugin in a folder to the registry, switched off: its code must not run before a person has read what it asks
   * for. A folder that is listed already keeps its entry.
   *
   * @param folder an absolute path, or the name of a folder in `<data>/plugins`
   * @throws PLH_INVALID (`folder_invalid`, `not_a_plugin`), PLH_CONFLICT (`plugin_id_taken`), errors of the manifest
   */
  add(folder: string): Promise<FolderReview>
  /** Takes the plugin out of the registry; its folder, settings and data stay. Throws PLH_NOT_FOUND (`plugin_folder_unknown`). */
  remove(id: string): Promise<void>
}

const PLAIN_NAME = /^[\w-][\w.-]*$/

export function createFolders(files: RegistryFiles): Folders {
  const file = files.userRegistry

  return {
    async add(folder) {
      if (!isAbsolute(folder) && !PLAIN_NAME.test(folder))
        throw new PlayheadError(
          'PLH_INVALID',
          `"${folder}" is not a folder's whole path, nor the name of one in ${join(dirname(file), 'plugins')}.`,
          { wire: 'folder_invalid' },
        )
      const { directory, manifest } = await openPluginFolder(
        isAbsolute(folder) ? folder : join(dirname(file), 'plugins', folder),
      )
      const { id, name, version } = manifest
      const known = (await readRegistries(files)).plugins.find((plugin) => plugin.id === id)
      const isKnown = known !== undefined && (await realpath(known.directory).catch(() => null)) === directory
      if (known !== undefined && !isKnown)
        throw new PlayheadError(
          'PLH_CONFLICT',
          known.origin === 'bundled'
            ? `A plugin "${id}" ships with Playhead; give this one another id.`
            : `A plugin "${id}" is registered from ${known.directory}. Remove it first.`,
          { wire: 'plugin_id_taken' },
        )
      if (!isKnown)
        await changeRegistry(file, (plugins) => {
          // Such an entry has no source, so the registries do not list its plugin yet.
          if (plugins.some((entry) => entry.id === id && entry.package !== undefined))
            throw new PlayheadError(
              'PLH_CONFLICT',
              `A package with the plugin "${id}" waits for its review. Drop it first.`,
              { wire: 'plugin_id_taken' },
            )
          const entry = { id, source: sourceOf(file, directory), enabled: false }
          return [...plugins.filter((one) => one.id !== id), entry].sort((a, b) => (a.id < b.id ? -1 : 1))
        })
      const rivals = (await rivalsOf(files, manifest)).filter(({ enabled }) => enabled)
      return {
        ...{ id, name, version, directory },
        asks: asksOf(manifest).map((ask) => ({ ask, text: describeAsk(ask) })),
        notes: rivals.map(
          ({ id: rival, token }) => `"${rival}" provides ${token} already, and only one of them can be on`,
        ),
      }
    },

    async remove(id) {
      const known = (await readRegistries(files)).plugins.find((plugin) => plugin.id === id)
      if (known === undefined || known.origin === 'bundled' || known.package !== null)
        throw new PlayheadError('PLH_NOT_FOUND', `There is no plugin "${id}" from a folder.`, {
          wire: 'plugin_folder_unknown',
        })
      await changeRegistry(file, (plugins) => {
        // The entry holds the version that returns when development ends.
        if (plugins.some((entry) => entry.id === id && entry.development !== undefined))
          throw new PlayheadError('PLH_CONFLICT', `"${id}" is being developed in this service. End that first.`, {
            wire: 'plugin_in_development',
          })
        return plugins.filter((entry) => entry.id !== id)
      })
    },
  }
}

/** Reads and checks the manifest of the plugin in a folder. Throws PLH_INVALID (`folder_invalid`, `not_a_plugin`). */
export async function openPluginFolder(folder: string): Promise<PluginFolder> {
  const directory = await realpath(folder).catch(() => {
    throw new PlayheadError('PLH_INVALID', `there is no folder ${folder}.`, { wire: 'folder_invalid' })
  })
  const text = await readFile(join(directory, 'plugin.json'), 'utf8').catch(() => {
    throw new PlayheadError('PLH_INVALID', `${directory} is not a plugin: it has no plugin.json.`, {
      wire: 'not_a_plugin',
    })
  })
  return { directory, manifest: await readManifest(directory, idIn(text) ?? '') }
}

/** The path of a folder in a registry: relative if nearby, so that both can be moved together. */
export function sourceOf(file: string, folder: string): string {
  const path = relative(dirname(file), folder).split(sep).join('/')
  if (path.startsWith('../../..')) return folder
  return path.startsWith('../') ? path : `./${path}`
}

function idIn(text: string): string | undefined {
  try {
    const id = (JSON.parse(text) as { id?: unknown } | null)?.id
    return typeof id === 'string' ? id : undefined
  } catch {
    // `readManifest` reports the error with its position.
    return undefined
  }
}

// The directory of plugins, for the plugin that shows it: what its list says, which of its folders ship with
// Playhead, and the versions that are put up for a review.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type CatalogueVersion,
  type Logger,
  type PluginDirectory,
  PlayheadError,
  type ShippedPlugin,
} from '@playhead/sdk'
import { readRegistries, type RegistryFiles } from '../host/load/registry.ts'
import { asksOf, describeAsk } from './asks.ts'
import { type CatalogueFiles, createCatalogueStore } from './catalogue-store.ts'
import { openPluginFolder, type PluginFolder } from './folders.ts'
import { packPlugin } from './pack.ts'
import type { Packages } from './packages.ts'

export interface DirectoryPlaces extends CatalogueFiles {
  /** The folders of plugins of the directory that ship with Playhead. */
  readonly shippedPlugins: string
}

interface DirectoryOptions {
  readonly places: DirectoryPlaces
  readonly files: RegistryFiles
  readonly packages: Packages
  readonly nowMs: () => number
  readonly log: Logger
  /** Reloads plugins according to the registry, and says whether one of them runs this version. */
  readonly apply: (id: string, version: string) => Promise<boolean>
}

export function createDirectory({ places, files, packages, nowMs, log, apply }: DirectoryOptions): PluginDirectory {
  const catalogues = createCatalogueStore({ ...places, nowMs, log })
  let folders: Promise<readonly PluginFolder[]> | undefined

  /** They change with Playhead only. */
  async function shippedFolders(): Promise<readonly PluginFolder[]> {
    const entries = await readdir(places.shippedPlugins, { withFileTypes: true }).catch(() => [])
    const found = await Promise.all(
      entries
        .filter((entry) => entry.isDirectory())
        .map(async ({ name }) => {
          const folder = await openPluginFolder(join(places.shippedPlugins, name)).catch(() => null)
          return folder?.manifest.id === name ? [folder] : []
        }),
    )
    return found.flat().sort((a, b) => (a.manifest.id < b.manifest.id ? -1 : 1))
  }

  async function listed(id: string, wanted: string): Promise<CatalogueVersion> {
    const known = await catalogues.newest()
    const entry = known?.catalogue.plugins.find((one) => one.id === id)
    const version = entry?.versions.find((one) => one.version === wanted)
    if (entry === undefined || version === undefined)
      throw new PlayheadError('PLH_NOT_FOUND', `The directory has no version ${wanted} of a plugin "${id}".`, {
        wire: 'version_unknown',
      })
    if (version.archive === null)
      throw new PlayheadError('PLH_CONFLICT', `${entry.name} is a part of Playhead, and is updated with it.`, {
        wire: 'plugin_built_in',
      })
    if (version.withdrawn !== undefined)
      throw new PlayheadError(
        'PLH_CONFLICT',
        `${entry.name} ${wanted} was withdrawn on ${version.withdrawn.date}: ${version.withdrawn.why}`,
        { wire: 'version_withdrawn' },
      )
    return version
  }

  async function packShipped(id: string, { version, asks }: CatalogueVersion): Promise<Buffer> {
    const folder = (await (folders ??= shippedFolders())).find(({ manifest }) => manifest.id === id)
    if (folder?.manifest.version !== version)
      throw new PlayheadError(
        'PLH_CONFLICT',
        `${id} ${version} does not ship with this Playhead, and has to be fetched from the address of the directory.`,
        { wire: 'archive_needed' },
      )
    return await packListed(folder, asks)
  }

  return {
    catalogue: () => catalogues.newest(),
    offer: (file) => catalogues.offer(file),
    describe: (asks) => asks.map(describeAsk),
    shipped: async () => (await (folders ??= shippedFolders())).map(shippedOf),

    async added() {
      const known = await packages.list()
      const { plugins } = await readRegistries(files)
      return [
        ...known.map(({ id, source, version, previous, staged }) => ({
          ...{ id, source, version, previous },
          staged: staged?.version ?? null,
        })),
        ...plugins
          .filter((plugin) => plugin.origin === 'user' && plugin.package === null)
          .map(({ id }) => ({ id, source: 'folder' as const, version: null, previous: null, staged: null })),
      ]
    },

    async stage(id, wanted, archive) {
      const version = await listed(id, wanted)
      const bytes = archive === undefined ? await packShipped(id, version) : Buffer.from(archive)
      const { state } = await packages.stageListed(bytes, { id, ...version })
      if (state !== 'ready') return { state, ok: true, id, version: wanted }
      await packages.accept(id, wanted)
      return { state: 'updated', ok: await apply(id, wanted), id, version: wanted }
    },
  }
}

/** The archive of a folder as the list has it, without running its code. */
export async function packListed(
  { directory, manifest }: PluginFolder,
  asks: CatalogueVersion['asks'],
): Promise<Buffer> {
  // Without one the archive is another one than the list has.
  const text = await readFile(join(directory, 'package.json'), 'utf8').catch(() => '{}')
  const packageJson = JSON.parse(text) as Record<string, unknown>
  const of = (kind: string, prefix = '') =>
    asks.filter((ask) => ask.startsWith(`${kind} `)).map((ask) => prefix + ask.slice(kind.length + 1))
  const uses = { hooks: [...of('hook'), ...of('event', 'event:')], secrets: of('secret') }
  return (await packPlugin({ directory, manifest, packageJson, uses, isStored: true })).tarball
}

function shippedOf({ directory, manifest }: PluginFolder): ShippedPlugin {
  const { id, name, description = '', kind, mark, version, api } = manifest
  return {
    ...{ id, name, description, kind, version, api, folder: directory, asks: [...asksOf(manifest)] },
    ...(mark === undefined ? {} : { mark }),
  }
}

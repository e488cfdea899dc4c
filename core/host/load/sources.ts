// Sources of plugins: list, manifests and code. The service reads them from the registries' folders.
import type { DefinedPlugin, PluginManifest } from '@playhead/sdk'
import { compilePages, type CompiledPages } from './compile-pages.ts'
import { compilePlugin, type CompiledPlugin } from './compile.ts'
import {
  readManifest,
  readRegistries,
  type RegisteredPlugin,
  type RegistryFiles,
  type RegistryReading,
} from './registry.ts'

type PluginPlace = Pick<RegisteredPlugin, 'id' | 'directory'>

/** Source text, or an evaluated definition. */
export type PluginCode = string | DefinedPlugin

export interface BuiltPlugin {
  readonly compiled: Omit<CompiledPlugin, 'code'> & { readonly code: PluginCode }
  readonly pages: CompiledPages | null
}

export interface PluginSources {
  list(): Promise<RegistryReading>
  /** Throws a LoadError. */
  manifest(place: PluginPlace): Promise<PluginManifest>
  /** Throws a LoadError. */
  build(place: PluginPlace, manifest: PluginManifest): Promise<BuiltPlugin>
}

export function createFolderSources(directories: RegistryFiles & { readonly compiled: string | null }): PluginSources {
  const { compiled: cacheDirectory } = directories
  return {
    list: () => readRegistries(directories),
    manifest: ({ id, directory }) => readManifest(directory, id),
    async build({ id, directory }, { entry = 'index.ts', ui }) {
      const compiled = await compilePlugin({ id, directory, entry, cacheDirectory })
      return { compiled, pages: await compilePages({ id, directory, ui, cacheDirectory }) }
    },
  }
}

// Sources of plugins: list, manifests and code. The service reads them from the registries' folders.
import { join } from 'node:path'
import type { DefinedPlugin, PluginManifest } from '@playhead/sdk'
import type { Description } from '../../http/openapi/openapi.ts'
import { ROOT } from '../../installation.ts'
import { compilePages, type CompiledPages } from './compile-pages.ts'
import { compilePlugin, type CompiledPlugin } from './compile.ts'
import type { Shipped, ShippedEntry } from './shipped.ts'
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
  /** The shipped build of a plugin, if its sources are the same. */
  shipped?(place: PluginPlace): ShippedEntry | null
  /** The OpenAPI description of a shipped plugin. */
  shippedDescription?(id: string): Promise<Description | null>
  /** Throws a LoadError. */
  manifest(place: PluginPlace): Promise<PluginManifest>
  /** Throws a LoadError. */
  build(place: PluginPlace, manifest: PluginManifest): Promise<BuiltPlugin>
}

export function createFolderSources(
  directories: RegistryFiles & { readonly compiled: string | null },
  shipped: Shipped | null,
): PluginSources {
  const { compiled: cacheDirectory } = directories
  return {
    list: () => readRegistries(directories),
    shipped: (place) => shipped?.find(place) ?? null,
    shippedDescription: async (id) => (await shipped?.description(id)) ?? null,
    manifest: async ({ id, directory }) => shipped?.find({ id, directory })?.manifest ?? readManifest(directory, id),
    async build({ id, directory }, { entry = 'index.ts', ui }) {
      const startedAt = performance.now()
      const made = shipped?.find({ id, directory }) ?? null
      const code = made === null ? null : await shipped?.code(id)
      if (made !== null && code != null) {
        const inputs = made.sources.slice(1).map((source) => join(ROOT, source))
        const compiled = { code, hash: made.compiledHash, inputs, fromCache: true, ms: performance.now() - startedAt }
        return { compiled, pages: null }
      }
      const compiled = await compilePlugin({ id, directory, entry, cacheDirectory })
      return { compiled, pages: await compilePages({ id, directory, ui, cacheDirectory }) }
    },
  }
}

// Finds plugins of which only one can be enabled, because both provide the same: for example a feature that replaces a
// bundled one.
import type { PluginManifest } from '@playhead/sdk'
import { readManifest, readRegistries, type RegistryFiles } from './registry.ts'

export interface Rival {
  readonly id: string
  readonly enabled: boolean
  /** The names that both provide. */
  readonly token: string
}

export type Identity = Pick<PluginManifest, 'id' | 'provides'>

/** The other registered plugins that provide one of this plugin's names. */
export async function rivalsOf(files: RegistryFiles, { id, provides = [] }: Identity): Promise<readonly Rival[]> {
  if (provides.length === 0) return []
  const others = (await readRegistries(files)).plugins.filter((plugin) => plugin.id !== id)
  const found = await Promise.all(
    others.map(async ({ id: other, directory, enabled }) => {
      const manifest = await readManifest(directory, other).catch(() => null)
      const token = manifest?.provides?.find((one) => provides.includes(one))
      return token === undefined ? [] : [{ id: other, enabled, token }]
    }),
  )
  return found.flat()
}

// Values of a manifest with their defaults.
import type { PluginManifest } from '@playhead/sdk'

export const DEFAULT_MEMORY_MB = 256

/** The sections of the settings that the plugin owns. */
export function sectionsOf(manifest: PluginManifest): readonly string[] {
  return manifest.section === undefined ? [`plugins.${manifest.id}`] : ([] as string[]).concat(manifest.section)
}

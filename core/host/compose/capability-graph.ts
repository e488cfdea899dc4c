// Computes the staging order: required capabilities must come from plugins that are active or staged earlier. Optional
// ones are resolved on use. Reports missing capabilities, version mismatches and cycles.
import satisfies from 'semver/functions/satisfies.js'
import type { PluginManifest } from '@playhead/sdk'
import { parseToken } from './capabilities.ts'
import { LoadError } from '../run/fault.ts'

interface GraphResult {
  /** Plugin ids, providers before their dependents. */
  readonly order: readonly string[]
  readonly blocked: ReadonlyMap<string, LoadError>
}

/**
 * @param candidates plugins to stage
 * @param live manifests of running plugins that stay
 */
export function orderByCapabilities(
  candidates: readonly PluginManifest[],
  live: readonly PluginManifest[],
): GraphResult {
  const provider = new Map<string, PluginManifest>()
  for (const manifest of [...live, ...candidates])
    for (const token of manifest.provides ?? []) provider.set(token, manifest)
  const byId = new Map(candidates.map((manifest) => [manifest.id, manifest]))
  const blocked = new Map<string, LoadError>()
  const order: string[] = []
  const state = new Map<string, 'visiting' | 'done'>()

  const visit = (manifest: PluginManifest, path: readonly string[]): void => {
    if (state.get(manifest.id) === 'done') return
    if (state.get(manifest.id) === 'visiting') {
      const circle = [...path.slice(path.indexOf(manifest.id)), manifest.id]
      for (const id of circle)
        blocked.set(
          id,
          new LoadError(
            'check',
            'PLH_CAPABILITY_CYCLE',
            `These plugins require each other in a circle: ${circle.join(' → ')}. Make one of the requirements optional.`,
          ),
        )
      return
    }
    state.set(manifest.id, 'visiting')
    for (const text of manifest.requires ?? []) {
      const { token, range } = parseToken(text)
      const source = provider.get(token)
      if (source === undefined) {
        blocked.set(
          manifest.id,
          blocked.get(manifest.id) ??
            new LoadError(
              'check',
              'PLH_CAPABILITY_MISSING',
              `Plugin "${manifest.id}" requires "${token}", and no enabled plugin provides it.`,
            ),
        )
        continue
      }
      if (range !== null && !satisfies(source.version, range, { includePrerelease: true })) {
        blocked.set(
          manifest.id,
          blocked.get(manifest.id) ??
            new LoadError(
              'check',
              'PLH_CAPABILITY_MISSING',
              `Plugin "${manifest.id}" requires "${token}" ${range}, but plugin "${source.id}" has version ${source.version}.`,
            ),
        )
        continue
      }
      const candidate = byId.get(source.id)
      if (candidate === undefined) continue
      visit(candidate, [...path, manifest.id])
      if (blocked.has(candidate.id) && !blocked.has(manifest.id)) {
        blocked.set(
          manifest.id,
          new LoadError(
            'check',
            'PLH_CAPABILITY_MISSING',
            `Plugin "${manifest.id}" requires "${token}" of plugin "${candidate.id}", which cannot be loaded.`,
          ),
        )
      }
    }
    state.set(manifest.id, 'done')
    if (!blocked.has(manifest.id)) order.push(manifest.id)
  }
  for (const manifest of candidates) visit(manifest, [])
  return { order, blocked }
}

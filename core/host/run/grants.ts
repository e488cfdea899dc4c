// Limits a plugin from npm to its accepted permissions: those of its manifest, and those that setup uses.
import { isSecretPath, type PluginManifest } from '@playhead/sdk'
import type { TSchema } from '@sinclair/typebox'
import { asksOf, beyond, describeAsk, type Ask } from '../../packages/asks.ts'
import { LoadError } from './fault.ts'
import type { Recording } from './recording.ts'

/** Throws PLH_PLUGIN_REVIEW if the manifest asks for more. */
export function checkManifestGrants(manifest: PluginManifest, granted: readonly Ask[]): void {
  const more = beyond(granted, asksOf(manifest))
  if (more.length === 0) return
  throw new LoadError(
    'manifest',
    'PLH_PLUGIN_REVIEW',
    `Plugin "${manifest.id}" asks for more than was accepted (${more.map(describeAsk).join('; ')}). Fetch it again and review it.`,
  )
}

/** Hooks, events and secrets that are used but not declared, in the form of the manifest. */
function undeclaredUses(
  manifest: PluginManifest,
  { taps, listeners }: Pick<Recording, 'taps' | 'listeners'>,
  settings: TSchema | undefined,
): { readonly hooks: readonly string[]; readonly secrets: readonly string[] } {
  const { hooks = [], secrets = [] } = manifest.needs ?? {}
  const used = [...taps.map(({ hook }) => hook), ...listeners.map(({ name }) => `event:${name}`)]
  return {
    hooks: [...new Set(used)].filter((name) => !hooks.includes(name)).sort(),
    secrets: secretFieldsOf(settings).filter((name) => !secrets.includes(name)),
  }
}

/** Throws PLH_PLUGIN_REVIEW if setup registered something that the manifest does not declare. */
export function checkUses(...[manifest, recording, settings]: Parameters<typeof undeclaredUses>): void {
  const { hooks, secrets } = undeclaredUses(manifest, recording, settings)
  const parts = [
    ...(hooks.length === 0 ? [] : [`needs.hooks: ${hooks.join(', ')}`]),
    ...(secrets.length === 0 ? [] : [`needs.secrets: ${secrets.join(', ')}`]),
  ]
  if (parts.length === 0) return
  throw new LoadError(
    'check',
    'PLH_PLUGIN_REVIEW',
    `Plugin "${manifest.id}" uses what its plugin.json does not ask for (${parts.join('; ')}), so it was not reviewed. Its author can add it: "playhead plugin pack" does.`,
  )
}

/** Dotted paths of secret fields; profiles have the fields of their provider. */
export function secretFieldsOf(settings: TSchema | undefined): readonly string[] {
  const found = new Set<string>()
  const walk = (schema: TSchema, path: readonly string[]): void => {
    const isText = schema['type'] === 'string'
    if (schema['secret'] === true || (isText && isSecretPath(path)))
      found.add(path.join('.').replace(/(^|\.)instances\.\*\./, '$1'))
    for (const [name, part] of Object.entries((schema['properties'] ?? {}) as Record<string, TSchema>))
      walk(part, [...path, name])
    for (const part of Object.values((schema['patternProperties'] ?? {}) as Record<string, TSchema>))
      walk(part, [...path, '*'])
    for (const key of ['items', 'additionalProperties']) {
      const part = schema[key] as TSchema | boolean | undefined
      if (typeof part === 'object' && part !== null) walk(part, [...path, '*'])
    }
    for (const key of ['anyOf', 'allOf', 'oneOf'])
      for (const part of (schema[key] ?? []) as readonly TSchema[]) walk(part, path)
  }
  if (settings !== undefined) walk(settings, [])
  return [...found].sort()
}

// Names that are never redacted: a secret with the same text must not garble messages about a plugin.
import type { PluginManifest } from '@playhead/sdk'
import type { Slot } from './slot.ts'

export function publicNamesOf(slots: Iterable<Pick<Slot, 'id' | 'manifest'>>): ReadonlySet<string> {
  return new Set([...slots].flatMap(({ id, manifest }) => (manifest === null ? [id] : [id, ...namesIn(manifest)])))
}

function namesIn({
  section = [],
  provides = [],
  requires = [],
  optional = [],
  routes = [],
  logChannels = [],
  provider,
  ui,
}: PluginManifest): readonly string[] {
  return [
    ...([] as string[]).concat(section),
    ...provides,
    ...requires,
    ...optional,
    ...routes.map(({ path }) => path),
    ...logChannels.map(({ tag }) => tag),
    ...(provider === undefined ? [] : [provider.id, provider.token]),
    ...(ui?.pages ?? []).map(({ path }) => path),
  ]
}

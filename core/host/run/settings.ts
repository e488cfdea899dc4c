// Maps a plugin's settings between the configuration document and its context.
import { isObject } from '../../config/document/document.ts'
import { deepFreeze, type PluginContext, type PluginManifest, type SettingsChange } from '@playhead/sdk'
import type { ConfigContribution, ConfigDocument, ConfigService } from '../../config/contract.ts'
import { LoadError } from './fault.ts'
import { sectionsOf } from '../load/manifest-values.ts'

/**
 * The plugin's effective settings, frozen: its section, or an object by section if there are several. Throws a
 * LoadError if stored values and defaults do not satisfy the schema.
 */
export function bindSettings(
  config: ConfigService,
  contribution: ConfigContribution | null,
  manifest: PluginManifest,
  onProblem: (problem: { path: string; message: string }) => void,
): Readonly<Record<string, unknown>> {
  if (contribution === null) return Object.freeze({})
  const values = contribution.sections.map(({ path, schema, hasCheckedDefaults }) => {
    const { value, problems, valid } = config.resolve(
      path,
      schema,
      hasCheckedDefaults === undefined ? {} : { hasCheckedDefaults },
    )
    if (!valid) {
      const first = problems[0] ?? { path, message: 'is not usable' }
      throw new LoadError(
        'check',
        'PLH_CONFIG_INVALID',
        `Plugin "${manifest.id}" has no usable settings: ${first.path}: ${first.message}.`,
      )
    }
    problems.forEach(onProblem)
    return [path, value] as const
  })
  const settings = Array.isArray(manifest.section) ? Object.fromEntries(values) : values[0]?.[1]
  return deepFreeze(structuredClone(settings ?? {}) as Record<string, unknown>)
}

/** True if a changed path is in, or above, a section of the contribution. */
export function isTouched(
  { sections }: { readonly sections: readonly { readonly path: string }[] },
  paths: readonly string[],
): boolean {
  return sections.some(({ path }) =>
    paths.some(
      (changed) =>
        changed === path ||
        changed.startsWith(`${path}.`) ||
        changed.startsWith(`${path}[`) ||
        path.startsWith(`${changed}.`),
    ),
  )
}

type SettingsUpdate = Parameters<PluginContext['updateConfig']>[0]

/** Merges a plugin's settings change into the stored document. */
export function changeSettings(draft: ConfigDocument, manifest: PluginManifest, update: SettingsUpdate): void {
  const { section } = manifest
  if (Array.isArray(section)) {
    const stored = Object.fromEntries(section.map((name) => [name, draft[name]]))
    for (const [name, value] of Object.entries(changeOf(update, stored))) {
      if (section.includes(name)) merge(draft, name, value)
    }
    return
  }
  let target = draft
  for (const key of (sectionsOf(manifest)[0] as string).split('.')) {
    target[key] = isObject(target[key]) ? target[key] : {}
    target = target[key] as ConfigDocument
  }
  for (const [key, value] of Object.entries(changeOf(update, target))) merge(target, key, value)
}

// The function receives a copy, so that it cannot change the document directly.
function changeOf(update: SettingsUpdate, stored: object): SettingsChange {
  return typeof update === 'function' ? update(structuredClone(stored) as SettingsChange) : update
}

// Objects are merged, other values replaced; undefined deletes.
function merge(target: ConfigDocument, key: string, value: unknown): void {
  if (value === undefined) delete target[key]
  else if (isObject(value) && isObject(target[key]))
    for (const [inner, item] of Object.entries(value)) merge(target[key] as ConfigDocument, inner, item)
  else target[key] = value
}

// Normalizes the settings of all profiles at each save.
import { isRecord } from '../../items/result.ts'
import type { TObject } from '@sinclair/typebox'
import { DEFAULT_PROFILE } from './profile-ids.ts'
import type { ProfileShape } from './profile-schema.ts'
import { cleanLabel, resolveProfile } from './profiles.ts'
import { leavesOf, type Settings, valueAt, withValue } from './settings-tree.ts'
import { defined } from '../../defined.ts'

/** @param normalize of the provider; receives and returns one profile */
export function shapedSection<Schema extends TObject>(
  shape: ProfileShape,
  normalize: ((profile: never) => unknown) | undefined,
  section: Schema['static'],
): Schema['static'] {
  const { instances, ...first } = section as Settings & { readonly instances?: unknown }
  const shaped = (own: Settings, isDefault: boolean): Settings => {
    const label = typeof own['label'] === 'string' ? { ...own, label: cleanLabel(own['label']) } : own
    if (normalize === undefined) return label
    const whole = resolveProfile(shape, label, isDefault ? {} : first)
    const result = normalize(structuredClone(whole) as never)
    return isRecord(result) ? withChanges(label, whole as Settings, result) : label
  }
  const shapedInstances = isRecord(instances)
    ? Object.fromEntries(
        Object.entries(instances).map(([id, own]) => [
          id,
          isRecord(own) && id !== DEFAULT_PROFILE ? shaped(own, false) : own,
        ]),
      )
    : instances
  return { ...shaped(first, true), ...defined({ instances: shapedInstances }) } as Schema['static']
}

// Only the provider's changes are stored, so inherited values stay inherited.
function withChanges(own: Settings, before: Settings, after: Settings): Settings {
  let changed = own
  for (const [path, value] of leavesOf(after)) {
    if (JSON.stringify(value) !== JSON.stringify(valueAt(before, path))) changed = withValue(changed, path, value)
  }
  for (const [path] of leavesOf(before))
    if (valueAt(after, path) === undefined) changed = withValue(changed, path, undefined)
  return changed
}

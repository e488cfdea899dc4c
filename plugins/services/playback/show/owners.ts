// Which accounts certainly belong to one person: those that an enabled pair connects.
import type { PairState } from '@playhead/sdk'
import { keyText } from '../profiles.ts'

/** The owner of a profile, as a name that means nothing else. */
export type OwnerOf = (profileKey: string) => string

export function ownersOf(
  pairs: readonly Pick<PairState, 'enabled' | 'source' | 'source_instance' | 'target' | 'target_instance'>[],
): OwnerOf {
  const parents = new Map<string, string>()
  const rootOf = (key: string): string => {
    let root = key
    for (let next = parents.get(root); next !== undefined; next = parents.get(root)) root = next
    return root
  }
  for (const { enabled, source, source_instance: from, target, target_instance: to } of pairs) {
    if (!enabled) continue
    const [a, b] = [rootOf(keyText(`${source}:${from}`)), rootOf(keyText(`${target}:${to}`))]
    if (a !== b) parents.set(a, b)
  }
  return (profileKey) => rootOf(keyText(profileKey))
}

// Finds the entry of a request. A key without a kind must match exactly one entry.
import { candidateKeys } from '@playhead/sdk/items'
import type { Entry } from './entry.ts'

export interface WantedKey {
  readonly key: string
  readonly aliases: readonly string[]
}

export type FoundEntry =
  | { readonly outcome: 'found'; readonly entry: Entry }
  | { readonly outcome: 'not_in_state' | 'ambiguous_key' }

/** Names to try in order: the aliases only if the key itself is unknown. */
function triesOf({ key, aliases }: WantedKey): readonly (readonly string[])[] {
  const tries = [[key], decoded(key), aliases.flatMap((alias) => [alias, ...decoded(alias)])]
  return tries.map((texts) => texts.flatMap((text) => [text, ...candidateKeys(text)]))
}

/** All names that the keys may match. */
export function namesOf(keys: readonly WantedKey[]): readonly string[] {
  return [...new Set(keys.flatMap(triesOf).flat())]
}

/** @param entries all entries with one of these names */
export function createFinder(entries: readonly Entry[]): (wanted: WantedKey) => FoundEntry {
  const byName = new Map<string, Entry[]>()
  for (const entry of entries) {
    for (const name of entry.names) {
      const known = byName.get(name)
      if (known === undefined) byName.set(name, [entry])
      else known.push(entry)
    }
  }

  return (wanted) => {
    for (const names of triesOf(wanted)) {
      const [first, ...others] = new Set(names.flatMap((name) => byName.get(name) ?? []))
      if (first !== undefined)
        return others.length === 0 ? { outcome: 'found', entry: first } : { outcome: 'ambiguous_key' }
    }
    return { outcome: 'not_in_state' }
  }
}

// Some clients encode twice.
function decoded(text: string): string[] {
  if (!text.includes('%')) return []
  try {
    return [decodeURIComponent(text)]
  } catch {
    return []
  }
}

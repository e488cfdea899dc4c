// Which entry a client means. Keys without a kind are taken when they can mean one entry only.
import { candidateKeys } from '@playhead/sdk'
import { inChunks } from './pause.ts'
import type { Entry } from './view.ts'

export interface WantedKey {
  readonly key: string
  readonly aliases: readonly string[]
}

export type FoundEntry =
  | { readonly outcome: 'found'; readonly entry: Entry }
  | { readonly outcome: 'not_in_state' | 'ambiguous_key' }

/** The aliases are asked when the key itself is not known. */
export async function createFinder(entries: readonly Entry[]): Promise<(wanted: WantedKey) => FoundEntry> {
  const byName = new Map<string, Entry[]>()
  for await (const part of inChunks(entries)) {
    for (const entry of part) {
      for (const name of entry.names) {
        const known = byName.get(name)
        if (known === undefined) byName.set(name, [entry])
        else known.push(entry)
      }
    }
  }
  const meant = (texts: readonly string[]): ReadonlySet<Entry> =>
    new Set(texts.flatMap((text) => [text, ...candidateKeys(text)]).flatMap((name) => byName.get(name) ?? []))

  return ({ key, aliases }) => {
    const tries = [() => [key], () => decoded(key), () => aliases.flatMap((alias) => [alias, ...decoded(alias)])]
    for (const texts of tries) {
      const [first, ...others] = meant(texts())
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

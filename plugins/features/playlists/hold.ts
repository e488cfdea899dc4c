// Holds items that may be the same without proof: they are not written.
import { sharesScheme, titleTokenOf } from '@playhead/sdk/items'
import type { Entry, Group, Known } from './groups.ts'
import type { Pace } from './pace.ts'

/**
 * Holds groups of one side
 *
 * - that share a token with a group of the other side and contradict it,
 * - without usable ids,
 * - of an item that was written before, if the other side has an unmatched item of its title: some services show an item
 *   under ids that no other service knows.
 */
export async function holdGroups(groups: readonly Group[], known: Known, pace: Pace): Promise<void> {
  const tokens = { source: new Set<string>(), targets: new Set<string>() }
  const titles = { source: new Map<string, Group[]>(), targets: new Map<string, Group[]>() }
  for (const group of groups) {
    await pace()
    for (const side of SIDES) {
      if (group[side].length === 0) continue
      for (const token of group.tokens) tokens[side].add(token)
      const title = isOneSided(group) ? titleTokenOf(group[side][0]!.item) : undefined
      if (title !== undefined) titles[side].set(title, [...(titles[side].get(title) ?? []), group])
    }
  }

  const notShown = new Set(known.refused.flatMap(({ key, reason }) => (reason === 'not_shown' ? [key] : [])))
  for (const group of groups) {
    await pace()
    if (!isOneSided(group)) continue
    const [side, other] = group.source.length > 0 ? SIDES : BACKWARDS
    const entry = group[side][0]!
    const title = titleTokenOf(entry.item)
    const sameTitle = title === undefined ? [] : (titles[other].get(title) ?? [])
    if (group.tokens.size === 0) {
      const isThere = sameTitle.some((one) => one.tokens.size === 0)
      group.held ??= isThere ? 'ambiguous' : 'missing_ids'
    } else if ([...group.tokens].some((token) => tokens[other].has(token))) {
      group.held ??= 'ambiguous'
    } else if (group.records.length > 0 || group[side].some(({ key }) => notShown.has(key))) {
      for (const one of sameTitle) {
        if (one.records.length > 0 || sharesScheme(entry.item, itemOf(one[other]), known)) continue
        group.held = 'ambiguous'
        one.held = 'ambiguous'
      }
    }
  }
}

const SIDES = ['source', 'targets'] as const
const BACKWARDS = ['targets', 'source'] as const

function isOneSided({ source, targets }: Group): boolean {
  return (source.length === 0) !== (targets.length === 0)
}

function itemOf(entries: readonly Entry[]): Entry['item'] {
  return entries[0]!.item
}

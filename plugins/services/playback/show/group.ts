// Groups positions of the same title: within one account, and between accounts of one person. Differing positions stay separate.
import { type OwnerOf, yieldToLoop } from '@playhead/sdk'
import { contradicts, sharesScheme } from '@playhead/sdk/items'
import type { Profile } from '../profiles.ts'
import type { Entry } from '../read/entry.ts'

export interface Place {
  readonly profile: Profile
  readonly entry: Entry
  /** When the position was read, epoch milliseconds; null if unknown. */
  readonly readAtMs: number | null
  /** From an earlier read, because the last one failed. */
  readonly isOld: boolean
}

/** The newest position first. */
export type Group = readonly [Place, ...Place[]]

/** Positions further apart than this are shown separately, percent. */
const APART = 2
/** Rows between two turns of the event loop. */
const CHUNK = 500
/** Titles with more copies are not grouped. */
const MAX_GROUP = 50

export async function groupPlaces(places: readonly Place[], ownerOf: OwnerOf): Promise<readonly Group[]> {
  const sets: Place[][] = []
  const byToken = new Map<string, Place[]>()
  const owners = new Map<string, string>()
  for (const [index, place] of places.entries()) {
    if (index > 0 && index % CHUNK === 0) await yieldToLoop()
    const { profile, entry } = place
    let owner = owners.get(profile.key)
    if (owner === undefined) owners.set(profile.key, (owner = ownerOf(profile)))
    const tokens = entry.tokens.map((token) => `${owner} ${token}`)
    const title = entry.titleToken === undefined ? undefined : `${owner} ${entry.titleToken}`
    let set = tokens.map((token) => byToken.get(token)).find((found) => found !== undefined && fits(found, entry))
    if (set === undefined && title !== undefined) {
      const named = byToken.get(title)
      // The title alone identifies an item only if no ids are available.
      if (
        named !== undefined &&
        fits(named, entry) &&
        !named.some((other) => sharesScheme(other.entry.item, entry.item))
      )
        set = named
    }
    if (set === undefined) sets.push((set = []))
    set.push(place)
    for (const token of tokens) if (!byToken.has(token)) byToken.set(token, set)
    if (title !== undefined && !byToken.has(title)) byToken.set(title, set)
  }
  const groups: Group[] = []
  for (const [index, set] of sets.entries()) {
    if (index > 0 && index % CHUNK === 0) await yieldToLoop()
    if (set.length === 1) groups.push(set as unknown as Group)
    else groups.push(...split(set))
  }
  return groups
}

function fits(set: readonly Place[], { item, mediaType }: Entry): boolean {
  return (
    set.length < MAX_GROUP && set.every(({ entry }) => entry.mediaType === mediaType && !contradicts(entry.item, item))
  )
}

function split(set: readonly Place[]): Group[] {
  const known = set.filter(({ entry }) => entry.percent !== null).sort((a, b) => a.entry.percent! - b.entry.percent!)
  const unknown = set.filter(({ entry }) => entry.percent === null)
  const parts: Place[][] = unknown.length === 0 ? [] : [unknown]
  let least = -Infinity
  let part: Place[] = []
  for (const place of known) {
    const percent = place.entry.percent!
    if (percent - least > APART) {
      least = percent
      parts.push((part = []))
    }
    part.push(place)
  }
  return parts.map((places) => places.sort(newestFirst) as unknown as Group)
}

function newestFirst(a: Place, b: Place): number {
  return (
    (b.entry.updatedAtMs ?? -Infinity) - (a.entry.updatedAtMs ?? -Infinity) || (a.profile.key < b.profile.key ? -1 : 1)
  )
}

// Filters and sorts the list.
import { yieldToLoop } from '@playhead/sdk'
import { episodeCode, foldText, partOf } from '@playhead/sdk/items'
import { keyText } from '../profiles.ts'
import type { Group, Place } from './group.ts'

export const AGES = ['today', '7d', '30d', 'older_30d'] as const
export const SORTS = [
  'last_updated',
  'progress_high',
  'progress_low',
  'remaining_time',
  'rating_high',
  'title',
  'provider',
] as const
export const MEDIA_TYPES = ['all', 'movie', 'episode', 'anime_episode'] as const

interface Filters {
  readonly instance: string
  readonly mediaType: (typeof MEDIA_TYPES)[number]
  readonly progressMin?: number
  readonly progressMax?: number
  readonly age?: (typeof AGES)[number]
  readonly ratingMin?: number
  readonly search: string
}

const DAY_MS = 86_400_000
/** Rows between two turns of the event loop. */
const CHUNK = 1_000

/** @param nowMs reference time of ages; days are in UTC */
export function matcherOf(filters: Filters, nowMs: number): (place: Place) => boolean {
  const { mediaType, progressMin, progressMax, age, ratingMin } = filters
  const instance = keyText(filters.instance)
  const search = foldText(filters.search).trim()
  return ({ profile, entry }) => {
    const { percent, rating, updatedAtMs, progressAtMs } = entry
    if (instance !== '' && keyText(profile.instance) !== instance) return false
    if (mediaType !== 'all' && entry.mediaType !== mediaType) return false
    if (progressMin !== undefined && !(percent !== null && percent >= progressMin)) return false
    if (progressMax !== undefined && !(percent !== null && percent <= progressMax)) return false
    if (ratingMin !== undefined && !(rating !== null && rating >= ratingMin)) return false
    if (age !== undefined && !isOfAge(updatedAtMs ?? progressAtMs, age, nowMs)) return false
    return search === '' || textsOf({ profile, entry }).some((text) => foldText(text).includes(search))
  }
}

function isOfAge(atMs: number | null, age: (typeof AGES)[number], nowMs: number): boolean {
  if (atMs === null) return false
  if (age === 'today') return atMs >= Math.floor(nowMs / DAY_MS) * DAY_MS
  if (age === '7d') return atMs >= nowMs - 7 * DAY_MS
  const isRecent = atMs >= nowMs - 30 * DAY_MS
  return age === '30d' ? isRecent : !isRecent
}

function textsOf({ profile, entry: { item } }: Pick<Place, 'profile' | 'entry'>): readonly string[] {
  const part = partOf(item)
  const number = part?.episode === undefined ? [] : [episodeCode(part).toLowerCase()]
  return [item.title ?? '', item.series_title ?? '', profile.label, profile.instanceLabel, ...number]
}

/** The groups with at least one matching position; other positions are removed from their group. */
export async function filterGroups(
  groups: readonly Group[],
  matches: (place: Place) => boolean,
): Promise<readonly Group[]> {
  const kept: Group[] = []
  for (const [index, group] of groups.entries()) {
    if (index > 0 && index % CHUNK === 0) await yieldToLoop()
    const places = group.length === 1 ? (matches(group[0]) ? group : []) : group.filter(matches)
    if (places.length > 0) kept.push(places as unknown as Group)
  }
  return kept
}

/** Sorts by the newest position of each group, except for ratings; unknown values come last. */
export async function sortGroups(groups: readonly Group[], sort: (typeof SORTS)[number]): Promise<readonly Group[]> {
  const keyed: Keyed[] = []
  for (const [index, group] of groups.entries()) {
    if (index > 0 && index % CHUNK === 0) await yieldToLoop()
    keyed.push({ group, by: keyOf(group, sort), title: group[0].entry.sortTitle })
  }
  return (await sortInParts(keyed)).map(({ group }) => group)
}

interface Keyed {
  readonly group: Group
  readonly by: number | string
  readonly title: string
}

function keyOf([first, ...others]: Group, sort: (typeof SORTS)[number]): number | string {
  const { percent, updatedAtMs, sortTitle } = first.entry
  switch (sort) {
    case 'last_updated':
      return -(updatedAtMs ?? -Infinity)
    case 'progress_high':
      return -(percent ?? -Infinity)
    case 'progress_low':
      return percent ?? Infinity
    case 'remaining_time':
      return remainingOf(first) ?? Infinity
    case 'rating_high':
      return -Math.max(...[first, ...others].map(({ entry }) => entry.rating ?? -Infinity))
    case 'title':
      return sortTitle
    case 'provider':
      return `${foldText(first.profile.label)} ${first.profile.key}`
  }
}

/** Seconds left; null if unknown or none. */
export function remainingOf({ entry: { percent, durationMs } }: Pick<Place, 'entry'>): number | null {
  if (percent === null || durationMs === null) return null
  return Math.round((durationMs * (100 - percent)) / 100_000) || null
}

function compare(a: Keyed, b: Keyed): number {
  if (a.by !== b.by) return a.by < b.by ? -1 : 1
  if (a.title !== b.title) return a.title < b.title ? -1 : 1
  return idOf(a) < idOf(b) ? -1 : 1
}

function idOf({ group: [{ profile, entry }] }: Keyed): string {
  return `${profile.key} ${entry.remoteId}`
}

/** A merge sort that yields to the event loop. */
async function sortInParts(all: readonly Keyed[]): Promise<readonly Keyed[]> {
  let parts: Keyed[][] = []
  for (let start = 0; start < all.length; start += CHUNK) {
    await yieldToLoop()
    parts.push(all.slice(start, start + CHUNK).sort(compare))
  }
  while (parts.length > 1) {
    const merged: Keyed[][] = []
    for (let index = 0; index < parts.length; index += 2)
      merged.push(parts[index + 1] === undefined ? parts[index]! : await merge(parts[index]!, parts[index + 1]!))
    parts = merged
  }
  return parts[0] ?? []
}

async function merge(a: readonly Keyed[], b: readonly Keyed[]): Promise<Keyed[]> {
  const merged: Keyed[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    if (merged.length > 0 && merged.length % (CHUNK * 4) === 0) await yieldToLoop()
    const fromA = j >= b.length || (i < a.length && compare(a[i]!, b[j]!) <= 0)
    merged.push(fromA ? a[i++]! : b[j++]!)
  }
  return merged
}

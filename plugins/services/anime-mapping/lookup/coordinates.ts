// All positions of one episode, for matching. Positions are the same episode if edges join them, directly or by way of
// others. A scheme with two positions among them is ambiguous: two different episodes would share one.
import type { AiredCoordinate, Coordinates, EntryCoordinate, EntryScheme, Ids, MappingBasis } from '@playhead/sdk'
import { AIRED, type Aired, NATIVE, type Native } from '../data/descriptor.ts'
import type { NoCounterpart } from '../data/ranges.ts'
import type { Index } from './edges.ts'
import {
  type AiredHit,
  airedOf,
  entriesOf,
  type EntryHit,
  type Found,
  keyOfHit,
  reasonOf,
  sameEntries,
  sameShows,
} from './hits.ts'
import { passThrough, type Start, startsOf } from './one-episode.ts'

export interface Position {
  readonly showIds: Ids
  readonly season: number
  readonly episode: number
  readonly specials: boolean
}

type Scheme = Aired | Native
type Place = AiredHit | EntryHit
type Problems = Set<NoCounterpart>

interface Resolved {
  /** Null: several. */
  readonly places: Map<Scheme, Place | null>
  readonly problems: Problems
}

const MAX_JOINED = 40

export function coordinatesOf(index: Index, position: Position): Coordinates {
  const { showIds, season, specials } = position
  if (season === 0 && !specials) return nothing('specials_off')
  if (AIRED.some((scheme) => showIds[scheme] !== undefined)) return ofAired(index, position)
  return NATIVE.some((scheme) => showIds[scheme] !== undefined) ? ofEntry(index, position) : nothing('no_identity')
}

export function nothing(
  reason: NonNullable<Coordinates['reason']>,
  ambiguous: Coordinates['ambiguous'] = [],
): Coordinates {
  return { aired: [], entries: [], ambiguous, basis: null, reason }
}

function ofAired(index: Index, position: Position): Coordinates {
  const { showIds, season, episode, specials } = position
  const starts = startsOf(index, showIds, season, episode)
  const resolve = (some: readonly Start[]) => merge(some.map(({ at }) => resolveFrom(index, at, specials)))
  const own = resolve(starts.filter(({ basis }) => basis === 'anibridge'))
  // A season that is mapped has its own numbers, although not this one.
  const hops = starts.filter(({ basis }) => basis === 'show_pair_hop')
  const usesHop = own.places.size === 0 && own.problems.size === 0 && hops.length > 0
  const { places, problems } = usesHop ? resolve(hops) : own
  const found = places.size > 0
  if (found && usesHop) for (const { at } of starts) places.getOrInsert(at.scheme, at)
  let basis: MappingBasis = usesHop ? 'show_pair_hop' : 'anibridge'
  for (const scheme of NATIVE) {
    const known = places.get(scheme)
    if (known !== undefined && known?.id === showIds[scheme]) continue
    const passed = passThrough(index, position, starts, [scheme])
    if (passed === undefined) continue
    if (![...places.values()].some((place) => place !== null)) basis = 'anibridge_native'
    places.set(scheme, { scheme, id: passed.id, episode: passed.episode })
  }
  return answer({ places, problems }, basis)
}

/** Entries have no seasons: they are numbered from 1, as season 1. */
function ofEntry(index: Index, { showIds, season, episode, specials }: Position): Coordinates {
  if (season !== 1) return nothing(season === 0 ? 'no_mapping' : 'no_position')
  const starts = NATIVE.flatMap((scheme): EntryHit[] => {
    const id = showIds[scheme]
    return id === undefined ? [] : [{ scheme, id, episode }]
  })
  return answer(merge(starts.map((start) => resolveFrom(index, start, specials))), 'anibridge')
}

/**
 * Each anime service is followed apart from the others, so that a confusion at one does not spoil the others. A service
 * without an edge to the shows is reached by way of another one.
 */
function resolveFrom(index: Index, start: Place, specials: boolean): Resolved {
  const places = new Map<Scheme, Place | null>()
  const problems: Problems = new Set()
  const isNative = 'season' in start ? [] : [start.scheme]
  const rounds = 'season' in start ? NATIVE : isNative
  for (const native of rounds) {
    const found = joined(index, start, [native], specials, problems)
    if (found === null) places.set(native, null)
    else take(found)
  }
  for (const other of NATIVE) {
    if (places.has(other)) continue
    for (const native of NATIVE) {
      if (native === other || (places.get(native) ?? null) === null || places.has(other)) continue
      const through = joined(index, start, [native, other], specials, problems)
      const place = through?.get(other)
      if (place !== undefined) places.set(other, place)
      else if (through === null) problems.add('ambiguous')
    }
  }
  // The start alone is no mapping.
  const known = [...places.values()].filter((place) => place !== null)
  if (known.length === 1 && known[0] === start) places.delete(start.scheme)
  return { places, problems }

  function take(found: ReadonlyMap<Scheme, Place | null>): void {
    for (const [scheme, place] of found) {
      const before = places.get(scheme)
      const isSame = before === undefined || (before !== null && place !== null && keyOfHit(before) === keyOfHit(place))
      places.set(scheme, isSame ? (before ?? place) : null)
    }
  }
}

/** What is joined with the start by shows and these services alone; null if the start itself is not unique. */
function joined(
  index: Index,
  start: Place,
  natives: readonly Native[],
  specials: boolean,
  problems: Problems,
): ReadonlyMap<Scheme, Place | null> | null {
  const places = new Map<Scheme, Place | null>()
  const known = new Set<string>()
  const queue: Place[] = [start]
  for (let at = 0; at < queue.length; at += 1) {
    const place = queue[at] as Place
    const key = keyOfHit(place)
    if (known.has(key)) continue
    known.add(key)
    places.set(place.scheme, places.has(place.scheme) ? null : place)
    if (known.size > MAX_JOINED || places.get(start.scheme) === null) {
      problems.add('ambiguous')
      return null
    }
    for (const { hits, problems: own } of neighbours(index, place, specials)) {
      if (place === start) for (const problem of own) problems.add(problem)
      else if (own.has('ambiguous')) {
        problems.add('ambiguous')
        return null
      }
      for (const hit of hits) {
        if ('season' in hit ? specials || hit.season > 0 : natives.includes(hit.scheme)) queue.push(hit)
      }
    }
  }
  return places
}

function neighbours(index: Index, place: Place, specials: boolean): readonly Found<Place>[] {
  if ('season' in place) return [entriesOf(index, place), sameShows(index, place)]
  return [airedOf(index, place, specials), sameEntries(index, place)]
}

/** Ids of several services that name one episode have to lead to the same places. */
function merge(all: readonly Resolved[]): Resolved {
  const places = new Map<Scheme, Place | null>()
  const problems: Problems = new Set()
  for (const one of all) {
    for (const problem of one.problems) problems.add(problem)
    for (const [scheme, place] of one.places) {
      const before = places.get(scheme)
      const isSame = before === undefined || (before !== null && place !== null && keyOfHit(before) === keyOfHit(place))
      places.set(scheme, isSame ? place : null)
    }
  }
  return { places, problems }
}

function answer({ places, problems }: Resolved, basis: MappingBasis): Coordinates {
  const aired: AiredCoordinate[] = []
  const entries: EntryCoordinate[] = []
  const ambiguous: (EntryScheme | Aired)[] = []
  for (const [scheme, place] of places) {
    if (place === null) ambiguous.push(scheme)
    else if ('season' in place) aired.push(place)
    else entries.push(place)
  }
  if (aired.length + entries.length > 1) return { aired, entries, ambiguous, basis }
  // A single position is the given one, if it was not passed through.
  if (basis === 'anibridge_native' && entries.length > 0) return { aired, entries, ambiguous, basis }
  return nothing(ambiguous.length > 0 ? 'ambiguous' : reasonOf({ problems }), ambiguous)
}

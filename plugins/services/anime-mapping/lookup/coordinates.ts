// All positions of one episode, for matching. Positions are the same episode if edges connect them, directly or indirectly. A
// scheme with two such positions is ambiguous: two different episodes would share one.
import type { AiredCoordinate, Coordinates, EntryCoordinate, EntryScheme, Ids, MappingBasis } from '@playhead/sdk'
import { AIRED, type Aired, NATIVE, type Native } from '../data/descriptor.ts'
import type { Index } from './edges.ts'
import {
  type AiredHit,
  airedOf,
  entriesOf,
  type EntryHit,
  type Found,
  type Problem,
  reasonOf,
  sameEntries,
  sameHit,
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
type Problems = Set<Problem>

interface Resolved {
  /** Null if there are several. */
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
  // A mapped season has its own numbers, even if this number is not mapped.
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
 * The positions connected with the start. If a scheme has several, each anime service is followed separately, so that a wrong edge
 * of one does not affect the others. The result does not depend on which position is the start.
 */
function resolveFrom(index: Index, start: Place, specials: boolean): Resolved {
  const near = createNear(index, specials)
  const problems: Problems = new Set(near(start).flatMap((found) => [...found.problems]))
  const all = joined(near, start, NATIVE, specials)
  if (all === null) return { places: new Map(), problems: problems.add('ambiguous') }
  if (![...all.values()].includes(null)) return { places: all.size > 1 ? all : new Map(), problems }
  const places = new Map<Scheme, Place | null>([[start.scheme, start]])
  const own = 'season' in start ? [] : [start.scheme]
  for (const native of 'season' in start ? NATIVE : own) take(joined(near, start, [native], specials), () => true)
  for (const other of own.length === 0 ? [] : NATIVE)
    take(joined(near, start, [...own, other], specials), (scheme) => scheme === other)
  // Positions that are reachable only through a wrong edge.
  for (const scheme of all.keys()) if (!places.has(scheme)) places.set(scheme, null)
  return { places, problems: problems.add('ambiguous') }

  function take(found: ReadonlyMap<Scheme, Place | null> | null, isWanted: (scheme: Scheme) => boolean): void {
    if (found === null || found.get(start.scheme) === null) return
    for (const [scheme, place] of found) if (isWanted(scheme)) put(places, scheme, place)
  }
}

function put(places: Map<Scheme, Place | null>, scheme: Scheme, place: Place | null): void {
  const before = places.get(scheme)
  const isSame = before === undefined || (before !== null && place !== null && sameHit(before, place))
  places.set(scheme, isSame ? place : null)
}

/** Positions that shows and these services connect with the start; null for ambiguous schemes, and for too many. */
function joined(
  near: Near,
  start: Place,
  natives: readonly Native[],
  specials: boolean,
): Map<Scheme, Place | null> | null {
  const places = new Map<Scheme, Place | null>()
  const queue: Place[] = [start]
  for (const place of queue) {
    places.set(place.scheme, places.has(place.scheme) ? null : place)
    for (const { hits, problems } of near(place)) {
      if (queue.length > MAX_JOINED || problems.has('ambiguous')) return null
      for (const hit of hits) {
        const counts = 'season' in hit ? specials || hit.season > 0 : natives.includes(hit.scheme)
        if (counts && !queue.some((other) => sameHit(other, hit))) queue.push(hit)
      }
    }
  }
  return places
}

type Near = (place: Place) => readonly Found<Place>[]

/** Positions are visited several times. */
function createNear(index: Index, specials: boolean): Near {
  const known: { readonly place: Place; readonly found: readonly Found<Place>[] }[] = []
  return (place) => {
    for (const one of known) if (one.place === place || sameHit(one.place, place)) return one.found
    const found = neighbours(index, place, specials)
    known.push({ place, found })
    return found
  }
}

function neighbours(index: Index, place: Place, specials: boolean): readonly Found<Place>[] {
  if ('season' in place) return [entriesOf(index, place), sameShows(index, place)]
  return [airedOf(index, place, specials), sameEntries(index, place)]
}

/** Ids of several services that name one episode must lead to the same positions. */
function merge(all: readonly Resolved[]): Resolved {
  const places = new Map<Scheme, Place | null>()
  const problems: Problems = new Set()
  for (const one of all) {
    for (const problem of one.problems) problems.add(problem)
    for (const [scheme, place] of one.places) put(places, scheme, place)
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
  // A single position is the given one, unless it was only an intermediate step.
  if (basis === 'anibridge_native' && entries.length > 0) return { aired, entries, ambiguous, basis }
  return nothing(ambiguous.length > 0 ? 'ambiguous' : reasonOf({ problems }), ambiguous)
}

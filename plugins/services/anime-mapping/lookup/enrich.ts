// Further ids of a film or show: follows the edges from the known ids. An id counts if it is the only one of its scheme at the
// nearest distance; the first season is never assumed to represent the show.
import type { Enriched, EntryScheme, Ids, MappingBasis } from '@playhead/sdk'
import { type Aired, AIRED, type Descriptor, isSide, keyOf, NATIVE, type Native } from '../data/descriptor.ts'
import { overlaps, type Range, startsAtOne } from '../data/ranges.ts'
import type { Edge } from '../index-file/lines.ts'
import type { Index } from './edges.ts'

export interface Work {
  readonly ids: Ids
  readonly kind: 'movie' | 'show'
  /** Its kind still has to be determined. */
  readonly isAnime: boolean
}

type Scheme = Aired | Native
const SCHEMES: readonly Scheme[] = [...NATIVE, ...AIRED]
const MAX_DEPTH = 2
const MAX_LOOKUPS = 40

interface Place {
  readonly work: Pick<Descriptor, 'scheme' | 'kind' | 'id'>
  /** Undefined for all scopes. */
  readonly scope?: string
  /** Episodes through which it was reached; null for all. */
  readonly range: Range | null
  readonly isSide: boolean
  /** The path started at a show, and not at one of its entries. */
  readonly isFromShow: boolean
}

interface Candidate {
  readonly depth: number
  readonly isSide: boolean
  readonly kind: Descriptor['kind']
  readonly isWhole: boolean
}

export function enrichWork(index: Index, { ids, kind, isAnime }: Work): Enriched {
  const seeds = seedsOf(index, ids)
  const { candidates, hasEdges, isTooMany } = walk(index, placesOf(seeds.ids, kind))
  const found: { [scheme in Scheme]?: string } = {}
  const ambiguous = new Set<Scheme | EntryScheme>(seeds.ambiguous)
  for (const scheme of SCHEMES) {
    if (ids[scheme] !== undefined) continue
    const id = seeds.ids[scheme] ?? onlyOne(candidates.get(scheme))
    if (id === null) ambiguous.add(scheme)
    else if (id !== undefined) found[scheme] = id
  }
  const identities = identitiesOf(index, { ...ids, ...found })
  for (const scheme of identities.ambiguous) ambiguous.add(scheme)
  const all: Ids = { ...ids, ...found, ...identities.ids }
  const added = Object.keys(all).filter((scheme) => ids[scheme as Scheme] === undefined) as Enriched['added'][number][]
  const shared = AIRED.filter(
    (scheme) => found[scheme] !== undefined && isPartOf(index, ids, scheme, found[scheme], kind),
  )
  const kinds = new Set(
    [...candidates].flatMap(([scheme, of]) => (found[scheme] === undefined ? [] : kindsOf(of, found[scheme]))),
  )
  const hasNothing = added.length === 0
  return {
    ids: all,
    added,
    replaced: [],
    shared,
    ambiguous: [...ambiguous],
    ...(isAnime && kinds.size > 0 ? { type: kinds.has('show') ? 'show' : 'movie' } : {}),
    basis: hasNothing ? null : basisOf(candidates, found),
    ...(hasNothing && (isTooMany || isWanting(ids))
      ? {
          reason:
            isTooMany || ambiguous.size > 0 ? 'ambiguous' : hasEdges || hasAny(ids) ? 'no_mapping' : 'no_identity',
        }
      : {}),
  }
}

/** Ids of anime services for items with only SIMKL or Kitsu ids. */
function seedsOf(index: Index, ids: Ids): { readonly ids: Ids; readonly ambiguous: readonly Scheme[] } {
  if (SCHEMES.some((scheme) => ids[scheme] !== undefined)) return { ids, ambiguous: [] }
  const natives: { [scheme in Native]?: string } = {}
  const ambiguous = new Set<Native>()
  for (const scheme of ['trackb', 'kitsu'] as const) {
    const id = ids[scheme]
    if (id === undefined) continue
    for (const [native, own] of index.nativesOf(scheme, id) as ReadonlyMap<Native, string | null>) {
      if (own === null || (natives[native] ?? own) !== own) ambiguous.add(native)
      else natives[native] = own
    }
  }
  for (const scheme of ambiguous) delete natives[scheme]
  return { ids: { ...ids, ...natives }, ambiguous: [...ambiguous] }
}

/** TMDB and TVDB number films and shows separately, so only ids of the same kind count. IMDb ids are distinct. */
function placesOf(ids: Ids, kind: 'movie' | 'show'): Place[] {
  const kinds = ['show', 'movie'] as const
  const whole = { range: null, isSide: false }
  return [
    ...AIRED.flatMap((scheme) => {
      const id = ids[scheme]
      return id === undefined
        ? []
        : kinds
            .filter((one) => one === kind || scheme === 'imdb')
            .map((one) => ({ work: { scheme, kind: one, id }, ...whole, isFromShow: one === 'show' }))
    }),
    ...NATIVE.flatMap((scheme) => {
      const id = ids[scheme]
      return id === undefined ? [] : [{ work: { scheme, kind: 'entry' as const, id }, ...whole, isFromShow: false }]
    }),
  ]
}

function walk(index: Index, starts: readonly Place[]) {
  const candidates = new Map<Scheme, Map<string, Candidate>>()
  const seen = new Set<string>()
  let lookups = 0
  let hasEdges = false
  let isTooMany = false
  let places = [...starts]
  for (let depth = 1; depth <= MAX_DEPTH; depth += 1) {
    const next: Place[] = []
    for (const place of places) {
      if (lookups >= MAX_LOOKUPS) {
        // Unvisited works may be further candidates.
        isTooMany = true
        break
      }
      lookups += 1
      const edges = index.edges(place.work)
      isTooMany ||= edges.isTooMany
      for (const edge of passing(edges.all, place)) {
        hasEdges = true
        const reached = placeBehind(edge, place)
        note(candidates, edge, place, reached, depth)
        const key = `${keyOf(edge.target)} ${JSON.stringify(reached.range)} ${reached.isSide}`
        if (seen.has(key)) continue
        seen.add(key)
        next.push(reached)
      }
    }
    places = next
  }
  if (isTooMany) candidates.clear()
  return { candidates, hasEdges, isTooMany }
}

function passing(edges: readonly Edge[], { scope, range }: Place): readonly Edge[] {
  return edges.filter(
    ({ source, ranges }) =>
      (scope === undefined || source.scope === scope || source.scope === '') &&
      (range === null || ranges === null || overlaps(ranges.from, range)),
  )
}

function placeBehind({ source, target, ranges }: Edge, place: Place): Place {
  return {
    work: target,
    // An edge between ids leads to the whole work.
    ...(ranges === null && target.scope === '' ? {} : { scope: target.scope }),
    range: ranges === null ? null : ranges.to,
    isSide: place.isSide || isSide(source) || isSide(target),
    isFromShow: place.isFromShow,
  }
}

function note(
  candidates: Map<Scheme, Map<string, Candidate>>,
  { source, target, ranges }: Edge,
  place: Place,
  { isSide: side }: Place,
  depth: number,
): void {
  const ofScheme = candidates.getOrInsertComputed(target.scheme, () => new Map<string, Candidate>())
  // An entry that starts later is not the show.
  const isWhole =
    !place.isFromShow ||
    target.kind !== 'entry' ||
    ranges === null ||
    place.work.kind !== 'show' ||
    side ||
    (source.season === 1 && startsAtOne(ranges.from))
  const known = ofScheme.get(target.id)
  ofScheme.set(target.id, {
    depth: known?.depth ?? depth,
    isSide: (known?.isSide ?? true) && side,
    kind: known?.kind === 'show' ? 'show' : target.kind,
    isWhole: (known?.isWhole ?? false) || isWhole,
  })
}

/** Null if there are several, or if the only one is uncertain. */
function onlyOne(candidates: ReadonlyMap<string, Candidate> | undefined): string | null | undefined {
  if (candidates === undefined) return undefined
  const nearest = Math.min(...[...candidates.values()].map(({ depth }) => depth))
  const near = [...candidates].filter(([, { depth }]) => depth === nearest)
  const regular = near.filter(([, candidate]) => !candidate.isSide)
  const [one, ...more] = regular.length > 0 ? regular : near
  return one === undefined || more.length > 0 || !one[1].isWhole ? null : one[0]
}

function kindsOf(candidates: ReadonlyMap<string, Candidate>, id: string | undefined): readonly string[] {
  const kind = id === undefined ? undefined : candidates.get(id)?.kind
  return kind === undefined || kind === 'entry' ? [] : [kind]
}

/** Whether the entry is only a part of the show: it starts later, is a special, or the show has further entries there. */
function isPartOf(index: Index, ids: Ids, scheme: Aired, id: string | undefined, kind: 'movie' | 'show'): boolean {
  const natives = NATIVE.filter((native) => ids[native] !== undefined)
  if (id === undefined || kind === 'movie' || natives.length === 0) return false
  const edges = index.edges({ scheme, kind: 'show', id }).all
  if (edges.length === 0) return false
  return natives.some((native) => {
    const entries = edges.filter(({ source, target }) => target.scheme === native && !isSide(source) && !isSide(target))
    if (entries.some(({ target }) => target.id !== ids[native])) return true
    const own = edges.filter(({ target }) => target.scheme === native && target.id === ids[native])
    return (
      own.length > 0 &&
      !own.some(({ source, ranges }) => ranges === null || (source.season === 1 && startsAtOne(ranges.from)))
    )
  })
}

function identitiesOf(index: Index, ids: Ids): { readonly ids: Ids; readonly ambiguous: readonly EntryScheme[] } {
  const rows = NATIVE.flatMap((scheme) => {
    const id = ids[scheme]
    return id === undefined ? [] : (index.identity(scheme, id) ?? [])
  })
  const found: { trackb?: string; kitsu?: string } = {}
  const ambiguous: EntryScheme[] = []
  for (const scheme of ['trackb', 'kitsu'] as const) {
    if (ids[scheme] !== undefined) continue
    const [one, ...more] = new Set(rows.map((row) => row[scheme]).filter((id) => id !== ''))
    if (more.length > 0) ambiguous.push(scheme)
    else if (one !== undefined) found[scheme] = one
  }
  return { ids: found, ambiguous }
}

function basisOf(candidates: ReadonlyMap<Scheme, ReadonlyMap<string, Candidate>>, found: Ids): MappingBasis {
  const isByEdge = SCHEMES.some((scheme) => candidates.get(scheme)?.has(found[scheme] ?? '') === true)
  return isByEdge ? 'anibridge' : 'identity'
}

/** Whether an id is missing that the mapping could provide. */
function isWanting(ids: Ids): boolean {
  return SCHEMES.some((scheme) => ids[scheme] === undefined)
}

function hasAny(ids: Ids): boolean {
  return [...SCHEMES, 'trackb' as const, 'kitsu' as const].some((scheme) => ids[scheme] !== undefined)
}
